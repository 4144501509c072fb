// A probe's report for people: the program and what is new, then the counts, the lists, and the live answer.

import type { Candidate, LiveReport, NameReport, ProbeReport } from "./probe.ts";
import { printable, wrapWords } from "../terminal/terminal.ts";
import type { Paint } from "../terminal/terminal.ts";

export interface TableOptions {
  readonly paint: Paint;
  readonly width: number;
  /** Print whole lists. */
  readonly all?: boolean;
}
type Style = Parameters<Paint>[0];

export const probeTable = (report: ProbeReport, options: TableOptions): string => {
  const sections = [head, counts, news, maybes, absences, hiddenFlags, live, explanation];
  const lines = sections.map((section) => section(report, options)).filter((section) => section.length > 0);
  return `${lines.map((section) => section.map((line) => line.trimEnd()).join("\n")).join("\n\n")}\n`;
};

const LABEL = 20;
/** Lists without news are cut to this many lines. */
const SHORT_LINES = 3;
/** The oldest measured program has 28 of the messages that we know. */
const FEW_NAMES = 10;
const NOT_READABLE =
  "Almost no known name was found. The code may be packed or stored in another form, so absent names " +
  "may still exist. The live part below is not affected.";
const HEURISTIC =
  "A name is new if the code declares it in a schema, uses it next to a session_id, or compares it with " +
  "request.subtype. It is perhaps new if the code only mentions it.";

const head = (report: ProbeReport, { paint }: TableOptions): string[] => {
  const { program } = report;
  const where = program.file === program.command ? "" : `, read from ${program.file}`;
  const fresh = newsOf(report);
  return [
    paint("bold", printable(report.version ?? "no version")) + paint("dim", `  ${program.command}`),
    paint("dim", `${program.kind === "binary" ? "native binary" : "script"} of ${sizeOf(program.size)}${where}`),
    "",
    fresh.length === 0 ? paint("green", "Nothing new.") : paint("yellow", `New here: ${fresh.join(", ")}.`),
  ];
};

const newsOf = ({ flags, messages, controlRequests, live: answer }: ProbeReport): string[] =>
  [
    plural(flags.new.length, "flag"),
    plural(messages.new.length, "message"),
    plural(controlRequests.new.length, "control request"),
    plural(answer.ok ? answer.newCapabilities.length : 0, "capability", "capabilities"),
  ].filter((text) => text !== "");

const counts = ({ flags, messages, controlRequests }: ProbeReport, { paint, width }: TableOptions): string[] => {
  const row = (name: string, ...numbers: (string | number)[]) =>
    `  ${name.padEnd(LABEL)}${numbers.map((number) => String(number).padStart(9)).join("")}`;
  const names = (name: string, { known, new: fresh, perhaps, absent }: NameReport) =>
    row(name, known.length, fresh.length, perhaps.length, absent.length);
  const warning = messages.known.length < FEW_NAMES ? ["", ...wrapWords(NOT_READABLE.split(" "), width)] : [];
  return [
    paint("bold", "Named by the program"),
    paint("dim", row("", "known", "new", "perhaps", "absent")),
    names("messages", messages),
    names("control requests", controlRequests),
    row("flags", flags.known.length, flags.new.length, "", flags.absent.length),
    ...warning.map((line) => paint("red", line)),
  ];
};

const news = ({ flags, messages, controlRequests }: ProbeReport, options: TableOptions): string[] =>
  titled("New", options, [
    ...list("flags", flags.new, "yellow", { ...options, all: true }),
    ...list("messages", messages.new.map(nameOf), "yellow", { ...options, all: true }),
    ...list("control requests", controlRequests.new.map(nameOf), "yellow", { ...options, all: true }),
  ]);

const maybes = ({ messages, controlRequests, unplaced }: ProbeReport, options: TableOptions): string[] => {
  const names = [...messages.perhaps, ...controlRequests.perhaps, ...unplaced].map(nameOf);
  const title = "Perhaps new: in the code, but perhaps not part of the protocol";
  return titled(title, options, list("subtypes", names, "none", options));
};

const absences = ({ flags, messages, controlRequests }: ProbeReport, options: TableOptions): string[] =>
  titled("Known, but absent here", options, [
    ...list("flags", flags.absent, "dim", options),
    ...list("messages", messages.absent, "dim", options),
    ...list("control requests", controlRequests.absent.map(shortName), "dim", options),
  ]);

const hiddenFlags = ({ flags }: ProbeReport, options: TableOptions): string[] =>
  titled("Known and present, but not in its --help", options, list("flags", flags.hidden, "dim", options));

const live = ({ live: answer }: ProbeReport, options: TableOptions): string[] => {
  const { paint } = options;
  if (!answer.ok) return titled("Live", options, [`  ${paint("red", `initialize: ${printable(answer.reason)}`)}`]);
  const form = answer.answerFits ? "" : paint("red", ", in a form that we do not know");
  const isNew = new Set(answer.newCapabilities);
  const known = answer.capabilities.filter((name) => !isNew.has(name));
  const none = `  ${"capabilities".padEnd(LABEL)}${paint("dim", "none named")}`;
  return titled("Live", options, [
    `  ${"initialize".padEnd(LABEL)}answered after ${(answer.afterMs / 1000).toFixed(1)} s${form}`,
    ...decoding(answer, options),
    ...list("new capabilities", answer.newCapabilities, "yellow", { ...options, all: true }),
    ...(answer.capabilities.length === 0 ? [none] : list("capabilities", known, "none", { ...options, all: true })),
    ...list("models", answer.models, "none", { ...options, all: true }),
    ...list(`agents (${answer.agents.length})`, answer.agents, "none", options),
    ...list(`commands (${answer.commands.length})`, answer.commands, "none", options),
    ...list("permission mode", answer.permissionMode === null ? [] : [answer.permissionMode], "none", options),
  ]);
};

const decoding = ({ lines, undecoded }: Extract<LiveReport, { ok: true }>, { paint }: TableOptions): string[] => {
  const outcome =
    undecoded.length === 0
      ? paint("green", lines === 1 ? "decoded" : "all decoded")
      : paint("red", `${undecoded.length} not decoded`);
  return [
    `  ${"lines".padEnd(LABEL)}${lines}, ${outcome}`,
    ...undecoded.map((line) => `    ${paint("red", printable(line))}`),
  ];
};

const explanation = ({ ignoredTypes }: ProbeReport, options: TableOptions): string[] => {
  const { paint, width, all } = options;
  const dim = (text: string) => wrapWords(text.split(" "), width).map((line) => paint("dim", line));
  if (ignoredTypes.length === 0) return dim(HEURISTIC);
  const count = `Ignored: ${plural(ignoredTypes.length, "other value")} of \`type\``;
  if (all === true) return [...dim(`${HEURISTIC} ${count}:`), ...list("", ignoredTypes, "dim", options)];
  return [...dim(HEURISTIC), ...dim(`${count}: ${ignoredTypes.slice(0, 6).join(", ")} ... (--all lists them).`)];
};

const titled = (title: string, { paint }: TableOptions, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [paint("bold", title), ...lines];

const list = (label: string, names: readonly string[], style: Style, { paint, width, all }: TableOptions): string[] => {
  const lines = wrapWords(names.map(printable), width - LABEL - 2, "  ");
  const shown = all === true || lines.length <= SHORT_LINES ? lines : lines.slice(0, SHORT_LINES);
  const left = names.length - shown.reduce((count, line) => count + line.split("  ").length, 0);
  const indent = `  ${" ".repeat(LABEL)}`;
  return [
    ...shown.map((line, at) => `${at === 0 ? `  ${label.padEnd(LABEL)}` : indent}${paint(style, line)}`),
    ...(left > 0 ? [indent + paint("dim", `... and ${left} more (--all shows them)`)] : []),
  ];
};

const plural = (count: number, one: string, many = `${one}s`): string =>
  count === 0 ? "" : `${count} ${count === 1 ? one : many}`;

const shortName = (key: string): string => key.replace("control_request/", "");
const nameOf = ({ name }: Candidate): string => shortName(name);

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
