// A tool call as its card sees it: its input is still being written, or it runs, or it has ended.

import type { ToolDecision, ToolRow, ToolState } from "@quarterdeck/client";
import type { KnownTool, ToolInputs, ToolResult, ToolResults } from "@quarterdeck/client/content";
import { isRecord, parsePartialJson, readToolDraft } from "@quarterdeck/client/content";

export interface ToolCall {
  /** The row's id. The card's remembered state uses it as the key. */
  readonly id: string;
  readonly toolUseId: string;
  readonly name: string;
  /** The input that runs, with a person's edits. */
  readonly input: Readonly<Record<string, unknown>>;
  /** `writing`: the input is not complete yet. */
  readonly state: ToolState | "writing";
  readonly at: number;
  readonly endedAt?: number;
  readonly elapsedSeconds?: number;
  readonly result?: ToolResult;
  readonly decision?: ToolDecision;
  readonly taskId?: string;
  readonly requestId?: string;
}

export const callOfRow = (row: ToolRow): ToolCall => ({
  ...row,
  input: row.decision?.updatedInput ?? row.input,
});

export const callOfDraft = (draft: {
  readonly id: string;
  readonly at: number;
  readonly name?: string;
  readonly toolUseId?: string;
  readonly text: string;
}): ToolCall => {
  const input = parsePartialJson(draft.text);
  return {
    id: draft.id,
    toolUseId: draft.toolUseId ?? draft.id,
    name: draft.name ?? "Tool",
    input: isRecord(input) ? input : {},
    state: "writing",
    at: draft.at,
  };
};

/** The fields of one tool's input that are present and valid. */
export const inputOf = <K extends KnownTool>(call: ToolCall, tool: K): Partial<ToolInputs[K]> => {
  const read = readToolDraft(call.name, call.input);
  return (read.tool === tool ? read.input : {}) as Partial<ToolInputs[K]>;
};

/** The structured result of one tool, if there is one. */
export const resultOf = <K extends KnownTool>(call: ToolCall, tool: K): ToolResults[K] | undefined =>
  call.result?.tool === tool ? (call.result.structured as ToolResults[K] | undefined) : undefined;

export const isCallOver = (call: ToolCall): boolean =>
  call.state !== "writing" && call.state !== "running" && call.state !== "asking";

/** How long it ran, without the time it waited for a person. */
export const durationOf = (call: ToolCall): number | undefined =>
  call.endedAt === undefined ? undefined : Math.max(0, call.endedAt - (call.decision?.at ?? call.at));
