// The head as a schema, only for docs and tests. The types of head.ts decide: if a schema differs, this file does not compile.

import { z } from "zod";
import type * as head from "../head.ts";
import { byModel, tokens } from "./row-schema.ts";
import { Phase, RequestKind } from "./shapes.ts";
import { Actor, CliRequestValue, McpServerValue, fields, flag, number, text, texts, time } from "./state-shapes.ts";
import type { Checked } from "./state-shapes.ts";

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

const About = z
  .object({
    tools: texts.optional(),
    agentTypes: texts.optional(),
    skills: texts.optional(),
    plugins: z.array(z.looseObject({ name: text, path: text })).optional(),
    models: z.array(fields).optional(),
    agents: z.array(fields).optional(),
    account: fields.optional().describe("The plan and the kind of payment, not the account."),
    apiKeySource: text.optional(),
    outputStyle: text.optional(),
    outputStyles: texts.optional(),
    fastMode: text.optional(),
    fastModeReason: text.optional(),
    effort: text.optional(),
    maxThinkingTokens: number.nullable().optional().describe("Null: the CLI decides."),
    auth: z.object({ isAuthenticating: flag }).optional(),
    autocompact: fields.optional(),
  })
  .describe("What the CLI reported about itself. Older CLIs report less.");

export const Head = z
  .object({
    phase: Phase,
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
    about: About,
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

export const HEAD_AGREES: {
  readonly head: Checked<typeof Head, head.Head>;
  readonly request: Checked<typeof OpenRequest, head.OpenRequest>;
} = { head: true, request: true };
