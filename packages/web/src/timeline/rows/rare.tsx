// Rows that most first screens do not have: compactions, hooks, requests, raw blocks, unknown messages.

import { memo } from "react";
import type { BlockRow, CompactionRow, HookRow, NoiseRow, RequestRow, UnknownRow } from "@quarterdeck/client";
import { isRecord } from "@quarterdeck/client/content";
import { formatBytes, formatCount } from "../../words/format.ts";
import { goToRequest } from "../../store/wanted-request.ts";
import { Markdown } from "../../content/markdown/markdown.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { DividerLine } from "../parts.tsx";
import { useKept } from "../../content/kept-choices.ts";
import { useOtherDevice } from "../../store/client.tsx";
import { JsonView } from "../../content/text/json-view.tsx";
import { Output } from "../../content/text/output.tsx";
import { Picture } from "../../content/text/picture.tsx";
import { WORDS } from "../rare-words.ts";

/** In this module, because another one would cost more in the first load. */
export { Sources } from "./sources.tsx";

export const CompactionView = memo(({ row }: { readonly row: CompactionRow }) => {
  const [open, setOpen] = useKept(`compaction/${row.id}`, false);
  if (row.failed !== undefined) return <DividerLine tone="stop">{WORDS.notCompacted(row.failed)}</DividerLine>;
  return (
    <>
      <DividerLine>
        {WORDS.compacted(row.trigger === "manual", countOf(row.before), countOf(row.after))}
        {row.summary !== undefined && (
          <>
            {" · "}
            <TextButton onClick={() => setOpen(!open)} expanded={open}>
              {open ? WORDS.hideSummary : WORDS.showSummary}
            </TextButton>
          </>
        )}
      </DividerLine>
      {open && row.summary !== undefined && (
        <div className="summary">
          <Markdown text={row.summary} />
        </div>
      )}
    </>
  );
});

const countOf = (tokens: number | undefined): string | undefined =>
  tokens === undefined ? undefined : formatCount(tokens);

export const HookView = memo(({ row }: { readonly row: HookRow }) => {
  const failed = (row.exitCode ?? 0) !== 0 || row.outcome === "error";
  const [open, setOpen] = useKept(`hook/${row.id}`, failed && row.output !== "");
  const words = (
    <>
      <span>{WORDS.hook}</span> <b>{row.event}</b>{" "}
      <span className="mono faint">{row.name === row.event ? "" : row.name}</span>
      <span className={failed ? "bad" : row.outcome === undefined && row.exitCode === undefined ? "busy" : "faint"}>
        {row.outcome === undefined && row.exitCode === undefined
          ? WORDS.running
          : failed
            ? WORDS.failed(row.exitCode)
            : WORDS.done}
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

export const RequestView = memo(({ row }: { readonly row: RequestRow }) => {
  const other = useOtherDevice(row.by);
  return (
    <div className={`small-row asked-row ${row.fate === "open" ? "is-open" : ""}`}>
      <p className="small-line">
        <b>{row.subtype === "elicitation" ? WORDS.serverRequest : WORDS.cliRequest}</b>
        {row.fate === "open" ? (
          <span className="needed">
            <TextButton label={WORDS.goToRequest} onClick={() => goToRequest(row.requestId)}>
              {WORDS.fates.open} ↓
            </TextButton>
          </span>
        ) : (
          <span className="faint">
            {row.by === undefined ? WORDS.fates[row.fate] : WORDS.fateBy(WORDS.fates[row.fate], other)}
          </span>
        )}
      </p>
      {row.fate !== "open" && <p>{row.text}</p>}
    </div>
  );
});

export const UnknownView = memo(({ row }: { readonly row: UnknownRow }) => {
  const type = isRecord(row.value)
    ? [row.value["type"], row.value["subtype"]].filter((word) => typeof word === "string").join("/")
    : "";
  return <Neutral id={row.id} title={WORDS.unknown} about={type} reason={row.reason} value={row.value} />;
});

export const NoiseView = memo(({ row }: { readonly row: NoiseRow }) => (
  <div className="small-row">
    <p className="small-line">
      <b>{WORDS.notJson}</b>
      <span className="faint">
        {formatBytes(row.size)}, {row.reason}
      </span>
    </p>
  </div>
));

export const BlockView = memo(({ row }: { readonly row: BlockRow }) => {
  const { type, source, name } = row.block;
  if (type === "image" && isRecord(source) && source["type"] === "base64") {
    return <Picture mediaType={String(source["media_type"])} data={String(source["data"])} about={WORDS.fromClaude} />;
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
