// The parts of a `<details>` block. Pure. Tags of the summary that only change how it looks are left out.

import { WORDS } from "../words.ts";

export interface FoldedParts {
  readonly summary: string;
  readonly body: string;
  readonly open: boolean;
}

export const foldedParts = (text: string): FoldedParts => {
  const tag = /^<details( open)?>\s*/iu.exec(text);
  const inner = text.slice(tag?.[0].length ?? 0).replace(/<\/details>\s*$/iu, "");
  const found = /^<summary>([\s\S]{0,2000}?)<\/summary>/iu.exec(inner);
  const summary = (found?.[1] ?? "").replaceAll(/<\/?(?:b|strong|i|em|code|h[1-6])>/giu, "").trim();
  return {
    summary: summary === "" ? WORDS.details : summary.replaceAll(/\s+/gu, " "),
    body: inner.slice(found?.[0].length ?? 0).replace(/^\s*\n/u, ""),
    open: tag?.[1] !== undefined,
  };
};
