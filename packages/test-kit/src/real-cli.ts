// A real CLI for tests: by version, in its own folders, in front of a scripted API. Nothing from the person who runs
// the tests reaches it.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { argvOf, HOST_OPTIONS } from "@quarterdeck/protocol";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { startApi } from "@quarterdeck/simulator";
import type { Script } from "@quarterdeck/simulator";
import { onTestFinished } from "vitest";
import { cacheFolder, claudeProgram } from "./claude-cache.ts";
import { cleanEnv } from "./clean-env.ts";
import { scratchFolder } from "./scratch-folder.ts";

/** How to start it: the part of the host's process options that depends on the version. */
export interface CliStart {
  readonly command: string;
  readonly prefixArgs: readonly string[];
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface RealCli {
  /** The working folder, to be filled before the start. */
  readonly cwd: string;
  readonly home: string;
  /** A folder outside `cwd`. */
  readonly outside: string;
  readonly options: (claude?: ClaudeOptions, env?: Readonly<Record<string, string>>) => CliStart;
}

export const realCli = async (version: string, scripts: readonly Script[] = []): Promise<RealCli> => {
  const program = await claudeProgram(version);
  const root = scratchFolder();
  const folder = (name: string): string => {
    mkdirSync(join(root, name));
    return join(root, name);
  };
  const [cwd, home, tmp, outside] = [folder("cwd"), folder("home"), folder("tmp"), folder("outside")];
  const api = await startApi({ scenario: { name: "test", scripts } });
  onTestFinished(() => api.close());
  return {
    cwd,
    home,
    outside,
    options: (claude = {}, env = {}) => ({
      command: program.command,
      prefixArgs: program.args,
      argv: argvOf({ ...HOST_OPTIONS, permissionMode: "default", ...claude }, { version }).argv,
      cwd,
      env: cleanEnv({ home, tmp, apiUrl: api.url, compileCache: join(cacheFolder(), "compiled"), extra: env }),
    }),
  };
};
