// A rule as text: `Bash`, `Bash(npm test:*)`, `Read(//etc/**)`, `mcp__server__tool`. What `ruleText` writes, `parseRule` reads
// back as the same rule. Inside the parentheses, `\(`, `\)` and `\\` stand for the character itself.

import type { ParsedRule, ParsedRuleList, Rule, RuleError } from "./types.ts";

const unescape = (content: string): string => content.replaceAll(/\\([()\\])/gu, "$1");
const escape = (content: string): string => content.replaceAll(/[()\\]/gu, String.raw`\$&`);

/** The text of a rule, in the form of settings files. */
export const ruleText = ({ toolName, ruleContent }: Rule): string =>
  ruleContent === undefined ? toolName : `${toolName}(${escape(ruleContent)})`;

const failed = (message: string, position: number): { ok: false; error: RuleError } => ({
  ok: false,
  error: { message, position },
});

/** Whether an odd number of backslashes stands before this place. */
const isEscaped = (text: string, at: number): boolean => {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
};

/** MCP names may have dots and spaces: servers choose them. */
const TOOL_NAME = /^[A-Za-z_*][\w*-]*/u;
const MCP_NAME = /^mcp__[^()\\,\n]*/u;

/** Reads one rule, exactly as a settings file must have it: spaces around it make the CLI ignore it, so they are an error. */
export const parseRule = (text: string): ParsedRule => {
  // Settings files and devices send anything.
  if (typeof text !== "string") return failed("A rule is a text.", 0);
  if (text.trim() === "") return failed("A rule names a tool, for example Bash(npm test).", 0);
  if (/^\s/u.test(text)) return failed("A rule has no space before the tool's name.", 0);
  const name = (text.startsWith("mcp__") ? MCP_NAME : TOOL_NAME).exec(text)?.[0] ?? "";
  if (name === "") return failed("A rule begins with the name of a tool.", 0);
  if (/\s$/u.test(name)) return failed("A rule has no space after the tool's name.", name.trimEnd().length);
  if (name.length === text.length) return { ok: true, rule: { toolName: name } };
  if (text[name.length] !== "(")
    return failed("After the tool's name comes an opening parenthesis or nothing.", name.length);
  const end = text.length - 1;
  if (text[end] !== ")" || isEscaped(text, end) || end === name.length) {
    const close = lastClose(text);
    if (close > name.length) return failed("Nothing may stand behind the closing parenthesis.", close + 1);
    return failed("The closing parenthesis is missing.", text.length);
  }
  const content = text.slice(name.length + 1, end);
  if (content === "") return failed("Nothing stands between the parentheses.", name.length + 1);
  return { ok: true, rule: { toolName: name, ruleContent: unescape(content) } };
};

const lastClose = (text: string): number => {
  let at = text.lastIndexOf(")");
  while (at > 0 && isEscaped(text, at)) at = text.lastIndexOf(")", at - 1);
  return at;
};

/** Reads a list as `--allowedTools` takes it: commas or spaces between the rules, but not inside parentheses. */
export const parseRuleList = (text: string): ParsedRuleList => {
  const rules: Rule[] = [];
  for (const { part, start } of partsOfList(text)) {
    const parsed = parseRule(part);
    if (!parsed.ok) return failed(parsed.error.message, start + parsed.error.position);
    rules.push(parsed.rule);
  }
  return { ok: true, rules };
};

/** Cuts a list without reading the rules. A parenthesis that is never closed takes the rest. */
export const partsOfList = (text: string): readonly { readonly part: string; readonly start: number }[] => {
  const parts: { part: string; start: number }[] = [];
  let start = 0;
  let isInside = false;
  const take = (end: number): void => {
    const raw = text.slice(start, end);
    const part = raw.trim();
    if (part !== "") parts.push({ part, start: start + raw.indexOf(part) });
    start = end + 1;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "(") isInside = true;
    else if (char === ")") isInside = false;
    else if (!isInside && (char === "," || char === " ")) take(at);
  }
  take(text.length);
  return parts;
};
