// Reads a tool result of any dialect: the text without the CLI's wrappers, the wrappers as fields, the structured result in
// today's form. The output of a tool can look like a wrapper. So error wrappers count only in a failed result, and others
// only for the tool that writes them. It never throws. Unknown parts are kept (`parts`, `detail`, `unread`).

import { ImageBlock } from "../content.ts";
import { isRecord } from "../json.ts";
import type { Schema } from "../schema.ts";
import { splitMcpName } from "./mcp-names.ts";
import type { McpName } from "./mcp-names.ts";
import {
  isToolsUsedLine,
  readAgentLaunch,
  readAgentReport,
  readBackground,
  readExitCode,
  readInterrupted,
  readNumbered,
  readPersistedOutput,
  readReminderOnly,
  readToolUseError,
} from "./result-text.ts";
import type { BackgroundText, PersistedOutput } from "./result-text.ts";
import { TASK_TEXTS } from "./task-list.ts";
import { knownTool } from "./tool-inputs.ts";
import type { KnownTool } from "./tool-inputs.ts";
import { TOOL_RESULTS } from "./tool-results.ts";
import type { ToolResults } from "./tool-results.ts";

export interface ToolResultText {
  ok: boolean;
  /** The output of the tool. For a failure outside a command, the message of the CLI. */
  text: string;
  error?: string;
  /** A `tool_use_result` as text, if it differs from `text`. */
  detail?: string;
  exitCode?: number;
  interrupted?: true;
  /** The call was moved to the background and still runs. Its result comes in a later turn. */
  detached?: true;
  background?: BackgroundText;
  persisted?: PersistedOutput;
  numbered?: { startLine: number; lines: string[] };
  /** Notices and reminders around a file's lines. */
  notes?: string[];
  images?: ImageBlock[];
  /** Parts of the content that are neither text nor image. */
  parts?: unknown[];
  /** A `tool_use_result` in a form that we do not know. */
  unread?: unknown;
}
export type KnownToolResult = {
  [K in KnownTool]: ToolResultText & { tool: K; structured?: ToolResults[K] };
}[KnownTool];
export type OtherToolResult = ToolResultText & { tool: "other"; name: string; mcp?: McpName; structured?: unknown };
export type ToolResult = KnownToolResult | OtherToolResult;

interface ResultBlock {
  content?: unknown;
  is_error?: unknown;
}

interface Content {
  text: string;
  images: ImageBlock[];
  parts: unknown[];
}

const contentOf = (content: unknown): Content => {
  if (typeof content === "string") return { text: content, images: [], parts: [] };
  if (content === undefined || content === null) return { text: "", images: [], parts: [] };
  const texts: string[] = [];
  const images: ImageBlock[] = [];
  const parts: unknown[] = [];
  for (const part of Array.isArray(content) ? (content as unknown[]) : [content]) {
    if (isRecord(part) && part["type"] === "text" && typeof part["text"] === "string") texts.push(part["text"]);
    else if (isImageBlock(part)) images.push(part);
    else parts.push(part);
  }
  return { text: texts.join("\n"), images, parts };
};
const isImageBlock = (value: unknown): value is ImageBlock => ImageBlock.accepts(value);

const withoutPrefix = (text: string): string => text.replace(/^Error: /, "");

/** `is_error` decides. If it is missing, only the CLI's own form of a failure counts. */
const hasFailed = (block: ResultBlock, text: string, given: unknown): boolean => {
  if (typeof block.is_error === "boolean") return block.is_error;
  if (isRecord(given) || Array.isArray(given)) return false;
  if (readToolUseError(text) !== undefined) return true;
  return typeof given === "string" && given.startsWith("Error: ") && given !== text;
};

/** Today's form of older spellings. */
const modernResult = (tool: KnownTool, given: unknown, input: unknown): unknown => {
  if (!isRecord(given)) return given;
  if (tool === "Write" && given["type"] === "overwrite") return { ...given, type: "update" };
  if (
    tool === "AskUserQuestion" &&
    given["questions"] === undefined &&
    isRecord(input) &&
    Array.isArray(input["questions"])
  ) {
    return { ...given, questions: input["questions"] };
  }
  return given;
};

const isShell = (tool: KnownTool | "other"): tool is "Bash" | "PowerShell" => tool === "Bash" || tool === "PowerShell";

/** Builds a structured result from text and input, if the result has none. */
const derivedResult = (tool: KnownTool, found: ToolResultText, input: unknown): unknown => {
  if (isShell(tool) && (found.ok || found.exitCode !== undefined)) {
    return {
      stdout: found.background === undefined ? found.text : "",
      stderr: "",
      interrupted: found.interrupted === true,
      isImage: found.images !== undefined,
      ...(found.background !== undefined && { backgroundTaskId: found.background.taskId }),
    } satisfies ToolResults["Bash"];
  }
  if (!found.ok) return undefined;
  if (tool === "Read" && found.numbered !== undefined && isRecord(input) && typeof input["file_path"] === "string") {
    const { startLine, lines } = found.numbered;
    const file = { filePath: input["file_path"], content: found.text, numLines: lines.length, startLine };
    return { type: "text", file } satisfies ToolResults["Read"];
  }
  if (tool === "Agent") {
    const launch = readAgentLaunch(found.text);
    if (launch !== undefined) return { status: "async_launched", ...launch } satisfies ToolResults["Agent"];
    const { report, agentId, ...totals } = readAgentReport(found.text);
    if (agentId === undefined) return undefined;
    return {
      status: "completed",
      agentId,
      content: [{ type: "text", text: report }],
      ...totals,
    } satisfies ToolResults["Agent"];
  }
  if (tool === "TodoWrite" && isRecord(input)) return { newTodos: input["todos"] };
  if (Object.hasOwn(TASK_TEXTS, tool)) return TASK_TEXTS[tool as keyof typeof TASK_TEXTS](found.text);
  return undefined;
};

const readFailure = (text: string): Partial<ToolResultText> & { text: string } => {
  const inner = readToolUseError(text) ?? text;
  const exit = readExitCode(inner);
  if (exit === undefined) return { text: inner, error: withoutPrefix(inner) };
  const stopped = readInterrupted(exit.output);
  return {
    text: stopped ?? exit.output,
    error: `Exit code ${exit.exitCode}`,
    exitCode: exit.exitCode,
    ...(stopped !== undefined && { interrupted: true as const }),
  };
};

/** Text that a shell tool writes around a command's output. */
const readShell = (name: string, { text, ok }: ToolResultText, given: unknown): Partial<ToolResultText> => {
  const shell = isRecord(given) ? given : undefined;
  const printed = shell === undefined || (shell["stdout"] === "" && shell["stderr"] === "");
  if (printed && text === `(${name} completed with no output)`) return { text: "" };
  const stopped = shell === undefined || shell["interrupted"] === true ? readInterrupted(text) : undefined;
  const known = shell?.["backgroundTaskId"];
  const told =
    shell === undefined || typeof known === "string"
      ? readBackground(text.slice(text.lastIndexOf("\n") + 1))
      : undefined;
  const background = typeof known === "string" ? { ...told, taskId: known } : told;
  return {
    ...(stopped !== undefined && { text: stopped, interrupted: true as const }),
    ...(stopped !== undefined && !ok && { error: "Command was aborted before completion" }),
    ...(background !== undefined && { background }),
  };
};

/** A text file comes numbered; images, notebooks and PDFs do not. */
const readFileText = (text: string, given: unknown, isText: boolean): Partial<ToolResultText> => {
  const file = isRecord(given) && isRecord(given["file"]) ? given["file"] : undefined;
  if (isRecord(given) ? given["type"] !== "text" : !isText) return {};
  const startLine = typeof file?.["startLine"] === "number" ? file["startLine"] : undefined;
  const numbered = readNumbered(text, startLine);
  if (numbered !== undefined) {
    const { notes, ...lines } = numbered;
    return { text: lines.lines.join("\n"), numbered: lines, ...(notes.length > 0 && { notes }) };
  }
  const notes = readReminderOnly(text);
  return notes === undefined ? {} : { text: "", notes };
};

const agentText = (structured: unknown): string | undefined => {
  if (!isRecord(structured) || structured["status"] !== "completed") return undefined;
  const { text } = contentOf(
    Array.isArray(structured["content"])
      ? structured["content"].filter(
          (part) => !isRecord(part) || typeof part["text"] !== "string" || !isToolsUsedLine(part["text"]),
        )
      : undefined,
  );
  return text;
};

const persistedIn = (text: string, given: unknown): PersistedOutput | undefined => {
  // A command may print the same words. Then they are its output.
  if (isRecord(given) && given["stdout"] === text) return undefined;
  const said = readPersistedOutput(text);
  const exact = isRecord(given) ? given["persistedOutputSize"] : undefined;
  return said !== undefined && typeof exact === "number" ? { ...said, size: exact } : said;
};

const readText = (tool: KnownTool | "other", name: string, given: unknown, block: ResultBlock): ToolResultText => {
  const { text: content, images, parts } = contentOf(block.content);
  const text = content === "" && images.length + parts.length === 0 && typeof given === "string" ? given : content;
  const ok = !hasFailed(block, content, given);
  const failure = ok ? { text } : readFailure(text);
  const persisted = persistedIn(failure.text, given);
  const found: ToolResultText = {
    ok,
    ...failure,
    ...(persisted !== undefined && { text: persisted.preview, persisted }),
    ...(ok && isRecord(given) && given["detachedToolCall"] === true && { detached: true as const }),
    ...(images.length > 0 && { images }),
    ...(parts.length > 0 && { parts }),
  };
  if (typeof given === "string" && withoutPrefix(given) !== withoutPrefix(readToolUseError(text) ?? text)) {
    found.detail = given;
  }
  if (isRecord(given) && given["interrupted"] === true) found.interrupted = true;
  if (persisted !== undefined) return found;
  if (isShell(tool) && failure.exitCode === undefined) return { ...found, ...readShell(name, found, given) };
  if (tool === "Read" && ok) return { ...found, ...readFileText(text, given, typeof block.content === "string") };
  return found;
};

/**
 * `given` is the message's `tool_use_result`, from `toolResultsOf`. `input` is the call's input, which some forms need.
 */
export const readToolResult = (name: string, given: unknown, block: ResultBlock, input?: unknown): ToolResult => {
  const tool = knownTool(name) ?? "other";
  const found = readText(tool, name, given, block);
  if (tool === "other") {
    const mcp = splitMcpName(name);
    const kept = given === undefined || typeof given === "string" || found.detached === true ? undefined : given;
    const rest = kept === undefined ? {} : found.ok ? { structured: kept } : { unread: kept };
    return { ...found, ...rest, tool, name, ...(mcp !== undefined && { mcp }) };
  }
  const schema: Schema<unknown> = TOOL_RESULTS[tool];
  const modern = modernResult(tool, given, input);
  const fits = found.ok
    ? given !== undefined && found.detached === undefined && schema.accepts(modern)
    : isRecord(modern) && schema.accepts(modern);
  const structured = fits ? modern : derivedResult(tool, found, input);
  const text = tool === "Agent" ? (agentText(structured) ?? found.text) : found.text;
  return {
    ...found,
    text,
    // The schema has checked that the value has this type.
    ...(structured !== undefined && schema.accepts(structured) && { structured }),
    ...(!fits &&
      given !== undefined &&
      given !== null &&
      typeof given !== "string" &&
      found.detached === undefined && { unread: given }),
    tool,
  } as KnownToolResult;
};

export interface ToolResultOf {
  toolUseId: string;
  content: unknown;
  /** Undefined if the wire does not say. */
  isError?: boolean;
  structured?: unknown;
  block: Record<string, unknown>;
}

/**
 * The tool results of a user message. A message has one `tool_use_result`, but older versions send several results. It
 * belongs to a block only if there is one of each, or an array with one entry per block.
 */
export const toolResultsOf = (message: unknown): ToolResultOf[] => {
  const inner = isRecord(message) && isRecord(message["message"]) ? message["message"] : undefined;
  const content = Array.isArray(inner?.["content"]) ? (inner["content"] as unknown[]) : [];
  const blocks = content
    .filter(isRecord)
    .filter((block) => block["type"] === "tool_result" && typeof block["tool_use_id"] === "string");
  const given = isRecord(message) ? message["tool_use_result"] : undefined;
  const each =
    blocks.length > 1 && Array.isArray(given) && given.length === blocks.length ? (given as unknown[]) : undefined;
  return blocks.map((block, index) => {
    const structured = each === undefined ? (blocks.length === 1 ? given : undefined) : each[index];
    return {
      toolUseId: String(block["tool_use_id"]),
      content: block["content"],
      ...(typeof block["is_error"] === "boolean" && { isError: block["is_error"] }),
      ...(structured !== undefined && { structured }),
      block,
    };
  });
};
