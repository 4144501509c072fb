// Finds the tool for a name.
import { task } from "../agents.ts";
import { isRecord, recordAt, textAt, textsIn, listAt } from "../json.ts";
import type { Json } from "../json.ts";
import { bash } from "./bash.ts";
import { edit, notebookEdit, read, write } from "./files.ts";
import { askUserQuestion, enterPlanMode, exitPlanMode } from "./interactive.ts";
import { globTool, grep } from "./search.ts";
import { taskCreate, taskGet, taskListTool, taskUpdate, todoWrite } from "./task-list.ts";
import { ToolFailure } from "./tool.ts";
import type { Tool } from "../session-contract.ts";

const taskStop: Tool = {
  params: { task_id: "string?", shell_id: "string?" },
  harmless: true,
  check: (input, { tasks }) => {
    const id = textAt(input, "task_id") ?? textAt(input, "shell_id") ?? "";
    return tasks.get(id) === undefined ? `No task found with ID: ${id}` : undefined;
  },
  run: (input, { session }) => {
    const id = textAt(input, "task_id") ?? textAt(input, "shell_id") ?? "";
    const found = session.tasks.get(id);
    session.tasks.stop(id);
    const message = `Successfully stopped task: ${id} (${found?.description ?? ""})`;
    const result = { message, task_id: id, task_type: found?.kind ?? "local_bash" };
    return { content: JSON.stringify(result), result };
  },
};

const structuredOutput: Tool = {
  params: "any",
  harmless: true,
  run: (input, { session }) => {
    const faults = faultsOf(input, session.options.jsonSchema ?? {}, "");
    if (faults.length > 0) throw new ToolFailure(`Output does not match required schema: ${faults.join(", ")}`);
    return { content: "Structured output provided successfully", result: "Structured output provided successfully" };
  },
};

/** The common part of JSON Schema: types, required, properties, items, enum. */
const faultsOf = (value: unknown, schema: Json, path: string): readonly string[] => {
  const at = path === "" ? "root" : path;
  const type = textAt(schema, "type");
  if (type !== undefined && !hasType(value, type)) return [`${at}: must be ${type}`];
  const choices = listAt(schema, "enum");
  if (choices.length > 0 && !choices.includes(value)) return [`${at}: must be equal to one of the allowed values`];
  const faults: string[] = [];
  if (isRecord(value)) {
    for (const key of textsIn(listAt(schema, "required"))) {
      if (!(key in value)) faults.push(`${at}: must have required property '${key}'`);
    }
    for (const [key, inner] of Object.entries(recordAt(schema, "properties"))) {
      if (key in value && isRecord(inner)) faults.push(...faultsOf(value[key], inner, `${path}/${key}`));
    }
  }
  if (Array.isArray(value) && isRecord(schema.items)) {
    const items = schema.items;
    faults.push(...value.flatMap((entry, index) => faultsOf(entry, items, `${path}/${String(index)}`)));
  }
  return faults;
};

const hasType = (value: unknown, type: string): boolean => {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  return typeof value === type;
};

const skill: Tool = {
  params: { skill: "string", args: "string?" },
  harmless: true,
  check: (input) => `Unknown skill: ${textAt(input, "skill") ?? ""}.`,
  run: () => ({ content: "", result: "" }),
};

const webFetch: Tool = {
  params: { url: "string", prompt: "string", offset: "number?" },
  isParallel: () => true,
  run: (input) => {
    const url = textAt(input, "url") ?? "";
    const host = URL.canParse(url) ? new URL(url).hostname : url;
    throw new ToolFailure(
      `Unable to verify if domain ${host} is safe to fetch. This may be due to network restrictions or enterprise security policies blocking claude.ai.`,
    );
  },
};

const TOOLS: Readonly<Record<string, Tool>> = {
  Task: task,
  Agent: task,
  AskUserQuestion: askUserQuestion,
  Bash: bash,
  Edit: edit,
  EnterPlanMode: enterPlanMode,
  ExitPlanMode: exitPlanMode,
  Glob: globTool,
  Grep: grep,
  NotebookEdit: notebookEdit,
  Read: read,
  Skill: skill,
  StructuredOutput: structuredOutput,
  TaskCreate: taskCreate,
  TaskGet: taskGet,
  TaskList: taskListTool,
  TaskStop: taskStop,
  TaskUpdate: taskUpdate,
  TodoWrite: todoWrite,
  WebFetch: webFetch,
  Write: write,
};

/** A tool that the CLI has and the simulator only lists. */
const notSimulated = (name: string): Tool => ({
  params: "any",
  harmless: true,
  run: () => {
    throw new ToolFailure(`The simulator does not carry out ${name}.`);
  },
});

export const builtInTool = (name: string): Tool => TOOLS[name] ?? notSimulated(name);
