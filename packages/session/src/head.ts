// The head: all state of a session that is not a row.

import type { CliRequest, McpServerStatus } from "@quarterdeck/protocol";
import type { Actor } from "./event.ts";
import type { ModelCost, RequestFate, Tokens } from "./row.ts";

export type Phase =
  | "starting"
  | "ready"
  | "thinking"
  | "streaming"
  | "tool"
  | "awaiting"
  | "compacting"
  | "retrying"
  | "idle"
  | "error"
  | "ended"
  | "died";

export type RequestKind = "permission" | "question" | "plan" | "elicitation" | "dialog" | "hook" | "mcp";

export interface OpenRequest {
  readonly id: string;
  readonly kind: RequestKind;
  readonly at: number;
  readonly seq: number;
  readonly request: CliRequest;
  /** The process that asks. Answers for another process are rejected. */
  readonly incarnation: number;
  /** The row that shows the request. */
  readonly rowId?: string;
}

/** A closed request, and why it was closed. */
export interface ClosedRequest {
  readonly id: string;
  readonly kind: RequestKind;
  readonly fate: Exclude<RequestFate, "open">;
  readonly at: number;
  readonly by?: Actor;
  readonly behavior?: "allow" | "deny";
}

/** What was allowed or denied for this session only, as rules of the CLI: `Bash(npm test *)`. */
export interface SessionRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly directories: readonly string[];
}

/** A slash command that the CLI offers now. */
export interface Command {
  readonly name: string;
  readonly description?: string;
  /** The arguments that may follow, in the words of the CLI. */
  readonly hint?: string;
  readonly aliases?: readonly string[];
  /** Built into the CLI. Older CLIs do not report it. */
  readonly builtin?: true;
}

export interface QueuedPrompt {
  readonly rowId: string;
  readonly uuid?: string;
  readonly state: "accepted" | "sent" | "queued";
}

export interface Task {
  readonly id: string;
  readonly toolUseId?: string;
  readonly type?: string;
  readonly agentType?: string;
  readonly description: string;
  readonly status: string;
  readonly background: boolean;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly tokens?: number;
  readonly toolUses?: number;
  readonly lastTool?: string;
  /** What the task does now, in the words of the CLI. */
  readonly activity?: string;
  readonly summary?: string;
  readonly outputFile?: string;
}

export interface Todo {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly activeForm?: string;
  readonly description?: string;
  readonly owner?: string;
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
  /** The model has written it, and its call has no result yet. */
  readonly unconfirmed?: true;
  /** The last twenty changes, oldest first. */
  readonly history?: readonly TodoChange[];
}

export interface TodoChange {
  readonly at: number;
  /** The call that made it. */
  readonly rowId: string;
  readonly what: "created" | "status" | "subject" | "description" | "owner" | "blocks" | "blockedBy";
  readonly from?: string;
  readonly to: string;
}

export interface Gauges {
  /** Absent until the CLI has reported it. Never estimated. */
  readonly context?: { readonly used: number; readonly window?: number; readonly categories?: readonly ContextPart[] };
  readonly costUsd: number;
  readonly byModel: Readonly<Record<string, ModelCost>>;
  readonly tokens: Tokens;
  readonly turns: number;
  readonly durationMs: number;
  readonly apiMs: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}
export interface ContextPart {
  readonly name: string;
  readonly tokens: number;
  /** `used`, `free`, `buffer` or `deferred`: deferred tools take no space until they are loaded. `tool` among messages. Older CLIs report no kind. */
  readonly kind?: string;
}

/** What the CLI last answered about its context. Older than `gauges.context` as soon as the conversation continues. */
export interface ContextReport {
  readonly at: number;
  readonly used: number;
  readonly window: number;
  readonly categories: readonly ContextPart[];
  /** The CLI compacts by itself at this many tokens. Absent if it does not. */
  readonly compactsAt?: number;
  /** What takes the space, heaviest first: at most 40 of each. */
  readonly memoryFiles: readonly ContextPart[];
  readonly mcpTools: readonly ContextPart[];
  readonly systemTools: readonly ContextPart[];
  readonly skills: readonly ContextPart[];
  readonly agents: readonly ContextPart[];
  readonly messages: readonly ContextPart[];
}

/** What turns that ended in one hour cost. Hours are counted from 1970 in UTC. */
export interface Spending {
  readonly hour: number;
  readonly turns: number;
  readonly apiMs: number;
  readonly byModel: Readonly<Record<string, ModelCost>>;
}

export interface PlanLimit {
  readonly status: string;
  readonly resetsAt?: number;
  /** From 0 to 1. */
  readonly utilization?: number;
  readonly at: number;
}

export interface TouchedFile {
  readonly path: string;
  readonly created: boolean;
  readonly edits: number;
  readonly added: number;
  readonly removed: number;
}

/** What the CLI reported about itself. Older CLIs report less. */
export interface About {
  readonly tools?: readonly string[] | undefined;
  readonly agentTypes?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly plugins?:
    | readonly { readonly name: string; readonly path: string; readonly [field: string]: unknown }[]
    | undefined;
  readonly models?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly agents?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** The plan and the kind of payment, not the account. */
  readonly account?: Readonly<Record<string, unknown>> | undefined;
  readonly apiKeySource?: string | undefined;
  readonly outputStyle?: string | undefined;
  readonly outputStyles?: readonly string[] | undefined;
  readonly fastMode?: string | undefined;
  readonly fastModeReason?: string | undefined;
  readonly effort?: string | undefined;
  /** Null: the CLI decides. */
  readonly maxThinkingTokens?: number | null | undefined;
  readonly auth?: { readonly isAuthenticating: boolean } | undefined;
  readonly autocompact?: Readonly<Record<string, unknown>> | undefined;
}

export interface Head {
  readonly phase: Phase;
  /** When the phase started. */
  readonly since: number;
  readonly lastEventAt: number;
  /** A `rev` is valid within one epoch. A client of another epoch must start again. */
  readonly epoch?: string;
  readonly sessionId?: string;
  readonly title?: string;
  /** The session that this one was forked from. */
  readonly forkOf?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly cliVersion?: string;
  readonly about: About;
  readonly capabilities: readonly string[];
  readonly commands: readonly Command[];
  readonly requests: readonly OpenRequest[];
  /** Recently closed requests to a person, oldest first: who answered, and when. */
  readonly closedRequests: readonly ClosedRequest[];
  readonly rules: SessionRules;
  readonly queue: readonly QueuedPrompt[];
  readonly tasks: readonly Task[];
  readonly todos: readonly Todo[];
  readonly servers: readonly (McpServerStatus | { readonly name: string; readonly status: string })[];
  readonly gauges: Gauges;
  readonly contextReport?: ContextReport;
  /** In the order of the hours. A fork has only its own turns here. */
  readonly spent: readonly Spending[];
  readonly files: Readonly<Record<string, TouchedFile>>;
  /** What the session has changed in its folder since its start, by tools and commands. Absent without snapshots. */
  readonly changes?: { readonly files: number; readonly added: number; readonly removed: number };
  readonly retry: { readonly attempt: number; readonly of: number; readonly until: number } | null;
  readonly limit?: { readonly status: string; readonly type?: string; readonly resetsAt?: number };
  /** The last report about each limit of the plan, by its type. Times are seconds since 1970. */
  readonly limits?: Readonly<Record<string, PlanLimit>>;
  readonly suggestion?: string;
  readonly goal?: string;
  readonly process?: {
    readonly running: boolean;
    readonly incarnation: number;
    readonly pid?: number;
    /** It can switch to the mode `bypassPermissions`. */
    readonly canBypass?: true;
    /** It asks the policies of the host before each call. */
    readonly asksPolicies?: true;
    /** The CLI writes its debug log here. */
    readonly debugFile?: string;
    readonly endedAt?: number;
    readonly code?: number | null;
    readonly signal?: string | null;
  };
  /** Set if a budget is nearly spent (80 %) or spent. Then the host takes no prompts until a person raises it. */
  readonly budget?: {
    readonly state: "near" | "reached";
    readonly scope: "session" | "day";
    readonly spentUsd: number;
    readonly limitUsd: number;
    readonly at: number;
  } | null;
  /** Set if the processes used more memory than the user allows. */
  readonly memory?: { readonly bytes: number; readonly limitBytes: number; readonly at: number };
  readonly counts: { readonly unknown: number; readonly noise: number };
  readonly stderr: string;
}

export const NO_RULES: SessionRules = { allow: [], deny: [], ask: [], directories: [] };

export const EMPTY_HEAD: Head = {
  phase: "starting",
  since: 0,
  lastEventAt: 0,
  about: {},
  capabilities: [],
  commands: [],
  requests: [],
  closedRequests: [],
  rules: NO_RULES,
  queue: [],
  tasks: [],
  todos: [],
  servers: [],
  gauges: {
    costUsd: 0,
    byModel: {},
    tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    turns: 0,
    durationMs: 0,
    apiMs: 0,
    linesAdded: 0,
    linesRemoved: 0,
  },
  spent: [],
  files: {},
  retry: null,
  counts: { unknown: 0, noise: 0 },
  stderr: "",
};
