// Types for a simulated session and its parts. The class `SimulatedSession` creates the parts. Each part knows the
// session only through these types, so that no two files import each other.
import type { AgentStats } from "./agent-stats.ts";
import type { AgentInfo } from "./catalogue.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Message, Output } from "./emit.ts";
import type { HostAnswer, HostRequests } from "./host-requests.ts";
import type { Json } from "./json.ts";
import type { Model } from "./model.ts";
import type { Options, PermissionMode } from "./options.ts";
import type { Permissions } from "./permissions.ts";
import type { ProjectCommand } from "./project-commands.ts";
import type { Prompt } from "./prompt.ts";
import type { ApiMessage } from "./scenario.ts";
import type { Settings } from "./settings-files.ts";
import type { Store } from "./store.ts";
import type { Tasks } from "./tasks.ts";
import type { TaskList } from "./tools/listed-tasks.ts";
import type { TurnMarks } from "./turn-state.ts";
import type { Ledger, Tokens } from "./usage.ts";

/** The simulated CLI, as its modules see it. */
export interface Session {
  options: Options;
  readonly output: Output;
  readonly cwd: string;
  readonly home: string;
  readonly startedAt: number;
  readonly permissions: Permissions;
  settings: Settings;
  readonly hooks: SessionHooks;
  readonly mcp: SessionMcp;
  readonly requests: HostRequests;
  readonly store: Store;
  readonly voice: SessionVoice;
  readonly model: Model;
  readonly tasks: Tasks;
  readonly toolbox: SessionToolbox;
  readonly taskList: TaskList;
  readonly checkpoints: Checkpoints;
  readonly ledger: Ledger;
  readonly agentStats: AgentStats;
  readonly messages: ApiMessage[];
  /** When the model last saw each file. */
  readonly seen: Map<string, number>;
  id: string;
  modelId: string;
  outputStyle: string;
  title: string | undefined;
  promptId: string;
  givenAgents: Json;
  isInitialized: boolean;
  /** Whether the session has reported that nothing runs that needs the server's classifier. */
  saidUnchecked: boolean;
  readonly isRunning: boolean;
  readonly hasHadTurns: boolean;
  readonly queuedUuids: readonly string[];
  readonly planFile: string;
  readonly needsLogin: boolean;
  accept(prompt: Prompt): void;
  cancelQueued(uuid: string): boolean;
  cancelAllQueued(): readonly string[];
  interrupt(): void;
  recordDenial(denial: Json): void;
  foldQueue(thread: Thread): void;
  modelName(): string;
  isOverBudget(nextUsd: number): boolean;
  setMode(mode: PermissionMode): void;
  applyPermissions(updates: readonly Json[]): void;
  askPermission(request: Json, thread: Thread): Promise<HostAnswer>;
  rename(title: string): void;
  startOver(): void;
  remember(content: ApiMessage["content"], prompt: Prompt): void;
  emitResult(fields: Json, isError: boolean): void;
  onExit(action: () => void): void;
  endNow(code: number): void;
  fail(text: string): void;
}

export interface SessionHooks {
  readonly listing: readonly (Json & { readonly event: string })[];
  setCallbacks(hooks: Json): void;
  promptSubmit(prompt: string): Promise<PromptVerdict>;
  beforeTool(input: Json, toolUseId: string, thread: Thread): Promise<BeforeTool>;
  afterTool(event: "PostToolUse" | "PostToolUseFailure", input: Json, toolUseId: string, thread: Thread): Promise<void>;
  permissionRequest(request: Json, thread: Thread): void;
  stop(active: boolean, lastMessage: string, signal: AbortSignal): Promise<string | undefined>;
  agent(event: "SubagentStart" | "SubagentStop", input: Json, toolUseId: string): Promise<void>;
  compact(trigger: string, instructions: string): Promise<void>;
}

export type BeforeTool =
  | { readonly kind: "none" | "allow"; readonly updatedInput?: Json }
  | { readonly kind: "deny" | "ask"; readonly reason: string; readonly updatedInput?: Json };

export interface PromptVerdict {
  readonly blocked: { readonly reason: string; readonly shown: string } | undefined;
  readonly context: readonly string[];
}

export interface SessionMcp {
  readonly initEntries: readonly Json[];
  readonly toolNames: readonly string[];
  add(name: string, config: Json): void;
  setServers(servers: Json): Json;
  ready(): Promise<void>;
  status(): Json;
  has(name: string): boolean;
  toggle(name: string, enabled: boolean): Promise<void>;
  receive(name: string, message: Json): void;
  serverOf(toolName: string): string | undefined;
  displayNameOf(toolName: string): string | undefined;
  metaOf(id: string, toolName: string): Json;
  toolOf(toolName: string): Tool | undefined;
}

export interface SessionToolbox {
  load(): Promise<void>;
  commands(): readonly ProjectCommand[];
  agents(): readonly AgentInfo[];
  names(): readonly string[];
  find(name: string): Tool | undefined;
  whyMissing(name: string): string;
}

export interface SessionVoice {
  /** The newest message in the session's file. */
  lastUuid: string | undefined;
  emit(message: Message): void;
  raw(message: Message): void;
  assistant(said: { readonly message: Json; readonly thread: Thread | undefined; readonly extra: Json }): void;
  user(said: { readonly content: readonly Json[]; readonly thread: Thread; readonly extra: Json }): void;
  userText(text: string, uuid: string | undefined, extra: Json): void;
  replay(content: ApiMessage["content"], uuid: string | undefined, origin: Json | undefined, isDated: boolean): void;
  lifecycle(commandUuid: string, state: "queued" | "started" | "completed" | "cancelled"): void;
  /** Writes a message to the session's file. */
  keep(type: "user" | "assistant", message: Json, uuid: string, extra: Json): void;
}

export interface Thread {
  readonly messages: ApiMessage[];
  readonly signal: AbortSignal;
  readonly agent: AgentRun | undefined;
  readonly model: string;
  /** The main thread's turn. Undefined for a subagent. */
  readonly turn: TurnMarks | undefined;
}

export type ThreadEnd =
  | { readonly kind: "done"; readonly text: string; readonly stop: string | null; readonly structured?: unknown }
  | {
      readonly kind: "aborted";
      readonly during: "streaming" | "tools";
      readonly text: string;
      readonly stop: string | null;
    }
  | {
      readonly kind: "api-error";
      readonly text: string;
      readonly error: Json;
      readonly terminal: string;
      readonly stop: string;
    }
  | { readonly kind: "max-turns"; readonly stop: string | null }
  | { readonly kind: "budget"; readonly stop: string | null }
  | { readonly kind: "no-structure"; readonly stop: string | null; readonly error: string };

/** What a thread needs from its agent. */
export interface AgentRun {
  readonly id: string;
  readonly depth: number;
  /** Fields of every line of this agent. */
  readonly marks: Json;
  readonly shows: (blockType: string) => boolean;
  readonly isStopped: () => boolean;
  readonly onTool: (call: ToolCall, tokens: Tokens) => void;
  readonly afterTool: (call: ToolCall, tokens: Tokens) => void;
  /** Called when a request is retried, and with undefined when that is over. */
  readonly onRetry: (retry: Json | undefined) => void;
  readonly onMessage: (tokens: Tokens, text: string) => void;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly tool: Tool | undefined;
  /** The block as the host sees it. */
  readonly shown: Json;
  /** `tool_use_meta`, for tools of MCP servers. */
  readonly meta: Json;
}

export interface ToolContext {
  readonly session: Session;
  readonly toolUseId: string;
  /** Id of the API message that contains the call. */
  readonly messageId: string;
  readonly signal: AbortSignal;
  readonly agent: AgentRun | undefined;
}

export interface ToolOutcome {
  readonly content: string | readonly Json[];
  /** `tool_use_result`. */
  readonly result: unknown;
  /** Write `is_error` even if it is false: Bash does, the others do not. */
  readonly saysNoError?: boolean;
}

type Type = "string" | "number" | "boolean" | "array" | "object";
export type Params = Readonly<Record<string, Type | `${Type}?`>>;

export interface Tool {
  readonly params: Params | "any";
  /** Runs without a permission request in every mode. */
  readonly harmless?: boolean;
  /** The tool itself is a question to the user. */
  readonly interactive?: boolean;
  /** May run in parallel with others. Otherwise it waits for all calls before it, and all calls after it wait. */
  readonly isParallel?: (input: Json, session: Session) => boolean;
  /** Has its own cleanup after a stop. The turn waits for it. */
  readonly cleansUp?: boolean;
  /** The input as the host sees it. */
  readonly normalize?: (input: Json, session: Session) => Json;
  /** An error of the input that is found before a permission request. */
  readonly check?: (input: Json, session: Session) => string | undefined;
  readonly run: (input: Json, context: ToolContext) => Promise<ToolOutcome> | ToolOutcome;
}
