// The command line of `quarterdeck run`: its own flags, and those that people pass to `claude -p`. The latter are read
// as Claude Code reads them.

import { FLAGS, parseArgv } from "@quarterdeck/protocol";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import type { ClaudeFormat } from "./claude-output.ts";
import { UsageError } from "../user-error.ts";

/** By name: whether the flag takes a value. */
const OWN = {
  "--json": false,
  "--mode": true,
  "--cwd": true,
  "--on": true,
  "--trust": false,
  "--wait": false,
  "--data-dir": true,
  "--claude": true,
} as const;
type OwnFlag = keyof typeof OWN;

/** Flags of `claude` that a run passes on. */
const PASSED = [
  ...["model", "fallbackModel", "effort", "permissionMode", "maxTurns", "maxBudgetUsd", "maxThinkingTokens"],
  ...["thinking", "autocompact", "betas", "fastMode", "agent", "worktree", "name", "appendSystemPrompt", "tools"],
  ...["disallowedTools", "addDir", "jsonSchema", "disableSlashCommands", "noSessionPersistence", "safeMode"],
  ...["strictMcpConfig", "allowDangerouslySkipPermissions", "dangerouslySkipPermissions", "allowedTools"],
  ...["systemPrompt", "agents", "settings", "settingSources", "mcpConfig", "pluginDir", "debug", "debugFile"],
] as const satisfies readonly (keyof ClaudeOptions)[];
const PASSED_NAMES: ReadonlySet<string> = new Set(PASSED);

export interface RunArgs {
  readonly own: Readonly<Partial<Record<OwnFlag, string | true>>>;
  readonly cli: ClaudeOptions;
  readonly prompt: string;
  readonly resume: string | undefined;
  readonly continues: boolean;
  readonly sessionId: string | undefined;
  /** `transcript`: the session as we show it. `events`: our events. The others: as claude prints. */
  readonly output: "transcript" | "events" | ClaudeFormat;
}

export const parseRun = (args: readonly string[]): RunArgs => {
  const { own, rest } = splitOwn(args);
  const { options, unknown, invalid, positional } = parseArgv(rest);
  const [strange] = unknown;
  if (strange !== undefined) throw new UsageError(`Unknown option '${strange}'.`);
  const [wrong] = invalid;
  if (wrong !== undefined)
    throw new UsageError(
      wrong.value === undefined ? `${wrong.flag} needs a value.` : `${wrong.flag} does not accept '${wrong.value}'.`,
    );
  const { print: _print, verbose: _verbose, prompt: _prompt, ...others } = options;
  const { outputFormat, inputFormat, resume, continue: continues, sessionId, ...cli } = others;
  if (inputFormat !== undefined && inputFormat !== "text")
    throw new UsageError("run reads one prompt: --input-format must be text.");
  if (outputFormat !== undefined && own["--json"] !== undefined)
    throw new UsageError("Use either --json (our events) or --output-format (as claude prints).");
  if (resume === true) throw new UsageError("run needs the session: --resume ID. `quarterdeck ls --all` lists them.");
  if (resume !== undefined && continues === true) throw new UsageError("Use either --resume or --continue.");
  if (own["--mode"] !== undefined && cli.permissionMode !== undefined)
    throw new UsageError("Use either --mode or --permission-mode.");
  const refused = Object.keys(cli).find((name) => !PASSED_NAMES.has(name));
  if (refused !== undefined) throw new UsageError(`run does not accept ${flagOf(refused)}.`);
  if (resume !== undefined) {
    const [given] = ownOf(own, ["--cwd", "--trust"]);
    if (given !== undefined) throw new UsageError(`${given} cannot be used with --resume.`);
    if (sessionId !== undefined) throw new UsageError("--session-id cannot be used with --resume.");
  }
  if (continues === true) {
    if (sessionId !== undefined) throw new UsageError("--session-id cannot be used with --continue.");
  }
  const mode = own["--mode"];
  return {
    own,
    cli: { ...cli, ...(typeof mode === "string" && { permissionMode: mode as "default" }) },
    prompt: positional.join(" ").trim(),
    resume,
    continues: continues === true,
    sessionId,
    output: own["--json"] === undefined ? (outputFormat ?? "transcript") : "events",
  };
};

/** A claude flag that takes a value keeps the word after it, whatever that is. */
const splitOwn = (args: readonly string[]): { own: RunArgs["own"]; rest: string[] } => {
  const own: Partial<Record<OwnFlag, string | true>> = {};
  const rest: string[] = [];
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--") {
      rest.push(word, ...words.splice(0));
      break;
    }
    const [name, attached] = word.startsWith("--") ? splitAt(word) : [word];
    if (!Object.hasOwn(OWN, name)) {
      rest.push(word);
      continue;
    }
    const flag = name as OwnFlag;
    if (!OWN[flag] && attached !== undefined) throw new UsageError(`${flag} takes no value.`);
    const value = OWN[flag] ? (attached ?? words.shift()) : true;
    if (value === undefined || value === "") throw new UsageError(`${flag} needs a value.`);
    own[flag] = value;
  }
  return { own, rest };
};

const splitAt = (word: string): [string, string?] => {
  const at = word.indexOf("=");
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
};

const ownOf = (own: RunArgs["own"], names: readonly OwnFlag[]): OwnFlag[] =>
  names.filter((name) => own[name] !== undefined);

/** The flag as it is written, for an error. */
export const flagOf = (name: string): string => FLAGS[name as keyof typeof FLAGS].flag;
