// Rows without a speaker: turns, separators, hooks, notices, unknown messages.

import { memo, type ReactNode } from "react";
import type {
  BlockRow,
  CommandRow,
  CompactionRow,
  HookRow,
  MarkRow,
  NoiseRow,
  NoticeRow,
  RequestRow,
  TurnRow,
  UnknownRow,
} from "@quarterdeck/client";
import { isInterrupted, isRecord, toolTitle } from "@quarterdeck/client/content";
import { formatBytes, formatCost, formatCount, plural } from "../../words/format.ts";
import { modelName, modeName } from "../../words/names.ts";
import { answerInDock, answerInRow, useRowSlot } from "../../store/wanted-request.ts";
import { Markdown } from "../../content/markdown/markdown.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { formatDuration, Line } from "../parts.tsx";
import { useKept } from "../../content/kept-choices.ts";
import { useOtherDevice } from "../../store/client.tsx";
import { useIsLast, useScope } from "../scope.tsx";
import { JsonView } from "../../content/text/json-view.tsx";
import { Output } from "../../content/text/output.tsx";
import { Picture } from "../../content/text/picture.tsx";

const ENDS: Readonly<Record<string, string>> = {
  error_during_execution: "The turn ended with an error",
  error_max_turns: "Max turns reached",
  error_max_budget_usd: "Max cost reached",
  error_max_structured_output_retries: "The answer did not match its schema",
};

export const TurnView = memo(({ row }: { readonly row: TurnRow }) => {
  const stopped = isInterrupted(row);
  const failed = !row.ok && !stopped;
  const words = [
    row.origin === undefined ? undefined : "After a background task",
    row.costUsd > 0 ? formatCost(row.costUsd) : undefined,
    row.durationMs > 0 ? formatDuration(row.durationMs) : undefined,
    row.steps > 1 ? plural(row.steps, "step") : undefined,
    row.inputTokens + row.outputTokens > 0
      ? `${formatCount(row.inputTokens)} tokens in, ${formatCount(row.outputTokens)} out`
      : undefined,
  ].filter((word) => word !== undefined);
  return (
    <footer className="turn">
      {failed && (
        <p className="bad">
          {ENDS[row.subtype] ?? "The turn failed"}
          {row.errors.length > 0 && `: ${row.errors.join("; ")}`}
        </p>
      )}
      <p className="turn-line num">
        {words.map((word) => (
          <span key={word}>{word}</span>
        ))}
        {row.denials.length > 0 && (
          <span className="bad" title={row.denials.map((denial) => toolTitle(denial.tool_name)).join(", ")}>
            {plural(row.denials.length, "call")} denied
          </span>
        )}
      </p>
      {row.structuredOutput !== undefined && <JsonView value={row.structuredOutput} name={row.id} />}
    </footer>
  );
});

/** Output of a slash command: terminal text, or Markdown with tables. */
export const CommandView = memo(({ row }: { readonly row: CommandRow }) => {
  const isMarkdown =
    !row.text.includes("\u001B") &&
    /^\s*(?:#{1,4} |\|.*\||\*\*)/mu.test(row.text.slice(0, 8_000)) &&
    row.text.length < 60_000;
  return (
    <div className={`command ${row.failed ? "command-failed" : ""}`}>
      {(row.name !== undefined || row.failed) && (
        <p className="command-name">
          {row.name !== undefined && <span className="mono">/{row.name.replace(/^\//u, "")}</span>}
          {row.failed && <span className="bad">failed</span>}
        </p>
      )}
      {row.text === "" ? (
        <p className="faint">no output</p>
      ) : isMarkdown ? (
        <Markdown text={row.text} />
      ) : (
        <Output text={row.text} name={row.id} shows="start" {...(row.failed && { tone: "bad" as const })} />
      )}
    </div>
  );
});

export const CompactionView = memo(({ row }: { readonly row: CompactionRow }) => {
  const [open, setOpen] = useKept(`compaction/${row.id}`, false);
  if (row.failed !== undefined) return <Line tone="stop">Couldn't compact the context: {row.failed}</Line>;
  return (
    <>
      <Line>
        Context compacted{row.trigger === "manual" ? "" : " automatically"}
        {row.before !== undefined &&
          `: ${formatCount(row.before)}${row.after === undefined ? "" : ` to ${formatCount(row.after)}`} tokens`}
        {row.summary !== undefined && (
          <>
            {" · "}
            <TextButton onClick={() => setOpen(!open)} expanded={open}>
              {open ? "Hide summary" : "Show summary"}
            </TextButton>
          </>
        )}
      </Line>
      {open && row.summary !== undefined && (
        <div className="summary">
          <Markdown text={row.summary} />
        </div>
      )}
    </>
  );
});

export const MarkView = memo(({ row }: { readonly row: MarkRow }) => <Line>{markWords(row)}</Line>);

const markWords = ({ what, text }: MarkRow): ReactNode => {
  switch (what) {
    case "cleared":
      return "Conversation cleared. Claude no longer sees the messages above.";
    case "mode":
      return <span title={text}>Permission mode: {modeName(text)}</span>;
    case "model":
      return <span title={text}>Model: {modelName(text)}</span>;
    case "interrupted":
      return "You stopped this";
    case "process-started":
      return "Process started";
    case "process-exited":
      return `Process ended${text === "" ? "" : `: ${text}`}`;
    case "resumed":
      return "Resumed with a new process";
    case "title":
      return `Renamed to “${text}”`;
  }
};

export const HookView = memo(({ row }: { readonly row: HookRow }) => {
  const failed = (row.exitCode ?? 0) !== 0 || row.outcome === "error";
  const [open, setOpen] = useKept(`hook/${row.id}`, failed && row.output !== "");
  const words = (
    <>
      <span>Hook</span> <b>{row.event}</b> <span className="mono faint">{row.name === row.event ? "" : row.name}</span>
      <span className={failed ? "bad" : row.outcome === undefined && row.exitCode === undefined ? "busy" : "faint"}>
        {row.outcome === undefined && row.exitCode === undefined
          ? "running"
          : failed
            ? `failed${row.exitCode === undefined ? "" : `, exit ${row.exitCode}`}`
            : "done"}
      </span>
    </>
  );
  return (
    <div className="small-row">
      {row.output === "" ? (
        <p className="small-line">{words}</p>
      ) : (
        <button type="button" className="small-line" aria-expanded={open} onClick={() => setOpen(!open)}>
          {words}
        </button>
      )}
      {open && row.output !== "" && <Output text={row.output} name={row.id} shows="start" />}
    </div>
  );
});

const FATES: Readonly<Record<RequestRow["fate"], string>> = {
  open: "needs you",
  answered: "answered",
  cancelled: "withdrawn by Claude Code",
  ended: "ended because Claude Code stopped",
};

export const RequestView = memo(({ row }: { readonly row: RequestRow }) => {
  const { isHere, slot } = useRowSlot(row.fate === "open" ? row.requestId : undefined);
  const other = useOtherDevice(row.by);
  return (
    <div className={`small-row asked-row ${row.fate === "open" ? "is-open" : ""}`}>
      <p className="small-line">
        <b>{row.subtype === "elicitation" ? "MCP server request" : "Claude Code request"}</b>
        {row.fate === "open" ? (
          <span className="needed">
            <TextButton
              expanded={isHere}
              label={`${FATES.open}: answer here`}
              onClick={() => (isHere ? answerInDock : answerInRow)(row.requestId)}
            >
              {FATES.open}
            </TextButton>
          </span>
        ) : (
          <span className="faint">
            {FATES[row.fate]}
            {row.by !== undefined && (other === undefined ? " by you" : ` on ${other}`)}
          </span>
        )}
      </p>
      {isHere ? <div ref={slot} className="tool-request" /> : <p>{row.text}</p>}
    </div>
  );
});

export const NoticeView = memo(({ row }: { readonly row: NoticeRow }) => {
  const isLong = row.text.length > 400;
  const [open, setOpen] = useKept(`notice/${row.id}`, false);
  return (
    <div className={`small-row notice notice-${row.level}`}>
      <p className="small-line">
        <b>
          {row.level === "info" ? "" : `${row.level === "error" ? "Error" : "Warning"}: `}
          {row.topic}
        </b>
        <span className="notice-text">{isLong && !open ? `${row.text.slice(0, 300)} …` : row.text}</span>
        {isLong && (
          <TextButton onClick={() => setOpen(!open)} expanded={open}>
            {open ? "Less" : "More"}
          </TextButton>
        )}
        {row.topic === "folder" && <FolderStep id={row.id} />}
      </p>
    </div>
  );
});

/** Only for the current process. A later process has the settings or shows its own notice. */
const FolderStep = ({ id }: { readonly id: string }) => {
  const { actions, view } = useScope();
  const isLast = useIsLast(
    id,
    (row) => (row.kind === "mark" && row.what === "resumed") || (row.kind === "notice" && row.topic === "folder"),
  );
  if (!isLast || view.snapshot.readOnly) return null;
  return <TextButton onClick={() => actions.lookAtFolder()}>Review settings</TextButton>;
};

export const UnknownView = memo(({ row }: { readonly row: UnknownRow }) => {
  const type = isRecord(row.value)
    ? [row.value["type"], row.value["subtype"]].filter((word) => typeof word === "string").join("/")
    : "";
  return <Neutral id={row.id} title="Unknown message" about={type} reason={row.reason} value={row.value} />;
});

export const NoiseView = memo(({ row }: { readonly row: NoiseRow }) => (
  <div className="small-row">
    <p className="small-line">
      <b>Not JSON</b>
      <span className="faint">
        {formatBytes(row.size)}, {row.reason}
      </span>
    </p>
  </div>
));

export const BlockView = memo(({ row }: { readonly row: BlockRow }) => {
  const { type, source, name } = row.block;
  if (type === "image" && isRecord(source) && source["type"] === "base64") {
    return <Picture mediaType={String(source["media_type"])} data={String(source["data"])} about="from Claude" />;
  }
  return (
    <Neutral id={row.id} title={typeof name === "string" ? name : String(type)} about="" reason="" value={row.block} />
  );
});

const Neutral = ({
  id,
  title,
  about,
  reason,
  value,
}: {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly reason: string;
  readonly value: unknown;
}) => {
  const [open, setOpen] = useKept(`neutral/${id}`, false);
  return (
    <div className="small-row">
      <button type="button" className="small-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <b>{title}</b>
        <span className="mono">{about}</span>
        <span className="faint">{reason}</span>
      </button>
      {open && <JsonView value={value} name={id} />}
    </div>
  );
};
