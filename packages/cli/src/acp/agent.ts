// The methods of the Agent Client Protocol, as calls of the bridge. A refusal is said in the server's words, with what to do.

import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { agent, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk/unstable";
import type {
  AgentApp,
  AgentCapabilities,
  AgentContext,
  AuthMethod,
  JsonRpcId,
  ListSessionsRequest,
  McpServer,
  NewSessionRequest,
  SessionInfo,
} from "@agentclientprotocol/sdk/unstable";
import { BridgeError, withProcess } from "@quarterdeck/client";
import type { Client, ParamsOf, SessionSummary } from "@quarterdeck/client";
import { explained } from "../remote/remote-client.ts";
import { UserError } from "../user-error.ts";
import { abilitiesOf } from "./abilities.ts";
import type { Abilities, ShowsElsewhere } from "./abilities.ts";
import { EditorSession } from "./editor-session.ts";
import type { EditorServers } from "./editor-session.ts";
import { folderError, noSuchFolder } from "./folder-words.ts";
import { configOptions, modeState } from "./session-state.ts";
import { shownTitle } from "./shown-text.ts";

export interface AcpOptions {
  readonly version: string;
  /** Also offers what the protocol calls unstable: fork, title, archive. */
  readonly unstable: boolean;
  readonly elsewhere?: ShowsElsewhere | undefined;
  /** Connects to the server, and starts one if none runs. */
  readonly connect: () => Promise<Client>;
  /** Runs the work as soon as the answer to this request has been written. */
  readonly afterAnswer: (id: JsonRpcId, work: () => void) => void;
}

type StartSettings = NonNullable<ParamsOf<"sessions/start">["settings"]>;

const PAGE = 100;

/** All sessions of one editor. */
export class EditorAgent {
  readonly #options: AcpOptions;
  readonly #sessions = new Map<string, EditorSession>();
  #abilities: Abilities = abilitiesOf({});
  #client: Promise<Client> | undefined;

  constructor(options: AcpOptions) {
    this.#options = options;
  }

  app(): AgentApp {
    const app = agent({ name: "quarterdeck" })
      .onRequest("initialize", ({ params }) => worded(() => this.#initialize(params)))
      .onRequest("authenticate", ({ params }) => worded(() => this.#authenticate(params.methodId)))
      .onRequest("session/new", ({ params, client, requestId }) => worded(() => this.#new(params, client, requestId)))
      .onRequest("session/load", ({ params, client, requestId }) =>
        worded(() => this.#open(params, client, requestId, (session) => session.replay())),
      )
      .onRequest("session/resume", ({ params, client, requestId }) =>
        worded(() => this.#open(params, client, requestId, async (session) => session.resume())),
      )
      .onRequest("session/list", ({ params }) => worded(() => this.#list(params)))
      .onRequest("session/delete", ({ params }) => worded(() => this.#delete(params.sessionId)))
      .onRequest("session/close", ({ params }) =>
        worded(async () => {
          await this.#session(params.sessionId).close();
          this.#sessions.delete(params.sessionId);
          return {};
        }),
      )
      .onRequest("session/set_mode", ({ params }) =>
        worded(async () => {
          await this.#setMode(this.#session(params.sessionId).view.id, params.modeId);
          return {};
        }),
      )
      .onRequest("session/set_config_option", ({ params }) => worded(() => this.#setOption(params)))
      .onRequest("session/prompt", ({ params }) =>
        worded(async () => ({ stopReason: await this.#session(params.sessionId).prompt(params.prompt) })),
      )
      .onNotification("session/cancel", ({ params }) => worded(() => this.#session(params.sessionId).cancel()));
    return this.#options.unstable ? this.#withUnstable(app) : app;
  }

  /** The editor is gone. Everything that it began continues. */
  leave(): void {
    for (const id of [...this.#sessions.keys()]) this.#leave(id);
    void this.#client?.then((client) => client.close()).catch(() => undefined);
  }

  #withUnstable(app: AgentApp): AgentApp {
    return app
      .onRequest("session/fork", ({ params, client, requestId }) =>
        worded(async () => {
          const server = await this.#connected();
          const { session } = await server.command("sessions/fork", { session: params.sessionId });
          const state = await this.#begin(session, client, requestId, [session.cwd], async (fork) => fork.resume());
          return { sessionId: session.id, ...state };
        }),
      )
      .onRequest("session/set_title", ({ params }) =>
        worded(async () => {
          const server = await this.#connected();
          const title = shownTitle(params.title, 200);
          if (title === "") throw RequestError.invalidParams(undefined, "The title is empty.");
          await server.command("sessions/rename", { session: params.sessionId, title });
          return { title };
        }),
      )
      .onRequest("session/archive", ({ params }) => worded(() => this.#archive(params.sessionId, true)))
      .onRequest("session/unarchive", ({ params }) => worded(() => this.#archive(params.sessionId, false)));
  }

  async #delete(session: string): Promise<Record<string, never>> {
    const server = await this.#connected();
    try {
      await server.command("sessions/delete", { session, transcript: true });
    } catch (error) {
      // The protocol requires success for a session that was deleted before, or never existed.
      if (!(error instanceof BridgeError) || error.code !== "unknown-session") throw error;
    }
    this.#leave(session);
    return {};
  }

  async #archive(session: string, archived: boolean): Promise<Record<string, never>> {
    const server = await this.#connected();
    await server.command("sessions/archive", { session, archived });
    return {};
  }

  async #initialize(params: Parameters<typeof abilitiesOf>[0]) {
    this.#abilities = abilitiesOf(params, this.#options.elsewhere);
    const { info } = await this.#connected();
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "quarterdeck", title: "Quarterdeck", version: this.#options.version },
      agentCapabilities: this.#capabilities(),
      authMethods: info?.agent.loggedIn === false ? this.#signIns() : [],
    };
  }

  #capabilities(): AgentCapabilities {
    return {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true, audio: false },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: {
        list: {},
        delete: {},
        resume: {},
        close: {},
        additionalDirectories: {},
        ...(this.#options.unstable && { fork: {}, title: {}, archive: {} }),
      },
    };
  }

  #signIns(): AuthMethod[] {
    const about = {
      id: "claude-login",
      name: "Sign in to Claude Code",
      description: "Run `claude` in a terminal and use /login.",
    };
    return [about];
  }

  async #authenticate(methodId: string): Promise<Record<string, never>> {
    if (methodId !== "claude-login") throw RequestError.invalidParams({ methodId }, "There is no such way to sign in.");
    const { info } = await this.#connected();
    if (info?.agent.loggedIn !== false) return {};
    throw RequestError.authRequired(undefined, "Run `claude` in a terminal and use /login. Then try again.");
  }

  async #new(params: NewSessionRequest, editor: AgentContext, requestId: JsonRpcId) {
    const { cwd, additionalDirectories: more = [] } = params;
    for (const path of [cwd, ...more]) mustBeAbsolute(path);
    const client = await this.#connected();
    const inspecting = client.call("projects/inspect", { cwd });
    const { trust, files, exists } = await inspecting.catch((error: unknown) => {
      throw folderError(error, cwd, client.info?.agent);
    });
    if (!exists) throw noSuchFolder(cwd);
    const { session } = await client.command("sessions/start", {
      cwd,
      commandId: randomUUID(),
      settings: settingsOf(params),
      // The session says which files it left out, and the page shows them.
      ...(trust !== "trusted" && files.length > 0 && { withoutFolderSettings: true }),
    });
    const state = await this.#begin(session, editor, requestId, [session.cwd, ...more], async () => undefined, true);
    return { sessionId: session.id, ...state };
  }

  /** For `load` and `resume`. The session may be live, and a turn may run. */
  async #open(
    { sessionId, cwd, additionalDirectories: more = [], mcpServers = [] }: OpenParams,
    editor: AgentContext,
    requestId: JsonRpcId,
    open: (session: EditorSession) => Promise<void>,
  ) {
    for (const path of [cwd, ...more]) mustBeAbsolute(path);
    const client = await this.#connected();
    const known = await this.#summary(sessionId);
    if (known === undefined) throw RequestError.sessionNotFound(sessionId);
    // A session of a terminal becomes ours, unless the terminal has it open.
    if (known.origin === "terminal") await client.command("sessions/resume", { session: sessionId, adopt: true });
    const servers = serversOf(mcpServers);
    return this.#begin(known, editor, requestId, [known.cwd, ...more], async (session) => {
      session.servers = servers;
      await open(session);
    });
  }

  async #begin(
    { id }: SessionSummary,
    editor: AgentContext,
    requestId: JsonRpcId,
    folders: readonly string[],
    open: (session: EditorSession) => Promise<void>,
    isNew = false,
  ) {
    this.#leave(id);
    const client = await this.#connected();
    const session = new EditorSession({ client, editor, abilities: this.#abilities, id, folders, isNew });
    this.#sessions.set(id, session);
    try {
      await session.opened();
      await open(session);
    } catch (error) {
      this.#leave(id);
      throw error;
    }
    session.answeredWithState();
    this.#options.afterAnswer(requestId, () => session.announced());
    const { head } = session.view.snapshot;
    return { modes: modeState(head), configOptions: configOptions(head) };
  }

  async #list({ cwd, cursor, archived }: ListSessionsRequest) {
    const client = await this.#connected();
    const { sessions, nextCursor } = await client.call("sessions/list", {
      limit: PAGE,
      terminal: true,
      ...(cwd != null && { project: cwd }),
      ...(cursor != null && { cursor }),
    });
    return {
      sessions: sessions
        .filter((session) => (cwd == null || session.cwd === cwd) && isListed(session, archived))
        .map((session) => infoOf(session)),
      ...(nextCursor !== undefined && { nextCursor }),
    };
  }

  /** Found by its whole id. */
  async #summary(id: string): Promise<SessionSummary | undefined> {
    const client = await this.#connected();
    const { sessions } = await client.call("sessions/list", { query: id.slice(0, 200), terminal: true, limit: 5 });
    return sessions.find((session) => session.id === id);
  }

  async #setMode(session: string, mode: string): Promise<void> {
    const client = await this.#connected();
    await withProcess(client, session, () => client.command("session/setPermissionMode", { session, mode }));
  }

  async #setOption(params: { sessionId: string; configId: string; value: unknown }) {
    const { sessionId: session, configId, value } = params;
    const { view } = this.#session(session);
    const client = await this.#connected();
    if (typeof value !== "string") throw RequestError.invalidParams({ configId }, "The value must be a text.");
    const option = configOptions(view.snapshot.head).find(({ id }) => id === configId);
    if (option?.type !== "select") throw RequestError.invalidParams({ configId }, "There is no such option.");
    if (!option.options.some((offered) => "value" in offered && offered.value === value))
      throw RequestError.invalidParams({ configId, value }, "The option has no such value.");
    if (option.currentValue !== value) await this.#apply(client, session, configId, value);
    // The new value is told when the session has it.
    return { configOptions: withValue(configOptions(view.snapshot.head), configId, value) };
  }

  async #apply(client: Client, session: string, option: string, value: string): Promise<void> {
    if (option === "mode") return this.#setMode(session, value);
    await withProcess(client, session, () =>
      option === "model"
        ? client.command("session/setModel", { session, model: value === "default" ? null : value })
        : client.command("session/request", {
            session,
            request: { subtype: "apply_flag_settings", settings: { effortLevel: value } },
          }),
    );
  }

  #session(id: string): EditorSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  }

  #leave(id: string): void {
    this.#sessions.get(id)?.leave();
    this.#sessions.delete(id);
  }

  /** The same client, until its server is gone for good. */
  async #connected(): Promise<Client> {
    const known = await this.#client?.catch(() => undefined);
    if (known !== undefined && known.state.status !== "refused" && known.state.status !== "closed") return known;
    for (const id of [...this.#sessions.keys()]) this.#leave(id);
    this.#client = this.#options.connect();
    return this.#client;
  }
}

interface OpenParams {
  readonly sessionId: string;
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
}

const withValue = (options: ReturnType<typeof configOptions>, id: string, value: string) =>
  options.map((option) => (option.id === id && option.type === "select" ? { ...option, currentValue: value } : option));

/** Archived sessions are listed only for an editor that asks for them. */
const isListed = ({ archived }: SessionSummary, wanted: ListSessionsRequest["archived"]): boolean =>
  wanted === "include" || archived === (wanted === "only");

const infoOf = ({ id, cwd, title, updatedAt, archived }: SessionSummary): SessionInfo => ({
  sessionId: id,
  cwd,
  ...(title !== undefined && { title: shownTitle(title) }),
  updatedAt: new Date(updatedAt).toISOString(),
  ...(archived && { archived }),
});

const mustBeAbsolute = (path: string): void => {
  if (!isAbsolute(path)) throw RequestError.invalidParams({ path }, "Paths must be absolute.");
};

const settingsOf = ({ additionalDirectories = [], mcpServers, systemPrompt }: NewSessionRequest): StartSettings => {
  const words = (systemPrompt?.content ?? [])
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
  return {
    ...(additionalDirectories.length > 0 && { addDir: additionalDirectories }),
    ...(mcpServers.length > 0 && {
      mcpConfig: [{ mcpServers: serversOf(mcpServers) }],
    }),
    ...(words !== "" && (systemPrompt?.mode === "override" ? { systemPrompt: words } : { appendSystemPrompt: words })),
  };
};

const serversOf = (servers: readonly McpServer[]): EditorServers =>
  Object.fromEntries(servers.map((server) => [server.name, mcpConfigOf(server)]));

const mcpConfigOf = (server: McpServer): EditorServers[string] => {
  if ("type" in server) {
    if (server.type === "acp")
      throw RequestError.invalidParams(undefined, "MCP servers inside the editor are not supported.");
    const { type, url, headers } = server;
    return { type, url, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
  }
  const { command, args, env } = server;
  return { type: "stdio", command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
};

/** Errors of the protocol, with words for a person. An error that nobody expected stays as it is. */
const worded = async <T>(work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const { message } = explained(error) as Error;
    if (error instanceof BridgeError) {
      const code = error.code === "unknown-session" ? -32002 : BAD.has(error.code) ? -32602 : -32603;
      throw new RequestError(code, shownTitle(message, 2000), { code: error.code });
    }
    if (error instanceof UserError) throw new RequestError(-32603, shownTitle(message, 2000));
    throw error;
  }
};

const BAD: ReadonlySet<string> = new Set(["bad-request", "outside-roots", "not-found", "unsupported"]);
