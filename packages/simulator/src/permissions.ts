// May this tool run now? The decision is the permission check's, which predicts the real CLI. This file keeps what the check is
// made against (rules, folders, mode), and puts its verdict into the words of the wire. Asking the host is `tool-permission`'s.
import { readlinkSync, realpathSync } from "node:fs";
import { applyUpdate, check, contextOf, followingLinks } from "@quarterdeck/permissions";
import type { Context, PlacedRule, SettingsSource, Update, Verdict } from "@quarterdeck/permissions";
import { VERSION } from "./catalogue.ts";
import { textAt } from "./json.ts";
import type { Json } from "./json.ts";
import { isPermissionMode } from "./options.ts";
import type { Options, PermissionMode } from "./options.ts";
import type { Decision } from "./permission-decision.ts";
import { questionFor } from "./permission-question.ts";
import { settingsPath } from "./settings-files.ts";
import type { Settings } from "./settings-files.ts";
import { absolute } from "./shell-command.ts";

export interface Question {
  readonly toolName: string;
  readonly input: Json;
  /** Tools of the harness itself, which never ask. */
  readonly harmless: boolean;
  readonly interactive: boolean;
  readonly planFile: string;
}

export interface Given {
  readonly cwd: string;
  readonly home: string;
  /** Absent: what the settings say. */
  readonly mode?: PermissionMode | undefined;
  readonly directories?: readonly string[];
  readonly settings?: readonly SettingsSource[];
  readonly bypassAvailable?: boolean;
}

/** The settings files and the command line, as the check reads them. */
export const permissionSources = (
  settings: Settings,
  cwd: string,
  home: string,
  { allowedTools, disallowedTools }: Pick<Options, "allowedTools" | "disallowedTools">,
): readonly SettingsSource[] => [
  ...settings.map(({ source, settings: value }): SettingsSource => ({
    scope: source,
    value,
    ...(source !== "flagSettings" && { path: settingsPath(source, cwd, home) }),
  })),
  { scope: "cliArg", value: { permissions: { allow: allowedTools, deny: disallowedTools } } },
];

export class Permissions {
  #context: Context;

  constructor({ cwd, home, mode, directories = [], settings = [], bypassAvailable = false }: Given) {
    this.#context = contextOf({
      cwd,
      home,
      mode,
      additionalDirectories: directories,
      settings,
      cliVersion: VERSION,
      folderTrusted: true,
      bypassAvailable,
    });
  }

  get context(): Context {
    return this.#context;
  }

  get mode(): PermissionMode {
    const { mode } = this.#context;
    return isPermissionMode(mode) ? mode : "default";
  }

  set mode(mode: PermissionMode) {
    this.#context = contextOf({ ...this.#context.input, mode });
  }

  get rules(): readonly PlacedRule[] {
    return this.#context.rules;
  }

  get directories(): readonly string[] {
    return this.#context.additionalDirectories;
  }

  /** Applies one `PermissionUpdate`; true if it changed the mode. */
  update(update: Json): boolean {
    const before = this.mode;
    const destination = textAt(update, "destination") ?? "session";
    const behavior = textAt(update, "behavior") ?? "allow";
    // Shapes that the check does not know change nothing.
    this.#context = applyUpdate(this.#context, { ...update, destination, behavior } as unknown as Update);
    return this.mode !== before;
  }

  decide(question: Question): Decision {
    const { toolName, input, planFile } = question;
    const verdict = check(this.#context, { tool: toolName, input }, { realpath });
    const path = textAt(input, "file_path");
    const isPlan = path !== undefined && toolName !== "Read" && absolute(path, this.#context.cwd) === planFile;
    // The plan may always be written, if no rule denies it.
    if (isPlan && !(verdict.behavior === "deny" && verdict.reason.kind === "rule")) {
      return { kind: "allow", source: "config", reasonType: "other" };
    }
    // Which tools there are is the session's to know: this one exists.
    if (question.harmless && verdict.reason.kind === "invalid-input") return { kind: "allow", source: "config" };
    if (verdict.behavior === "deny") return this.#denied(question, verdict);
    if (question.interactive) return { kind: "ask", message: "This needs an answer from the user.", fields: {} };
    if (verdict.behavior === "allow") return this.#allowed(question, verdict);
    if (question.harmless && verdict.reason.kind !== "rule") return { kind: "allow", source: "config" };
    return questionFor(this.#context, { tool: toolName, input }, verdict);
  }

  #denied({ toolName, input }: Question, { reason }: Verdict): Decision {
    if (reason.kind !== "rule" && (this.mode === "auto" || this.mode === "plan")) return { kind: "unchecked" };
    if (reason.kind !== "rule" && this.mode === "dontAsk") {
      return { kind: "deny", message: dontAskText(toolName), reasonType: "mode" };
    }
    const command = toolName === "Bash" ? ` with command ${textAt(input, "command") ?? ""}` : "";
    const byRule = toolName === "Bash" && reason.part !== undefined ? "subcommandResults" : "rule";
    const reasonType = reason.kind === "rule" ? byRule : "other";
    return { kind: "deny", message: `Permission to use ${toolName}${command} has been denied.`, reasonType };
  }

  #allowed({ toolName, input, harmless }: Question, { reason }: Verdict): Decision {
    if (harmless && reason.kind !== "rule") return { kind: "allow", source: "config" };
    if (reason.kind === "mode") return BY_MODE;
    const isExact = reason.rule === `Bash(${textAt(input, "command") ?? ""})`;
    if (toolName === "Bash" && reason.rule !== "Bash" && !isExact) {
      return { kind: "allow", source: "config", reasonType: "subcommandResults" };
    }
    const source = isExact && reason.scope === "localSettings" ? "user_permanent" : "config";
    return { kind: "allow", source, reasonType: reason.kind === "rule" ? "rule" : "mode" };
  }
}

const BY_MODE: Decision = { kind: "allow", source: "config", reasonType: "mode" };

const unlessThere = (look: (path: string) => string) => (path: string) => {
  try {
    return look(path);
  } catch {
    // A file that is not there yet is the normal case for a write.
    return undefined;
  }
};
const realpath = followingLinks({
  realpath: unlessThere((path) => realpathSync(path)),
  readlink: unlessThere((path) => readlinkSync(path)),
});

const dontAskText = (toolName: string): string =>
  `Permission to use ${toolName} has been denied because Claude Code is running in don't ask mode. IMPORTANT: You *may* attempt to accomplish this action using other tools that might naturally be used to accomplish this goal, e.g. using head instead of cat. But you *should not* attempt to work around this denial in malicious ways, e.g. do not use your ability to run tests to execute non-test actions. You should only try to work around this restriction in reasonable ways that do not attempt to bypass the intent behind this denial. If you believe this capability is essential to complete the user's request, STOP and explain to the user what you were trying to do and why you need this permission. Let the user decide how to proceed.`;
