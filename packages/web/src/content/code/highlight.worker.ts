// The highlighter, in a worker: gets code, and returns stretches with their kind.

import { createHighlighterCore, type HighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { loadGrammar, type Grammar } from "./languages.ts";
import { classOfColor, classTheme } from "./token-classes.ts";

export interface HighlightRequest {
  readonly id: number;
  readonly code: string;
  readonly grammar: Grammar;
}
export interface HighlightAnswer {
  readonly id: number;
  /** Triples: from, to, kind. */
  readonly stretches: Uint32Array;
}

let highlighter: Promise<HighlighterCore> | undefined;
const loaded = new Map<Grammar, Promise<void>>();

const ready = async (grammar: Grammar): Promise<HighlighterCore> => {
  highlighter ??= createHighlighterCore({
    themes: [classTheme()],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const core = await highlighter;
  if (!loaded.has(grammar))
    loaded.set(
      grammar,
      loadGrammar(grammar).then((module) => core.loadLanguage(module.default)),
    );
  await loaded.get(grammar);
  return core;
};

const stretchesOf = (core: HighlighterCore, code: string, grammar: Grammar): Uint32Array => {
  const found: number[] = [];
  const lines = core.codeToTokensBase(code, {
    lang: grammar,
    theme: "kinds",
    tokenizeMaxLineLength: 1_000,
    // Per line. The first line of a language also loads its grammar.
    tokenizeTimeLimit: 4_000,
  });
  for (const token of lines.flat()) {
    const kind = classOfColor(token.color);
    const end = token.offset + token.content.length;
    if (kind === -1 || token.content.trim() === "") continue;
    // Adjacent tokens of one kind become one stretch.
    if (found.at(-1) === kind && found.at(-2) === token.offset) found[found.length - 2] = end;
    else found.push(token.offset, end, kind);
  }
  return Uint32Array.from(found);
};

addEventListener("message", (event: MessageEvent<HighlightRequest>) => {
  const { id, code, grammar } = event.data;
  ready(grammar)
    .then((core) => stretchesOf(core, code, grammar))
    // The browser's regular expressions cannot express this grammar, so the code stays plain.
    .catch(() => new Uint32Array())
    .then((stretches) => postMessage({ id, stretches } satisfies HighlightAnswer, { transfer: [stretches.buffer] }))
    .catch((error: unknown) => reportError(error));
});
