// Text and thinking of the model.

import { memo, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import type { Draft, ThinkingRow } from "@quarterdeck/client";
import { formatCount } from "../../words/format.ts";
import { useDraft } from "../drafts.ts";
import type { FlowingText } from "../../content/markdown/flowing-text.ts";
import { Blocks } from "../../content/markdown/markdown.tsx";
import type { TextPart } from "../../content/markdown/text-parts.ts";
import { Elapsed, formatDuration } from "../parts.tsx";
import { useKept } from "../../content/kept-choices.ts";
import { WORDS } from "../words.ts";

export interface SaidProps {
  readonly part: TextPart | undefined;
  readonly text: FlowingText | undefined;
}

const NOTHING = { blocks: [], open: undefined };
const never = () => () => {};

/** A part of a text. Finished and streaming parts share one element, so nothing is drawn again at the end. */
export const Said = memo(({ part, text }: SaidProps) => {
  const open = useSyncExternalStore(text?.subscribe ?? never, () => text?.open ?? NOTHING);
  return (
    <div className={`prose ${text === undefined ? "" : "is-writing"}`}>
      <Blocks blocks={part?.blocks ?? open.blocks} open={open.open} />
    </div>
  );
});

export interface ThoughtProps {
  readonly row: ThinkingRow | undefined;
  readonly draft: Pick<Draft, "id" | "at"> | undefined;
}

export const Thought = memo(({ row, draft }: ThoughtProps) => {
  const live = useDraft(row === undefined ? draft?.id : undefined);
  const isLive = row === undefined;
  const id = row?.id ?? draft?.id ?? "";
  const text = row?.text ?? live?.text ?? "";
  const tokens = row?.tokens ?? live?.tokens;
  const [open, setOpen] = useKept(`thought/${id}`, isLive);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isLive && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [isLive, text]);
  if (row?.redacted === true) return <p className="thought-line">{WORDS.noThinking}</p>;
  const words = isLive ? (
    <>
      {WORDS.thinking} <Elapsed since={draft?.at ?? 0} />
    </>
  ) : row.durationMs === undefined ? (
    WORDS.thought
  ) : (
    WORDS.thoughtFor(formatDuration(row.durationMs))
  );
  return (
    <div className={`thought ${isLive ? "thought-live" : ""}`}>
      <button
        type="button"
        className="thought-line"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        disabled={text === ""}
      >
        <span>{words}</span>
        {tokens !== undefined && <span className="faint num">{WORDS.tokens(formatCount(tokens))}</span>}
      </button>
      {open && text !== "" && (
        <div ref={box} className="thought-text" tabIndex={0} role="region" aria-label={WORDS.thinking}>
          {text}
        </div>
      )}
    </div>
  );
});
