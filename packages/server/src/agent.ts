// Which agent the server runs: the `claude` that the user named or that is on the PATH, otherwise the demo agent. The
// demo agent is the simulator with its built-in tour. Every surface describes the agent, and what is wrong with it, in
// the same words.

import { execFile } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { findClaude, FindClaudeError, spawnEnvironment } from "@quarterdeck/host";
import type { ClaudeProgram, CliProgram } from "@quarterdeck/host";
import { DEMO_CHAPTERS, SIMULATED_VERSION, simulatorPath } from "@quarterdeck/simulator";
import { makePrivateFolder } from "./access/private-file.ts";
import type { AgentInfo } from "./bridge/contract.ts";
import { ServerError } from "./server-error.ts";

export interface Agent {
  readonly program: CliProgram;
  readonly info: AgentInfo;
  /** Added to what the CLI gets from our environment. */
  readonly setEnvironment: Readonly<Record<string, string>>;
  /** The demo's own folder. It writes only there. */
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
    // A user who named a program wants that program, not the demo.
    if (claude !== undefined) throw new ServerError(error.message);
    return demoAgent(dataDir, env, error.message);
  }
};

const demoAgent = (dataDir: string, env: AgentOptions["env"], problem: string | undefined): Agent => {
  // Next to the data directory, which is private. Its own home separates it from the user's.
  const folder = `${dataDir}-demo`;
  const [home, project] = [join(folder, "home"), join(folder, "harbour")];
  for (const made of [home, project]) makePrivateFolder(made);
  return {
    program: {
      command: process.execPath,
      prefixArgs: ["--conditions=source", simulatorPath],
      version: SIMULATED_VERSION,
    },
    info: { kind: "demo", chapters: [...DEMO_CHAPTERS], ...(problem !== undefined && { problem }) },
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
 * Whether the CLI is logged in, or undefined if it cannot say. An older CLI would read the command as a prompt, so this
 * reads the help first, which costs nothing on any version.
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
    // Without a login it exits with 1 and prints the same.
    const { stdout } = await asking.catch((error: unknown) => error as { stdout?: string });
    return stdout ?? "";
  };
  if (!/^\s+status\b/mu.test(await ask("auth", "--help"))) return undefined;
  try {
    const { loggedIn } = JSON.parse(await ask("auth", "status", "--json")) as { loggedIn?: unknown };
    return typeof loggedIn === "boolean" ? loggedIn : undefined;
  } catch {
    // The output has another form, so the answer is unknown.
    return undefined;
  }
};

const LOOK_AGAIN_MS = 15_000;

/**
 * Calls back when the login state is known, and again when there is a login. The first answer takes a second or two.
 */
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
