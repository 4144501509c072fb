// A tool row as an editor shows it: kind, title, places in files, diffs with old and new text, output. It shows the input that
// ran, which another device may have edited.

import { isAbsolute, normalize, sep } from "node:path";
import type {
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { knownTool, readToolInput, toolSubject, toolTitle } from "@quarterdeck/protocol";
import type { KnownTool, PatchHunk } from "@quarterdeck/protocol";
import { decisionWords } from "@quarterdeck/session";
import type { ToolRow, ToolState } from "@quarterdeck/session";
import { fenced, shown, shownOutput, shownValue, shownTitle } from "./shown-text.ts";

export interface ToolLooks {
  /** The editor opens places only inside these folders. A path elsewhere could be a device or a pipe. */
  readonly folders: readonly string[];
  readonly terminals: boolean;
  readonly terminalDeltas: boolean;
  /** What a subagent has written so far, by the call that runs it. */
  readonly wordsOf: (toolUseId: string) => string;
}

const KINDS: Partial<Record<KnownTool, ToolKind>> = {
  Read: "read",
  ListMcpResourcesTool: "read",
  ReadMcpResourceTool: "read",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  Bash: "execute",
  PowerShell: "execute",
  Glob: "search",
  Grep: "search",
  LSP: "search",
  ToolSearch: "search",
  WebFetch: "fetch",
  WebSearch: "fetch",
  Agent: "think",
  Skill: "think",
  TodoWrite: "think",
  TaskCreate: "think",
  TaskUpdate: "think",
  TaskList: "think",
  TaskGet: "think",
  EnterPlanMode: "switch_mode",
  ExitPlanMode: "switch_mode",
};

const STATUS: Readonly<Record<ToolState, ToolCallStatus>> = {
  asking: "pending",
  running: "in_progress",
  done: "completed",
  failed: "failed",
  denied: "failed",
  interrupted: "failed",
  unfinished: "failed",
};

export const toolKindOf = (name: string): ToolKind => {
  const tool = knownTool(name);
  return (tool === undefined ? undefined : KINDS[tool]) ?? "other";
};

export const callTitle = (name: string, input: Readonly<Record<string, unknown>>, cwd?: string): string => {
  const call = readToolInput(name, input);
  if (call.tool === "Bash" || call.tool === "PowerShell") return shownTitle(call.input.command);
  if (call.tool === "Agent") return shownTitle(`${toolTitle(name, input)}: ${call.input.description}`);
  const subject = toolSubject(name, input);
  const short = cwd === undefined ? subject : subject.replaceAll(`${cwd}/`, "");
  return shownTitle(`${toolTitle(name, input)} ${short}`.trimEnd());
};

export const toolCallOf = (row: ToolRow, looks: ToolLooks): ToolCall => {
  const { folders, terminals } = looks;
  const { name, toolUseId, state, result, decision } = row;
  const input = decision?.updatedInput ?? row.input;
  const isTerminal = terminals && toolKindOf(name) === "execute";
  const hunks = hunksOf(row);
  return {
    toolCallId: toolUseId,
    title: callTitle(name, input, folders[0]),
    name,
    kind: toolKindOf(name),
    status: STATUS[state],
    content: isTerminal
      ? [{ type: "terminal", terminalId: toolUseId }, ...whyNot(row)]
      : [...diffsOf(name, input, hunks), ...outputOf(row, looks), ...whyNot(row)],
    locations: locationsOf(name, input, hunks, folders),
    rawInput: shownValue(input),
    ...(result !== undefined && { rawOutput: shownOutput(result.text) }),
    ...metaOf(row, isTerminal, looks),
  };
};

const metaOf = (
  row: ToolRow,
  isTerminal: boolean,
  { folders: [cwd], terminalDeltas }: ToolLooks,
): { _meta?: Record<string, unknown> } => {
  const { toolUseId, parent, result } = row;
  const terminal = { terminal_id: toolUseId };
  const meta = {
    ...(parent !== undefined && { claudeCode: { parentToolUseId: parent } }),
    ...(isTerminal && { terminal_info: { ...terminal, ...(cwd !== undefined && { cwd }) } }),
    ...(isTerminal &&
      result !== undefined && {
        [terminalDeltas ? "terminal_output_delta" : "terminal_output"]: { ...terminal, data: shownOutput(result.text) },
        terminal_exit: { ...terminal, exit_code: result.exitCode ?? (result.ok ? 0 : null), signal: null },
      }),
  };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
};

/**
 * A call that has ended when the editor first sees it, as its beginning and its end. Editors make a terminal for the first, and
 * write into it only what comes after.
 */
export const beginningOf = ({ rawOutput: _output, _meta: meta, ...begun }: ToolCall): ToolCall | undefined => {
  const { terminal_info: terminal, terminal_exit: exit, claudeCode } = meta ?? {};
  if (terminal === undefined || exit === undefined) return undefined;
  const kept = claudeCode === undefined ? {} : { claudeCode };
  return { ...begun, status: "in_progress", _meta: { ...kept, terminal_info: terminal } };
};

/** The hunks of a change that was made. */
const hunksOf = ({ result }: ToolRow): readonly PatchHunk[] => {
  switch (result?.tool) {
    case "Edit":
    case "MultiEdit":
    case "Write":
      return result.ok ? (result.structured?.structuredPatch ?? []) : [];
    default:
      return [];
  }
};

export const diffsOf = (
  name: string,
  input: Readonly<Record<string, unknown>>,
  hunks: readonly PatchHunk[],
): ToolCallContent[] => {
  const call = readToolInput(name, input);
  switch (call.tool) {
    case "Edit":
    case "MultiEdit": {
      const path = call.input.file_path;
      if (hunks.length > 0) return hunks.map((hunk) => diff(path, ...sidesOf(hunk)));
      const edits = call.tool === "Edit" ? [call.input] : call.input.edits;
      return edits.map(({ old_string: before, new_string: after }) => diff(path, before, after));
    }
    case "Write":
      return hunks.length > 0
        ? hunks.map((hunk) => diff(call.input.file_path, ...sidesOf(hunk)))
        : [diff(call.input.file_path, null, call.input.content)];
    case "NotebookEdit":
      return [diff(call.input.notebook_path, null, call.input.new_source)];
    default:
      return [];
  }
};

export const diff = (path: string, oldText: string | null, newText: string): ToolCallContent => ({
  type: "diff",
  path: shown(path),
  oldText: oldText === null ? null : shown(oldText),
  newText: shown(newText),
});

const sidesOf = ({ lines }: PatchHunk): [string, string] => {
  const side = (sign: string): string =>
    lines
      .filter((line) => line.startsWith(" ") || line.startsWith(sign))
      .map((line) => line.slice(1))
      .join("\n");
  return [side("-"), side("+")];
};

const locationsOf = (
  name: string,
  input: Readonly<Record<string, unknown>>,
  hunks: readonly PatchHunk[],
  folders: readonly string[],
): ToolCallLocation[] => {
  const call = readToolInput(name, input);
  const path =
    "file_path" in call.input
      ? call.input.file_path
      : "notebook_path" in call.input
        ? call.input.notebook_path
        : undefined;
  if (typeof path !== "string" || !isInside(path, folders)) return [];
  if (hunks.length > 0) return hunks.map(({ newStart }) => ({ path, line: newStart }));
  const line = call.tool === "Read" && typeof call.input.offset === "number" ? call.input.offset : undefined;
  return [{ path, ...(line !== undefined && line > 0 && { line: Math.floor(line) }) }];
};

const isInside = (path: string, folders: readonly string[]): boolean =>
  isAbsolute(path) &&
  shown(path) === path &&
  folders.some((folder) => normalize(path).startsWith(folder.endsWith(sep) ? folder : folder + sep));

const text = (content: string): ToolCallContent => ({ type: "content", content: { type: "text", text: content } });

const MOST_IMAGE = 8_000_000;

const outputOf = (row: ToolRow, { wordsOf }: ToolLooks): ToolCallContent[] => {
  const { result, state, toolUseId } = row;
  // Who denied it and why stands below.
  if (state === "denied") return [];
  if (result === undefined) {
    const words = wordsOf(toolUseId);
    return words === "" ? [] : [text(words)];
  }
  const images = (result.images ?? []).flatMap(({ source }): ToolCallContent[] =>
    "data" in source && source.data.length < MOST_IMAGE
      ? [{ type: "content", content: { type: "image", data: source.data, mimeType: source.media_type } }]
      : [],
  );
  const words = shownOutput(result.ok ? result.text : (result.error ?? result.text));
  if (!result.ok) {
    const output = result.exitCode === undefined ? words : `${shownOutput(result.text)}\n${words}`.trim();
    return [...images, ...(output === "" ? [] : [text(fenced(output))])];
  }
  switch (result.tool) {
    // The diff says it.
    case "Edit":
    case "MultiEdit":
    case "Write":
    case "NotebookEdit":
    // Text for the model.
    case "ExitPlanMode":
    case "EnterPlanMode":
    case "AskUserQuestion":
      return images;
    case "Agent":
    case "WebFetch":
    case "WebSearch":
      return words === "" ? images : [...images, text(words)];
    case "Bash":
      return words === "" ? images : [...images, text(fenced(words, "console"))];
    default:
      return words === "" ? images : [...images, text(fenced(words))];
  }
};

/** Who denied the call and why. */
const whyNot = ({ state, decision, result }: ToolRow): ToolCallContent[] => {
  if (state !== "denied") return [];
  const why = decision?.reason ?? result?.error ?? result?.text;
  const words = [decision === undefined ? undefined : decisionWords(decision), why];
  return [text(shown(words.filter((part) => part !== undefined && part !== "").join(": ") || "denied"))];
};
