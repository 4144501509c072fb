// Which agent the server runs: the `claude` that was named or is on the PATH, else the demo agent, which is the simulator with its
// built-in tour. What it is, and what is wrong with it, is said to people in the same words everywhere.

import { execFile } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { findClaude, FindClaudeError, spawnEnvironment } from "@quarterdeck/host";
import type { ClaudeProgram, CliProgram } from "@quarterdeck/host";
import { SIMULATED_VERSION, simulatorPath } from "@quarterdeck/simulator";
import { makePrivateFolder } from "./access/private-file.ts";
import type { AgentInfo } from "./bridge/contract.ts";
import { ServerError } from "./server-error.ts";

export interface Agent {
  readonly program: CliProgram;
  readonly info: AgentInfo;
  /** Beside what a CLI gets from our environment. */
  readonly setEnvironment: Readonly<Record<string, string>>;
  /** The demo's own folder: what it writes goes there. */
  readonly folder?: string;
}

export interface AgentOptions {
  readonly claude: string | undefined;
  readonly demo: boolean;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const findAgent = async ({ claude, demo, dataDir, env }: AgentOptions): Promise<Agent> => {
  if (demo) return demoAgent(dataDir, env, undefined);
  try {
    const found = await findClaude({ env: plainEnvironment(env), ...(claude !== undefined && { program: claude }) });
    return {
      program: found,
      info: { kind: "claude", version: found.version, path: found.file },
      setEnvironment: {},
    };
  } catch (error) {
    if (!(error instanceof FindClaudeError)) throw error;
    // Whoever named one wants that one.
    if (claude !== undefined) throw new ServerError(error.message);
    return demoAgent(dataDir, env, error.message);
  }
};

const demoAgent = (dataDir: string, env: AgentOptions["env"], problem: string | undefined): Agent => {
  // Beside the data directory, which nobody may look into; a home of its own keeps it out of the user's.
  const folder = `${dataDir}-demo`;
  const [home, project] = [join(folder, "home"), join(folder, "harbour")];
  for (const made of [home, project]) makePrivateFolder(made);
  return {
    program: {
      command: process.execPath,
      prefixArgs: ["--conditions=source", simulatorPath],
      version: SIMULATED_VERSION,
    },
    info: { kind: "demo", ...(problem !== undefined && { problem }) },
    setEnvironment: {
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      PATH: `${dirname(process.execPath)}${delimiter}${plainEnvironment(env)["PATH"] ?? ""}`,
    },
    folder: project,
  };
};

const plainEnvironment = (env: AgentOptions["env"]): Record<string, string> =>
  spawnEnvironment(env, { marker: "none:none:0" });

const ASK_MS = 20_000;

/**
 * Whether the CLI has a login, where it can say so by itself. Not there on older ones, which would take the words for a
 * prompt: so the help is asked first, which costs nothing on any of them.
 */
export const isLoggedIn = async (
  program: ClaudeProgram | CliProgram,
  env: AgentOptions["env"],
): Promise<boolean | undefined> => {
  const ask = async (...args: string[]): Promise<string> => {
    const asking = promisify(execFile)(program.command, [...(program.prefixArgs ?? []), ...args], {
      env: plainEnvironment(env),
      timeout: ASK_MS,
      killSignal: "SIGKILL",
    });
    asking.child.stdin?.end();
    // Without a login it ends with 1, and says the same.
    const { stdout } = await asking.catch((error: unknown) => error as { stdout?: string });
    return stdout ?? "";
  };
  if (!/^\s+status\b/mu.test(await ask("auth", "--help"))) return undefined;
  try {
    const { loggedIn } = JSON.parse(await ask("auth", "status", "--json")) as { loggedIn?: unknown };
    return typeof loggedIn === "boolean" ? loggedIn : undefined;
  } catch {
    // It says something else than it did; then we do not know.
    return undefined;
  }
};

const LOOK_AGAIN_MS = 15_000;

/** Tells when it is known whether there is a login, and when there is one at last. It takes a second or two to find out. */
export const watchLogin = (
  ask: () => Promise<boolean | undefined>,
  tell: (loggedIn: boolean) => void,
): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  let told: boolean | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const known = await ask();
    if (isOver) return;
    if (known !== undefined && known !== told) tell((told = known));
    if (told === false) timer = setTimeout(() => void look(), LOOK_AGAIN_MS).unref();
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
};
