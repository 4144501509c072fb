// A tool call in a few lines for people: the call and its result. It knows the tools through the protocol's readers. It
// does not know the order in which calls and results arrive.

import { isRecord, readToolInput, toolSubject, toolTitle } from "@quarterdeck/protocol";
import type { PatchHunk, ToolResult, ToolResults } from "@quarterdeck/protocol";
import { cellWidthOf, clip, clipStart, inert, printable } from "./terminal.ts";
import type { Paint } from "./terminal.ts";

export interface Looks {
  readonly paint: Paint;
  /** Max cells of a line. */
  readonly width: number;
  /** Paths inside this folder are shown relative to it. */
  readonly cwd?: string | undefined;
}

/** Lines of an output that are shown before it is cut. */
const MOST_LINES = 6;
/** More lines for a failure, because the reason is seldom first. */
const MOST_FAILED_LINES = 10;
const MOST_DIFF_LINES = 14;

/** `Bash  npm test`, on one line. */
export const toolHeader = (name: string, input: unknown, { paint, width, cwd }: Looks): string => {
  const title = toolTitle(name, input);
  const text = oneLine(
    within(cwd, aboutOf(name, input))
      .trim()
      .replaceAll(/\s*\n\s*/g, " ⏎ "),
  );
  const about = (text.startsWith("/") ? clipStart : clip)(text, Math.max(10, width - cellWidthOf(title) - 2));
  return about === "" ? paint("bold", title) : `${paint("bold", title)}  ${about}`;
};

const aboutOf = (name: string, input: unknown): string => {
  const call = readToolInput(name, input);
  // A question is shown where it is asked.
  if (call.tool === "AskUserQuestion") return "";
  const isBackground = call.tool === "Bash" && call.input.run_in_background === true;
  return toolSubject(name, input) + (isBackground ? "  (in the background)" : "");
};

export const toolResultLines = (result: ToolResult, looks: Looks): string[] => {
  const { paint } = looks;
  if (!result.ok) {
    const red = (line: string): string => paint("red", line);
    if (result.exitCode === undefined) return shortened(result.error ?? result.text, looks, red, MOST_FAILED_LINES);
    const output = result.text.trim() === "" ? [] : shortened(result.text, looks, red, MOST_FAILED_LINES);
    return [...output, red(`exit code ${result.exitCode}`)];
  }
  // The reader of files says it in its own words.
  const images = result.tool === "Read" ? [] : (result.images ?? []);
  return [
    ...linesOf(result, looks),
    ...images.map(({ source }) => paint("dim", clip(oneLine(`[image: ${mediaOf(source)}]`), looks.width))),
  ];
};

const mediaOf = (source: unknown): string =>
  isRecord(source) && typeof source["media_type"] === "string" ? source["media_type"] : "unknown type";

const linesOf = (result: ToolResult, looks: Looks): string[] => {
  const { paint } = looks;
  const dim = (text: string): string[] => [paint("dim", clip(oneLine(within(looks.cwd, text)), looks.width))];
  switch (result.tool) {
    case "Edit":
    case "Write": {
      const patch = result.structured?.structuredPatch ?? [];
      if (patch.length > 0) return diffLines(patch, looks);
      const content = result.tool === "Write" ? result.structured?.content : undefined;
      return content === undefined ? dim(result.text) : newFileLines(content, looks);
    }
    case "Read":
      return dim(result.structured === undefined ? result.text : readSummary(result.structured));
    case "Glob":
    case "Grep": {
      const names = result.structured?.filenames ?? [];
      return names.length === 0 ? shortened(result.text, looks) : shortened(names.join("\n"), looks);
    }
    case "Bash": {
      const task = result.structured?.backgroundTaskId;
      if (task !== undefined) return dim(`runs in the background as ${task}`);
      return result.text.trim() === "" ? dim("no output") : shortened(result.text, looks);
    }
    case "Agent": {
      const agent = result.structured;
      if (agent?.status === "async_launched") return dim(`runs in the background as ${agent.agentId}`);
      return shortened(result.text, looks);
    }
    // Text for the model. The person has seen the answer and the new mode.
    case "ExitPlanMode":
    case "EnterPlanMode":
    case "AskUserQuestion":
      return [];
    default:
      return shortened(result.text, looks);
  }
};

const readSummary = (read: ToolResults["Read"]): string => {
  switch (read.type) {
    case "text":
      return counted(read.file.numLines, "line");
    case "notebook":
      return `a notebook of ${counted(read.file.cells.length, "cell")}`;
    case "image":
      return `an image, ${read.file.type}`;
    case "pdf":
      return "a PDF";
    case "parts":
      return `a PDF, ${counted(read.file.count, "page")}`;
  }
};

/** The first lines, and the number of further lines. */
export const shortened = (
  text: string,
  { paint, width, cwd }: Looks,
  looks: (line: string) => string = (line) => line,
  most = MOST_LINES,
): string[] => {
  const lines = printable(within(cwd, text)).trimEnd().replaceAll("\t", "  ").split("\n");
  // One more line takes as much space as the line that says so.
  const shown = lines.length <= most + 1 ? lines : lines.slice(0, most);
  const left = lines.length - shown.length;
  const more = left === 0 ? [] : [paint("dim", `... ${counted(left, "more line", "more lines")}`)];
  return [...shown.map((line) => looks(clip(line, width))), ...more];
};

export const diffLines = (patch: readonly PatchHunk[], { paint, width }: Looks): string[] => {
  const last = patch.at(-1)!;
  const digits = String(Math.max(last.oldStart + last.oldLines, last.newStart + last.newLines)).length;
  const lines: string[] = [];
  for (const hunk of patch) {
    if (lines.length > 0) lines.push(paint("dim", "..."));
    let [before, after] = [hunk.oldStart, hunk.newStart];
    for (const line of hunk.lines) {
      const [mark, text] = [line[0] ?? " ", printable(line.slice(1)).replaceAll("\t", "  ")];
      const number = mark === "-" ? before++ : mark === "+" ? after++ : (before++, after++);
      const shown = `${String(number).padStart(digits)} ${mark} ${clip(text, width - digits - 3)}`;
      lines.push(mark === "-" ? paint("red", shown) : mark === "+" ? paint("green", shown) : paint("dim", shown));
    }
  }
  return cut(lines, paint);
};

const newFileLines = (content: string, looks: Looks): string[] => {
  const lines = printable(content).trimEnd().replaceAll("\t", "  ").split("\n");
  const digits = String(lines.length).length;
  const shown = lines.map((line, at) => {
    const number = String(at + 1).padStart(digits);
    return looks.paint("green", `${number} + ${clip(line, looks.width - digits - 3)}`);
  });
  return cut(shown, looks.paint);
};

const cut = (lines: readonly string[], paint: Paint): string[] => {
  if (lines.length <= MOST_DIFF_LINES + 1) return [...lines];
  const left = lines.length - MOST_DIFF_LINES;
  return [...lines.slice(0, MOST_DIFF_LINES), paint("dim", `... ${counted(left, "more line", "more lines")}`)];
};

const within = (cwd: string | undefined, text: string): string =>
  cwd === undefined || cwd === "" ? text : text.replaceAll(`${cwd}/`, "");
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
/** A name, a title or the start of a text, with marks for characters that a terminal would act on. */
export const oneLine = (text: string): string => inert(text.replaceAll(/\s+/g, " ").trim());
