// Rows and drafts as schemas, only for docs and tests: the server does not check its own output. The types of row.ts and draft.ts
// decide. If a schema differs from its type, the end of this file does not compile.

import { z } from "zod";
import type * as draft from "../draft.ts";
import type * as row from "../row.ts";
import { Actor, PromptContent, ToolResultValue, fields, flag, number, text, texts, time, yes } from "./state-shapes.ts";
import type { Checked } from "./state-shapes.ts";

const base = {
  id: text.describe("The id on the wire, if there is one. A refold gives the same id."),
  order: number.describe("The position in the timeline."),
  rev: number.describe("The revision of its last change."),
  at: time,
  seqs: z.array(number).describe("The facts that made the row. `session/events` returns them."),
  parent: text.exactOptional().describe("The tool call of the agent whose conversation contains the row."),
};
const ofMessage = { ...base, messageId: text };

const PromptRow = z.object({
  ...base,
  kind: z.literal("prompt"),
  uuid: text.exactOptional(),
  content: PromptContent,
  state: z.enum([
    "accepted",
    "sent",
    "queued",
    "folded",
    "started",
    "done",
    "failed",
    "interrupted",
    "cancelled",
    "held",
    "blocked",
    "refused",
    "discarded",
  ]),
  priority: text.exactOptional(),
  reason: text.exactOptional(),
  by: Actor.exactOptional(),
  origin: text.exactOptional().describe("Set if the CLI wrote the prompt itself, for example for a subagent."),
});

const TextRow = z.object({
  ...ofMessage,
  kind: z.literal("text"),
  text,
  model: text.exactOptional(),
  aborted: yes.exactOptional(),
  citations: z.array(fields).exactOptional().describe("The sources that the model names, in the form of the API."),
});

const ThinkingRow = z.object({
  ...ofMessage,
  kind: z.literal("thinking"),
  text,
  redacted: yes.exactOptional(),
  durationMs: number.exactOptional(),
  tokens: number.exactOptional().describe("An estimate by the CLI."),
  aborted: yes.exactOptional(),
});

export const DecidedBehavior = z.enum(["allow", "deny"]);
export const PolicyMark = z
  .object({ id: text, name: text, behavior: z.enum(["allow", "deny", "ask"]), rule: text.exactOptional() })
  .describe("A policy of the host that decided by itself. `rule` is the part of it that matched.");
export const DecidingRule = z.object({
  text,
  scope: text,
  path: text.exactOptional(),
  line: number.exactOptional(),
});

const ToolDecision = z.object({
  behavior: DecidedBehavior,
  decider: z
    .enum(["person", "policy", "rule", "mode", "read-only", "hook", "classifier"])
    .exactOptional()
    .describe("What decided. Absent: nobody knows, the CLI did not ask."),
  rule: DecidingRule.exactOptional().describe("The rule of the CLI that decided, if it is known which."),
  mode: text.exactOptional(),
  policy: PolicyMark.exactOptional(),
  by: Actor.exactOptional(),
  at: time.exactOptional(),
  source: text.exactOptional().describe("As the CLI names it: `config`, `user_temporary`, …"),
  reason: text.exactOptional(),
  updatedInput: fields.exactOptional().describe("The input that was allowed instead of the requested one."),
});

const ToolRow = z.object({
  ...ofMessage,
  kind: z.literal("tool"),
  toolUseId: text,
  name: text,
  input: fields,
  state: z.enum(["asking", "running", "done", "failed", "denied", "interrupted", "unfinished"]),
  result: ToolResultValue.exactOptional(),
  endedAt: time.exactOptional(),
  elapsedSeconds: number.exactOptional(),
  taskId: text.exactOptional(),
  requestId: text.exactOptional(),
  decision: ToolDecision.exactOptional(),
  askedBy: PolicyMark.exactOptional().describe("The policy that wants a person to be asked."),
});

const BlockRow = z
  .object({ ...ofMessage, kind: z.literal("block"), block: fields })
  .describe("A block without a row kind of its own: an image by the model, a server tool.");

export const tokens = { input: number, output: number, cacheRead: number, cacheWrite: number };
export const byModel = z.record(text, z.object({ ...tokens, costUsd: number }));

const TurnRow = z.object({
  ...base,
  kind: z.literal("turn"),
  prompts: texts.describe("Rows of the prompts that the turn answered."),
  ok: flag,
  subtype: text,
  reason: text.exactOptional(),
  stopReason: text
    .exactOptional()
    .describe("Why the model stopped, in the words of the API: `end_turn`, `max_tokens`, …"),
  errors: texts,
  costUsd: number,
  durationMs: number,
  steps: number,
  inputTokens: number,
  outputTokens: number,
  cacheReadTokens: number,
  cacheWriteTokens: number,
  apiMs: number,
  byModel,
  context: number.exactOptional().describe("Tokens in the context at the end of the turn."),
  denials: z.array(z.object({ tool_name: text, tool_use_id: text, tool_input: fields })),
  structuredOutput: z.unknown().exactOptional(),
  origin: text.exactOptional().describe("Set if no prompt of ours started the turn."),
});

const ErrorRow = z.object({
  ...base,
  kind: z.literal("error"),
  source: z.enum(["api", "limit", "auth", "process", "refusal", "protocol", "memory"]),
  text,
  code: text.exactOptional(),
  status: number.exactOptional(),
});

const CommandRow = z.object({
  ...base,
  kind: z.literal("command"),
  name: text.exactOptional(),
  text,
  failed: flag,
});

const CompactionRow = z.object({
  ...base,
  kind: z.literal("compaction"),
  trigger: text.exactOptional(),
  before: number.exactOptional(),
  after: number.exactOptional(),
  summary: text.exactOptional(),
  failed: text.exactOptional(),
});

const MarkRow = z
  .object({
    ...base,
    kind: z.literal("mark"),
    what: z.enum(["cleared", "mode", "model", "interrupted", "process-started", "process-exited", "resumed", "title"]),
    text,
    from: text.exactOptional().describe("The mode of the last process, where a new process did not keep it."),
  })
  .describe("A line across the timeline where something changed.");

const HookRow = z.object({
  ...base,
  kind: z.literal("hook"),
  hookId: text,
  event: text,
  name: text,
  outcome: text.exactOptional(),
  exitCode: number.exactOptional(),
  output: text,
  endedAt: number.exactOptional(),
});

const RequestRow = z
  .object({
    ...base,
    kind: z.literal("request"),
    requestId: text,
    subtype: text,
    text,
    fate: z.enum(["open", "answered", "cancelled", "ended"]),
    by: Actor.exactOptional(),
    closedAt: time.exactOptional(),
  })
  .describe("A request that is not a tool call.");

const NoticeRow = z.object({
  ...base,
  kind: z.literal("notice"),
  level: z.enum(["info", "warning", "error"]),
  topic: text,
  text,
});

const RetryRow = z.object({
  ...base,
  kind: z.literal("retry"),
  attempt: number,
  of: number,
  delayMs: number,
  status: number.nullable(),
  error: text,
  until: time.describe("When the last attempt starts, by the clock of the host."),
  over: flag,
});

const UnknownRow = z
  .object({ ...base, kind: z.literal("unknown"), reason: text, value: z.unknown() })
  .describe("An unknown message, as it came.");

const NoiseRow = z
  .object({ ...base, kind: z.literal("noise"), reason: text, size: number })
  .describe("A line that could not be decoded. `reason` says why, for example `not-json` or `too-deep`.");

export const Row = z
  .discriminatedUnion("kind", [
    PromptRow,
    TextRow,
    ThinkingRow,
    ToolRow,
    BlockRow,
    TurnRow,
    ErrorRow,
    CommandRow,
    CompactionRow,
    MarkRow,
    HookRow,
    RequestRow,
    NoticeRow,
    RetryRow,
    UnknownRow,
    NoiseRow,
  ])
  .meta({ title: "Row", description: "One entry of the timeline, as a person sees it." });

export const Draft = z
  .object({
    id: text.describe("The id that the row will have."),
    kind: z.enum(["text", "thinking", "tool"]),
    messageId: text,
    index: number,
    at: time,
    text: text.describe("Text, thinking, or the JSON of a tool's input so far."),
    toolUseId: text.exactOptional(),
    name: text.exactOptional(),
    tokens: number.exactOptional(),
  })
  .meta({ title: "Draft", description: "The streamed part of a block that is not complete yet." });

const { id: draftId, kind, messageId, index, at: begunAt, text: draftText, ...mayHave } = Draft.shape;
export const DraftPiece = z
  .object({
    id: draftId,
    from: number.describe("The offset of `text`, which replaces the text at that place."),
    text: draftText,
    kind: kind
      .exactOptional()
      .describe("`kind`, `messageId`, `index` and `at` are in each piece at offset 0, and in no other."),
    messageId: messageId.exactOptional(),
    index: index.exactOptional(),
    at: begunAt.exactOptional(),
    ...mayHave,
  })
  .meta({ title: "Draft piece", description: "What was added to a draft since the last frame." });

export const ROWS_AGREE: {
  readonly row: Checked<typeof Row, row.Row>;
  readonly draft: Checked<typeof Draft, draft.Draft>;
} = { row: true, draft: true };
