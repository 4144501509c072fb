// A request as a person must see it before allowing it. It has every field of the input, whole lines, real newlines,
// marks for hidden characters, and file changes as a diff. Each row on the screen begins with a sign of ours: `┃` for a
// line of the text, `┊` for the rest of a long line. So text that wraps cannot look like a line that we wrote.

import { ruleText } from "@quarterdeck/permissions/words";
import { isRecord, mcpDisplayName, readToolInput } from "@quarterdeck/protocol";
import type { CliRequest, PermissionUpdate } from "@quarterdeck/protocol";
import { fieldsBesideDiff, hasDiff, textsIn, visibleLine, visibleText, warningsOf } from "@quarterdeck/session";
import type { RequestPreview } from "@quarterdeck/session/bridge";
import { PLAN_TITLE } from "./request-lines.ts";
import type { Paint } from "./terminal.ts";

type Style = Parameters<Paint>[0];

/** One line of text, with marks and without a newline. */
export interface TrueLine {
  readonly text: string;
  readonly style?: Style;
}

export interface WholeRequestOptions {
  /** The change of the file, if it is known. */
  readonly preview?: RequestPreview | undefined;
  /** Rules that this answer would add. */
  readonly rules?: readonly PermissionUpdate[] | undefined;
  /** The key that adds the rules. Without one, every approval adds them. */
  readonly rulesKey?: string;
}

export const wholeRequest = (
  request: CliRequest,
  { preview, rules = [], rulesKey }: WholeRequestOptions = {},
): TrueLine[] => {
  if (request.subtype !== "can_use_tool") {
    const { subtype, ...fields } = request as { readonly subtype: string } & Readonly<Record<string, unknown>>;
    return [title(visibleLine(subtype)), ...warnings(fields), ...fieldLines(fields)];
  }
  const { tool_name: tool, input } = request;
  const call = readToolInput(tool, input);
  return [
    title(
      call.tool === "ExitPlanMode"
        ? PLAN_TITLE
        : call.tool === "AskUserQuestion"
          ? "Questions"
          : `Permission${request.agent_id === undefined ? "" : " for a subagent"}?  ${visibleLine(bothNames(tool))}`,
    ),
    ...aboutLines(request),
    ...warnings({ input, rules }),
    ...(call.tool === "AskUserQuestion"
      ? questionLines(input)
      : (changeLines(tool, input, preview) ?? fieldLines(input))),
    ...(Object.keys(input).length === 0 ? [{ text: "(The request has no input.)" }] : []),
    ...ruleLines(rules, rulesKey === undefined ? "for this session, also" : `${rulesKey} = for this session, also`),
  ];
};

/** Two MCP servers can have the same display name, so a person who decides sees the wire's name too. */
const bothNames = (tool: string): string => {
  const shown = mcpDisplayName(tool);
  return shown === tool ? tool : `${shown} (${tool})`;
};

/** What the CLI says about the request. Shown like fields, because the model wrote some of it and could imitate a field. */
const aboutLines = ({ input, ...request }: Extract<CliRequest, { subtype: "can_use_tool" }>): TrueLine[] => {
  const about = {
    about: request.title,
    says: request.description,
    why: request.decision_reason,
    path: request.blocked_path,
  };
  const values = Object.values(input);
  // The CLI describes a change of a file by its name.
  const isName = (text: string | null | undefined): boolean =>
    values.some((value) => typeof value === "string" && value.endsWith(`/${text ?? ""}`));
  const known = new Set<unknown>(["", null, undefined, ...values]);
  const news = Object.entries(about).filter(([what, text]) => !known.has(text) && !(what === "says" && isName(text)));
  return fieldLines(Object.fromEntries(news)).map((line) => ({ ...line, style: "dim" }));
};

const title = (text: string): TrueLine => ({ text, style: ["yellow", "bold"] });

const warnings = (shown: unknown): TrueLine[] => {
  const found = warningsOf(textsIn(shown).join("\n"));
  return found.length === 0
    ? []
    : [{ text: visibleLine(`Look closely: ${found.join("; ")}.`), style: ["red", "bold"] }];
};

const linesOf = (text: string, style?: Style): TrueLine[] =>
  visibleText(text)
    .split("\n")
    .map((line) => ({ text: line, ...(style !== undefined && { style }) }));

/** The name of a field starts its line. Lines of a long value are indented, so a value cannot look like a field. */
const fieldLines = (fields: Readonly<Record<string, unknown>>): TrueLine[] =>
  Object.entries(fields).flatMap(([name, value]) => {
    const lines = linesOf(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "nothing"));
    return lines.length === 1
      ? [{ text: `${visibleLine(name)}: ${lines[0]!.text}` }]
      : [{ text: `${visibleLine(name)}:` }, ...lines.map(({ text }) => ({ text: `  ${text}` }))];
  });

const questionLines = ({ questions, ...more }: Readonly<Record<string, unknown>>): TrueLine[] => [
  ...recordsIn(questions).flatMap(({ question, header, options, multiSelect, ...rest }) => [
    ...hanging(linesOf(`${typeof header === "string" ? `${header}: ` : ""}${String(question)}`, "bold"), 4),
    ...recordsIn(options).flatMap(({ label, description, ...other }, at) => [
      ...hanging(linesOf(`  ${String(at + 1)} = ${String(label)}`), 6),
      ...(typeof description === "string" && description !== "" ? indented(linesOf(description, "dim"), 6) : []),
      ...indented(fieldLines(other), 6),
    ]),
    // The list says it: one answer is the default.
    ...indented(fieldLines({ ...rest, ...(multiSelect !== false && multiSelect !== undefined && { multiSelect }) }), 2),
  ]),
  ...fieldLines(more),
];

const recordsIn = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** Indents further lines of a text, so they cannot look like lines of ours. */
const hanging = ([first, ...rest]: readonly TrueLine[], by: number): TrueLine[] => [first!, ...indented(rest, by)];

const indented = (lines: readonly TrueLine[], by: number): TrueLine[] =>
  lines.map((line) => ({ ...line, text: " ".repeat(by) + line.text }));

const changeLines = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  preview: RequestPreview | undefined,
): TrueLine[] | undefined => {
  if (preview === undefined || preview.kind === "none" || !hasDiff(tool)) return undefined;
  if (preview.kind === "unreadable" || preview.hunks.length === 0) {
    const why = preview.kind === "unreadable" ? `No diff: ${preview.reason ?? "?"}` : "No diff: no line changes.";
    return [{ text: visibleLine(why), style: "yellow" }, ...fieldLines(input)];
  }
  return [
    ...fieldLines(fieldsBesideDiff(tool, input)),
    { text: preview.kind === "new-file" ? "a new file:" : "the change:" },
    ...diffLines(preview.hunks),
    ...lastNewline(preview),
  ];
};

const diffLines = (hunks: RequestPreview["hunks"]): TrueLine[] => {
  const last = hunks.at(-1)!;
  const digits = String(Math.max(last.oldStart + last.oldLines, last.newStart + last.newLines)).length;
  return hunks.flatMap((hunk, at): TrueLine[] => {
    let [before, after] = [hunk.oldStart, hunk.newStart];
    const lines = hunk.lines.map((line): TrueLine => {
      const sign = line[0] ?? " ";
      const number = sign === "-" ? before++ : sign === "+" ? after++ : (before++, after++);
      const style: Style = sign === "-" ? "red" : sign === "+" ? "green" : "dim";
      return { text: `  ${String(number).padStart(digits)} ${sign} ${visibleLine(line.slice(1))}`, style };
    });
    return at === 0 ? lines : [{ text: "  ...", style: "dim" }, ...lines];
  });
};

const lastNewline = ({ before, text = "" }: RequestPreview): TrueLine[] => {
  const has = (content: string): boolean => content === "" || content.endsWith("\n");
  if (has(text) === (before === undefined || has(before))) return [];
  return [{ text: has(text) ? "  (with a newline at the end)" : "  (without a newline at the end)", style: "dim" }];
};

const ruleLines = (rules: readonly PermissionUpdate[], also: string): TrueLine[] =>
  rules.flatMap((update) =>
    "rules" in update
      ? update.rules.map((rule) => ({
          text: visibleLine(`${also} ${update.behavior}: ${ruleText(rule)}`),
        }))
      : [{ text: visibleLine(`${also}: ${JSON.stringify(update)}`) }],
  );

/** Whether the change of a file can be shown. */
export const hasPreview = (request: CliRequest): boolean =>
  request.subtype === "can_use_tool" && hasDiff(request.tool_name);

const LINE = "┃ ";
const REST = "┊ ";
/** A mark stays in one piece if it fits. The sign ‹ only ever starts a mark. */
const UNITS = /‹[^‹›\n]{1,40}›|[^]/gu;

/** Rows of at most `columns` columns. `Infinity` if no terminal breaks lines. */
export const terminalRowsOf = (
  lines: readonly TrueLine[],
  { paint, columns }: { paint: Paint; columns: number },
): string[] =>
  lines.flatMap(({ text, style }) =>
    brokenAt(text, columns).map((row, at) => paint("yellow", at === 0 ? LINE : REST) + painted(row, style, paint)),
  );

const painted = (row: string, style: Style | undefined, paint: Paint): string =>
  row
    .split(/(‹[^›]*›)/u)
    .map((part, at) => (at % 2 === 1 ? paint("inverse", part) : style === undefined ? part : paint(style, part)))
    .join("");

const brokenAt = (text: string, columns: number): string[] => {
  // The last column stays free, because some terminals wrap as soon as it is written.
  const room = Math.max(20, columns - LINE.length - 1);
  if (room === Number.POSITIVE_INFINITY) return [text];
  const rows: string[] = [];
  let row = "";
  let used = 0;
  for (const [unit] of text.matchAll(UNITS)) {
    const cells = unit === "\t" ? 8 - ((LINE.length + used) % 8) : mostCells(unit);
    if (used > 0 && used + cells > room) {
      rows.push(row);
      row = "";
      used = 0;
    }
    row += unit;
    used += cells;
  }
  return [...rows, row];
};

/** The widest that the text can be. A row that is too wide would wrap into a row without our sign. */
const mostCells = (text: string): number => {
  let cells = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    cells += code < 0x11_00 || (code >= 0x20_10 && code <= 0x20_40) || (code >= 0x25_00 && code <= 0x25_9f) ? 1 : 2;
  }
  return cells;
};
