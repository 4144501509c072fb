// The life of one simulated CLI: stdin to its end, the queue, one turn at a time, and the way out. What it knows about
// itself is public to the modules that act for it; they are loaded when they are first needed, so that starting is quick.
import { randomUUID } from "node:crypto";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { newAgentStats } from "./agent-stats.ts";
import { DEFAULT_MODEL, marketingNameOf, resolveModel } from "./catalogue.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { Output } from "./emit.ts";
import type { FaultPlan } from "./faults.ts";
import { Hooks } from "./hooks.ts";
import { HostRequests } from "./host-requests.ts";
import type { HostAnswer } from "./host-requests.ts";
import { Inbox } from "./inbox.ts";
import type { Json } from "./json.ts";
import { Mcp } from "./mcp.ts";
import { Model } from "./model.ts";
import type { Options, PermissionMode } from "./options.ts";
import { permissionSources, Permissions } from "./permissions.ts";
import { noticeOf, promptOf, PromptQueue } from "./prompt.ts";
import type { Prompt } from "./prompt.ts";
import type { ApiMessage, Scenario } from "./scenario.ts";
import { readSettings, writeLocalUpdate } from "./settings-files.ts";
import type { Settings } from "./settings-files.ts";
import { folderNameOf, Store } from "./store.ts";
import type { StoredSession } from "./store.ts";
import { Tasks } from "./tasks.ts";
import { Toolbox } from "./toolbox.ts";
import { TaskList } from "./tools/listed-tasks.ts";
import { newTurn } from "./turn-state.ts";
import type { Turn } from "./turn-state.ts";
import { Ledger } from "./usage.ts";
import { Voice } from "./voice.ts";
import type { Session, Thread } from "./session-contract.ts";

export interface SessionParts {
  readonly options: Options;
  readonly scenario: Scenario;
  readonly output: Output;
  readonly faults: FaultPlan;
  readonly isDemo: boolean;
}

export class SimulatedSession implements Session {
  options: Options;
  readonly output: Output;
  readonly cwd = process.cwd();
  readonly home = homedir();
  readonly startedAt = Date.now();
  readonly permissions: Permissions;
  settings: Settings;
  readonly hooks: Hooks;
  readonly mcp: Mcp;
  readonly requests: HostRequests;
  readonly store: Store;
  readonly voice: Voice;
  readonly model: Model;
  readonly tasks: Tasks;
  readonly toolbox: Toolbox;
  readonly taskList = new TaskList();
  readonly checkpoints = new Checkpoints(process.env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING === "1");
  readonly ledger = new Ledger();
  readonly agentStats = newAgentStats();
  readonly messages: ApiMessage[] = [];
  /** When the model last saw which file. */
  readonly seen = new Map<string, number>();
  id: string;
  modelId: string;
  outputStyle = "default";
  title: string | undefined;
  promptId = randomUUID();
  givenAgents: Json = {};
  isInitialized = false;
  /** Whether it was said that nothing that needs the server's classifier runs. */
  saidUnchecked = false;

  readonly #faults: FaultPlan;
  readonly #queue = new PromptQueue();
  readonly #inbox = new Inbox(this);
  readonly #onExit: (() => void)[] = [];
  readonly #planSlug = `simulated-plan-${randomUUID().slice(0, 8)}`;
  #turn: Turn | undefined;
  #inputEnded = false;
  #ending = false;
  #resultIndex = 0;
  #lastWasError = false;
  #signalled = false;
  #state: "running" | "requires_action" | "idle" = "idle";

  constructor({ options, scenario, output, faults, isDemo }: SessionParts) {
    this.options = options;
    this.output = output;
    this.#faults = faults;
    this.toolbox = new Toolbox(this, isDemo);
    this.modelId = resolveModel(options.model ?? process.env.ANTHROPIC_MODEL ?? DEFAULT_MODEL);
    this.title = options.name;
    this.givenAgents = options.agents ?? {};
    this.store = new Store(this.home, this.cwd, options.persist);
    this.id = options.sessionId ?? randomUUID();
    this.voice = new Voice(this);
    this.settings = readSettings(this.cwd, this.home, options.settingSources, options.settings);
    this.requests = new HostRequests((message) => {
      this.output.write(message);
    });
    this.hooks = new Hooks(this);
    for (const { source, settings } of this.settings) this.hooks.addSettings(settings, source);
    this.permissions = new Permissions({
      cwd: this.cwd,
      home: this.home,
      mode: options.permissionMode,
      directories: options.addDirs,
      settings: permissionSources(this.settings, this.cwd, this.home, options),
      bypassAvailable: options.bypassLaunched,
    });
    this.mcp = new Mcp(this);
    this.model = new Model(scenario, { cwd: this.cwd, home: this.home });
    const taskFolder = join(tmpdir(), `claude-${String(process.getuid?.() ?? 0)}`, folderNameOf(this.cwd), this.id);
    this.tasks = new Tasks(
      taskFolder,
      (message) => {
        this.voice.emit(message);
      },
      ({ text, runId }) => {
        this.accept(noticeOf(text, runId));
      },
    );
  }

  // Starting, and what arrives

  /** Goes on from a stored session. */
  restore(stored: StoredSession, fork: boolean): void {
    this.messages.push(...stored.messages);
    this.model.continueAfter(stored.lines);
    this.ledger.restore(stored.totals);
    this.title ??= stored.title;
    this.voice.lastUuid = stored.uuids.at(-1);
    if (fork) this.store.fork(stored, this.id);
    else {
      this.id = stored.id;
      this.store.resume(stored);
    }
  }

  async start(source: string): Promise<void> {
    await this.hooks.sessionStart(source);
  }

  /** One line of stdin. */
  receive(line: string): void {
    if (!this.#ending) this.#inbox.receive(line);
  }

  /** Text from the command line or a plain stdin. */
  prompt(text: string): void {
    this.accept(promptOf({ message: { role: "user", content: text } }));
  }

  accept(prompt: Prompt): void {
    this.#setState("running");
    if (prompt.uuid !== undefined) this.voice.lifecycle(prompt.uuid, "queued");
    this.#queue.add(prompt);
    if (prompt.priority === "now" && this.#turn !== undefined) {
      this.#turn.marks.preempted = true;
      this.#turn.abort.abort();
    }
    this.#pump();
  }

  /** The host closed stdin: what runs is finished, what asks gets no answer. */
  endInput(): void {
    if (this.#faults.holds("ignore-eof")) {
      setInterval(() => {}, 1 << 30);
      return;
    }
    this.#inputEnded = true;
    this.requests.close();
    this.#leaveIfDone();
  }

  // Turns

  get isRunning(): boolean {
    return this.#turn !== undefined;
  }

  get hasHadTurns(): boolean {
    return this.#resultIndex > 0;
  }

  get queuedUuids(): readonly string[] {
    return this.#queue.uuids;
  }

  cancelQueued(uuid: string): boolean {
    if (!this.#queue.cancel(uuid)) return false;
    this.voice.lifecycle(uuid, "cancelled");
    return true;
  }

  cancelAllQueued(): readonly string[] {
    const uuids = this.#queue.cancelAll();
    for (const uuid of uuids) this.voice.lifecycle(uuid, "cancelled");
    return uuids;
  }

  /** Stops the running turn; open questions to the host are withdrawn before this returns. */
  interrupt(): void {
    this.#turn?.abort.abort();
  }

  #pump(): void {
    if (this.#turn !== undefined || this.#queue.isEmpty || this.#ending) return;
    void this.#runQueue();
  }

  async #runQueue(): Promise<void> {
    // Taken before anything is awaited: the session is busy from now on, and a prompt that comes later is another turn.
    this.#turn = newTurn(this.#queue.takeTurn());
    const [{ runTurn }] = await Promise.all([import("./turn.ts"), this.toolbox.load()]);
    while (this.#turn !== undefined && !this.#ending) {
      this.promptId = randomUUID();
      await runTurn(this, this.#turn);
      this.#turn = this.#queue.isEmpty ? undefined : newTurn(this.#queue.takeTurn());
    }
    if (!this.#ending) this.#setState("idle");
    this.#leaveIfDone();
  }

  /** Tools that may not run count for the turn in which that was said, whoever wanted them. */
  recordDenial(denial: Json): void {
    this.#turn?.marks.denials.push(denial);
  }

  /** Between two requests of a turn, prompts that wait become part of it. */
  foldQueue(thread: Thread): void {
    for (const prompt of this.#queue.takeFoldable()) {
      // In the middle of a turn the news of a task is a note, not a prompt of its own: the script goes on.
      const content = prompt.isNotice
        ? "<system-reminder>A background task has ended.</system-reminder>"
        : prompt.content;
      this.messages.push({ role: "user", content });
      if (prompt.isNotice) continue;
      if (this.options.replayUserMessages) this.voice.replay(prompt.content, prompt.uuid, prompt.origin, true);
      if (prompt.uuid === undefined) continue;
      this.voice.lifecycle(prompt.uuid, "started");
      thread.turn?.uuids.push(prompt.uuid);
      this.#turn?.folded.push(prompt.uuid);
    }
  }

  // What it offers

  get planFile(): string {
    return join(this.home, ".claude", "plans", `${this.#planSlug}.md`);
  }

  /** Somebody set an API up and gave no key for it; without an API there is nothing to log in to. */
  get needsLogin(): boolean {
    const { ANTHROPIC_BASE_URL = "", ANTHROPIC_API_KEY = "" } = process.env;
    return ANTHROPIC_BASE_URL !== "" && ANTHROPIC_API_KEY === "";
  }

  modelName(): string {
    return marketingNameOf(this.modelId);
  }

  isOverBudget(nextUsd: number): boolean {
    const budget = this.options.maxBudgetUsd;
    return budget !== undefined && this.ledger.costUSD + nextUsd >= budget;
  }

  setMode(mode: PermissionMode): void {
    if (this.permissions.mode === mode) return;
    this.permissions.mode = mode;
    this.voice.emit({ type: "system", subtype: "status", status: null, permissionMode: mode });
  }

  applyPermissions(updates: readonly Json[]): void {
    for (const update of updates) {
      if (this.permissions.update(update)) {
        this.voice.emit({ type: "system", subtype: "status", status: null, permissionMode: this.permissions.mode });
      }
      if (update.destination === "localSettings") writeLocalUpdate(this.cwd, this.home, update);
    }
  }

  async askPermission(request: Json, thread: Thread): Promise<HostAnswer> {
    this.#setState("requires_action");
    const answer = this.requests.ask(request, thread.signal);
    this.hooks.permissionRequest(request, thread);
    const settled = await answer;
    this.#setState("running");
    return settled;
  }

  rename(title: string): void {
    this.title = title;
    this.store.note(this.id, { type: "custom-title", customTitle: title });
    this.voice.emit({ type: "system", subtype: "session_title_changed", title });
  }

  /** `/clear`. */
  startOver(): void {
    this.id = randomUUID();
    this.messages.length = 0;
    this.ledger.reset();
    this.seen.clear();
    this.store.startOver();
  }

  remember(content: ApiMessage["content"], prompt: Prompt): void {
    this.messages.push({ role: "user", content });
    if (!prompt.isNotice) this.voice.keep("user", { role: "user", content }, prompt.uuid ?? randomUUID(), {});
  }

  // What it says about itself

  emitResult(fields: Json, isError: boolean): void {
    this.#lastWasError = isError;
    this.voice.emit({
      type: "result",
      ...fields,
      queued_turn_count: this.#queue.humans,
      result_index: this.#resultIndex++,
      model_usage_since_last_result: this.ledger.takeSinceResult(),
    });
    this.store.note(this.id, {
      type: "cost-state",
      totalCostUSD: this.ledger.costUSD,
      modelUsage: this.ledger.modelUsage(),
    });
  }

  #setState(state: "running" | "requires_action" | "idle"): void {
    if (this.#state === state) return;
    this.#state = state;
    if (process.env.CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS === "1") {
      this.voice.emit({ type: "system", subtype: "session_state_changed", state });
    }
  }

  // The way out

  onExit(action: () => void): void {
    this.#onExit.push(action);
  }

  /** SIGINT: the turn ends as if interrupted, then the process. */
  endBySignal(): void {
    this.#signalled = true;
    this.#queue.cancelAll();
    if (this.#turn === undefined) {
      this.#end(0);
      return;
    }
    this.#inputEnded = true;
    this.interrupt();
  }

  killChildren(): void {
    for (const action of this.#onExit) action();
  }

  endNow(code: number): void {
    this.#end(code);
  }

  #leaveIfDone(): void {
    if (!this.#inputEnded || this.#turn !== undefined || !this.#queue.isEmpty || this.tasks.background.length > 0)
      return;
    this.#end(this.#lastWasError && !this.#signalled ? 1 : 0);
  }

  /** What arrived cannot be read: the process ends. */
  fail(text: string): void {
    process.stderr.write(`${text}\n`);
    this.#end(1);
  }

  #end(code: number): void {
    if (this.#ending || this.output.isHung) return;
    this.#ending = true;
    this.output.pass("exit");
    if (this.output.isHung) return;
    this.killChildren();
    void this.output.flush().then(() => process.exit(code));
  }
}
