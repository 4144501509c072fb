// Rows: the timeline as a person sees it. A row is immutable; a change replaces it and raises its `rev`. Its `id` comes from
// the wire if the wire has one, so a refold gives the same ids. `order` sorts the timeline.

import type { PermissionDenial, ToolResult } from "@quarterdeck/protocol";
import type { Actor, DecidingRule, PolicyMark, PromptContent } from "./event.ts";

export interface RowBase {
  readonly id: string;
  readonly order: number;
  readonly rev: number;
  readonly at: number;
  /** The facts that made the row. They have its raw messages. */
  readonly seqs: readonly number[];
  /** The tool call of the agent whose conversation contains the row. */
  readonly parent?: string;
}

export type PromptState =
  | "accepted" // durable, not yet written to the process
  | "sent"
  | "queued"
  | "folded" // added to the running turn at a tool boundary
  | "started"
  | "done"
  | "failed" // its turn ended with an error
  | "interrupted" // its turn was stopped, or the process ended during it
  | "cancelled"
  | "held"
  | "blocked" // by a hook, with its reason
  | "refused"
  | "discarded";

export interface PromptRow extends RowBase {
  readonly kind: "prompt";
  readonly uuid?: string;
  readonly content: PromptContent;
  readonly state: PromptState;
  readonly priority?: string;
  readonly reason?: string;
  readonly by?: Actor;
  /** Set if the CLI wrote the prompt itself, for example for a subagent. */
  readonly origin?: string;
}

export interface TextRow extends RowBase {
  readonly kind: "text";
  readonly messageId: string;
  readonly text: string;
  readonly model?: string;
  readonly aborted?: true;
  /** The sources that the model names, in the form of the API. */
  readonly citations?: readonly Readonly<Record<string, unknown>>[];
}

export interface ThinkingRow extends RowBase {
  readonly kind: "thinking";
  readonly messageId: string;
  readonly text: string;
  readonly redacted?: true;
  readonly durationMs?: number;
  /** An estimate by the CLI. */
  readonly tokens?: number;
  readonly aborted?: true;
}

export type ToolState = "asking" | "running" | "done" | "failed" | "denied" | "interrupted" | "unfinished";

export interface ToolRow extends RowBase {
  readonly kind: "tool";
  readonly messageId: string;
  readonly toolUseId: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly state: ToolState;
  readonly result?: ToolResult;
  readonly endedAt?: number;
  readonly elapsedSeconds?: number;
  readonly taskId?: string;
  readonly requestId?: string;
  /** Who allowed or denied the call, as we or the CLI know it. */
  readonly decision?: ToolDecision;
  /** The policy that wants a person to be asked. */
  readonly askedBy?: PolicyMark;
}

/** `read-only`: a tool or command that only reads. `rule` and `mode`: of the CLI. `policy`: of the host. */
export type Decider = "person" | "policy" | "rule" | "mode" | "read-only" | "hook" | "classifier";

export interface ToolDecision {
  readonly behavior: "allow" | "deny";
  /** What decided. Absent: nobody knows, the CLI did not ask. */
  readonly decider?: Decider;
  /** The rule of the CLI that decided, if it is known which. */
  readonly rule?: DecidingRule;
  readonly mode?: string;
  readonly policy?: PolicyMark;
  readonly by?: Actor;
  /** When our answer was given. */
  readonly at?: number;
  /** As the CLI names it: `config`, `user_temporary`, … */
  readonly source?: string;
  readonly reason?: string;
  /** The input that was allowed instead of the requested one. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
}

/** A block without a row kind of its own: an image by the model, a server tool. */
export interface BlockRow extends RowBase {
  readonly kind: "block";
  readonly messageId: string;
  readonly block: Readonly<Record<string, unknown>>;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelCost extends Tokens {
  readonly costUsd: number;
}

export interface TurnRow extends RowBase {
  readonly kind: "turn";
  /** Rows of the prompts that the turn answered. */
  readonly prompts: readonly string[];
  readonly ok: boolean;
  readonly subtype: string;
  readonly reason?: string;
  /** Why the model stopped, in the words of the API: `end_turn`, `max_tokens`, `refusal`, … */
  readonly stopReason?: string;
  readonly errors: readonly string[];
  readonly costUsd: number;
  readonly durationMs: number;
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly apiMs: number;
  readonly byModel: Readonly<Record<string, ModelCost>>;
  /** Tokens in the context at the end of the turn. */
  readonly context?: number;
  readonly denials: readonly PermissionDenial[];
  readonly structuredOutput?: unknown;
  /** Set if no prompt of ours started the turn. */
  readonly origin?: string;
}

/** A failure outside a tool. The source matters, because the next step differs. */
export interface ErrorRow extends RowBase {
  readonly kind: "error";
  readonly source: "api" | "limit" | "auth" | "process" | "refusal" | "protocol" | "memory";
  readonly text: string;
  readonly code?: string;
  readonly status?: number;
}

export interface CommandRow extends RowBase {
  readonly kind: "command";
  readonly name?: string;
  readonly text: string;
  readonly failed: boolean;
}

export interface CompactionRow extends RowBase {
  readonly kind: "compaction";
  readonly trigger?: string;
  readonly before?: number;
  readonly after?: number;
  readonly summary?: string;
  readonly failed?: string;
}

/** A line across the timeline where something changed. */
export interface MarkRow extends RowBase {
  readonly kind: "mark";
  readonly what:
    | "cleared"
    | "mode"
    | "model"
    | "interrupted"
    | "process-started"
    | "process-exited"
    | "resumed"
    | "title";
  readonly text: string;
  /** The mode that the last process had. A new process keeps only a chosen or a stricter mode. */
  readonly from?: string;
}

export interface HookRow extends RowBase {
  readonly kind: "hook";
  readonly hookId: string;
  readonly event: string;
  readonly name: string;
  readonly outcome?: string;
  readonly exitCode?: number;
  readonly output: string;
  readonly endedAt?: number;
}

/** A request that is not a tool call. */
export interface RequestRow extends RowBase {
  readonly kind: "request";
  readonly requestId: string;
  readonly subtype: string;
  readonly text: string;
  readonly fate: RequestFate;
  readonly by?: Actor;
  readonly closedAt?: number;
}
export type RequestFate = "open" | "answered" | "cancelled" | "ended";

export interface NoticeRow extends RowBase {
  readonly kind: "notice";
  readonly level: "info" | "warning" | "error";
  readonly topic: string;
  readonly text: string;
}

export interface RetryRow extends RowBase {
  readonly kind: "retry";
  readonly attempt: number;
  readonly of: number;
  readonly delayMs: number;
  readonly status: number | null;
  readonly error: string;
  /** When the last attempt starts, by the clock of the host. */
  readonly until: number;
  readonly over: boolean;
}

/** An unknown message, as it came. */
export interface UnknownRow extends RowBase {
  readonly kind: "unknown";
  readonly reason: string;
  readonly value: unknown;
}
export interface NoiseRow extends RowBase {
  readonly kind: "noise";
  readonly reason: string;
  readonly size: number;
}

export type Row =
  | PromptRow
  | TextRow
  | ThinkingRow
  | ToolRow
  | BlockRow
  | TurnRow
  | ErrorRow
  | CommandRow
  | CompactionRow
  | MarkRow
  | HookRow
  | RequestRow
  | NoticeRow
  | RetryRow
  | UnknownRow
  | NoiseRow;
