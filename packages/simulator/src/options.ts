// The command line of the CLI as one object, and the refusals that the CLI makes before it reads a line. The flags of the
// simulator itself (`--scenario`, `--replay`, `--speed`, `--fault`) are taken out first.
import { parseArgv } from "@quarterdeck/protocol";
import { isRecord } from "./json.ts";
import type { Json } from "./json.ts";

export const PERMISSION_MODES = ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export const isPermissionMode = (value: unknown): value is PermissionMode =>
  PERMISSION_MODES.some((mode) => mode === value);

export interface Options {
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
  /** Absent: what the settings say. */
  readonly permissionMode: PermissionMode | undefined;
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
  /** A file, or the settings themselves. */
  readonly settings: string | Json | undefined;
  readonly settingSources: readonly string[];
  readonly agents: Json | undefined;
  readonly name: string | undefined;
  readonly effort: string;
}

/** A refusal: text for stderr, exit code 1. */
export class Refusal extends Error {}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);

export const optionsOf = (argv: readonly string[]): Options => {
  const { options: given, unknown, invalid, positional } = parseArgv(argv);
  if (unknown[0] !== undefined) throw new Refusal(`error: unknown option '${unknown[0]}'`);
  if (invalid[0] !== undefined) throw new Refusal(invalidText(invalid[0]));
  const skips = given.dangerouslySkipPermissions === true;
  const mode = given.permissionMode;
  const known = mode === "manual" ? "default" : mode;
  if (known !== undefined && !isPermissionMode(known)) {
    throw new Refusal(invalidText({ flag: "--permission-mode", value: mode }));
  }
  const promptsNobody = given.permissionPrompts === "none";
  const options: Options = {
    prompt: positional[0],
    streamInput: given.inputFormat === "stream-json",
    outputFormat: given.outputFormat ?? "text",
    partialMessages: given.includePartialMessages === true,
    replayUserMessages: given.replayUserMessages === true,
    hookEvents: given.includeHookEvents === true,
    forwardSubagentText: given.forwardSubagentText === true,
    asksHost: given.permissionPromptTool === "stdio" && !promptsNobody,
    promptsNobody,
    permissionMode: skips ? "bypassPermissions" : known,
    bypassLaunched: skips || given.allowDangerouslySkipPermissions === true || known === "bypassPermissions",
    allowedTools: given.allowedTools ?? [],
    disallowedTools: given.disallowedTools ?? [],
    tools: given.tools,
    addDirs: given.addDir ?? [],
    model: given.model,
    sessionId: given.sessionId,
    resume: given.resume === true ? "" : given.resume,
    continue: given.continue === true,
    fork: given.forkSession === true,
    persist: given.noSessionPersistence !== true,
    maxTurns: given.maxTurns,
    maxBudgetUsd: given.maxBudgetUsd,
    jsonSchema: given.jsonSchema,
    slashCommands: given.disableSlashCommands !== true,
    awaitInitialize: given.awaitInitialize === true,
    settings: given.settings,
    settingSources: given.settingSources ?? ["user", "project", "local"],
    agents: isRecord(given.agents) ? given.agents : undefined,
    name: given.name,
    effort: given.effort ?? "medium",
  };
  refuse(options, given.verbose === true);
  return options;
};

/** The words of the CLI's own parser. */
const invalidText = ({ flag, value }: { readonly flag: string; readonly value: string | undefined }): string => {
  const [name, choices] = VALUES[flag] ?? ["value", undefined];
  if (value === undefined) return `error: option '${flag} <${name}>' argument missing`;
  const rule = choices === undefined ? "must be a number" : `Allowed choices are ${choices}.`;
  return `error: option '${flag} <${name}>' argument '${value}' is invalid. ${rule}`;
};

const VALUES: Readonly<Record<string, readonly [string, string | undefined]>> = {
  "--output-format": ["format", "text, json, stream-json"],
  "--input-format": ["format", "text, stream-json"],
  "--permission-mode": ["mode", "acceptEdits, auto, bypassPermissions, manual, dontAsk, plan"],
  "--permission-prompts": ["target", "host, none"],
  "--effort": ["level", "low, medium, high, xhigh, max"],
  "--max-turns": ["turns", undefined],
  "--max-budget-usd": ["amount", undefined],
  "--model": ["model", undefined],
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
