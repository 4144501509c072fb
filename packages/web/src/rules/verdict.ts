// The verdict of a test in words. Pure.

import type { ResultOf } from "@quarterdeck/client";
import type { Behavior } from "@quarterdeck/permissions/words";
import { WORDS } from "./words.ts";

export type Reason = ResultOf<"rules/test">["reason"];

export const VERDICTS: Readonly<Record<Behavior, string>> = WORDS.verdicts;
export const PART_VERDICTS: Readonly<Record<Behavior, string>> = WORDS.parts;

/** Tools to choose from, each with the field that a person types. */
export const TEST_TOOLS = [
  { tool: "Bash", field: "command", hint: "npm test" },
  { tool: "Read", field: "file_path", hint: "src/index.ts" },
  { tool: "Edit", field: "file_path", hint: "src/index.ts" },
  { tool: "Write", field: "file_path", hint: "src/index.ts" },
  { tool: "NotebookEdit", field: "notebook_path", hint: "notes.ipynb" },
  { tool: "WebFetch", field: "url", hint: "https://example.com/" },
  { tool: "WebSearch", field: "query", hint: WORDS.aQuery },
  { tool: "Skill", field: "skill", hint: WORDS.aSkill },
  { tool: "Agent", field: "subagent_type", hint: WORDS.anAgent },
  { tool: "MCP", field: "", hint: "mcp__server__tool" },
] as const;
export type TestTool = (typeof TEST_TOOLS)[number];

/** The call that the page asks about. Undefined: there is nothing to test yet. */
export const callOf = (
  { tool, field }: TestTool,
  typed: string,
  folder: string,
): { readonly tool: string; readonly input: Record<string, unknown> } | undefined => {
  const text = typed.trim();
  if (text === "") return undefined;
  if (field === "") return { tool: text, input: {} };
  const isPath = field === "file_path" || field === "notebook_path";
  // Tools take absolute paths. A person types them as they are in the project.
  const value = isPath && !/^[/~]/u.test(text) ? `${folder}/${text}` : text;
  return { tool, input: { [field]: value, ...OTHER_FIELDS[tool] } };
};

/** What a real call of the tool also has. */
const OTHER_FIELDS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Edit: { old_string: "a", new_string: "b" },
  Write: { content: "" },
  NotebookEdit: { new_source: "" },
  WebFetch: { prompt: "Read it." },
  Agent: { description: "Test", prompt: "Test" },
};
