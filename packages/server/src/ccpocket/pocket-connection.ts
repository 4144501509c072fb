// One app's socket. It speaks ccpocket to the app, and the bridge protocol to our own server, as the device of the app's token.
// So roles, exactly-once commands and the names of devices work as on the bridge.

import { BridgeError } from "@quarterdeck/client";
import type { Client, SessionSummary } from "@quarterdeck/client";
import type { WebSocket } from "ws";
import type { GitSight } from "../files/shared-git.ts";
import type { Log } from "../log.ts";
import { answersFor } from "./answers.ts";
import { readClientMessage } from "./client-message.ts";
import type { ClientMessage } from "./client-message.ts";
import { FollowedSession } from "./followed-session.ts";
import type { PocketApp } from "./pocket-app.ts";
import { AFTER_ALL, laneOf } from "./requests.ts";
import type { PocketImages } from "./pocket-images.ts";
import { openPermissionOf, pocketStatusOf } from "./translate.ts";
import type { PocketMessage } from "./translate.ts";

export interface PocketConnectionOptions {
  readonly ws: WebSocket;
  readonly client: Client;
  readonly sight: () => GitSight;
  /** The name of an upload. */
  readonly keepImage: (bytes: Buffer) => Promise<string>;
  /** Pictures that the app may fetch. */
  readonly images: PocketImages;
  readonly log: Log;
  readonly version: string;
}

const LIST_MS = 250;
/** An app that does not read is disconnected. It reconnects and asks for what it missed. */
const MOST_BUFFERED = 8 * 1024 * 1024;
/** As on the bridge. */
const MOST_PENDING = 100;
const MOST_BAD_FRAMES = 20;

/** Until the socket closes. */
export const serveApp = (options: PocketConnectionOptions): PocketConnection => new PocketConnection(options);

class PocketConnection implements PocketApp {
  readonly #options: PocketConnectionOptions;
  readonly followed = new Map<string, FollowedSession>();
  readonly #answers = answersFor(this);
  /** The session of messages that name none: the newest that this app started or named. */
  #current: string | undefined;
  /** Messages that only newer apps understand. */
  #wanted: ReadonlySet<string> = new Set();
  #listTimer: NodeJS.Timeout | undefined;
  readonly #stops: (() => void)[] = [];
  /** Running work, by lane. */
  readonly #lanes = new Map<string, Promise<void>>();
  #pending = 0;
  #bad = 0;

  get client() {
    return this.#options.client;
  }
  get sight() {
    return this.#options.sight;
  }
  get keepImage() {
    return this.#options.keepImage;
  }

  constructor(options: PocketConnectionOptions) {
    this.#options = options;
    const { ws, client } = options;
    ws.on("message", (data: Buffer) => this.#take(data.toString("utf8")));
    ws.on("close", () => this.close());
    // Each ping is answered. Answers to an app that does not read would stay in memory.
    ws.on("ping", () => {
      if (ws.bufferedAmount > MOST_BUFFERED) ws.close(4008, "The app does not read.");
    });
    this.#stops.push(
      client.sessions.subscribe(() => this.#safely(() => this.#onList())),
      // Every app shows `error` messages. The protocol has no other message for this.
      client.onNotice(({ level, code, text }) =>
        this.#safely(() => {
          if (level !== "info") this.send({ type: "error", message: text, errorCode: code.replaceAll("-", "_") });
        }),
      ),
    );
    this.#onList();
    void this.#answer(async () => {
      await this.tellSessions();
      await this.tellProjects();
    });
  }

  close(): void {
    clearTimeout(this.#listTimer);
    for (const stop of this.#stops.splice(0)) stop();
    for (const followed of this.followed.values()) followed.close();
    this.followed.clear();
    this.#options.client.close();
  }

  send(message: PocketMessage): void {
    const { ws } = this.#options;
    if (ws.readyState !== ws.OPEN) return;
    // A single long message, such as a whole history, does not mean that the app stopped reading.
    const isBehind = ws.bufferedAmount > MOST_BUFFERED;
    ws.send(JSON.stringify(message));
    if (isBehind) ws.close(4008, "The app does not read.");
  }

  #take(text: string): void {
    const read = readClientMessage(text);
    if (!read.ok) {
      this.send({ type: "error", ...read.error });
      // Unknown messages of a newer app are fine. Text that is not JSON is an error.
      if (!read.isJson && ++this.#bad > MOST_BAD_FRAMES) this.#options.ws.close(1008, "Too many invalid frames.");
      return;
    }
    const { message } = read;
    if (this.#pending >= MOST_PENDING) {
      const words = `At most ${MOST_PENDING} messages of one app are worked on at a time.`;
      this.send({ type: "error", message: words, errorCode: "limit", ...namesOf(message) });
      return;
    }
    this.#pending++;
    const lane = laneOf(message);
    const before = lane === AFTER_ALL ? Promise.all(this.#lanes.values()) : this.#lanes.get(lane);
    const mine = Promise.resolve(before)
      .then(() =>
        this.#answer(
          () => (this.#answers[message.type] as (given: ClientMessage) => Promise<void> | void)(message),
          namesOf(message),
        ),
      )
      .finally(() => {
        this.#pending--;
        if (this.#lanes.get(lane) === mine) this.#lanes.delete(lane);
      });
    this.#lanes.set(lane, mine);
  }

  async #answer(work: () => Promise<void> | void, about: Readonly<Record<string, unknown>> = {}): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#safely(() => this.#failed(error, about));
    }
  }

  /** After a bug of ours this app loses its connection. Other apps are not affected. */
  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.log.error("ccpocket failed", { error: error instanceof Error ? error.stack : String(error) });
      this.#options.ws.close(1011, "Something went wrong in the server.");
    }
  }

  #failed(error: unknown, about: Readonly<Record<string, unknown>> = {}): void {
    if (error instanceof BridgeError) {
      this.send({ type: "error", message: error.message, errorCode: error.code.replaceAll("-", "_"), ...about });
      return;
    }
    this.#options.log.error("ccpocket failed", { error: error instanceof Error ? error.stack : String(error) });
    const message = "Something went wrong here; the server's log says what.";
    this.send({ type: "error", message, errorCode: "internal", ...about });
  }

  // ── sessions ──

  #onList(): void {
    for (const { id, live } of this.#options.client.sessions.snapshot.sessions) if (live) this.follow(id);
    this.#listTimer ??= setTimeout(() => {
      this.#listTimer = undefined;
      void this.#answer(() => this.tellSessions());
    }, LIST_MS);
  }

  understands(messages: readonly string[]): void {
    this.#wanted = new Set(messages);
    for (const followed of this.followed.values()) followed.tellQueue();
  }

  follow(id: string): FollowedSession {
    const known = this.followed.get(id);
    if (known !== undefined) return known;
    const followed = new FollowedSession({
      client: this.#options.client,
      id,
      tell: (message, seq) => this.send({ ...message, sessionId: id, ...(seq !== undefined && { historySeq: seq }) }),
      onError: (error) => this.#safely(() => this.#failed(error)),
      keepImage: (base64) => this.#options.images.keep(base64),
      wantsQueue: () => this.#wanted.has("conversation_queue"),
    });
    this.followed.set(id, followed);
    return followed;
  }

  /** The session of a message. Later messages without a session mean it, too. */
  meant(sessionId: string | undefined): string {
    const id = sessionId ?? this.#current;
    if (id === undefined) throw new BridgeError("unknown-session", "No active session. Send 'start' first.");
    const { sessions } = this.#options.client.sessions.snapshot;
    this.#current = sessions.find((summary) => summary.id === id)?.id ?? id;
    return this.#current;
  }

  async tellSessions(): Promise<void> {
    const { client, version } = this.#options;
    const { sessions } = await client.call("sessions/list", { state: "live", limit: 500 });
    this.send({
      type: "session_list",
      sessions: sessions.map((summary) => this.#listed(summary)),
      allowedDirs: this.sight().seen.roots,
      claudeModels: ["default", "opus", "sonnet", "haiku"],
      claudeModelEfforts: ["low", "medium", "high", "xhigh", "max"],
      bridgeVersion: version,
    });
  }

  #listed(summary: SessionSummary) {
    const followed = this.followed.get(summary.id);
    const pending = followed && openPermissionOf(followed.head);
    const claudeSessionId = followed?.head.sessionId;
    return {
      id: summary.id,
      provider: "claude",
      projectPath: summary.cwd,
      ...(summary.title !== undefined && { name: summary.title }),
      ...(claudeSessionId !== undefined && { claudeSessionId }),
      status: pocketStatusOf(summary.phase),
      createdAt: new Date(summary.createdAt).toISOString(),
      lastActivityAt: new Date(summary.lastEventAt).toISOString(),
      lastMessage: summary.lastText ?? "",
      ...(summary.mode !== undefined && { permissionMode: summary.mode }),
      ...(summary.model !== undefined && { model: summary.model }),
      ...(pending !== undefined && { pendingPermission: pending }),
    };
  }

  async tellProjects(): Promise<void> {
    const { projects } = await this.#options.client.call("projects/list", {});
    this.send({ type: "project_history", projects: projects.map(({ path }) => path) });
  }

  began(session: SessionSummary, about: Readonly<Record<string, unknown>>): void {
    this.#current = session.id;
    const followed = this.follow(session.id);
    this.send({
      type: "system",
      subtype: "session_created",
      provider: "claude",
      sessionId: session.id,
      projectPath: session.cwd,
      ...(session.mode !== undefined && { permissionMode: session.mode }),
      ...about,
    });
    const { commands } = followed.head;
    const slashCommands = commands.map(({ name }) => name);
    this.send({ type: "system", subtype: "supported_commands", sessionId: session.id, slashCommands });
  }
}

/** Tells an app what an error is about. */
const namesOf = (message: ClientMessage): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(message).filter(
      ([name, value]) => value !== undefined && ["requestId", "resumeRequestId", "sessionId"].includes(name),
    ),
  );
