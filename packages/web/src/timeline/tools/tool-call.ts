// A tool call as its card sees it, whether its input is still being written, it runs, or it is over.

import type { ToolDecision, ToolRow, ToolState } from "@quarterdeck/client";
import type { KnownTool, ToolInputs, ToolResult, ToolResults } from "@quarterdeck/client/content";
import { isRecord, parsePartialJson, readToolDraft } from "@quarterdeck/client/content";

export interface ToolCall {
  /** The row's id: what is remembered of the card stands under it. */
  readonly id: string;
  readonly toolUseId: string;
  readonly name: string;
  /** What is run: the edited input, where a person has edited it. */
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

/** The structured result of one tool, where it came. */
export const resultOf = <K extends KnownTool>(call: ToolCall, tool: K): ToolResults[K] | undefined =>
  call.result?.tool === tool ? (call.result.structured as ToolResults[K] | undefined) : undefined;

export const isOver = (call: ToolCall): boolean =>
  call.state !== "writing" && call.state !== "running" && call.state !== "asking";

/** How long it ran; waiting for a person is not running. */
export const durationOf = (call: ToolCall): number | undefined =>
  call.endedAt === undefined ? undefined : Math.max(0, call.endedAt - (call.decision?.at ?? call.at));
