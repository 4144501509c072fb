import { Fragment, memo, useState, type ReactNode } from "react";
import type { PromptContent, PromptRow, PromptState } from "@quarterdeck/client";
import { attachedName, canBeTakenBack, hasBegun, isRecord, isResting, typedText } from "@quarterdeck/client/content";
import { formatTime } from "../../words/format.ts";
import { later } from "../../parts/later.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { FileLink } from "../../content/text/file-link.tsx";
import { mentionsIn } from "../../content/text/mentions.ts";
import { Markdown } from "../../content/markdown/markdown.tsx";
import { useKept } from "../../content/kept-choices.ts";
import { useOtherDevice } from "../../store/client.tsx";
import { tellSent } from "../../store/sent.ts";
import { openSurface } from "../../store/surfaces.ts";
import { useScopeHead, useScope } from "../scope.tsx";
import { JsonView } from "../../content/text/json-view.tsx";
import { Picture } from "../../content/text/picture.tsx";
import { inOrder } from "../../content/text/visible.ts";
import { hookReason } from "./hook-reason.ts";
import { WORDS } from "../words.ts";
import { WORDS as CONTENT } from "../../content/words.ts";
import { locale } from "../../words/language.ts";

export const PromptEditor = later(async () => (await import("./prompt-editor.tsx")).PromptEditor);

/** A person's prompt and its state. */
export const PromptView = memo(({ row }: { readonly row: PromptRow }) => {
  if (row.origin === "agent") return <AgentPrompt row={row} />;
  return <OwnPrompt row={row} />;
});

const OwnPrompt = ({ row }: { readonly row: PromptRow }) => {
  const [edits, setEdits] = useState(false);
  return (
    <div className={`you you-${row.state}`}>
      {row.origin !== undefined && (
        <span className="you-origin">{row.origin === "cli" ? WORDS.fromCli : row.origin}</span>
      )}
      {edits ? (
        <PromptEditor row={row} onEnd={() => setEdits(false)} />
      ) : (
        <>
          <Content content={row.content} id={row.id} />
          <small>
            <Fate row={row} />
            {canBeTakenBack(row.state) && row.uuid !== undefined && (
              <PromptActions row={row} onEdit={() => setEdits(true)} />
            )}
            {hasBegun(row.state) && row.uuid !== undefined && row.origin === undefined && <WayBack row={row} />}
          </small>
        </>
      )}
    </div>
  );
};

const Content = ({ content, id }: { readonly content: PromptContent; readonly id: string }) => {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return (
    <>
      {blocks.map((block, index): ReactNode => {
        if (!isRecord(block)) return null;
        const { type, text, source, title } = block as Readonly<Record<string, unknown>>;
        if (type === "text" && typeof text === "string") {
          const file = attachedName(text);
          if (file === undefined) return <PromptText key={index} text={text} id={`${id}/${index}`} />;
          return (
            <p key={index} className="you-file" title={text}>
              {file} <span className="faint">{WORDS.attached}</span>
            </p>
          );
        }
        if (
          isRecord(source) &&
          source["type"] === "base64" &&
          typeof source["data"] === "string" &&
          typeof source["media_type"] === "string"
        ) {
          return type === "image" ? (
            <Picture key={index} mediaType={source["media_type"]} data={source["data"]} about={WORDS.attached} />
          ) : (
            <p key={index} className="you-file">
              {typeof title === "string" ? title : CONTENT.file} <span className="faint">{source["media_type"]}</span>
            </p>
          );
        }
        if (type === "document" || type === "image") {
          return (
            <p key={index} className="you-file">
              {typeof title === "string" ? title : type === "image" ? CONTENT.image : CONTENT.file}
            </p>
          );
        }
        return <JsonView key={index} value={block} name={`${id}/${index}`} />;
      })}
    </>
  );
};

const FOLDED = 1_400;

/** The prompt as typed, with files and commands highlighted. Long pasted text is folded. */
const PromptText = ({ text, id }: { readonly text: string; readonly id: string }) => {
  const [unfolded, setUnfolded] = useKept(`prompt/${id}`, false);
  const isLong = text.length > FOLDED * 1.3 || text.split("\n", 32).length > 30;
  const shown = inOrder(isLong && !unfolded ? cut(text) : text);
  return (
    <div className="you-text">
      {mentions(shown)}
      {isLong && (
        <>
          {!unfolded && " … "}
          <TextButton onClick={() => setUnfolded(!unfolded)} expanded={unfolded}>
            {unfolded ? CONTENT.less : WORDS.allCharacters(text.length.toLocaleString(locale ?? "en"))}
          </TextButton>
        </>
      )}
    </div>
  );
};

const cut = (text: string): string => text.split("\n", 20).join("\n").slice(0, FOLDED);

const mentions = (text: string): ReactNode =>
  mentionsIn(text).map((piece, index) =>
    piece.kind === "text" ? (
      <Fragment key={index}>{piece.text}</Fragment>
    ) : (
      <span key={index} className="mention">
        {piece.file === undefined ? piece.text : <FileLink file={piece.file}>{piece.text}</FileLink>}
      </span>
    ),
  );

const Fate = ({ row }: { readonly row: PromptRow }) => {
  const place = useScopeHead((head) => head.queue.findIndex((queued) => queued.rowId === row.id));
  const running = useScopeHead((head) => !isResting(head.phase));
  const other = useOtherDevice(row.by);
  const from = other === undefined ? undefined : WORDS.sentFrom(other);
  const words = wordsOf(row, place, running);
  return (
    <span className={TONES[row.state]} title={row.state}>
      {words !== undefined && <>{words} · </>}
      {hasBegun(row.state) && from !== undefined && `${from} · `}
      {formatTime(row.at)}
    </span>
  );
};

const TONES: Partial<Readonly<Record<PromptState, string>>> = {
  accepted: "busy",
  sent: "busy",
  queued: "busy",
  held: "needed",
  blocked: "bad",
  refused: "bad",
  discarded: "bad",
};

const wordsOf = (row: PromptRow, place: number, running: boolean): string | undefined => {
  const { state, priority, reason } = row;
  switch (state) {
    case "accepted":
      return running ? WORDS.queued(place, priority) : WORDS.sending;
    case "sent":
      return running && place > 0 ? WORDS.queued(place, priority) : WORDS.sent;
    case "queued":
      return WORDS.queued(place, priority);
    case "folded":
      return WORDS.folded;
    case "held":
      return WORDS.held;
    case "blocked":
      return WORDS.blocked(reason === undefined ? undefined : hookReason(reason));
    case "refused":
      return WORDS.refused(reason);
    case "discarded":
      return WORDS.discarded;
    case "cancelled":
      return WORDS.cancelled;
    // The rows below show the answer, what failed, or where it was stopped.
    case "started":
    case "done":
    case "failed":
    case "interrupted":
      return undefined;
  }
};

const PromptActions = ({ row, onEdit }: { readonly row: PromptRow; readonly onEdit: () => void }) => {
  const { actions, view } = useScope();
  if (view.snapshot.readOnly || !actions.may("session/editPrompt")) return null;
  const cancel = () => {
    actions.cancelPrompt(row.uuid!).then(
      (cancelled) => {
        if (!cancelled) actions.toast(WORDS.tooLate);
      },
      (error: unknown) => actions.toast(error instanceof Error ? error.message : String(error), { tone: "bad" }),
    );
  };
  const send = () => {
    tellSent(view.id);
    actions
      .editPrompt(row.uuid!, row.content)
      .catch((error: unknown) =>
        actions.toast(error instanceof Error ? error.message : String(error), { tone: "bad" }),
      );
  };
  return (
    <span className="you-actions">
      {row.state === "held" && <TextButton onClick={send}>{WORDS.send}</TextButton>}
      <TextButton onClick={onEdit}>{WORDS.edit}</TextButton>
      <TextButton onClick={cancel}>{row.state === "held" ? WORDS.discard : WORDS.cancel}</TextButton>
    </span>
  );
};

/** Actions for an answered prompt. Shown on hover or focus. */
const WayBack = ({ row }: { readonly row: PromptRow }) => {
  const { actions, view } = useScope();
  if (row.parent !== undefined || view.snapshot.readOnly || !actions.may("rewind/apply")) return null;
  const open = (resends: boolean) => () =>
    openSurface({ kind: "rewind", session: view.id, prompt: row.uuid!, text: typedText(row.content), resends });
  return (
    <span className="you-actions you-back">
      <TextButton onClick={open(true)}>{WORDS.resend}</TextButton>
      <TextButton onClick={open(false)}>{WORDS.rewind}</TextButton>
    </span>
  );
};

/** An agent's prompt is already in its card. */
const AgentPrompt = ({ row }: { readonly row: PromptRow }) => {
  const [open, setOpen] = useKept(`told/${row.id}`, false);
  return (
    <div className="told">
      <TextButton onClick={() => setOpen(!open)} expanded={open}>
        {open ? WORDS.hideTold : WORDS.showTold}
      </TextButton>
      {open && <Markdown text={typedText(row.content)} />}
    </div>
  );
};
