// A tool call in a few words for people: its title and its subject. The text is raw: the caller cuts it, puts it on one
// line and marks invisible characters.

import { isRecord } from "../json.ts";
import { mcpDisplayName } from "./mcp-names.ts";
import { readToolInput } from "./read-tool-input.ts";
import { knownTool } from "./tool-inputs.ts";

/**
 * "Bash", "Agent Explore", "Question", "Plan", "GitHub › Search Repositories". An older name of a tool gives the current title.
 */
export const toolTitle = (name: string, input?: unknown, servers: readonly string[] = []): string => {
  const tool = knownTool(name);
  if (tool === undefined) return mcpDisplayName(name, servers);
  if (tool === "AskUserQuestion") return "Question";
  if (tool === "ExitPlanMode") return "Plan";
  const type = tool === "Agent" && isRecord(input) ? input["subagent_type"] : undefined;
  return typeof type === "string" ? `${tool} ${type}` : tool;
};

/**
 * What distinguishes this call from others of the same tool: a command, a path, a pattern, a URL. Empty if there is
 * nothing.
 */
export const toolSubject = (name: string, input: unknown): string => {
  const call = readToolInput(name, input);
  switch (call.tool) {
    case "Glob":
    case "Grep":
      return call.input.pattern + (call.input.path === undefined ? "" : ` in ${call.input.path}`);
    case "Skill":
      return `${call.input.skill} ${call.input.args ?? ""}`.trimEnd();
    case "TaskGet":
      return `#${call.input.taskId}`;
    case "TaskUpdate":
      return `#${call.input.taskId} ${call.input.subject ?? ""}`.trimEnd();
    case "TodoWrite": {
      const current = call.input.todos.find(({ status }) => status === "in_progress");
      return current === undefined ? "" : (current.activeForm ?? current.content);
    }
    case "AskUserQuestion":
      return call.input.questions[0]?.question ?? "";
    case "ExitPlanMode":
      return firstLine(call.input.plan ?? "");
    default:
      return mainText(call.input) ?? plainValues(call.input);
  }
};

/** The file that a call of a file tool names. The model writes the input, so the value may have any type. */
export const filePathIn = (input: Readonly<Record<string, unknown>>): unknown =>
  input["file_path"] ?? input["notebook_path"];

/** The first words of a Markdown text, which are usually its heading. */
const firstLine = (text: string): string => /^[\s#]*(\S[^\n]*)/u.exec(text)?.[1]?.trimEnd() ?? "";

/** The fields that say most about a call of any tool, best first. */
const MAIN_FIELDS: readonly string[] = [
  ...["command", "file_path", "notebook_path", "filePath", "url", "uri", "pattern", "path", "query"],
  ...["subject", "description", "title", "name", "task_id", "prompt"],
];

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const mainText = (input: Readonly<Record<string, unknown>>): string | undefined =>
  MAIN_FIELDS.map((name) => (Object.hasOwn(input, name) ? input[name] : undefined)).find(isText);

const MOST_CHARACTERS = 400;

const plainValues = (input: Readonly<Record<string, unknown>>): string => {
  const values = Object.values(input);
  const plain = values.filter((value) => isText(value) || typeof value === "number");
  if (plain.length > 0) return plain.map((value) => String(value).slice(0, MOST_CHARACTERS)).join(" ");
  return values.length === 0 ? "" : JSON.stringify(input).slice(0, MOST_CHARACTERS);
};
