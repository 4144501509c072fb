// A host that finds and makes everything itself: the CLI on the PATH, a store in a folder, the user's environment.

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { StoreError } from "./store/event-store.ts";
import type { EventStore } from "./store/event-store.ts";
import { findClaude } from "./process/find-claude.ts";
import { openBudgets } from "./budgets/budget-store.ts";
import type { BudgetStore } from "./budgets/budget-store.ts";
import { openPolicies } from "./policies/policy-store.ts";
import type { PolicyStore } from "./policies/policy-store.ts";
import { fileTrustStore } from "./trust/folder-trust.ts";
import type { TrustStore } from "./trust/folder-trust.ts";
import { Host } from "./host.ts";
import type { CliProgram, HostOptions } from "./host.ts";
import { openProjectVariables } from "./process/project-variables.ts";
import { spawnEnvironment } from "./process/spawn-environment.ts";
import { OWNER_FILE } from "./store/sqlite/lock.ts";
import { openSqliteStore } from "./store/sqlite-store.ts";

export interface OpenHostOptions extends Pick<
  HostOptions,
  "closedPaths" | "limits" | "makesRoom" | "maxLive" | "memory" | "onError" | "releaseIdleAfterMs"
> {
  /** Default: `QUARTERDECK_DATA_DIR`, or `~/.local/share/quarterdeck` (`XDG_DATA_HOME`). */
  readonly dataDir?: string;
  /** A path, a name on the PATH, or another program. */
  readonly claude?: string | CliProgram;
  /** Sessions inherit only variables that Claude Code and common tools know, and those in `allowEnvironment`. */
  readonly cleanEnvironment?: boolean;
  /** More names for a clean environment. */
  readonly allowEnvironment?: readonly string[];
  readonly setEnvironment?: Readonly<Record<string, string>>;
  /** `false`: nobody is asked, and the hooks and servers of every folder run. */
  readonly askTrust?: boolean;
  /** A store that the caller has opened and also reads. The host closes it. */
  readonly store?: EventStore;
  readonly trust?: TrustStore;
  /** Takes snapshots of the sessions' folders, for reviews and rewinds. */
  readonly snapshots?: boolean;
  /** Opened already. Default: `policies.json` in the data folder. */
  readonly policies?: PolicyStore;
  /** Opened already. Default: `budgets.json` in the data folder. */
  readonly budgets?: BudgetStore;
}

/** The variables of folders, in the data folder. */
export const VARIABLES_FILE = "variables.json";

export const defaultDataDir = (env: Readonly<Record<string, string | undefined>>): string =>
  env["QUARTERDECK_DATA_DIR"] ?? join(env["XDG_DATA_HOME"] ?? join(homedir(), ".local", "share"), "quarterdeck");

export const openHost = async (options: OpenHostOptions = {}): Promise<Host> => {
  const { dataDir = defaultDataDir(process.env), claude, askTrust = true } = options;
  const variables = openProjectVariables(join(dataDir, VARIABLES_FILE));
  const environment: HostOptions["environment"] = (marker, cwd, caller) =>
    spawnEnvironment(caller ?? process.env, {
      marker,
      isCallers: caller !== undefined,
      ...(options.cleanEnvironment !== undefined && { clean: options.cleanEnvironment }),
      ...(options.allowEnvironment !== undefined && { allow: options.allowEnvironment }),
      set: { ...options.setEnvironment, ...(cwd !== undefined && variables.of(cwd)) },
    });
  const program =
    typeof claude === "object"
      ? claude
      : await findClaude({ env: environment("none:none:0"), ...(claude !== undefined && { program: claude }) });
  const store = options.store ?? (await openStore(dataDir));
  try {
    return await Host.open({
      store,
      claude: program,
      environment,
      dataDirId: idOf(dataDir),
      privateFolder: join(dataDir, "launch"),
      ...(options.closedPaths !== undefined && { closedPaths: options.closedPaths }),
      ...(askTrust && { trust: options.trust ?? fileTrustStore(join(dataDir, "trusted-folders.json")) }),
      ...(options.snapshots === true && { snapshots: { folder: join(dataDir, "snapshots") } }),
      policies: options.policies ?? openPolicies({ path: join(dataDir, "policies.json") }),
      budgets: options.budgets ?? openBudgets({ path: join(dataDir, "budgets.json") }),
      explainsCalls: true,
      ...limitsOf(options),
    });
  } catch (error) {
    await store.close();
    throw error;
  }
};

const openStore = async (dataDir: string): Promise<EventStore> => {
  try {
    return await openSqliteStore(dataDir);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "locked") throw error;
    const url = serverIn(dataDir);
    const advice =
      url === undefined
        ? "Use another `dataDir`."
        : `It is the Quarterdeck server at ${url}. Connect to it with \`@quarterdeck/client\`; \`npx quarterdeck devices add NAME\` ` +
          "makes a token. Or use another `dataDir`.";
    throw new StoreError("locked", `${error.message} ${advice}`, { cause: error });
  }
};

/** The address of the server that holds the folder. Another program, or a server that starts or ended badly, has none. */
const serverIn = (dataDir: string): string | undefined => {
  try {
    const [server, owner] = ["server.json", OWNER_FILE].map(
      (name) => JSON.parse(readFileSync(join(dataDir, name), "utf8")) as { pid?: unknown; url?: unknown },
    );
    return server?.pid === owner?.pid && typeof server?.url === "string" ? server.url : undefined;
  } catch {
    return undefined;
  }
};

const limitsOf = ({ limits, makesRoom, maxLive, memory, onError, releaseIdleAfterMs }: OpenHostOptions) => ({
  ...(limits !== undefined && { limits }),
  ...(makesRoom !== undefined && { makesRoom }),
  ...(maxLive !== undefined && { maxLive }),
  ...(memory !== undefined && { memory }),
  ...(onError !== undefined && { onError }),
  ...(releaseIdleAfterMs !== undefined && { releaseIdleAfterMs }),
});

/** Identifies the data directory in the marker of its processes, wherever it is mounted. */
const idOf = (dataDir: string): string => {
  const path = join(dataDir, "host-id");
  // With a store of the caller, nothing has made the folder yet.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) writeFileSync(path, randomUUID(), { mode: 0o600 });
  return readFileSync(path, "utf8").trim();
};
