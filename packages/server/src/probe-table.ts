// A probe's report for people: first what it is, then the counts, then what is new, then the rest.

import type { Candidate, NameReport, ProbeReport } from "./probe.ts";
import { printable, wrapWords } from "./terminal.ts";
import type { Paint } from "./terminal.ts";

export interface TableOptions {
  readonly paint: Paint;
  readonly width: number;
  /** Lists in full. */
  readonly all?: boolean;
}

/** Of a list that is not news, so many lines are shown. */
const SHORT_LINES = 3;
const LABEL = 20;

export const probeTable = (report: ProbeReport, { paint, width, all = false }: TableOptions): string => {
  const lines: string[] = [];
  const say = (...more: string[]) => lines.push(...more);

  const list = (label: string, names: readonly string[], style: Parameters<Paint>[0], full = all): void => {
    if (names.length === 0) return;
    const wrapped = wrapWords(names.map(printable), width - LABEL - 2, "  ");
    const shown = full || wrapped.length <= SHORT_LINES ? wrapped : wrapped.slice(0, SHORT_LINES);
    shown.forEach((line, at) => say(`  ${(at === 0 ? label : "").padEnd(LABEL)}${paint(style, line)}`));
    const left = names.length - shown.join("  ").split("  ").length;
    if (left > 0) say(`  ${"".padEnd(LABEL)}${paint("dim", `... and ${left} more (--all shows them)`)}`);
  };
  const title = (text: string) => say("", paint("bold", text));

  const { program, flags, messages, controlRequests, live } = report;
  say(paint("bold", printable(report.version ?? "no version")) + paint("dim", `  ${program.command}`));
  const where = program.file === program.command ? "" : `, read from ${program.file}`;
  say(paint("dim", `${program.kind === "binary" ? "native binary" : "script"} of ${sizeOf(program.size)}${where}`));

  const news = newsOf(report);
  say("", news.length === 0 ? paint("green", "Nothing new.") : paint("yellow", `New here: ${news.join(", ")}.`));

  title("Named by the program");
  const cells = (cols: readonly (string | number)[]) =>
    `  ${String(cols[0]).padEnd(LABEL)}${cols
      .slice(1)
      .map((col) => String(col).padStart(9))
      .join("")}`;
  say(paint("dim", cells(["", "known", "new", "perhaps", "absent"])));
  const counts = (name: string, { known, new: fresh, perhaps, absent }: NameReport) =>
    say(cells([name, known.length, fresh.length, perhaps.length, absent.length]));
  counts("messages", messages);
  counts("control requests", controlRequests);
  say(
    cells([
      "flags",
      flags.inHelp.length + flags.hidden.length - flags.new.length,
      flags.new.length,
      "",
      flags.absent.length,
    ]),
  );

  if (flags.new.length + messages.new.length + controlRequests.new.length > 0) title("New");
  list("flags", flags.new, "yellow", true);
  list("messages", messages.new.map(named), "yellow", true);
  list("control requests", controlRequests.new.map(named), "yellow", true);

  const perhaps = [...messages.perhaps, ...controlRequests.perhaps, ...report.unplaced].map(named);
  if (perhaps.length > 0) title("Perhaps new: in the code, but nothing shows that it crosses the pipe");
  list("subtypes", perhaps, "none", all);

  if (messages.absent.length + controlRequests.absent.length + flags.absent.length > 0) {
    title("Known to us, absent here");
  }
  list("flags", flags.absent, "dim");
  list("messages", messages.absent, "dim");
  list("control requests", controlRequests.absent.map(shortName), "dim");
  if (flags.hidden.length > 0) title("Known flags that its --help does not show");
  list("flags", flags.hidden, "dim");

  title("Live");
  if (!live.ok) say(`  ${paint("red", `initialize: ${printable(live.reason)}`)}`);
  else {
    const seconds = (live.afterMs / 1000).toFixed(1);
    say(
      `  ${"initialize".padEnd(LABEL)}answered after ${seconds} s${live.answerFits ? "" : paint("red", ", in a form that we do not know")}`,
    );
    const decoded =
      live.undecoded.length === 0
        ? paint("green", live.lines === 1 ? "decoded" : "all decoded")
        : paint("red", `${live.undecoded.length} not decoded`);
    say(`  ${"lines".padEnd(LABEL)}${live.lines}, ${decoded}`);
    for (const line of live.undecoded) say(`    ${paint("red", printable(line))}`);
    const isNew = new Set(live.newCapabilities);
    if (live.capabilities.length === 0) say(`  ${"capabilities".padEnd(LABEL)}${paint("dim", "none named")}`);
    list("new capabilities", live.newCapabilities, "yellow", true);
    list(
      "capabilities",
      live.capabilities.filter((name) => !isNew.has(name)),
      "none",
      true,
    );
    list("models", live.models, "none", true);
    list(`agents (${live.agents.length})`, live.agents, "none");
    list(`commands (${live.commands.length})`, live.commands, "none");
    if (live.permissionMode !== null) list("permission mode", [live.permissionMode], "none");
  }

  say("", ...wrapWords(HEURISTIC.split(" "), width).map((line) => paint("dim", line)));
  if (all) list(`ignored (${report.ignoredTypes.length})`, report.ignoredTypes, "dim");
  else {
    const few = report.ignoredTypes.slice(0, 6).join(", ");
    const count = `${report.ignoredTypes.length} other values of \`type\` are ignored`;
    if (few !== "")
      say(
        ...wrapWords(`${count}: ${few} ... (--all or --json lists them).`.split(" "), width).map((line) =>
          paint("dim", line),
        ),
      );
  }
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
};

const HEURISTIC =
  "How names are told apart: a name is new where the code declares it in a schema, builds it beside a session_id, or " +
  "compares it with request.subtype; it is perhaps new where only its own code mentions it.";

const newsOf = ({ flags, messages, controlRequests, live }: ProbeReport): string[] =>
  [
    plural(flags.new.length, "flag"),
    plural(messages.new.length, "message"),
    plural(controlRequests.new.length, "control request"),
    plural(live.ok ? live.newCapabilities.length : 0, "capability", "capabilities"),
  ].filter((text) => text !== "");

const plural = (count: number, one: string, many = `${one}s`): string =>
  count === 0 ? "" : `${count} ${count === 1 ? one : many}`;

const shortName = (key: string): string => key.replace("control_request/", "");
const named = ({ name }: Candidate): string => shortName(name);

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
