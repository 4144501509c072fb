// The kinds of words with their own color in code, and the scopes of TextMate grammars for each. The theme uses the
// number of a kind as its color, so the highlighter returns kinds instead of colors. CSS has the real colors.

import type { ThemeRegistrationRaw } from "shiki/core";

export const TOKEN_CLASSES = [
  "comment",
  "string",
  "number",
  "keyword",
  "function",
  "type",
  "name",
  "tag",
  "added",
  "removed",
  "heading",
] as const;
export type TokenClass = (typeof TOKEN_CLASSES)[number];

const SCOPES: Readonly<Record<TokenClass, readonly string[]>> = {
  comment: ["comment", "punctuation.definition.comment", "string.quoted.docstring", "meta.diff.header"],
  string: [
    "string",
    "punctuation.definition.string",
    "constant.other.symbol",
    "markup.inline.raw",
    "markup.fenced_code",
    "string.regexp",
    "constant.character.escape",
  ],
  number: ["constant.numeric", "constant.language", "constant.other.color", "keyword.other.unit", "support.constant"],
  keyword: [
    "keyword",
    "storage.type",
    "storage.modifier",
    "variable.language",
    "keyword.operator.new",
    "keyword.operator.expression",
    "punctuation.definition.template-expression",
    "punctuation.section.embedded",
  ],
  function: [
    "entity.name.function",
    "support.function",
    "meta.function-call entity.name.function",
    "entity.name.command",
  ],
  type: [
    "entity.name.type",
    "entity.name.class",
    "support.type",
    "support.class",
    "entity.other.inherited-class",
    "entity.name.namespace",
    "storage.type.primitive",
  ],
  name: [
    "variable.other.property",
    "variable.other.object.property",
    "meta.object-literal.key",
    "support.type.property-name",
    "entity.other.attribute-name",
    "variable.parameter",
    "entity.name.tag.yaml",
    "variable.other.key",
  ],
  tag: ["entity.name.tag", "punctuation.definition.tag", "support.class.component"],
  added: ["markup.inserted", "punctuation.definition.inserted"],
  removed: ["markup.deleted", "punctuation.definition.deleted"],
  heading: ["markup.heading", "entity.name.section", "markup.bold", "meta.diff.range"],
};

/** Grammars treat operators as keywords, but there are too many to color. */
const QUIET = ["keyword.operator", "punctuation", "storage.type.function.arrow"];

const colorOf = (index: number): string => `#${(index + 1).toString(16).padStart(6, "0")}`;
const PLAIN_COLOR = "#ffffff";

/** A function, so that the page, which needs only the names of the kinds, does not load it. */
export const classTheme = (): ThemeRegistrationRaw => ({
  name: "kinds",
  type: "dark",
  settings: [
    { settings: { foreground: PLAIN_COLOR, background: "#000000" } },
    ...TOKEN_CLASSES.map((name, index) => ({
      scope: [...SCOPES[name]],
      settings: { foreground: colorOf(index) },
    })),
    { scope: QUIET, settings: { foreground: PLAIN_COLOR } },
  ],
  fg: PLAIN_COLOR,
  bg: "#000000",
});

/** The kind for a color of the theme. */
export const classOfColor = (color: string | undefined): number => {
  const index = Number.parseInt((color ?? PLAIN_COLOR).slice(1, 7), 16) - 1;
  return index >= 0 && index < TOKEN_CLASSES.length ? index : -1;
};
