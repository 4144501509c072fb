// Options of a start that may hold secrets, out of the command line: every user of the machine can read that (`ps`). What the CLI
// takes from a file goes into a file that only this user can read, and that is removed with the process; the rest goes over the
// pipe, with `initialize`. Measured on 2.1.38 and 2.1.325: both heed the files and the fields that are used here.

import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClaudeOptions, RequestOf } from "@quarterdeck/protocol";

export interface KeptPrivate {
  /** Without the values: paths in their place. */
  readonly flags: ClaudeOptions;
  readonly initialize: Pick<RequestOf<"initialize">, "agents" | "jsonSchema" | "planModeInstructions">;
  /** To be called when the process has ended. */
  readonly remove: () => void;
}

/** Where the files are. One host has the folder to itself; what a killed one has left there is removed first. */
export class PrivateFiles {
  #folder: string | undefined;

  /** Without a folder, one of its own among the temporary files. */
  constructor(folder?: string) {
    this.#folder = folder;
    // A link in its place goes, and what it leads to stays.
    if (folder === undefined) removeLeftBehind();
    else rmSync(folder, { recursive: true, force: true });
  }

  keep(options: ClaudeOptions): KeptPrivate {
    const { agents, jsonSchema, planModeInstructions, ...flags } = options;
    const folder = new LaunchFolder(() => this.#make());
    const { mcpConfig, settings, systemPrompt, appendSystemPrompt, appendSubagentSystemPrompt, ...rest } = flags;
    const asText = (name: string, text: string | undefined): string | undefined =>
      // An empty prompt is a value of its own, and no secret.
      text === undefined || text === "" ? undefined : folder.write(name, text);
    const asJson = (name: string, value: object | string | undefined): string | undefined =>
      typeof value === "object" ? folder.write(name, JSON.stringify(value)) : value;
    try {
      const servers = mcpConfig?.map((one, at) => asJson(`mcp-${at}.json`, one)!);
      const given = asJson("settings.json", settings);
      const system = asText("system-prompt.txt", systemPrompt);
      const appended = asText("append-system-prompt.txt", appendSystemPrompt);
      const forSubagents = asText("append-subagent-system-prompt.txt", appendSubagentSystemPrompt);
      return {
        flags: {
          ...rest,
          ...(servers !== undefined && { mcpConfig: servers }),
          ...(given !== undefined && { settings: given }),
          ...(systemPrompt === "" && { systemPrompt }),
          ...(system !== undefined && { systemPromptFile: system }),
          ...(appended !== undefined && { appendSystemPromptFile: appended }),
          ...(forSubagents !== undefined && { appendSubagentSystemPromptFile: forSubagents }),
          // A path is no secret.
          ...(typeof agents === "string" && { agents }),
        },
        initialize: {
          ...(typeof agents === "object" && { agents: agents as Record<string, Record<string, unknown>> }),
          ...(jsonSchema !== undefined && { jsonSchema }),
          ...(planModeInstructions !== undefined && { planModeInstructions }),
        },
        remove: () => folder.remove(),
      };
    } catch (error) {
      folder.remove();
      throw error;
    }
  }

  #make(): string {
    if (this.#folder === undefined) return mkdtempSync(join(tmpdir(), `${TEMPORARY}${String(process.pid)}-`));
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(this.#folder, "launch-"));
  }
}

/** Of one process; made when there is something to put into it. `mkdtemp` makes it for its owner alone. */
class LaunchFolder {
  readonly #make: () => string;
  #path: string | undefined;

  constructor(make: () => string) {
    this.#make = make;
  }

  write(name: string, text: string): string {
    this.#path ??= this.#make();
    const path = join(this.#path, name);
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return path;
  }

  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
    this.#path = undefined;
  }
}

const TEMPORARY = "quarterdeck-launch-";

/** Folders of hosts that were killed. Only our own user's: others may plant such names. */
const removeLeftBehind = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^(\d+)-/.exec(name.startsWith(TEMPORARY) ? name.slice(TEMPORARY.length) : "")?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(tmpdir(), name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true && found.uid === process.getuid?.())
      rmSync(path, { recursive: true, force: true });
  }
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
};
