// The bridge: every client's socket, and what they share. This file only connects the parts.

import { basename } from "node:path";
import { requestHash } from "@quarterdeck/host";
import { BRIDGE_VERSION, CLOSE_CODES } from "@quarterdeck/session/bridge";
import type { Method } from "@quarterdeck/session/bridge";
import { visibleText } from "@quarterdeck/session/true-text";
import { needs } from "@quarterdeck/session/bridge/policy";
import type { Given } from "@quarterdeck/session/bridge/policy";
import type { Bridge, BridgeOptions } from "./contract.ts";
import { CommandLedger } from "./command-ledger.ts";
import { Connection } from "./connection.ts";
import type { ConnectionOwner } from "./connection.ts";
import { Feeds } from "./feeds.ts";
import { ListFeed } from "./list-feed.ts";
import { changesMethods } from "./methods/changes.ts";
import { devicesMethods } from "./methods/devices.ts";
import { fleetMethods } from "./methods/fleet.ts";
import { exportMethods } from "./methods/export.ts";
import { filesMethods } from "./methods/files.ts";
import { mcpMethods } from "./methods/mcp.ts";
import { notificationsMethods } from "./methods/notifications.ts";
import { policiesMethods } from "./methods/policies.ts";
import { gitMethods } from "./methods/git.ts";
import { projectsMethods } from "./methods/projects.ts";
import { relayMethods } from "./methods/relay.ts";
import { requestsMethods } from "./methods/requests.ts";
import { restoreMethods } from "./methods/restore.ts";
import { rulesMethods } from "./methods/rules.ts";
import { sessionMethods } from "./methods/session.ts";
import { sessionsMethods } from "./methods/sessions.ts";
import { settingsMethods } from "./methods/settings.ts";
import { usageMethods } from "./methods/usage.ts";
import { Notifier } from "../notify/notifier.ts";
import { sightOf } from "./parts.ts";
import { mustBeWithin } from "./within-folders.ts";
import type { Handlers, Parts } from "./parts.ts";
import { Refusal, unknownSession } from "../refusal.ts";
import { Relays } from "./relays.ts";
import { aboutRequest, Summaries } from "./summaries.ts";
import { Transcripts } from "./transcripts.ts";

const PING_MS = 5000;
/** How long a client may take to answer a close. */
const GOODBYE_MS = 1000;

/** Methods that start work, which a closing server could not finish. */
const BEGINS_WORK: ReadonlySet<Method> = new Set<Method>([
  "relay/open",
  "sessions/start",
  "sessions/resume",
  "sessions/fork",
  "rewind/apply",
  "session/prompt",
  "session/editPrompt",
]);

export const createBridge = (options: BridgeOptions): Bridge => {
  const { host, store, access, log, metrics } = options;
  const connections = new Set<Connection>();
  const transcripts = new Transcripts(options.configFolder, options.paths);
  const onError = (error: unknown): void =>
    log.error("bridge failed", { error: error instanceof Error ? error.stack : String(error) });
  const feeds = new Feeds({
    host,
    store,
    transcript: (id) => transcripts.find(id),
    onError,
    onWatchers: (session) => list.touch(session),
  });
  const summaries = new Summaries({
    host,
    transcripts,
    watching: (session) => feeds.watching(session),
    worktreeAt: (folder) => options.git.worktreeAt(folder),
  });
  const list = new ListFeed({ host, summariesOf: (ids) => summaries.of(ids), onError });
  const connected = (deviceId: string): number =>
    [...connections].filter((connection) => connection.deviceId === deviceId).length;
  const notifier = new Notifier({
    host,
    access,
    store: options.notifyStore,
    outbound: options.outbound,
    log,
    projectOf: (cwd) => summaries.projectOf(cwd),
    lineOf: (request) => visibleText(aboutRequest(request)),
    titleOf: ({ title, cwd }) => visibleText(title ?? basename(cwd)),
    hashOf: requestHash,
  });
  const parts: Parts = { ...options, feeds, list, summaries, transcripts, connected, notifier };
  const relays = new Relays();
  const handlers: Handlers<Exclude<Method, "initialize">> = {
    ping: () => ({}),
    ...sessionsMethods(parts),
    ...projectsMethods(parts),
    ...sessionMethods(parts),
    ...requestsMethods(parts),
    ...filesMethods(parts),
    ...gitMethods(parts),
    ...changesMethods(parts),
    ...restoreMethods(parts),
    ...rulesMethods(parts),
    ...policiesMethods(parts),
    ...devicesMethods(parts),
    ...fleetMethods(parts),
    ...exportMethods(parts),
    ...usageMethods(parts),
    ...settingsMethods(parts),
    ...notificationsMethods(parts),
    ...mcpMethods(parts),
    ...relayMethods(parts, relays),
  };

  const calls = metrics.counter("quarterdeck_bridge_calls_total", "Calls of clients, by method and outcome");
  let isDraining = false;
  const owner: ConnectionOwner = {
    access,
    commands: new CommandLedger(),
    log,
    version: options.version,
    info: {
      bridge: BRIDGE_VERSION,
      server: { name: "quarterdeck", version: options.version, id: access.serverId, startedAt: options.startedAt },
      agent: options.agent,
      machine: options.machine,
      limits: options.limits,
    },
    refuses: (method) =>
      isDraining && BEGINS_WORK.has(method)
        ? new Refusal("shutting-down", "The server is shutting down. Send the call again to the next server.")
        : undefined,
    run: (method, params, caller) => {
      const { device } = caller;
      const handle = (): unknown =>
        (handlers as Record<string, (params: unknown, caller: Connection) => unknown>)[method]!(params, caller);
      const { session } = params as { readonly session?: unknown };
      const seen = (): unknown => {
        if (typeof session !== "string" || store.session(session) !== undefined) return handle();
        // A terminal session is as private as its folder.
        return transcripts.sees(session, sightOf(parts, device).paths).then((isSeen) => {
          if (!isSeen) throw unknownSession(session);
          return handle();
        });
      };
      return device.folders === undefined ? seen() : mustBeWithin(parts, device, method, params).then(seen);
    },
    onlyReads: (method, params) =>
      method === "session/request" && needs(method, params as Given<"session/request">).role === "view",
    flush: () => feeds.flush(),
    counted: (method, outcome) => calls.add(1, { method, outcome }),
    onReady: (connection) => {
      if (options.agent.kind === "demo")
        connection.tell("server/notice", {
          level: "warning",
          code: "demo-agent",
          text: options.agent.problem ?? "Demo mode, as requested. The answers are scripted, without a model.",
        });
    },
    onGone: (connection) => {
      connections.delete(connection);
      list.delete(connection);
      feeds.leave(connection);
      relays.leave(connection);
      notifier.looks(connection, false);
    },
  };
  const heart = setInterval(() => {
    const now = performance.now();
    for (const connection of connections) connection.beat(now);
  }, PING_MS).unref();

  const leaveFleet = options.fleet.onChange(() => {
    const fleet = options.fleet.status();
    for (const connection of connections)
      if (connection.isReady) connection.tell("fleet/changed", fleet === undefined ? {} : { fleet });
  });

  foldWhatWasLeft(options).catch(onError);

  return {
    notifier,
    accept(ws, about) {
      connections.add(new Connection(ws, about, owner));
    },
    notice(notice) {
      for (const connection of connections) if (connection.isReady) connection.tell("server/notice", notice);
    },
    drain() {
      isDraining = true;
    },
    async close() {
      clearInterval(heart);
      leaveFleet();
      isDraining = true;
      notifier.close();
      const gone = [...connections].map((connection) => connection.leave(CLOSE_CODES.shuttingDown, GOODBYE_MS));
      await Promise.all(gone);
      list.close();
      feeds.close();
    },
  };
};

/** Larger logs are folded when a client opens them, because folding blocks the thread. */
const MOST_LEFT_BYTES = 20 * 1024 * 1024;

/** After a kill, the list knows only what was saved of a session. So these sessions are folded to their end. */
const foldWhatWasLeft = async ({ host, store }: BridgeOptions): Promise<void> => {
  for (const { record, lastSeq, bytes, summary } of store.list()) {
    if (summary?.seq === lastSeq || lastSeq === 0 || bytes > MOST_LEFT_BYTES) continue;
    await new Promise((resolve) => setImmediate(resolve));
    if (host.opened(record.id) === undefined && store.session(record.id) !== undefined)
      await host.get(record.id).close();
  }
};
