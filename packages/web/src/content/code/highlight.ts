// The kinds of words in a piece of code. The highlighter is loaded with the first code, after the first screen.

import type { Stretches } from "./highlighter.ts";
import type { Grammar } from "./languages.ts";

/** The first time, highlighting waits, so that more important content loads first. */
const CALM_MS = 300;
let calm: Promise<void> | undefined;
const calmness = (): Promise<void> =>
  (calm ??= new Promise((resolve) =>
    setTimeout(() => {
      if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resolve(), { timeout: 2_000 });
      else resolve();
    }, CALM_MS),
  ));

/** `remember`: the same code will be requested again. Not for code that is still being written. */
export const highlight = async (code: string, grammar: Grammar, remember = true): Promise<Stretches> => {
  await calmness();
  return (await import("./highlighter.ts")).highlight(code, grammar, remember);
};
