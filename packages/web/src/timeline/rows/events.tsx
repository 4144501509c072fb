// Rows without a speaker that many screens have: turns, separators, commands, notices.

import { memo, type ReactNode } from "react";
import type { CommandRow, MarkRow, NoticeRow, Row, TurnRow } from "@quarterdeck/client";
import { isInterrupted, toolTitle } from "@quarterdeck/client/content";
import { formatCost, formatCount } from "../../words/format.ts";
import { modelName, modeName } from "../../words/names.ts";
import { Markdown } from "../../content/markdown/markdown.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { formatDuration, DividerLine } from "../parts.tsx";
import { useKept } from "../../content/kept-choices.ts";
import { useIsLast, useScope } from "../scope.tsx";
import { JsonView } from "../../content/text/json-view.tsx";
import { Output } from "../../content/text/output.tsx";
import { WORDS } from "../words.ts";

/** Ends of a turn that a row with the error describes better. */
const TOLD_BY_ERRORS = /^(?:success|error_during_execution)$/u;

/** Whether a row of this turn shows an error. */
const hasErrorRow = (rows: readonly Row[], turn: TurnRow): boolean => {
  const last = rows.findLast(
    ({ kind, order, parent }) => order < turn.order && parent === undefined && (kind === "error" || kind === "turn"),
  );
  return last?.kind === "error";
};

export const TurnView = memo(({ row }: { readonly row: TurnRow }) => {
  const { view } = useScope();
  const stopped = isInterrupted(row);
  const isTold = TOLD_BY_ERRORS.test(row.subtype) && hasErrorRow(view.snapshot.rows, row);
  const failed = !row.ok && !stopped && !isTold;
  const end = WORDS.ends[row.subtype] ?? WORDS.turnFailed;
  const words = [
    row.origin === undefined ? undefined : WORDS.afterTask,
    row.costUsd > 0 ? formatCost(row.costUsd) : undefined,
    row.durationMs > 0 ? formatDuration(row.durationMs) : undefined,
    row.steps > 1 ? WORDS.steps(row.steps) : undefined,
    row.inputTokens + row.outputTokens > 0
      ? WORDS.inAndOut(formatCount(row.inputTokens), formatCount(row.outputTokens))
      : undefined,
  ].filter((word) => word !== undefined);
  // A plan that was sent back and a question that was dismissed are not denied.
  const denials = row.denials.filter(({ tool_name: tool }) => tool !== "ExitPlanMode" && tool !== "AskUserQuestion");
  return (
    <footer className="turn">
      {failed && <p className="bad">{row.errors.length > 0 ? WORDS.because(end, row.errors) : end}</p>}
      <p className="turn-line num">
        {words.map((word) => (
          <span key={word}>{word}</span>
        ))}
        {denials.length > 0 && (
          <span className="bad" title={denials.map((denial) => toolTitle(denial.tool_name)).join(", ")}>
            {WORDS.denied(denials.length)}
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
          {row.failed && <span className="bad">{WORDS.failed}</span>}
        </p>
      )}
      {row.text === "" ? (
        <p className="faint">{WORDS.noOutput}</p>
      ) : isMarkdown ? (
        <Markdown text={row.text} />
      ) : (
        <Output text={row.text} name={row.id} shows="start" {...(row.failed && { tone: "bad" as const })} />
      )}
    </div>
  );
});

export const MarkView = memo(({ row }: { readonly row: MarkRow }) => <DividerLine>{markWords(row)}</DividerLine>);

const markWords = ({ what, text, from }: MarkRow): ReactNode => {
  switch (what) {
    case "cleared":
      return WORDS.cleared;
    case "mode":
      return (
        <span title={text}>
          {from === undefined ? WORDS.mode(modeName(text)) : WORDS.modeFrom(modeName(text), modeName(from))}
        </span>
      );
    case "model":
      return <span title={text}>{WORDS.model(modelName(text))}</span>;
    case "interrupted":
      return WORDS.stopped;
    case "process-started":
      return WORDS.started;
    case "process-exited":
      return text === "" ? WORDS.ended : text;
    case "resumed":
      return WORDS.resumed;
    case "title":
      return WORDS.renamed(text);
  }
};

export const NoticeView = memo(({ row }: { readonly row: NoticeRow }) => {
  const isLong = row.text.length > 400;
  const topic = WORDS.topics[row.topic] ?? row.topic;
  const [open, setOpen] = useKept(`notice/${row.id}`, false);
  return (
    <div className={`small-row notice notice-${row.level}`}>
      <p className="small-line">
        <b>{row.level === "info" ? topic : row.level === "error" ? WORDS.error(topic) : WORDS.warning(topic)}</b>
        <span className="notice-text">{isLong && !open ? `${row.text.slice(0, 300)} …` : row.text}</span>
        {isLong && (
          <TextButton onClick={() => setOpen(!open)} expanded={open}>
            {open ? WORDS.less : WORDS.more}
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
  return <TextButton onClick={() => actions.lookAtFolder()}>{WORDS.review}</TextButton>;
};
