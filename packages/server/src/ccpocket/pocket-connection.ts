// One app's socket. It speaks ccpocket to the app and the bridge to our own server, as the device whose token the app has: what
// it may do, what happens once and who answered are decided where they always are.

import { createHash } from "node:crypto";
import { BridgeError, hashOf } from "@quarterdeck/client";
import type { Client, OpenRequest, SessionSummary } from "@quarterdeck/client";
import type { WebSocket } from "ws";
import type { ContainedPaths, Log } from "../seams.ts";
import { openGit, readGitDiff } from "../files/git.ts";
import { filesBelow } from "../files/walker.ts";
import { readClientMessage } from "./client-message.ts";
import type { ClientMessage } from "./client-message.ts";
import { FollowedSession } from "./followed-session.ts";
import { alwaysAllowed, answersIn, promptOf, settingsOf } from "./requests.ts";
import { isPermission, openPermissionOf, statusOf } from "./translate.ts";
import type { PocketMessage } from "./translate.ts";

export interface PocketConnectionOptions {
  readonly ws: WebSocket;
  readonly client: Client;
  readonly paths: ContainedPaths;
  readonly log: Log;
  readonly version: string;
}

type Of<T extends ClientMessage["type"]> = Extract<ClientMessage, { type: T }>;
type Answers = { readonly [T in ClientMessage["type"]]: (message: Of<T>) => Promise<void> | void };

const RECENT = 20;
const LIST_MS = 250;
/** An app that does not read is let go; it comes back and asks for what it missed. */
const MOST_BUFFERED = 8 * 1024 * 1024;

/** Until the socket closes. */
export const serveApp = (options: PocketConnectionOptions): PocketConnection => new PocketConnection(options);

class PocketConnection {
  readonly #options: PocketConnectionOptions;
  readonly #followed = new Map<string, FollowedSession>();
  /** The one that messages without a session mean: the newest that this app began or named. */
  #current: string | undefined;
  #listTimer: NodeJS.Timeout | undefined;
  readonly #stops: (() => void)[] = [];
  #inTurn: Promise<void> = Promise.resolve();

  constructor(options: PocketConnectionOptions) {
    this.#options = options;
    const { ws, client } = options;
    ws.on("message", (data: Buffer) => this.#take(data.toString("utf8")));
    ws.on("close", () => this.close());
    this.#stops.push(client.sessions.subscribe(() => this.#onList()));
    this.#onList();
    void this.#answer(async () => {
      await this.#tellSessions();
      await this.#tellProjects();
    });
  }

  close(): void {
    clearTimeout(this.#listTimer);
    for (const stop of this.#stops.splice(0)) stop();
    for (const followed of this.#followed.values()) followed.close();
    this.#followed.clear();
    this.#options.client.close();
  }

  #send(message: PocketMessage): void {
    const { ws } = this.#options;
    if (ws.readyState !== ws.OPEN) return;
    ws.send(JSON.stringify(message));
    if (ws.bufferedAmount > MOST_BUFFERED) ws.close(4008, "The app does not read.");
  }

  #take(text: string): void {
    const read = readClientMessage(text);
    if (!read.ok) {
      this.#send({ type: "error", ...read.error });
      return;
    }
    // One after the other: an input goes to the session that the start before it began.
    this.#inTurn = this.#inTurn.then(() =>
      this.#answer(() =>
        (this.#answers[read.message.type] as (message: ClientMessage) => Promise<void> | void)(read.message),
      ),
    );
  }

  async #answer(work: () => Promise<void> | void, about: Readonly<Record<string, unknown>> = {}): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failed(error, about);
    }
  }

  #failed(error: unknown, about: Readonly<Record<string, unknown>> = {}): void {
    if (error instanceof BridgeError) {
      this.#send({ type: "error", message: error.message, errorCode: error.code.replaceAll("-", "_"), ...about });
      return;
    }
    this.#options.log.error("ccpocket failed", { error: error instanceof Error ? error.stack : String(error) });
    const message = "Something went wrong here; the server's log says what.";
    this.#send({ type: "error", message, errorCode: "internal" });
  }

  // ── sessions ──

  #onList(): void {
    for (const { id, live } of this.#options.client.sessions.snapshot.sessions) if (live) this.#follow(id);
    this.#listTimer ??= setTimeout(() => {
      this.#listTimer = undefined;
      void this.#answer(() => this.#tellSessions());
    }, LIST_MS);
  }

  #follow(id: string): FollowedSession {
    const known = this.#followed.get(id);
    if (known !== undefined) return known;
    const followed = new FollowedSession({
      client: this.#options.client,
      id,
      tell: (message, seq) => this.#send({ ...message, sessionId: id, ...(seq !== undefined && { historySeq: seq }) }),
      onError: (error) => this.#failed(error),
    });
    this.#followed.set(id, followed);
    return followed;
  }

  /** The session that a message means, and from now on those that name none. */
  #meant(sessionId: string | undefined): string {
    const id = sessionId ?? this.#current;
    if (id === undefined) throw new BridgeError("unknown-session", "No active session. Send 'start' first.");
    const { sessions } = this.#options.client.sessions.snapshot;
    this.#current = sessions.find((summary) => summary.id === id)?.id ?? id;
    return this.#current;
  }

  async #tellSessions(): Promise<void> {
    const { client, version } = this.#options;
    const { sessions } = await client.call("sessions/list", { state: "live", limit: 500 });
    this.#send({
      type: "session_list",
      sessions: sessions.map((summary) => this.#listed(summary)),
      allowedDirs: client.info?.machine.roots ?? [],
      claudeModels: ["default", "opus", "sonnet", "haiku"],
      claudeModelEfforts: ["low", "medium", "high", "xhigh", "max"],
      bridgeVersion: version,
    });
  }

  #listed(summary: SessionSummary) {
    const followed = this.#followed.get(summary.id);
    const pending = followed && openPermissionOf(followed.head);
    const claudeSessionId = followed?.head.sessionId;
    return {
      id: summary.id,
      provider: "claude",
      projectPath: summary.cwd,
      ...(summary.title !== undefined && { name: summary.title }),
      ...(claudeSessionId !== undefined && { claudeSessionId }),
      status: statusOf(summary.phase),
      createdAt: new Date(summary.createdAt).toISOString(),
      lastActivityAt: new Date(summary.lastEventAt).toISOString(),
      lastMessage: summary.lastText ?? "",
      ...(summary.mode !== undefined && { permissionMode: summary.mode }),
      ...(summary.model !== undefined && { model: summary.model }),
      ...(pending !== undefined && { pendingPermission: pending }),
    };
  }

  async #tellProjects(): Promise<void> {
    const { projects } = await this.#options.client.call("projects/list", {});
    this.#send({ type: "project_history", projects: projects.map(({ path }) => path) });
  }

  #began(session: SessionSummary, about: Readonly<Record<string, unknown>>): void {
    this.#current = session.id;
    const followed = this.#follow(session.id);
    this.#send({
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
    this.#send({ type: "system", subtype: "supported_commands", sessionId: session.id, slashCommands });
  }

  // ── requests ──

  async #respond(
    toolUseId: string,
    sessionId: string | undefined,
    answerTo: (open: OpenRequest & { readonly request: { readonly subtype: "can_use_tool" } }) => object,
  ): Promise<void> {
    const { client } = this.#options;
    const found = [...this.#followed].flatMap(([id, { head }]) =>
      sessionId === undefined || sessionId === id
        ? head.requests
            .filter(isPermission)
            .flatMap((request) => (request.request.tool_use_id === toolUseId ? [{ id, request }] : []))
        : [],
    )[0];
    if (found === undefined)
      throw new BridgeError(
        "not-open",
        "This request is not open: it was answered, withdrawn, or ended with its process.",
      );
    const { id: session, request: open } = found;
    await client.command("session/respond", {
      session,
      requestId: open.id,
      incarnation: open.incarnation,
      inputHash: await hashOf(open.request),
      answer: answerTo(open) as { kind: "deny"; message: string },
    });
  }

  readonly #answers: Answers = {
    client_capabilities: () => {},

    start: async (message) => {
      const { client } = this.#options;
      if (message.sessionId !== undefined && message.sessionId !== "")
        return this.#answers.resume_session({ ...message, type: "resume_session", sessionId: message.sessionId });
      const { session } = await client.command("sessions/start", {
        cwd: message.projectPath,
        ...(message.continue === true && { continue: true }),
        settings: settingsOf(message),
      });
      this.#began(session, message.requestId === undefined ? {} : { requestId: message.requestId });
    },

    resume_session: async ({ sessionId, resumeRequestId, forkSession }) => {
      const { client } = this.#options;
      const about = resumeRequestId === undefined ? {} : { resumeRequestId };
      const { session } =
        forkSession === true
          ? await client.command("sessions/fork", { session: sessionId })
          : await client.command("sessions/resume", { session: sessionId, takeOver: true });
      this.#began(session, { ...about, sourceSessionId: sessionId });
    },

    input: async (message) => {
      const { client } = this.#options;
      const session = this.#meant(message.sessionId);
      const followed = this.#follow(session);
      const commandId = commandIdOf(session, message.clientMessageId);
      const named = {
        sessionId: session,
        ...(message.clientMessageId !== undefined && { clientMessageId: message.clientMessageId }),
      };
      if (message.baseSeq !== undefined && (await followed.promptsSince(message.baseSeq, commandId))) {
        this.#send({ type: "input_rejected", ...named, reason: "conflict" });
        return;
      }
      try {
        const queued = statusOf(followed.head.phase) !== "idle";
        await client.command("session/prompt", { commandId, session, content: promptOf(message) });
        const { lastSeq } = await client.call("session/events", { session, after: Number.MAX_SAFE_INTEGER, limit: 1 });
        this.#send({ type: "input_ack", ...named, acceptedSeq: lastSeq, queued });
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error;
        this.#send({ type: "input_rejected", ...named, reason: error.code, message: error.message });
      }
    },

    approve: ({ id, sessionId }) => this.#respond(id, sessionId, () => ({ kind: "allow" })),
    approve_always: ({ id, sessionId }) =>
      this.#respond(id, sessionId, (open) => ({ kind: "allow", updatedPermissions: alwaysAllowed(open.request) })),
    reject: ({ id, message, sessionId }) =>
      this.#respond(id, sessionId, () => ({
        kind: "deny",
        message: message?.trim() || "The user does not want this to be done.",
      })),
    answer: ({ toolUseId, result, sessionId }) =>
      this.#respond(toolUseId, sessionId, (open) => ({
        kind: "answers",
        answers: answersIn(result, open.request.input),
      })),

    list_sessions: () => this.#tellSessions(),

    stop_session: async ({ sessionId }) => {
      await this.#options.client.command("sessions/close", { session: sessionId });
      this.#send({ type: "result", subtype: "stopped", sessionId });
      await this.#tellSessions();
    },

    rename_session: async ({ sessionId, name }) => {
      await this.#answer(
        async () => {
          if (name == null || name.trim() === "")
            throw new BridgeError("bad-request", "A name has at least one letter.");
          await this.#options.client.command("sessions/rename", { session: sessionId, title: name });
          this.#send({ type: "rename_result", sessionId, name, success: true });
        },
        { sessionId },
      );
    },

    archive_session: async ({ sessionId }) => {
      await this.#options.client.command("sessions/archive", { session: sessionId, archived: true });
      this.#send({ type: "archive_result", sessionId, success: true });
    },

    get_history: async ({ sessionId }) => {
      const session = this.#meant(sessionId);
      const followed = this.#follow(session);
      const { messages, lastSeq } = await followed.history(0);
      this.#send({
        type: "history",
        sessionId: session,
        historySeq: lastSeq,
        messages: messages.map(({ seq, message }) => ({ ...message, historySeq: seq })),
      });
      this.#send({ type: "status", sessionId: session, status: followed.status });
    },

    get_history_delta: async ({ sessionId, sinceSeq }) => {
      const session = this.#meant(sessionId);
      const followed = this.#follow(session);
      const { messages, lastSeq } = await followed.history(sinceSeq);
      // A number that this log has not reached is of another one: then the whole of it is told.
      const isReset = sinceSeq > lastSeq;
      const told = isReset ? (await followed.history(0)).messages : messages;
      this.#send({
        type: isReset ? "history_snapshot" : "history_delta",
        sessionId: session,
        fromSeq: isReset ? 0 : sinceSeq,
        toSeq: lastSeq,
        messages: told,
        status: followed.status,
        ...(isReset && { reason: "reset" }),
      });
    },

    list_recent_sessions: async ({ limit = RECENT, offset = 0, projectPath, namedOnly, searchQuery, requestId }) => {
      const { sessions, total } = await this.#options.client.call("sessions/list", {
        terminal: true,
        limit: 500,
        ...(projectPath !== undefined && { project: projectPath }),
        ...(searchQuery !== undefined && searchQuery !== "" && { query: searchQuery }),
      });
      const wanted = sessions.filter(({ title, archived }) => !archived && (namedOnly !== true || title !== undefined));
      const page = wanted.slice(offset, offset + limit);
      this.#send({
        type: "recent_sessions",
        sessions: page.map((summary) => ({
          sessionId: summary.id,
          provider: "claude",
          projectPath: summary.cwd,
          ...(summary.title !== undefined && { name: summary.title, firstPrompt: summary.title }),
          summary: summary.lastText ?? summary.title ?? "",
          created: new Date(summary.createdAt).toISOString(),
          modified: new Date(summary.updatedAt).toISOString(),
          isLive: summary.live,
        })),
        offset,
        hasMore: offset + page.length < Math.max(wanted.length, total - (sessions.length - wanted.length)),
        ...(requestId !== undefined && { requestId }),
      });
    },

    list_project_history: () => this.#tellProjects(),

    set_permission_mode: async ({ mode, sessionId }) => {
      const session = this.#meant(sessionId);
      await this.#options.client.command("session/setPermissionMode", { session, mode });
      this.#send({ type: "system", subtype: "set_permission_mode", sessionId: session, permissionMode: mode });
    },

    interrupt: async ({ sessionId }) => {
      await this.#options.client.command("session/interrupt", { session: this.#meant(sessionId) });
    },

    fork: async ({ sessionId, targetUuid }) => {
      const { session } = await this.#forkAt(sessionId, targetUuid);
      this.#began(session, { sourceSessionId: sessionId });
    },

    rewind: async ({ sessionId, targetUuid, mode }) => {
      try {
        if (mode !== "conversation") await this.#rewindFiles(sessionId, targetUuid, false);
        const forked = mode === "code" ? undefined : await this.#forkAt(sessionId, targetUuid);
        this.#send({ type: "rewind_result", sessionId, success: true, mode });
        // A log is never cut: what goes on from the earlier place is a session of its own.
        if (forked !== undefined) this.#began(forked.session, { sourceSessionId: sessionId });
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error;
        this.#send({ type: "rewind_result", sessionId, success: false, mode, error: error.message });
      }
    },

    rewind_dry_run: async ({ sessionId, targetUuid }) => {
      try {
        const preview = await this.#rewindFiles(sessionId, targetUuid, true);
        this.#send({ type: "rewind_preview", sessionId, ...preview });
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error;
        this.#send({ type: "rewind_preview", sessionId, canRewind: false, error: error.message });
      }
    },

    update_queued_input: async ({ sessionId, itemId, text }) => {
      await this.#options.client.command("session/editPrompt", { session: sessionId, uuid: itemId, content: text });
    },
    cancel_queued_input: async ({ sessionId, itemId }) => {
      await this.#options.client.command("session/cancelPrompt", { session: sessionId, uuid: itemId });
    },

    list_files: async ({ projectPath, requestId }) => {
      const folder = await this.#resolve(projectPath);
      const { files, incomplete } = await filesBelow(folder);
      this.#send({
        type: "file_list",
        projectPath,
        files,
        totalFiles: files.length,
        truncated: incomplete,
        ...(requestId !== undefined && { requestId }),
      });
    },

    list_directory: async ({ path, includeHidden, includeFiles, requestId }) => {
      const { entries } = await this.#options.client.call("files/list", {
        path,
        ...(includeHidden === true && { hidden: true }),
      });
      const named = (kind: string) =>
        entries.filter((entry) => entry.kind === kind).map(({ name, path: at }) => ({ name, path: at }));
      this.#send({
        type: "directory_listing",
        path,
        directories: named("folder"),
        ...(includeFiles === true && { files: named("file") }),
        ...(requestId !== undefined && { requestId }),
      });
    },

    read_file: async ({ projectPath, filePath, maxLines, requestId }) => {
      const named = { projectPath, filePath, ...(requestId !== undefined && { requestId }) };
      const path = filePath.startsWith("/") ? filePath : `${projectPath}/${filePath}`;
      try {
        const read = await this.#options.client.call("files/read", { path });
        if (read.text === undefined) {
          this.#send({
            type: "file_content",
            ...named,
            content: "",
            error: `This is ${read.mediaType}, not text.`,
            sizeBytes: read.size,
          });
          return;
        }
        const lines = read.text.split("\n");
        const cut = maxLines !== undefined && lines.length > maxLines;
        const content = cut ? lines.slice(0, maxLines).join("\n") : read.text;
        this.#send({
          type: "file_content",
          ...named,
          kind: "text",
          content,
          totalLines: lines.length,
          truncated: cut || read.truncated,
          sizeBytes: read.size,
        });
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error;
        this.#send({ type: "file_content", ...named, content: "", error: error.message });
      }
    },

    get_diff: async ({ projectPath, requestId }) => {
      const named = { projectPath, ...(requestId !== undefined && { requestId }) };
      const git = await openGit(await this.#resolve(projectPath));
      if (git === undefined) {
        this.#send({
          type: "diff_result",
          ...named,
          diff: "",
          error: "This folder is in no git repository.",
          errorCode: "git_not_available",
        });
        return;
      }
      this.#send({ type: "diff_result", ...named, diff: await readGitDiff(git) });
    },
  };

  async #resolve(path: string): Promise<string> {
    try {
      return await this.#options.paths.resolve(path);
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string };
      throw new BridgeError(code === "outside-roots" ? code : "not-found", message);
    }
  }

  #forkAt(session: string, uuid: string) {
    const atRow = this.#follow(session).rowOf(uuid);
    if (atRow === undefined) throw new BridgeError("not-found", "There is no such message in this session.");
    return this.#options.client.command("sessions/fork", { session, atRow });
  }

  async #rewindFiles(session: string, uuid: string, isTrial: boolean): Promise<Record<string, unknown>> {
    const request = { subtype: "rewind_files", user_message_id: uuid, ...(isTrial && { dry_run: true }) };
    const { response } = await this.#options.client.command("session/request", { session, request });
    return response as Record<string, unknown>;
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/iu;

/** The same words from the app give the same command, so that what it sends again happens once. */
export const commandIdOf = (session: string, clientMessageId: string | undefined): string => {
  if (clientMessageId === undefined) return crypto.randomUUID();
  if (UUID.test(clientMessageId)) return clientMessageId.toLowerCase();
  const hash = createHash("sha256").update(`${session}\n${clientMessageId}`).digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
};
