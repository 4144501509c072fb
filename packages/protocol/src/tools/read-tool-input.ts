// Reads a tool call as one discriminated value. It checks the fields that a display needs. A call without them, and
// every unknown tool, is `other` with its input unchanged. It never throws and loses nothing: an optional field of a
// wrong type is moved from the typed input to `misfits`.

import { isRecord } from "../json.ts";
import { splitMcpName } from "./mcp-names.ts";
import type { McpName } from "./mcp-names.ts";
import { knownTool, TOOL_INPUTS } from "./tool-inputs.ts";
import type { KnownTool, ToolInputs } from "./tool-inputs.ts";
import type { Schema } from "../schema.ts";

export type KnownToolInput = {
  [K in KnownTool]: { tool: K; input: ToolInputs[K]; misfits?: Record<string, unknown> };
}[KnownTool];
export interface OtherToolInput {
  tool: "other";
  name: string;
  mcp?: McpName;
  /** As sent. An input that is not an object is in `value`. */
  input: Record<string, unknown>;
}
export type ToolInput = KnownToolInput | OtherToolInput;
export type ToolDraft = { [K in KnownTool]: { tool: K; input: Partial<ToolInputs[K]> } }[KnownTool] | OtherToolInput;

const otherInput = (name: string, input: unknown): OtherToolInput => {
  const mcp = splitMcpName(name);
  return {
    tool: "other",
    name,
    ...(mcp !== undefined && { mcp }),
    input: isRecord(input) ? input : input === undefined ? {} : { value: input },
  };
};

/** TaskOutput was once two tools, which had other names for the same fields. */
const modernInput = (tool: KnownTool, input: Record<string, unknown>): Record<string, unknown> => {
  if (tool !== "TaskOutput" || input["task_id"] !== undefined) return input;
  const { agentId, bash_id, wait_up_to, ...rest } = input;
  return {
    ...rest,
    task_id: agentId ?? bash_id,
    ...(typeof wait_up_to === "number" && rest["timeout"] === undefined && { timeout: wait_up_to * 1000 }),
  };
};

const part = (
  input: Record<string, unknown>,
  keep: (field: Schema<unknown> | undefined, value: unknown) => boolean,
  schema: Schema<unknown>,
) =>
  Object.fromEntries(
    Object.entries(input).filter(([key, value]) =>
      keep(schema.fields && Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined, value),
    ),
  );

export const readToolInput = (name: string, input: unknown): ToolInput => {
  const tool = knownTool(name);
  if (tool === undefined || !isRecord(input)) return otherInput(name, input);
  const schema: Schema<unknown> = TOOL_INPUTS[tool];
  const modern = modernInput(tool, input);
  // The schema has checked that the value has this type.
  if (schema.accepts(modern)) return { tool, input: modern } as KnownToolInput;
  const isMisfit = (field: Schema<unknown> | undefined, value: unknown) =>
    field?.optional === true && !field.accepts(value);
  const fitting = part(modern, (field, value) => !isMisfit(field, value), schema);
  if (!schema.accepts(fitting)) return otherInput(name, input);
  return { tool, input: fitting, misfits: part(modern, isMisfit, schema) } as KnownToolInput;
};

/** The same for a call that is still being streamed: the valid parts so far. Every field is optional. */
export const readToolDraft = (name: string, input: unknown): ToolDraft => {
  const tool = knownTool(name);
  if (tool === undefined) return otherInput(name, input);
  const schema: Schema<unknown> = TOOL_INPUTS[tool];
  const modern = isRecord(input) ? modernInput(tool, input) : {};
  return {
    tool,
    input: part(modern, (field, value) => field === undefined || field.accepts(value), schema),
  } as ToolDraft;
};
