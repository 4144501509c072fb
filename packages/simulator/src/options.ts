// The command line of the CLI as one object, and the refusals that the CLI makes before it reads a line. The flags of the
// simulator itself (`--scenario`, `--replay`, `--speed`, `--fault`) are taken out first.
import { parseArgv } from "./argv-provisional.ts";
import { isRecord, parseJson } from "./json.ts";
import type { Json } from "./json.ts";

export const PERMISSION_MODES = ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export const isPermissionMode = (value: unknown): value is PermissionMode =>
  PERMISSION_MODES.some((mode) => mode === value);

export interface Options {
  readonly print: boolean;
  readonly prompt: string | undefined;
  readonly streamInput: boolean;
  readonly outputFormat: "text" | "json" | "stream-json";
  readonly partialMessages: boolean;
  readonly replayUserMessages: boolean;
  readonly hookEvents: boolean;
  readonly forwardSubagentText: boolean;
  /** Somebody answers permission prompts over stdio. */
  readonly asksHost: boolean;
  readonly promptsNobody: boolean;
  readonly permissionMode: PermissionMode;
  readonly bypassLaunched: boolean;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly tools: readonly string[] | undefined;
  readonly addDirs: readonly string[];
  readonly model: string | undefined;
  readonly sessionId: string | undefined;
  readonly resume: string | undefined;
  readonly continue: boolean;
  readonly fork: boolean;
  readonly persist: boolean;
  readonly maxTurns: number | undefined;
  readonly maxBudgetUsd: number | undefined;
  readonly jsonSchema: Json | undefined;
  readonly slashCommands: boolean;
  readonly awaitInitialize: boolean;
  readonly settings: string | undefined;
  readonly settingSources: readonly string[];
  readonly agents: Json | undefined;
  readonly mcpConfig: readonly string[];
  readonly name: string | undefined;
  readonly effort: string;
}

/** A refusal: text for stderr, exit code 1. */
export class Refusal extends Error {}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);

export const optionsOf = (argv: readonly string[]): Options => {
  const { options: given, unknown, positional } = parseArgv(argv);
  if (unknown.length > 0) throw new Refusal(`error: unknown option '${unknown[0] ?? ""}'`);
  const text = (key: string): string | undefined => {
    const value = given[key];
    return typeof value === "string" ? value : undefined;
  };
  const list = (key: string): readonly string[] => {
    const value = given[key];
    return Array.isArray(value) ? value.flatMap(splitTools) : [];
  };
  const is = (key: string): boolean => given[key] === true;

  const outputFormat = choice(text("outputFormat") ?? "text", "--output-format <format>", [
    "text",
    "json",
    "stream-json",
  ]);
  const inputFormat = choice(text("inputFormat") ?? "text", "--input-format <format>", ["text", "stream-json"]);
  const mode = text("permissionMode") ?? "default";
  const known = mode === "manual" ? "default" : mode;
  if (!isPermissionMode(known) || mode === "delegate") {
    throw new Refusal(
      `error: option '--permission-mode <mode>' argument '${mode}' is invalid. Allowed choices are acceptEdits, auto, bypassPermissions, manual, dontAsk, plan.`,
    );
  }
  const skips = is("dangerouslySkipPermissions");
  const options: Options = {
    print: is("print"),
    prompt: positional[0],
    streamInput: inputFormat === "stream-json",
    outputFormat,
    partialMessages: is("includePartialMessages"),
    replayUserMessages: is("replayUserMessages"),
    hookEvents: is("includeHookEvents"),
    forwardSubagentText: is("forwardSubagentText"),
    asksHost: text("permissionPromptTool") === "stdio" && text("permissionPrompts") !== "none",
    promptsNobody: text("permissionPrompts") === "none",
    permissionMode: skips ? "bypassPermissions" : known,
    bypassLaunched: skips || is("allowDangerouslySkipPermissions") || known === "bypassPermissions",
    allowedTools: list("allowedTools"),
    disallowedTools: list("disallowedTools"),
    tools: given.tools === undefined ? undefined : list("tools"),
    addDirs: list("addDir"),
    model: text("model"),
    sessionId: text("sessionId"),
    resume: given.resume === true ? "" : text("resume"),
    continue: is("continue"),
    fork: is("forkSession"),
    persist: !is("noSessionPersistence"),
    maxTurns: numberOf(text("maxTurns"), "--max-turns <turns>"),
    maxBudgetUsd: numberOf(text("maxBudgetUsd"), "--max-budget-usd <amount>"),
    jsonSchema: jsonOf(text("jsonSchema")),
    slashCommands: !is("disableSlashCommands"),
    awaitInitialize: is("awaitInitialize"),
    settings: text("settings"),
    settingSources: (text("settingSources") ?? "user,project,local").split(","),
    agents: jsonOf(text("agents")),
    mcpConfig: list("mcpConfig"),
    name: text("name"),
    effort: text("effort") ?? "medium",
  };
  refuse(options, given.verbose === true);
  return options;
};

const refuse = (options: Options, verbose: boolean): void => {
  if (options.streamInput && options.outputFormat !== "stream-json") {
    throw new Refusal("Error: --input-format=stream-json requires output-format=stream-json.");
  }
  if (options.outputFormat === "stream-json" && !verbose) {
    throw new Refusal("Error: When using --print, --output-format=stream-json requires --verbose");
  }
  if (options.bypassLaunched && options.permissionMode === "bypassPermissions" && process.getuid?.() === 0) {
    throw new Refusal("--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons");
  }
  if (options.sessionId !== undefined) {
    if (!isUuid(options.sessionId)) throw new Refusal("Error: Invalid session ID. Must be a valid UUID.");
    if ((options.resume !== undefined || options.continue) && !options.fork) {
      throw new Refusal(
        "Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.",
      );
    }
  }
};

const choice = <T extends string>(value: string, flag: string, choices: readonly T[]): T => {
  const found = choices.find((entry) => entry === value);
  if (found === undefined) {
    throw new Refusal(
      `error: option '${flag}' argument '${value}' is invalid. Allowed choices are ${choices.join(", ")}.`,
    );
  }
  return found;
};

const numberOf = (value: string | undefined, flag: string): number | undefined => {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isNaN(number)) {
    throw new Refusal(`error: option '${flag}' argument '${value}' is invalid. must be a number`);
  }
  return number;
};

const jsonOf = (value: string | undefined): Json | undefined => {
  const parsed = value === undefined ? undefined : parseJson(value);
  return isRecord(parsed) ? parsed : undefined;
};

/** Commas and spaces separate rules, except inside parentheses: `Read,Bash(git diff, x)`. */
const splitTools = (text: string): readonly string[] =>
  (text.match(/(?:[^,\s(]+(?:\([^)]*\))?)+/g) ?? []).filter((entry) => entry !== "");
