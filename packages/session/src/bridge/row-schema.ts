// Rows, head, drafts and events as schemas, only for docs and tests: the server does not check its own output.
// The types of row.ts, head.ts and event.ts decide. If a schema differs from its type, the end of this file does not compile.

import { z } from "zod";
import type { CliRequest, JsonValue, McpServerStatus, ToolResult } from "@quarterdeck/protocol";
import type * as draft from "../draft.ts";
import type * as event from "../event.ts";
import type * as head from "../head.ts";
import type * as row from "../row.ts";

const text = z.string();
const number = z.number();
const flag = z.boolean();
const texts = z.array(text);
const time = z.number().describe("Milliseconds since 1970.");
const yes = z.literal(true);
const fields = z.record(text, z.unknown());

/** A shape of the CLI, with the names of the wire. docs/protocol.md lists its fields. */
const theirs = <T>(title: string, description: string) => z.custom<T>().meta({ title, description });
const AnyJson = theirs<JsonValue>("Any JSON", "Any JSON value, as the CLI wrote or read it.");
const CliRequestValue = theirs<CliRequest>(
  "Request of the CLI",
  "With the names that the CLI uses, distinguished by `subtype`.",
);
const ToolResultValue = theirs<ToolResult>(
  "Tool result",
  "The result of the tool: `ok`, `text`, and its structured result if the tool is known.",
);
const McpServerValue = theirs<McpServerStatus>("MCP server", "As the CLI lists it: `name`, `status`, tools, error.");

export const Actor = z
  .object({ id: text, name: text.exactOptional() })
  .meta({ title: "Actor", description: "Who did something: a device, a program, a rule." });
const PromptContent = z
  .union([text, z.array(AnyJson)])
  .meta({ title: "Prompt content", description: "Text, or content blocks of the CLI." });

// ── rows ──

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

const Behavior = z.enum(["allow", "deny"]);
const PolicyMark = z
  .object({ id: text, name: text, behavior: z.enum(["allow", "deny", "ask"]), rule: text.exactOptional() })
  .describe("A policy of the host that decided by itself. `rule` is the part of it that matched.");
const PlacedRule = z.object({
  text,
  scope: text,
  path: text.exactOptional(),
  line: number.exactOptional(),
});

const ToolDecision = z.object({
  behavior: Behavior,
  decider: z
    .enum(["person", "policy", "rule", "mode", "read-only", "hook", "classifier"])
    .exactOptional()
    .describe("What decided. Absent: nobody knows, the CLI did not ask."),
  rule: PlacedRule.exactOptional().describe("The rule of the CLI that decided, if it is known which."),
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

const tokens = { input: number, output: number, cacheRead: number, cacheWrite: number };
const byModel = z.record(text, z.object({ ...tokens, costUsd: number }));

const TurnRow = z.object({
  ...base,
  kind: z.literal("turn"),
  prompts: texts.describe("Rows of the prompts that the turn answered."),
  ok: flag,
  subtype: text,
  reason: text.exactOptional(),
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

// ── head ──

const RequestKind = z.enum(["permission", "question", "plan", "elicitation", "dialog", "hook", "mcp"]);

export const OpenRequest = z
  .object({
    id: text,
    kind: RequestKind,
    at: time,
    seq: number,
    request: CliRequestValue.describe("`session/respond` needs the hash of this."),
    incarnation: number.describe("The process that asks. Answers for another process are rejected."),
    rowId: text.exactOptional().describe("The row that shows the request."),
  })
  .meta({ title: "Open request", description: "A request that waits for an answer." });

const Task = z.object({
  id: text,
  toolUseId: text.exactOptional(),
  type: text.exactOptional(),
  agentType: text.exactOptional(),
  description: text,
  status: text,
  background: flag,
  startedAt: time,
  endedAt: time.exactOptional(),
  tokens: number.exactOptional(),
  toolUses: number.exactOptional(),
  lastTool: text.exactOptional(),
  activity: text.exactOptional().describe("What the task does now, in the words of the CLI."),
  summary: text.exactOptional(),
  outputFile: text.exactOptional(),
});

const TodoChange = z.object({
  at: number,
  rowId: text.describe("The call that made it."),
  what: z.enum(["created", "status", "subject", "description", "owner", "blocks", "blockedBy"]),
  from: text.exactOptional(),
  to: text,
});

const Todo = z.object({
  id: text,
  subject: text,
  status: text,
  activeForm: text.exactOptional(),
  description: text.exactOptional(),
  owner: text.exactOptional(),
  blocks: texts,
  blockedBy: texts,
  unconfirmed: z.literal(true).exactOptional().describe("The model has written it, and its call has no result yet."),
  history: z.array(TodoChange).readonly().exactOptional().describe("The last twenty changes, oldest first."),
});

const ContextPart = z.object({
  name: text,
  tokens: number,
  kind: text.exactOptional().describe("`used`, `free`, `buffer` or `deferred`. Older CLIs report none."),
});
const contextParts = z.array(ContextPart);
const ContextReport = z
  .object({
    at: number,
    used: number,
    window: number,
    categories: contextParts,
    compactsAt: number.exactOptional(),
    memoryFiles: contextParts,
    mcpTools: contextParts,
    systemTools: contextParts,
    skills: contextParts,
    agents: contextParts,
    messages: contextParts,
  })
  .describe("What the CLI last answered about its context, heaviest parts first.");

const Spending = z
  .object({
    hour: number,
    turns: number,
    apiMs: number,
    byModel,
  })
  .describe("What turns that ended in one hour (since 1970, UTC) cost.");

const Gauges = z.object({
  context: z
    .object({
      used: number,
      window: number.exactOptional(),
      categories: z.array(ContextPart).exactOptional(),
    })
    .exactOptional()
    .describe("Absent until the CLI has reported it. Never estimated."),
  costUsd: number,
  byModel,
  tokens: z.object(tokens),
  turns: number,
  durationMs: number,
  apiMs: number,
  linesAdded: number,
  linesRemoved: number,
});

export const Head = z
  .object({
    phase: z.enum([
      "starting",
      "ready",
      "thinking",
      "streaming",
      "tool",
      "awaiting",
      "compacting",
      "retrying",
      "idle",
      "error",
      "ended",
      "died",
    ]),
    since: time.describe("When the phase started."),
    lastEventAt: time,
    epoch: text.exactOptional().describe("A `rev` is valid within one epoch."),
    sessionId: text.exactOptional(),
    title: text.exactOptional(),
    forkOf: text.exactOptional().describe("The session that this one was forked from."),
    cwd: text.exactOptional(),
    model: text.exactOptional(),
    mode: text.exactOptional(),
    cliVersion: text.exactOptional(),
    about: fields.describe("What the CLI reported about itself: tools, agents, account, output style."),
    capabilities: texts,
    commands: z.array(
      z.object({
        name: text,
        description: text.exactOptional(),
        hint: text.exactOptional(),
        aliases: texts.exactOptional(),
        builtin: z.literal(true).exactOptional(),
      }),
    ),
    requests: z.array(OpenRequest),
    closedRequests: z
      .array(
        z.object({
          id: text,
          kind: RequestKind,
          fate: z.enum(["answered", "cancelled", "ended"]),
          at: time,
          by: Actor.exactOptional(),
          behavior: z.enum(["allow", "deny"]).exactOptional(),
        }),
      )
      .describe("Recently closed requests to a person: who answered, and when."),
    rules: z.object({ allow: texts, deny: texts, ask: texts, directories: texts }),
    queue: z.array(
      z.object({ rowId: text, uuid: text.exactOptional(), state: z.enum(["accepted", "sent", "queued"]) }),
    ),
    tasks: z.array(Task),
    todos: z.array(Todo),
    servers: z.array(z.union([McpServerValue, z.object({ name: text, status: text })])),
    gauges: Gauges,
    contextReport: ContextReport.exactOptional(),
    spent: z.array(Spending),
    files: z.record(text, z.object({ path: text, created: flag, edits: number, added: number, removed: number })),
    changes: z
      .object({ files: number, added: number, removed: number })
      .exactOptional()
      .describe("What the session has changed in its folder since its start. Absent without snapshots."),
    retry: z.object({ attempt: number, of: number, until: time }).nullable(),
    limit: z.object({ status: text, type: text.exactOptional(), resetsAt: number.exactOptional() }).exactOptional(),
    limits: z
      .record(
        text,
        z.object({ status: text, resetsAt: number.exactOptional(), utilization: number.exactOptional(), at: time }),
      )
      .exactOptional()
      .describe("The last report about each limit of the plan. Times are seconds since 1970, shares from 0 to 1."),
    suggestion: text.exactOptional(),
    goal: text.exactOptional(),
    process: z
      .object({
        running: flag,
        incarnation: number,
        canBypass: z.literal(true).exactOptional().describe("It can switch to the mode `bypassPermissions`."),
        asksPolicies: z.literal(true).exactOptional().describe("It asks the policies of the host before each call."),
        debugFile: text.exactOptional().describe("The CLI writes its debug log here."),
        pid: number.exactOptional(),
        endedAt: time.exactOptional(),
        code: number.nullable().exactOptional(),
        signal: text.nullable().exactOptional(),
      })
      .exactOptional(),
    budget: z
      .object({
        state: z.enum(["near", "reached"]),
        scope: z.enum(["session", "day"]),
        spentUsd: number,
        limitUsd: number,
        at: time,
      })
      .nullable()
      .exactOptional()
      .describe("Set if a budget is nearly spent (80 %) or spent. Then the host takes no prompts until it is raised."),
    memory: z.object({ bytes: number, limitBytes: number, at: time }).exactOptional(),
    counts: z.object({ unknown: number, noise: number }),
    stderr: text,
  })
  .meta({ title: "Head", description: "All state of a session that is not a row." });

// ── events ──

const logged = { seq: number.describe("Dense, from 1."), at: time };
const by = { by: Actor.exactOptional() };
const fact = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ ...logged, type: z.literal(type), ...shape });

export const Event = z
  .discriminatedUnion("type", [
    fact("received", { message: AnyJson }).describe("A line of JSON from the CLI, known or not."),
    fact("noise", { bytes: text, size: number, reason: text }).describe(
      "A line that could not be decoded, with its bytes in base64. `reason` says why: `not-json`, `not-utf8`, `oversized` or `too-deep`.",
    ),
    fact("sent", { message: AnyJson, ...by, policy: PolicyMark.exactOptional() }).describe(
      "A line to the CLI, and who caused it: a device, or a policy of the host.",
    ),
    fact("process-started", {
      pid: number.exactOptional(),
      version: text.exactOptional(),
      cwd: text.exactOptional(),
      keptPermissions: yes.exactOptional(),
      leftOut: z.array(text).exactOptional(),
      mode: text.exactOptional(),
      canBypass: yes.exactOptional(),
      asksPolicies: yes.exactOptional(),
      ignoredMode: text.exactOptional(),
      debugFile: text.exactOptional(),
    }),
    fact("stdin-closed", {}),
    fact("signal-sent", { signal: text }),
    fact("drafts-left", { drafts: z.array(Draft) }).describe(
      "The streamed part of blocks that will not be completed, because the process ended or was interrupted.",
    ),
    fact("process-exited", { code: number.nullable(), signal: text.nullable(), reason: text.exactOptional() }),
    fact("stderr", { text }),
    fact("imported", { entry: AnyJson, parent: text.exactOptional() }).describe(
      "An entry of the CLI's own transcript.",
    ),
    fact("prompt-accepted", {
      uuid: text,
      content: PromptContent,
      priority: z.enum(["now", "next", "later"]).exactOptional(),
      ...by,
    }),
    fact("prompt-edited", { uuid: text, content: PromptContent, ...by }),
    fact("prompt-held", { uuid: text }),
    fact("prompt-withdrawn", { uuid: text, ...by }),
    fact("memory-exceeded", { bytes: number, limitBytes: number, ends: flag }),
    fact("budget-noted", {
      state: z.enum(["free", "near", "reached"]),
      scope: z.enum(["session", "day"]),
      spentUsd: number,
      limitUsd: number,
    }).describe("What the budget of the session or of the day says now."),
    fact("folder-changed", { files: z.array(text) }).describe(
      "The folder would now run something that was not trusted. The host ends the process first.",
    ),
    fact("forked", { from: text }).describe("What stands before this was copied from another session."),
    fact("changes-counted", { files: number, added: number, removed: number }).describe(
      "What the session has changed in its folder so far.",
    ),
    fact("call-explained", {
      toolUseId: text,
      behavior: Behavior,
      kind: z.enum(["rule", "mode", "read-only"]),
      rule: PlacedRule.exactOptional(),
      mode: text.exactOptional(),
    }).describe("Why the CLI decided about a call without asking, as the rules of that moment say."),
  ])
  .meta({ title: "Event", description: "A fact of the session's log." });

// ── the check: an entry is `never` if a schema and its type differ ──

/** Without `readonly`, and with every intersection made one object. */
type Plain<T> = T extends readonly (infer I)[]
  ? Plain<I>[]
  : T extends object
    ? { -readonly [K in keyof T]: Plain<T[K]> }
    : T;
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the only way to test whether two types are the same
type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : never;
type Checked<S extends z.ZodType, T> = Same<z.output<S>, T>;

export const AGREES: {
  readonly row: Checked<typeof Row, row.Row>;
  readonly draft: Checked<typeof Draft, draft.Draft>;
  readonly head: Checked<typeof Head, head.Head>;
  readonly request: Checked<typeof OpenRequest, head.OpenRequest>;
  readonly event: Checked<typeof Event, event.Event>;
} = { row: true, draft: true, head: true, request: true, event: true };
