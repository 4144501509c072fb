// The lexer of marked with rules of our own. `new Marked()` would keep its parser and its renderer in the page (see vite.config.ts).

import { getDefaults, Lexer, Tokenizer, type MarkedOptions, type Token, type TokenizerExtension } from "marked";

interface Rules {
  readonly gfm: boolean;
  /** Replaces these rules of the tokenizer. */
  readonly tokenizer: Partial<Pick<Tokenizer, "html" | "tag">>;
  readonly extensions: readonly TokenizerExtension[];
}

export const lexerWith = (rules: Rules): { readonly lexer: (text: string) => Token[] } => {
  const at = (level: "block" | "inline") => rules.extensions.filter((each) => each.level === level);
  // Like `Marked`: of two extensions, the later one is asked first.
  const tokenizers = (level: "block" | "inline") =>
    at(level)
      .map((each) => each.tokenizer)
      .toReversed();
  const starts = (level: "block" | "inline") => at(level).flatMap((each) => each.start ?? []);
  const options: MarkedOptions = {
    ...getDefaults(),
    gfm: rules.gfm,
    tokenizer: Object.assign(new Tokenizer(), rules.tokenizer),
    extensions: {
      renderers: {},
      childTokens: {},
      block: tokenizers("block"),
      startBlock: starts("block"),
      inline: tokenizers("inline"),
      startInline: starts("inline"),
    },
  };
  return { lexer: (text) => Lexer.lex(text, options) };
};
