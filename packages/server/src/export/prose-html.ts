// The model writes Markdown. In an export its blocks become code, headings, lists, quotes and tables. The output has a
// dozen elements, without attributes that a text could fill. Links stay text, and each line is read once.

import { escaped } from "./escaped.ts";

export const proseHtml = (prose: string): string => {
  const lines = prose.split("\n");
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    const kind = kindOf(lines[at]!, lines[at + 1]);
    const from = at++;
    const isMore = CONTINUES[kind];
    while (at < lines.length && isMore(lines[at]!, lines[at + 1], lines[from]!)) at++;
    // The closing line of a code block belongs to it.
    if (kind === "code" && at < lines.length) at++;
    out.push(blockHtml(kind, lines.slice(from, at)));
  }
  return out.join("");
};

type Kind = "blank" | "code" | "heading" | "bullets" | "numbers" | "quote" | "table" | "text";

const FENCE = /^ {0,3}(`{3,}|~{3,})/u;
const BULLET = /^\s{0,12}[-*+] /u;
const NUMBER = /^\s{0,12}\d{1,9}[.)] /u;
const RULE = /^\|?[\s:|-]*-[\s:|-]*$/u;

const kindOf = (line: string, next: string | undefined): Kind => {
  if (line.trim() === "") return "blank";
  if (FENCE.test(line)) return "code";
  if (/^#{1,6} /u.test(line)) return "heading";
  if (BULLET.test(line)) return "bullets";
  if (NUMBER.test(line)) return "numbers";
  if (line.startsWith(">")) return "quote";
  if (line.includes("|") && next?.includes("|") === true && next.length < 2000 && RULE.test(next)) return "table";
  return "text";
};

type IsMore = (line: string, next: string | undefined, first: string) => boolean;
const same =
  (kind: Kind): IsMore =>
  (line, next) =>
    kindOf(line, next) === kind;
/** A line with more indentation belongs to the entry before it. */
const listed =
  (kind: Kind): IsMore =>
  (line, next) =>
    kindOf(line, next) === kind || (/^\s{2,}\S/u.test(line) && !FENCE.test(line));

const CONTINUES: Readonly<Record<Kind, IsMore>> = {
  blank: same("blank"),
  code: (line, _next, first) => !line.trim().startsWith(FENCE.exec(first)![1]!),
  heading: () => false,
  bullets: listed("bullets"),
  numbers: listed("numbers"),
  quote: same("quote"),
  table: (line) => line.includes("|"),
  text: same("text"),
};

const blockHtml = (kind: Kind, lines: readonly string[]): string => {
  switch (kind) {
    case "blank":
      return "";
    case "code": {
      const isClosed = lines.length > 1 && FENCE.test(lines.at(-1)!);
      return `<pre class="code">${escaped(lines.slice(1, isClosed ? -1 : undefined).join("\n"))}</pre>\n`;
    }
    case "heading":
      return `<h3>${inline(lines[0]!.replace(/^#+ /u, ""))}</h3>\n`;
    case "bullets":
      return `<ul>${entries(lines, BULLET)}</ul>\n`;
    case "numbers":
      return `<ol>${entries(lines, NUMBER)}</ol>\n`;
    case "quote":
      return `<blockquote>${lines.map((line) => inline(line.slice(1).trim())).join("<br>")}</blockquote>\n`;
    case "table":
      return `<table>${lines.flatMap((line, index) => (index === 1 ? [] : [tableRow(line, index === 0)])).join("")}</table>\n`;
    case "text":
      return `<p>${lines.map(inline).join("<br>\n")}</p>\n`;
  }
};

const entries = (lines: readonly string[], mark: RegExp): string => {
  const items: string[] = [];
  for (const line of lines) {
    if (mark.test(line) || items.length === 0) items.push(inline(line.replace(mark, "")));
    else items.push(`${items.pop()!}<br>${inline(line.trim())}`);
  }
  return items.map((item) => `<li>${item}</li>`).join("");
};

const tableRow = (line: string, isHead: boolean): string => {
  const cells = line.trim().replace(/^\|/u, "").replace(/\|$/u, "").split("|");
  const tag = isHead ? "th" : "td";
  return `<tr>${cells.map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`).join("")}</tr>`;
};

/** Code and bold, if they are closed in the same line. */
const inline = (text: string): string =>
  alternating(text, "`", "code", (plain) => alternating(plain, "**", "strong", escaped));

const alternating = (text: string, mark: string, tag: string, rest: (text: string) => string): string => {
  const parts = text.split(mark);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return rest(part);
      // The last mark opens nothing.
      if (index === parts.length - 1) return mark + rest(part);
      return part === "" ? mark + mark : `<${tag}>${mark === "`" ? escaped(part) : rest(part)}</${tag}>`;
    })
    .join("");
};
