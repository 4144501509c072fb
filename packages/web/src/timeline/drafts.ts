// Drafts as they grow. They arrive about as often as they are drawn (`paceMs` in app.tsx). If the block to parse again is long,
// they are drawn less often, so typing stays quick.

import { useEffect, useRef, useState } from "react";
import type { Draft, SessionView } from "@quarterdeck/client";
import { FlowingText } from "../content/markdown/flowing-text.ts";
import { useScope } from "./scope.tsx";

const LEAST_MS = 45;

/** Runs the newest task in a frame, at most once per interval. */
class Pace {
  #run: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame: number | undefined;
  #notBefore = 0;

  /** `weight`: characters to parse again. */
  schedule(run: () => void, weight: number): void {
    this.#run = run;
    if (this.#timer !== undefined || this.#frame !== undefined) return;
    const wait = this.#notBefore - performance.now();
    // Unused frames cost as much as others, so they are not requested.
    if (wait <= 0) this.#ask(weight);
    else this.#timer = setTimeout(() => this.#ask(weight), wait);
  }

  #ask(weight: number): void {
    this.#timer = undefined;
    this.#frame = requestAnimationFrame((now) => {
      this.#frame = undefined;
      this.#notBefore = now + Math.min(200, LEAST_MS + weight / 160);
      this.#run?.();
      this.#run = undefined;
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#timer = undefined;
    this.#frame = undefined;
    this.#run = undefined;
  }
}

/** One draft. Undefined when it has ended. */
export const useDraft = (id: string | undefined): Draft | undefined => {
  const { view } = useScope();
  const [draft, setDraft] = useState(() => view.snapshot.drafts.find((entry) => entry.id === id));
  useEffect(() => {
    if (id === undefined) return undefined;
    const pace = new Pace();
    const stop = view.subscribeDraft(id, (next) => {
      if (next !== undefined) pace.schedule(() => setDraft(next), next.text.length);
    });
    return () => {
      stop();
      pace.stop();
    };
  }, [view, id]);
  return id === undefined ? undefined : draft;
};

interface Followed {
  readonly text: FlowingText;
  readonly stop: () => void;
}

/** Texts that are being written. Each is followed while it is a draft. Renders again when one gains a part. */
export const useFlowingDrafts = (view: SessionView, drafts: readonly Draft[]): readonly (FlowingText | Draft)[] => {
  const followed = useRef(new Map<string, Followed>());
  const [, setParts] = useState(0);
  const known = followed.current;
  for (const draft of drafts) {
    if (draft.kind === "text" && !known.has(draft.id))
      known.set(
        draft.id,
        follow(view, draft, () => setParts((count) => count + 1)),
      );
  }
  useEffect(() => {
    const alive = new Set(drafts.map((draft) => draft.id));
    for (const [id, { stop }] of known) {
      if (alive.has(id)) continue;
      stop();
      known.delete(id);
    }
  }, [known, drafts]);
  useEffect(
    () => () => {
      for (const { stop } of known.values()) stop();
      known.clear();
    },
    [known, view],
  );
  return drafts.map((draft) => known.get(draft.id)?.text ?? draft);
};

const follow = (view: SessionView, draft: Draft, onPart: () => void): Followed => {
  const text = new FlowingText(draft);
  const pace = new Pace();
  text.onPart = onPart;
  const stop = view.subscribeDraft(draft.id, (next) => {
    if (next !== undefined)
      pace.schedule(
        () => text.write(next.text),
        text.open.open?.kind === "code" ? 0 : (text.open.open?.text.length ?? 0),
      );
  });
  return {
    text,
    stop: () => {
      stop();
      pace.stop();
      text.onPart = undefined;
    },
  };
};
