// Rows without a speaker that many screens have: turns, separators, commands, notices.

import { memo, type ReactNode } from "react";
import type { CommandRow, MarkRow, NoticeRow, TurnRow } from "@quarterdeck/client";
import { isInterrupted, toolTitle } from "@quarterdeck/client/content";
import { formatCost, formatCount, plural } from "../../words/format.ts";
import { modelName, modeName } from "../../words/names.ts";
import { Markdown } from "../../content/markdown/markdown.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { formatDuration, Line } from "../parts.tsx";
import { useKept } from "../../content/kept-choices.ts";
import { useIsLast, useScope } from "../scope.tsx";
import { JsonView } from "../../content/text/json-view.tsx";
import { Output } from "../../content/text/output.tsx";

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
  // A plan that was sent back and a question that was dismissed are not denied.
  const denials = row.denials.filter(({ tool_name: tool }) => tool !== "ExitPlanMode" && tool !== "AskUserQuestion");
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
        {denials.length > 0 && (
          <span className="bad" title={denials.map((denial) => toolTitle(denial.tool_name)).join(", ")}>
            {plural(denials.length, "call")} denied
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

export const MarkView = memo(({ row }: { readonly row: MarkRow }) => <Line>{markWords(row)}</Line>);

const markWords = ({ what, text, from }: MarkRow): ReactNode => {
  switch (what) {
    case "cleared":
      return "Conversation cleared. Claude no longer sees the messages above.";
    case "mode":
      return (
        <span title={text}>
          Permission mode: {modeName(text)}
          {from !== undefined &&
            ` (was ${modeName(from)}). A new process keeps only the mode that was chosen for the session, or a stricter one.`}
        </span>
      );
    case "model":
      return <span title={text}>Model: {modelName(text)}</span>;
    case "interrupted":
      return "You stopped this";
    case "process-started":
      return "Process started";
    case "process-exited":
      return text === "" ? "Process ended" : text;
    case "resumed":
      return "Resumed with a new process";
    case "title":
      return `Renamed to “${text}”`;
  }
};

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
