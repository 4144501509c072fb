// Keeps options that may hold secrets out of the command line, which every user of the machine can read (`ps`). Options that the
// CLI can read from a file go into a file that only this user can read. It is removed with the process. The other options go over
// the pipe, with `initialize`. Measured on 2.1.38 and 2.1.325: both use these files and fields.

import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClaudeOptions, RequestOf } from "@quarterdeck/protocol";

export interface KeptPrivate {
  /** Paths instead of the secret values. */
  readonly flags: ClaudeOptions;
  readonly initialize: Pick<RequestOf<"initialize">, "agents" | "jsonSchema" | "planModeInstructions">;
  /** Call this when the process has ended. */
  readonly remove: () => void;
}

/** The folder of these files. One host owns it, and first removes what a killed host left there. */
export class PrivateFiles {
  #folder: string | undefined;

  /** Default: a new temporary folder. */
  constructor(folder?: string) {
    this.#folder = folder;
    // If the folder is a link, only the link is removed.
    if (folder === undefined) removeLeftBehind();
    else rmSync(folder, { recursive: true, force: true });
  }

  keep(options: ClaudeOptions): KeptPrivate {
    const { agents: givenAgents, jsonSchema, planModeInstructions, ...flags } = options;
    const agents = typeof givenAgents === "string" ? (jsonIn(givenAgents) ?? givenAgents) : givenAgents;
    const folder = new LaunchFolder(() => this.#make());
    const { mcpConfig, settings, systemPrompt, appendSystemPrompt, appendSubagentSystemPrompt, ...rest } = flags;
    const asText = (name: string, text: string | undefined): string | undefined =>
      // An empty prompt differs from no prompt, and is not a secret.
      text === undefined || text === "" ? undefined : folder.write(name, text);
    const asJson = (name: string, value: object | string | undefined): string | undefined => {
      const json = typeof value === "string" ? jsonIn(value) : value;
      return json === undefined ? (value as string | undefined) : folder.write(name, JSON.stringify(json));
    };
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
          // A path is not a secret.
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

/** The folder of one process, created with its first file. `mkdtemp` makes it private. */
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

/** The CLI accepts JSON or a path. JSON may contain secrets, a path does not. */
const jsonIn = (text: string): object | undefined => {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    // The CLI reports what is wrong with it.
    return undefined;
  }
};

const TEMPORARY = "quarterdeck-launch-";

/** Removes folders of hosts that were killed. Only our own user's folders: another user may plant such a name. */
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
