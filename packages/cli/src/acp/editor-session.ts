// One session in one editor. It sends the updates of the projection, in order and one at a time. It sends only while
// the editor expects it: during a prompt, or at any time if the editor shows turns that began elsewhere. Leaving ends
// nothing.

import { randomUUID } from "node:crypto";
import { RequestError } from "@agentclientprotocol/sdk/unstable";
import type { AgentContext, PromptRequest, SessionUpdate, StopReason } from "@agentclientprotocol/sdk/unstable";
import { BridgeError } from "@quarterdeck/client";
import type { Client, ParamsOf, SessionView } from "@quarterdeck/client";
import { didNotRun, isInterrupted, isOver, isRunning, waitsForPerson, waitsForTurn } from "@quarterdeck/session";
import type { PromptRow, TurnRow } from "@quarterdeck/session";
import { ready } from "../remote/find-session.ts";
import { loadGap } from "../remote/follow-session.ts";
import type { Abilities } from "./abilities.ts";
import { Dialogs } from "./dialogs.ts";
import { promptOf } from "./prompt-blocks.ts";
import { Projection } from "./projection.ts";
import { shownTitle } from "./shown-text.ts";

export interface EditorSessionOptions {
  readonly client: Client;
  readonly editor: AgentContext;
  readonly abilities: Abilities;
  readonly id: string;
  readonly folders: readonly string[];
  /** This editor started the session. */
  readonly isNew: boolean;
}

/** MCP servers of the editor, by name. */
export type EditorServers = Readonly<Record<string, NonNullable<ParamsOf<"mcp/save">["config"]>>>;

/** A prompt of this editor whose turn has not ended. */
interface OwnPrompt {
  readonly uuid: string;
  rowId?: string;
  isCancelled: boolean;
  withdrawn?: Promise<void>;
}

/** The most rows that are sent when a session is loaded. */
const MOST_ROWS = 20_000;

export class EditorSession {
  readonly view: SessionView;
  /** For a session that began elsewhere. Its process gets them before the first prompt of this editor. */
  servers: EditorServers = {};
  readonly #options: EditorSessionOptions;
  readonly #projection: Projection;
  readonly #dialogs: Dialogs;
  readonly #own = new Set<string>();
  readonly #prompts = new Set<OwnPrompt>();
  /** Requests that were open when the session was loaded. */
  #loaded: ReadonlySet<string> = new Set();
  /** What we say ourselves, until the editor expects an update. */
  readonly #words: SessionUpdate[] = [];
  #isAnnounced = false;
  #isClosed = false;
  #isStale = false;
  #pumping: Promise<void> | undefined;
  #lastOrder = 0;

  constructor(options: EditorSessionOptions) {
    this.#options = options;
    const { client, id, abilities, folders, editor } = options;
    this.view = client.session(id);
    this.#projection = new Projection({
      abilities,
      folders,
      isOwn: ({ uuid }: PromptRow) => uuid !== undefined && this.#own.has(uuid),
    });
    this.#dialogs = new Dialogs({
      client,
      session: id,
      editor,
      abilities,
      folders,
      tell: (about, words) => {
        this.#words.push(...this.#projection.say(`words-${about}`, "warning", words));
        this.#changed();
      },
    });
    this.view.subscribe(() => this.#changed());
  }

  /** Resolves when the session is loaded and its process, if it has one, has said what it can do. */
  async opened(): Promise<void> {
    await ready(this.view);
    await this.#until(() => this.view.snapshot.head.phase !== "starting");
  }

  /** The answer to the editor's request has been sent. Updates may follow. */
  announced(): void {
    this.#isAnnounced = true;
    this.#changed();
  }

  /** The answer carries the options, so they need no update. */
  answeredWithState(): void {
    this.#projection.answeredWith(this.view.snapshot.head);
  }

  /** Sends the whole conversation, drafts included, and notes what waits for a person. */
  async replay(): Promise<void> {
    const { view } = this;
    while (view.snapshot.more && view.snapshot.rows.length < MOST_ROWS) await view.loadBefore(500);
    if (view.snapshot.more)
      await this.#send(this.#projection.say("earlier", "info", "Earlier parts of this session are on the page."));
    const { snapshot } = view;
    this.#lastOrder = snapshot.rows.at(-1)?.order ?? 0;
    this.#loaded = new Set(snapshot.head.requests.map(({ id }) => id));
    await this.#send(this.#projection.conversation(snapshot));
  }

  /** The editor knows the conversation, or does not want it. */
  resume(): void {
    const { snapshot } = this.view;
    this.#lastOrder = snapshot.rows.at(-1)?.order ?? 0;
    this.#loaded = new Set(snapshot.head.requests.map(({ id }) => id));
    this.#projection.skip(snapshot);
  }

  async prompt(blocks: PromptRequest["prompt"]): Promise<StopReason> {
    const { client, id } = this.#options;
    const own: OwnPrompt = { uuid: randomUUID(), isCancelled: false };
    this.#own.add(own.uuid);
    // An editor may ignore a dialog that comes without a prompt of its own.
    if (this.#prompts.size === 0) this.#dialogs.again(this.#options.abilities.elsewhere === "held" ? "all" : "dropped");
    this.#prompts.add(own);
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {
      // It may reject before anything awaits it.
    });
    const stopListening = client.onNotice(({ code, session, text }) => {
      if (code === "session-failed" && session === id) failed.reject(new RequestError(-32603, shownTitle(text, 2000)));
    });
    try {
      const prompt = await promptOf(client, blocks);
      await this.#giveServers();
      if (own.isCancelled) return "cancelled";
      const { rowId } = await client.command("session/prompt", { session: id, commandId: own.uuid, ...prompt });
      own.rowId = rowId;
      this.#changed();
      if (own.isCancelled) await this.#withdraw(own);
      await Promise.race([this.#until(() => this.#outcomeOf(own) !== undefined), failed.promise]);
      await this.#caughtUp();
      // A late interruption would stop the editor's next prompt.
      await own.withdrawn;
      return this.#stopReason(own);
    } finally {
      stopListening();
      this.#prompts.delete(own);
    }
  }

  /** Servers that the process has already, by name, stay as they are. A server that fails is told, and the prompt runs. */
  async #giveServers(): Promise<void> {
    const wanted = Object.entries(this.servers);
    this.servers = {};
    if (wanted.length === 0) return;
    const { client, id: session } = this.#options;
    const tell = (name: string, why: string): void => {
      this.#words.push(
        ...this.#projection.say(`server-${name}`, "warning", `The MCP server ${name} is missing: ${why}`),
      );
    };
    try {
      await client.command("sessions/resume", { session });
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      // The prompt says better why there is no process.
      this.servers = Object.fromEntries(wanted);
      return;
    }
    const { response } = await client.command("session/request", { session, request: { subtype: "mcp_status" } });
    const { mcpServers } = response as { readonly mcpServers?: readonly { readonly name: string }[] };
    const known = new Set((mcpServers ?? []).map(({ name }) => name));
    for (const [name, config] of wanted) {
      if (known.has(name)) continue;
      try {
        const change = { session, scope: "session" as const, name, config };
        const { hash } = await client.call("mcp/preview", change);
        const { errors } = await client.command("mcp/save", { ...change, hash });
        if (errors[name] !== undefined) tell(name, errors[name]);
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error;
        tell(name, error.message);
      }
    }
  }

  /** Stops what this editor began. Without a prompt of its own, it stops the turn that it shows. */
  async cancel(): Promise<void> {
    const { client, id } = this.#options;
    if (this.#prompts.size === 0) {
      if (!isRunning(this.view.snapshot.head.phase)) return;
      await client.command("session/interrupt", { session: id, holdQueue: true });
      return;
    }
    for (const own of this.#prompts) {
      own.isCancelled = true;
      if (own.rowId !== undefined) await (own.withdrawn = this.#withdraw(own));
    }
  }

  /** Ends what this editor began. The process ends only if nobody else uses it. */
  async close(): Promise<void> {
    const { client, id, isNew } = this.#options;
    const { watchers } = this.view.snapshot;
    await this.cancelOwn();
    const { head } = this.view.snapshot;
    const isAlone = watchers.every((watcher) => watcher.id === client.info?.device.id);
    if (isNew && isAlone && !isRunning(head.phase) && !head.tasks.some(({ endedAt }) => endedAt === undefined))
      await client.command("sessions/close", { session: id }).catch(ignored);
    this.leave();
  }

  async cancelOwn(): Promise<void> {
    if (this.#prompts.size === 0) return;
    await this.cancel();
    await this.#until(
      () => this.#prompts.size === 0 || [...this.#prompts].every((own) => this.#outcomeOf(own) !== undefined),
    );
  }

  /** Stops following. Nothing ends: not the turn, not a request. */
  leave(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#dialogs.close();
    this.view.close();
  }

  /** A prompt that has not started is withdrawn. The turn of a running prompt is interrupted. */
  async #withdraw({ uuid, rowId }: OwnPrompt): Promise<void> {
    const { client, id } = this.#options;
    const row = this.#promptRow(rowId);
    try {
      if (row === undefined || waitsForTurn(row.state)) {
        const { cancelled } = await client.command("session/cancelPrompt", { session: id, uuid });
        if (cancelled) return;
      }
      await client.command("session/interrupt", { session: id, holdQueue: false });
    } catch (error) {
      // The turn has ended meanwhile.
      if (!(error instanceof BridgeError)) throw error;
    }
  }

  #promptRow(rowId: string | undefined): PromptRow | undefined {
    const row = this.view.snapshot.rows.findLast(({ id }) => id === rowId);
    return row?.kind === "prompt" ? row : undefined;
  }

  /** The turn that answered the prompt, or the state in which the prompt ended without one. */
  #outcomeOf({ rowId }: OwnPrompt): TurnRow | PromptRow | undefined {
    if (rowId === undefined) return undefined;
    const { rows, head } = this.view.snapshot;
    const turn = rows.findLast((row): row is TurnRow => row.kind === "turn" && row.prompts.includes(rowId));
    if (turn !== undefined) return turn;
    const prompt = this.#promptRow(rowId);
    if (prompt === undefined) return undefined;
    const isDead = isOver(head.phase) && prompt.state !== "accepted";
    return isDead || didNotRun(prompt.state) || prompt.state === "interrupted" ? prompt : undefined;
  }

  #stopReason(own: OwnPrompt): StopReason {
    const outcome = this.#outcomeOf(own);
    if (own.isCancelled) return "cancelled";
    if (outcome?.kind === "turn") {
      const { subtype, reason, ok, errors } = outcome;
      if (isInterrupted(outcome)) return "cancelled";
      if (subtype === "error_max_turns") return "max_turn_requests";
      if (reason === "max_tokens") return "max_tokens";
      if (reason === "refusal") return "refusal";
      if (ok) return "end_turn";
      throw new RequestError(-32603, shownTitle(errors[0] ?? this.#lastError() ?? `The turn failed: ${subtype}`, 2000));
    }
    if (outcome?.state === "cancelled" || outcome?.state === "interrupted") return "cancelled";
    throw new RequestError(-32603, shownTitle(outcome?.reason ?? this.#lastError() ?? "The prompt did not run.", 2000));
  }

  #lastError(): string | undefined {
    const row = this.view.snapshot.rows.findLast(({ kind }) => kind === "error");
    return row?.kind === "error" ? row.text : undefined;
  }

  get #isExpected(): boolean {
    return this.#isAnnounced && (this.#prompts.size > 0 || this.#options.abilities.elsewhere === "live");
  }

  #changed(): void {
    this.#isStale = true;
    this.#pump().catch(() => {
      // The editor or the server is gone. Each call says so itself.
    });
  }

  /** Resolves when everything that is known now has been sent. */
  async #caughtUp(): Promise<void> {
    this.#isStale = true;
    await this.#pump();
  }

  #pump(): Promise<void> {
    return (this.#pumping ??= this.#sendAll().finally(() => (this.#pumping = undefined)));
  }

  /** One snapshot after the other. A slow editor is only further behind. */
  async #sendAll(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      const { view } = this;
      if (view.snapshot.status !== "ready" || !this.#isAnnounced) return;
      if (this.#isExpected) {
        await loadGap(view, this.#lastOrder);
        this.#lastOrder = Math.max(this.#lastOrder, view.snapshot.rows.at(-1)?.order ?? 0);
        await this.#send([...this.#projection.conversation(view.snapshot), ...this.#words.splice(0)]);
      }
      const { head } = view.snapshot;
      await this.#send(this.#projection.state(head));
      this.#dialogs.look(head.requests.filter(waitsForPerson), ({ id }) => this.#isExpected || this.#loaded.has(id));
    }
  }

  async #send(updates: readonly SessionUpdate[]): Promise<void> {
    const { editor, id } = this.#options;
    for (const update of updates) {
      if (this.#isClosed) return;
      await editor.notify("session/update", { sessionId: id, update });
    }
  }

  /** Waits for a state of the session. Rejects if the session can no longer be followed. */
  #until(isReached: () => boolean): Promise<void> {
    const { view } = this;
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const { status, error } = view.snapshot;
        if (status === "failed")
          reject(new BridgeError(error?.code ?? "failed", error?.message ?? "The session is gone."));
        else if (!isReached()) return;
        else resolve();
        stop();
        stopWatching();
      };
      const stop = view.subscribe(look);
      const stopWatching = this.#options.client.onState((state) => {
        if (state.status !== "refused" && state.status !== "closed") return;
        reject(new BridgeError("closed", "The server has stopped or was restarted. Load the session again."));
        stop();
        stopWatching();
      });
      look();
    });
  }
}

const ignored = (error: unknown): void => {
  if (!(error instanceof BridgeError)) throw error;
};
