// Starts the server: access, agent, store, host, bridge, HTTP, in this order. It stops them in the reverse order. It
// prints nothing to a terminal; the command does that. If a step fails, nothing is left running.

import { readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import {
  fileTrustStore,
  openHost,
  openPolicies,
  openSqliteStore,
  spawnEnvironment,
  StoreError,
} from "@quarterdeck/host";
import type { Host, SqliteStore } from "@quarterdeck/host";
import { createBridge } from "./bridge/create-bridge.ts";
import { startCcpocket } from "./ccpocket/start-ccpocket.ts";
import { openAccess } from "./access/access.ts";
import type { ServerAccess } from "./access/access.ts";
import { makePrivateFolder } from "./access/private-file.ts";
import { createFleet } from "./fleet/fleet.ts";
import { GitWork } from "./git/git-work.ts";
import { startHttpServer } from "./http/http-server.ts";
import { createMetrics } from "./http/metrics.ts";
import { loadPage } from "./http/page.ts";
import { FRAME_BYTES } from "./http/frame-limit.ts";
import { createTickets } from "./http/tickets.ts";
import type { BridgeOptions } from "./bridge/contract.ts";
import { openKeptSettings } from "./settings/kept-settings.ts";
import { keepRetention } from "./settings/retention.ts";
import { openNotifyStore } from "./notify/notify-file.ts";
import { createOutbound } from "./notify/outbound.ts";
import { ServerError } from "./server-error.ts";
import type { ServerParts, ServerSettings } from "./server-settings.ts";
import { findAgent, isLoggedIn, watchLogin } from "./agent.ts";
import type { Agent } from "./agent.ts";
import { doorsFor, refuseOpenDoors } from "./access/doors.ts";
import { readServerAddress, removeServerAddress, writeServerAddress } from "./running-server.ts";
import { builtPage, cacheOf, configOf, secretFilesIn, shownFolders } from "./shown-folders.ts";
import { liveSessions, measure, turnsEnded, sessionsAtWork, watchRoom } from "./turns-at-work.ts";

export interface RunningServer {
  /** For programs on this machine. */
  readonly url: string;
  readonly ccpocketPort: number | undefined;
  readonly access: ServerAccess;
  readonly host: Host;
  readonly agent: Agent;
  readonly roots: readonly string[];
  /** Number of running turns. */
  readonly runningTurns: () => number;
  /**
   * Notifies clients, waits for running turns up to a limit, interrupts the rest, and closes everything. `hurry` ends
   * the wait. A second call waits for the first.
   */
  stop(options: { readonly finishTurnsMs: number; readonly hurry?: AbortSignal }): Promise<void>;
}

export const startServer = async (parts: ServerParts): Promise<RunningServer> => {
  const { settings, env, version, log } = parts;
  const { dataDir, host: listenAt } = settings;
  const bindAt = listenAt === "localhost" ? "127.0.0.1" : listenAt;
  const doorOptions = {
    host: listenAt,
    isTls: settings.tls !== undefined,
    allowHosts: settings.allowHosts,
    ...(settings.proxies !== undefined && { proxies: settings.proxies }),
  };
  refuseOpenDoors(doorOptions);
  const tls = settings.tls && {
    cert: readPem("--tls-cert", settings.tls.cert),
    key: readPem("--tls-key", settings.tls.key),
  };

  const undo: (() => unknown)[] = [];
  const takeApart = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    makePrivateFolder(dataDir);
    const agent = await findAgent({ claude: settings.claude, demo: settings.demo, dataDir, env });
    const { roots, paths, named, belowAdmin } = shownFolders(parts, agent, () => openedFolders());
    // The store's lock protects the data directory: nothing in it is read or written before we hold the lock.
    const store = await openStore(dataDir);
    undo.push(() => store.close());
    const access = openAccess({ dataDir });
    undo.push(() => access.close());
    const trust = fileTrustStore(join(dataDir, "trusted-folders.json"));
    const policies = openPolicies({ path: join(dataDir, "policies.json") });
    const kept = openKeptSettings(dataDir);
    const notifyStore = openNotifyStore(dataDir);
    const outbound = createOutbound(settings.notifyHosts ?? []);
    undo.push(() => outbound.close());
    // From here on the host closes the store, even if the host itself fails to open.
    undo.shift();
    const host = await openHost({
      dataDir,
      store,
      trust,
      policies,
      claude: agent.program,
      ...(settings.cleanEnv !== undefined && { cleanEnvironment: true, allowEnvironment: settings.cleanEnv }),
      setEnvironment: agent.setEnvironment,
      maxLive: settings.maxSessions,
      makesRoom: true,
      snapshots: settings.snapshots,
      closedPaths: secretFilesIn(dataDir),
      onError: (error) => log.error("host failed", { error: textOf(error) }),
    });
    undo.push(() => host.close());

    const openedFolders = (): readonly string[] => [
      ...store.sessions().flatMap(({ id, cwd }) => [cwd, host.opened(id)?.head.cwd ?? cwd]),
      ...trust.folders(),
    ];

    const metrics = createMetrics();
    measure(metrics, host);
    const tickets = createTickets({ folder: join(dataDir, "uploads"), access, maxBytes: settings.uploadBytes, log });
    undo.push(() => tickets.close());
    const startedAt = Date.now();
    const git = new GitWork(host, dataDir);
    const sessionFiles = join(dataDir, "session-files");
    const retention = keepRetention({ host, store, kept, sessionFiles, log });
    undo.push(() => retention.close());
    const fleet = createFleet({ dataDir, access, version, log });
    const shared: BridgeOptions = {
      host,
      store,
      trust,
      policies,
      access,
      tickets,
      paths,
      named,
      belowAdmin,
      git,
      fleet,
      dataDir,
      sessionFiles,
      kept,
      retention,
      notifyStore,
      outbound,
      environment: environmentNames(process.env, settings, agent),
      configFolder: configOf(parts, agent),
      cacheFolder: cacheOf(parts, agent),
      log,
      metrics,
      agent: agent.info,
      machine: { hostname: hostname(), platform: process.platform, home: homedir(), roots: [...roots] },
      limits: { frameBytes: FRAME_BYTES, uploadBytes: settings.uploadBytes, sessions: settings.maxSessions },
      version,
      startedAt,
    };
    const bridge = createBridge(shared);
    undo.push(() => bridge.close());

    let isReady = true;
    const http = await startHttpServer({
      access,
      tickets,
      metrics,
      log,
      host: bindAt,
      port: settings.port,
      page: loadPage(parts.pageFolder ?? builtPage()),
      isReady: () => isReady,
      doorsAt: (port) => doorsFor(doorOptions, port),
      onSocket: (ws, about) => bridge.accept(ws, about),
      gateway: fleet.gateway,
      ...(tls !== undefined && { tls }),
    });
    undo.push(() => http.close());
    await fleet.start({ arrive: (socket, door) => http.arrive(socket, door), notifier: bridge.notifier });
    undo.push(() => fleet.close());

    const url = localUrl(listenAt, http.port, tls !== undefined);
    let ccpocketPort: number | undefined;
    if (settings.ccpocketPort !== undefined) {
      const dialect = await startCcpocket({
        ...shared,
        listenAt: { host: bindAt, port: settings.ccpocketPort },
        tls,
        url,
        // Apps send no origin. A browser sends one, and may not connect here.
        doorAt: (port) => access.enterAt({ ...doorsFor(doorOptions, port), origins: NONE, aliases: NONE }),
      });
      undo.push(() => dialect.close());
      ccpocketPort = dialect.port;
      log.info("ccpocket started", { port: dialect.port });
    }

    const certificate = tls === undefined ? {} : { certificate: tls.cert };
    writeServerAddress(dataDir, { pid: process.pid, url, token: access.localToken(), startedAt, ...certificate });
    undo.push(() => removeServerAddress(dataDir));
    log.info("server started", {
      url,
      version,
      agent: agent.info.kind,
      agentVersion: agent.info.version,
      pid: process.pid,
    });
    undo.push(watchRoom(host, (text) => bridge.notice({ level: "warning", code: "no-room", text })));
    if (agent.info.kind === "claude") {
      const { program, info } = agent;
      const stopWatching = watchLogin(
        () => isLoggedIn(program, env),
        (loggedIn) => {
          const isNews = info.loggedIn === false;
          info.loggedIn = loggedIn;
          // Clients that are already connected did not get this notice.
          if (!loggedIn)
            bridge.notice({
              level: "warning",
              code: "agent-missing",
              text: "Claude Code is not logged in: on the server's machine run “claude” in a terminal and log in with /login.",
            });
          else if (isNews) bridge.notice({ level: "info", code: "agent-ready", text: "Claude Code is logged in now." });
        },
      );
      undo.push(stopWatching);
    }

    let stopping: Promise<void> | undefined;
    const stop: RunningServer["stop"] = ({ finishTurnsMs, hurry }) =>
      (stopping ??= (async () => {
        isReady = false;
        log.info("server stopping", { turns: sessionsAtWork(host).length });
        bridge.drain();
        bridge.notice({ level: "warning", code: "shutting-down", text: "The server is shutting down." });
        await turnsEnded(host, finishTurnsMs, hurry);
        await Promise.all(liveSessions(host).map((session) => session.close()));
        await takeApart();
        log.info("server stopped");
      })());
    return { url, ccpocketPort, access, host, agent, roots, runningTurns: () => sessionsAtWork(host).length, stop };
  } catch (error) {
    await takeApart();
    throw error;
  }
};

const NONE: ReadonlySet<string> = new Set();

/** Names of the variables that every session gets. */
export const environmentNames = (
  env: ServerParts["env"],
  { cleanEnv }: Pick<ServerSettings, "cleanEnv">,
  agent?: Agent,
): string[] =>
  Object.keys(
    spawnEnvironment(env, {
      marker: "none:none:0",
      ...(cleanEnv !== undefined && { clean: true, allow: cleanEnv }),
      ...(agent !== undefined && { set: agent.setEnvironment }),
    }),
  ).toSorted();

const readPem = (flag: string, path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ServerError(`${flag}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? "?"}).`);
  }
};

const openStore = async (dataDir: string): Promise<SqliteStore> => {
  try {
    return await openSqliteStore(dataDir);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ServerError(`${error.message} ${adviceFor(error, dataDir)}`, { cause: error });
  }
};

const adviceFor = ({ code }: StoreError, dataDir: string): string => {
  switch (code) {
    case "locked": {
      const other = readServerAddress(dataDir);
      return other === undefined
        ? "Only one server can use a data directory. Stop the other one, or use --data-dir to choose another."
        : `A server is already running at ${other.url}. \`npx quarterdeck devices pair\` creates a link to it. ` +
            "For a second server, use another --data-dir and --port.";
    }
    case "no-permission":
      return "Give yourself the permission, or choose another folder with --data-dir.";
    case "disk-full":
      return "Free some disk space, or choose another folder with --data-dir.";
    case "newer-schema":
      return "Update Quarterdeck, or choose another folder with --data-dir.";
    default:
      return "`npx quarterdeck doctor` shows more.";
  }
};

const localUrl = (host: string, port: number, isTls: boolean): string => {
  const everywhere: Readonly<Record<string, string>> = {
    "0.0.0.0": "127.0.0.1",
    "::": "127.0.0.1",
    localhost: "127.0.0.1",
  };
  const name = everywhere[host] ?? host;
  return `${isTls ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${String(port)}`;
};

const textOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
