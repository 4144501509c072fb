// Drafts as they grow. Deltas come by the hundred; what is drawn of them follows in every third frame (nobody reads faster, and the
// others are left to whoever types), and less often where the block that must be read again is long.

import { useEffect, useRef, useState } from "react";
import type { Draft, SessionView } from "@quarterdeck/client";
import { FlowingText } from "./markdown/flowing-text.ts";
import { useScope } from "./scope.tsx";

const LEAST_MS = 42;

/** Runs the newest of what it is given, in a frame, and not before a time has passed since the last. */
class Pace {
  #run: (() => void) | undefined;
  #frame: number | undefined;
  #notBefore = 0;

  /** `weight`: characters that must be read again. */
  schedule(run: () => void, weight: number): void {
    this.#run = run;
    this.#frame ??= requestAnimationFrame((now) => this.#tick(now, weight));
  }

  #tick(now: number, weight: number): void {
    this.#frame = undefined;
    const run = this.#run;
    if (run === undefined) return;
    if (now < this.#notBefore) {
      this.#frame = requestAnimationFrame((next) => this.#tick(next, weight));
      return;
    }
    this.#run = undefined;
    this.#notBefore = now + Math.min(200, LEAST_MS + weight / 160);
    run();
  }

  stop(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#run = undefined;
  }
}

/** One draft; nothing when it has ended. */
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

/** Texts that are being written, each followed for as long as it is a draft. Renders again when one has a part more. */
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
