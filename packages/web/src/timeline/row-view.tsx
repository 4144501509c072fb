// Draws an entry of the list. Each row has a menu that also shows its raw messages.

import type { ReactElement, ReactNode } from "react";
import type { Row } from "@quarterdeck/client";
import { later } from "../parts/later.tsx";
import { CopyButton } from "../parts/text-button.tsx";
import { DividerLine } from "./parts.tsx";
import { useScope } from "./scope.tsx";
import { CommandView, MarkView, NoticeView, TurnView } from "./rows/events.tsx";
import { PromptEditor, PromptView } from "./rows/prompt.tsx";
import { Said, Thought } from "./rows/said.tsx";
import { ToolView } from "./tools/tool-view.tsx";
import type { Entry } from "./entries.ts";
import { WORDS } from "./words.ts";
import { locale } from "../words/language.ts";

const TailLine = later(async () => (await import("./rows/tail-line.tsx")).TailLine);
const ErrorView = later(async () => (await import("./rows/trouble.tsx")).ErrorView);
const RetryView = later(async () => (await import("./rows/trouble.tsx")).RetryView);
const BlockView = later(async () => (await import("./rows/rare.tsx")).BlockView);
const CompactionView = later(async () => (await import("./rows/rare.tsx")).CompactionView);
const HookView = later(async () => (await import("./rows/rare.tsx")).HookView);
const NoiseView = later(async () => (await import("./rows/rare.tsx")).NoiseView);
const RequestView = later(async () => (await import("./rows/rare.tsx")).RequestView);
const Sources = later(async () => (await import("./rows/rare.tsx")).Sources);
const UnknownView = later(async () => (await import("./rows/rare.tsx")).UnknownView);

export const prefetchRows = (): void => {
  PromptEditor.prefetch();
  for (const view of [
    TailLine,
    ErrorView,
    RetryView,
    BlockView,
    CompactionView,
    HookView,
    NoiseView,
    RequestView,
    UnknownView,
  ])
    view.prefetch();
};

export const renderEntry = (entry: Entry): ReactNode => {
  switch (entry.kind) {
    case "day":
      return <DividerLine>{dayName(entry.at)}</DividerLine>;
    case "row":
      return (
        <RowFrame row={entry.row} id={entry.key}>
          {rowOf(entry.row)}
        </RowFrame>
      );
    case "text":
      return (
        <RowFrame
          row={entry.row}
          id={entry.key}
          isPart={!entry.isLast}
          foot={
            entry.isLast &&
            entry.row !== undefined && (
              <>
                {entry.row.citations !== undefined && <Sources citations={entry.row.citations} />}
                <AnswerCopy text={entry.row.text} />
              </>
            )
          }
        >
          <Said part={entry.part} text={undefined} />
        </RowFrame>
      );
    case "flowing":
      return (
        <RowFrame row={undefined} id={entry.key}>
          <Said part={undefined} text={entry.text} />
        </RowFrame>
      );
    case "tail":
      return <TailLine tail={entry.tail} />;
    case "draft":
      return (
        <RowFrame row={undefined} id={entry.key}>
          {entry.draft.kind === "tool" ? (
            <ToolView row={undefined} draft={entry.draft} />
          ) : (
            <Thought row={undefined} draft={entry.draft} />
          )}
        </RowFrame>
      );
  }
};

const rowOf = (row: Exclude<Row, { kind: "text" }>): ReactElement => {
  switch (row.kind) {
    case "prompt":
      return <PromptView row={row} />;
    case "thinking":
      return <Thought row={row} draft={undefined} />;
    case "tool":
      return <ToolView row={row} draft={undefined} />;
    case "block":
      return <BlockView row={row} />;
    case "turn":
      return <TurnView row={row} />;
    case "error":
      return <ErrorView row={row} />;
    case "command":
      return <CommandView row={row} />;
    case "compaction":
      return <CompactionView row={row} />;
    case "mark":
      return <MarkView row={row} />;
    case "hook":
      return <HookView row={row} />;
    case "request":
      return <RequestView row={row} />;
    case "notice":
      return <NoticeView row={row} />;
    case "retry":
      return <RetryView row={row} />;
    case "unknown":
      return <UnknownView row={row} />;
    case "noise":
      return <NoiseView row={row} />;
    default:
      return row satisfies never;
  }
};

/** Below the last part of an answer. It takes no room until the pointer or the focus is there. */
const AnswerCopy = ({ text }: { readonly text: string }) => (
  <div className="answer-copy">
    <CopyButton text={text} label={WORDS.copyAnswer} />
  </div>
);

/**
 * The same element with and without a row, so a draft that becomes a row is not drawn again. For the same reason `children` is always one
 * element: React makes all of it again when one child becomes a list.
 */
const RowFrame = ({
  row,
  id,
  isPart = false,
  foot,
  children,
}: {
  readonly row: Row | undefined;
  readonly id: string;
  readonly isPart?: boolean;
  readonly foot?: ReactNode;
  readonly children: ReactElement;
}) => {
  const { openMenu } = useScope();
  return (
    <div
      className={`timeline-row ${row?.kind === "prompt" ? "timeline-prompt" : ""} ${isPart ? "timeline-part" : ""}`}
      data-row={row?.id ?? id}
    >
      {children}
      {foot}
      {row !== undefined && (
        <button
          type="button"
          className="timeline-more"
          aria-label={WORDS.menu}
          aria-haspopup="menu"
          onClick={(event) => openMenu(row, event.currentTarget)}
        >
          <span aria-hidden="true">⋯</span>
        </button>
      )}
    </div>
  );
};

const dayName = (at: number): string =>
  new Date(at).toLocaleDateString(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
