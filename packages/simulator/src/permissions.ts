// May this tool run now? A small table in place of the CLI's engine: modes, rules, folders and the shape of a shell
// command. It decides and suggests; asking the host and obeying the answer is `tool-call`'s.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isRecord, listAt, parseJson, recordAt, textAt, textsIn } from "./json.ts";
import type { Json } from "./json.ts";
import type { PermissionMode } from "./options.ts";
import { absolute, directoryOf, parseShell, ruleFor } from "./shell-command.ts";
import type { ShellPart } from "./shell-command.ts";

export type RuleBehavior = "allow" | "ask" | "deny";
export type RuleSource = "session" | "localSettings" | "projectSettings" | "userSettings" | "cliArg" | "flagSettings";

export interface Rule {
  readonly behavior: RuleBehavior;
  readonly source: RuleSource;
  readonly toolName: string;
  readonly ruleContent?: string;
}

export type Decision =
  | { readonly kind: "allow"; readonly source: string; readonly reasonType?: string }
  | { readonly kind: "deny"; readonly message: string; readonly reasonType: string }
  | {
      readonly kind: "ask";
      /** What a session without a prompt says instead of asking. */
      readonly message: string;
      /** The fields of `can_use_tool` that explain the question. */
      readonly fields: Json;
    };

export interface Question {
  readonly toolName: string;
  readonly input: Json;
  /** Tools of the harness itself, which never ask. */
  readonly harmless: boolean;
  readonly interactive: boolean;
  readonly planFile: string;
}

const READ_TOOLS: readonly string[] = ["Read", "Glob", "Grep"];
const EDIT_TOOLS: readonly string[] = ["Write", "Edit", "NotebookEdit"];

export const parseRule = (text: string, behavior: RuleBehavior, source: RuleSource): Rule => {
  const match = /^([^(]+)\((.*)\)$/s.exec(text.trim());
  return match === null
    ? { behavior, source, toolName: text.trim() }
    : { behavior, source, toolName: match[1]!, ruleContent: match[2]! };
};

export const ruleText = (rule: Rule): string =>
  rule.ruleContent === undefined ? rule.toolName : `${rule.toolName}(${rule.ruleContent})`;

export class Permissions {
  mode: PermissionMode;
  readonly cwd: string;
  readonly rules: Rule[] = [];
  readonly directories: string[] = [];

  constructor(cwd: string, mode: PermissionMode) {
    this.cwd = cwd;
    this.mode = mode;
  }

  /** Takes the rules of a settings object. */
  addSettings(settings: Json, source: RuleSource): void {
    const permissions = recordAt(settings, "permissions");
    for (const behavior of ["allow", "ask", "deny"] as const) {
      for (const text of textsIn(listAt(permissions, behavior))) this.rules.push(parseRule(text, behavior, source));
    }
    this.directories.push(...textsIn(listAt(permissions, "additionalDirectories")));
  }

  /** Applies one `PermissionUpdate`; true if it changed the mode. */
  update(update: Json): boolean {
    const destination = textAt(update, "destination") ?? "session";
    const source = (destination === "cliArg" ? "session" : destination) as RuleSource;
    switch (update.type) {
      case "setMode": {
        const mode = textAt(update, "mode") as PermissionMode | undefined;
        if (mode === undefined || mode === this.mode) return false;
        this.mode = mode;
        return true;
      }
      case "addDirectories":
        this.directories.push(...textsIn(listAt(update, "directories")));
        return false;
      case "removeDirectories":
        for (const directory of textsIn(listAt(update, "directories")))
          remove(this.directories, (it) => it === directory);
        return false;
      case "addRules":
      case "replaceRules":
      case "removeRules": {
        const behavior = (textAt(update, "behavior") ?? "allow") as RuleBehavior;
        if (update.type === "replaceRules")
          remove(this.rules, (rule) => rule.source === source && rule.behavior === behavior);
        for (const given of listAt(update, "rules").filter(isRecord)) {
          const content = textAt(given, "ruleContent");
          const rule: Rule = {
            behavior,
            source,
            toolName: textAt(given, "toolName") ?? "",
            ...(content === undefined ? {} : { ruleContent: content }),
          };
          if (update.type === "removeRules")
            remove(this.rules, (it) => ruleText(it) === ruleText(rule) && it.source === source);
          else this.rules.push(rule);
        }
        return false;
      }
      default:
        return false;
    }
  }

  decide(question: Question): Decision {
    const { toolName, input } = question;
    const whole = this.#ruleFor(toolName);
    if (whole?.behavior === "deny") {
      return { kind: "deny", message: `Permission to use ${toolName} has been denied.`, reasonType: "rule" };
    }
    if (question.interactive) return { kind: "ask", message: "This needs an answer from the user.", fields: {} };
    if (question.harmless) return { kind: "allow", source: "config" };
    const decision =
      toolName === "Bash"
        ? this.#decideBash(textAt(input, "command") ?? "", whole)
        : this.#decideOther(question, whole);
    return decision.kind === "ask" ? this.#underMode(decision, toolName) : decision;
  }

  isInside(path: string): boolean {
    return [this.cwd, ...this.directories].some((directory) => isWithin(absolute(path, this.cwd), directory));
  }

  #underMode(decision: Decision, toolName: string): Decision {
    switch (this.mode) {
      case "bypassPermissions":
        return { kind: "allow", source: "config", reasonType: "mode" };
      case "auto":
        return { kind: "allow", source: "config", reasonType: "classifier" };
      case "dontAsk":
        return { kind: "deny", message: dontAskText(toolName), reasonType: "mode" };
      default:
        return decision;
    }
  }

  #ruleFor(toolName: string): Rule | undefined {
    const fitting = this.rules.filter((rule) => rule.toolName === toolName && rule.ruleContent === undefined);
    return byStrength(fitting);
  }

  #decideBash(command: string, whole: Rule | undefined): Decision {
    const shell = parseShell(command, this.cwd);
    const exact = byStrength(this.rules.filter((rule) => rule.toolName === "Bash" && rule.ruleContent === command));
    const perPart = shell.parts.map((part) => this.#bashRuleFor(part.text));
    if (exact?.behavior === "deny" || perPart.some((rule) => rule?.behavior === "deny")) {
      return {
        kind: "deny",
        message: `Permission to use Bash with command ${command} has been denied.`,
        reasonType: "subcommandResults",
      };
    }
    const asked = [exact, whole, ...perPart].find((rule) => rule?.behavior === "ask");
    if (asked !== undefined) {
      return {
        kind: "ask",
        message: `Permission to use Bash with command ${command} needs approval.`,
        fields: {
          decision_reason_type: "rule",
          decision_reason_rule_source: asked.source,
          server_policy_ask_only: false,
        },
      };
    }
    if (exact !== undefined) {
      return {
        kind: "allow",
        source: exact.source === "localSettings" ? "user_permanent" : "config",
        reasonType: "rule",
      };
    }
    if (whole?.behavior === "allow") return { kind: "allow", source: "config", reasonType: "rule" };
    if (shell.opaque !== undefined) {
      return {
        kind: "ask",
        message: shell.opaque,
        fields: { permission_suggestions: [], decision_reason: shell.opaque, decision_reason_type: "other" },
      };
    }
    const asking = shell.parts.filter((part, at) => perPart[at] === undefined && !this.#isAllowedPart(part));
    if (asking.length === 0) return { kind: "allow", source: "config", reasonType: "subcommandResults" };
    return this.#questionFor(command, shell.parts, asking);
  }

  #isAllowedPart(part: ShellPart): boolean {
    const inside = part.paths.every((path) => this.isInside(path));
    if (part.kind === "reads") return inside;
    return this.mode === "acceptEdits" && (part.kind === "writes" || part.kind === "redirects") && inside;
  }

  #bashRuleFor(text: string): Rule | undefined {
    return byStrength(
      this.rules.filter(
        (rule) => rule.toolName === "Bash" && rule.ruleContent !== undefined && fitsShell(rule.ruleContent, text),
      ),
    );
  }

  #questionFor(command: string, parts: readonly ShellPart[], asking: readonly ShellPart[]): Decision {
    const first = asking[0]!;
    const alone = asking.length === 1;
    const path = first.paths.find((it) => first.kind !== "reads" || !this.isInside(it));
    if (alone && path !== undefined) {
      const rule = addRules("Bash", parts.length === 1 ? ruleFor(command) : command, "localSettings");
      const suggestions =
        first.kind === "reads"
          ? [rule, addRules("Read", `/${readableRootOf(path)}/**`, "session")]
          : [
              rule,
              { type: "addDirectories", directories: [directoryOf(path)], destination: "session" },
              ...(first.kind === "writes" ? [{ type: "setMode", mode: "acceptEdits", destination: "session" }] : []),
            ];
      const name = first.text.split(/\s+/)[0] ?? "";
      return {
        kind: "ask",
        message: this.isInside(path)
          ? `${name} in '${path}' needs approval. The path is inside the working directories for this session ('${this.cwd}'), and Claude Code asks before a shell command creates, changes or removes files there.`
          : `${name} in '${path}' was blocked. For security, Claude Code may only use files in the allowed working directories for this session: '${this.cwd}'.`,
        fields: { permission_suggestions: suggestions, blocked_path: path },
      };
    }
    if (parts.length === 1) {
      const isFind = command.startsWith("find ");
      const reason = isFind
        ? "find with '-delete' executes commands or modifies files — cannot be auto-allowed by a Bash(find:*) prefix rule"
        : "This command requires approval";
      return {
        kind: "ask",
        message: reason,
        fields: {
          permission_suggestions: isFind ? [] : [addRules("Bash", ruleFor(command), "localSettings")],
          decision_reason: reason,
          decision_reason_type: "other",
        },
      };
    }
    return {
      kind: "ask",
      message: "This command requires approval",
      fields: {
        permission_suggestions: [
          {
            type: "addRules",
            rules: asking.map((part) => ({ toolName: "Bash", ruleContent: ruleFor(part.text) })),
            behavior: "allow",
            destination: "localSettings",
          },
        ],
        decision_reason_type: "subcommandResults",
      },
    };
  }

  #decideOther(question: Question, whole: Rule | undefined): Decision {
    const { toolName, input } = question;
    if (whole?.behavior === "ask") {
      return {
        kind: "ask",
        message: `Permission to use ${toolName} needs approval.`,
        fields: { decision_reason_type: "rule", decision_reason_rule_source: whole.source },
      };
    }
    const path = textAt(input, "file_path") ?? textAt(input, "notebook_path") ?? textAt(input, "path") ?? this.cwd;
    if (READ_TOOLS.includes(toolName)) return this.#decideRead(toolName, path, whole);
    if (EDIT_TOOLS.includes(toolName)) return this.#decideEdit(toolName, path, whole, question.planFile);
    if (whole?.behavior === "allow") return { kind: "allow", source: "config", reasonType: "rule" };
    if (toolName.startsWith("mcp__")) return this.#decideMcp(toolName);
    const host = toolName === "WebFetch" ? hostOf(textAt(input, "url") ?? "") : undefined;
    if (
      host !== undefined &&
      this.rules.some((rule) => rule.toolName === "WebFetch" && rule.ruleContent === `domain:${host}`)
    ) {
      return { kind: "allow", source: "config", reasonType: "rule" };
    }
    return {
      kind: "ask",
      message: `Claude requested permissions to use ${toolName}, but you haven't granted it yet.`,
      fields: {
        permission_suggestions: [
          addRules(toolName, host === undefined ? undefined : `domain:${host}`, "localSettings"),
        ],
      },
    };
  }

  #decideRead(toolName: string, path: string, whole: Rule | undefined): Decision {
    if (whole?.behavior === "allow" && !this.isInside(path))
      return { kind: "allow", source: "config", reasonType: "rule" };
    if (this.isInside(path)) return { kind: "allow", source: "config", reasonType: "mode" };
    const full = absolute(path, this.cwd);
    if (this.#pathRule("Read", full)) return { kind: "allow", source: "config", reasonType: "rule" };
    return {
      kind: "ask",
      message: `Claude requested permissions to read from ${full}, but you haven't granted it yet.`,
      fields: {
        permission_suggestions: [addRules("Read", `/${directoryOf(full)}/**`, "session")],
        ...OUTSIDE,
        ...(toolName === "Read" ? { server_policy_ask_only: true } : {}),
      },
    };
  }

  #decideEdit(toolName: string, path: string, whole: Rule | undefined, planFile: string): Decision {
    const full = absolute(path, this.cwd);
    const message = `Claude requested permissions to write to ${full}, but you haven't granted it yet.`;
    if (full === planFile) return { kind: "allow", source: "config", reasonType: "other" };
    if (whole?.behavior === "allow" || this.#pathRule("Edit", full)) {
      return { kind: "allow", source: "config", reasonType: "rule" };
    }
    if (this.mode === "plan") return { kind: "ask", message, fields: { decision_reason_type: "mode" } };
    const inside = this.isInside(path);
    const isOwnConfig = relative(this.cwd, full).startsWith(".claude/");
    if (inside && this.mode === "acceptEdits" && !isOwnConfig)
      return { kind: "allow", source: "config", reasonType: "mode" };
    const suggestions = [
      ...(this.mode === "default" ? [{ type: "setMode", mode: "acceptEdits", destination: "session" }] : []),
      ...(inside ? [] : [{ type: "addDirectories", directories: [directoryOf(full)], destination: "session" }]),
    ];
    if (isOwnConfig) {
      return {
        kind: "ask",
        message,
        fields: {
          permission_suggestions: suggestions,
          decision_reason: message,
          decision_reason_type: "safetyCheck",
          classifier_approvable: true,
        },
      };
    }
    const policy = toolName === "NotebookEdit" ? {} : { server_policy_ask_only: true };
    return {
      kind: "ask",
      message,
      fields: { permission_suggestions: suggestions, ...(inside ? {} : OUTSIDE), ...policy },
    };
  }

  #decideMcp(toolName: string): Decision {
    const server = /^mcp__(.+?)__/.exec(toolName)?.[1] ?? "";
    const rule = byStrength(
      this.rules.filter((it) => it.toolName === `mcp__${server}` || it.toolName === `mcp__${server}__*`),
    );
    if (rule?.behavior === "allow") return { kind: "allow", source: "config", reasonType: "rule" };
    return {
      kind: "ask",
      message: `Claude requested permissions to use ${toolName}, but you haven't granted it yet.`,
      fields: {
        permission_suggestions: [addRules(toolName, undefined, "localSettings")],
        server_policy_ask_only: true,
      },
    };
  }

  #pathRule(toolName: string, full: string): boolean {
    return this.rules.some(
      ({ behavior, toolName: name, ruleContent }) =>
        behavior === "allow" &&
        name === toolName &&
        ruleContent?.startsWith("//") === true &&
        fitsPath(ruleContent.slice(1), full),
    );
  }
}

const OUTSIDE = {
  decision_reason: "Path is outside allowed working directories",
  decision_reason_type: "workingDir",
} as const;

const addRules = (toolName: string, ruleContent: string | undefined, destination: string): Json => ({
  type: "addRules",
  rules: [ruleContent === undefined ? { toolName } : { toolName, ruleContent }],
  behavior: "allow",
  destination,
});

/** A folder is its own root; a file's is the folder that it lies in. */
const readableRootOf = (path: string): string => (/\.[^/]*$|\/etc\/[^/]+$/.test(path) ? directoryOf(path) : path);

const byStrength = (rules: readonly Rule[]): Rule | undefined =>
  rules.find(({ behavior }) => behavior === "deny") ?? rules.find(({ behavior }) => behavior === "ask") ?? rules[0];

const fitsShell = (content: string, text: string): boolean => {
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(content)?.[1];
  if (prefix === undefined) return content === "*" || content === text;
  return text === prefix || text.startsWith(`${prefix} `);
};

const fitsPath = (pattern: string, path: string): boolean =>
  pattern.endsWith("/**") ? isWithin(path, pattern.slice(0, -3)) : pattern === path;

const isWithin = (path: string, directory: string): boolean => path === directory || path.startsWith(`${directory}/`);

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);

const remove = <T>(list: T[], when: (entry: T) => boolean): void => {
  for (let at = list.length - 1; at >= 0; at--) if (when(list[at]!)) list.splice(at, 1);
};

const dontAskText = (toolName: string): string =>
  `Permission to use ${toolName} has been denied because Claude Code is running in don't ask mode. IMPORTANT: You *may* attempt to accomplish this action using other tools that might naturally be used to accomplish this goal, e.g. using head instead of cat. But you *should not* attempt to work around this denial in malicious ways, e.g. do not use your ability to run tests to execute non-test actions. You should only try to work around this restriction in reasonable ways that do not attempt to bypass the intent behind this denial. If you believe this capability is essential to complete the user's request, STOP and explain to the user what you were trying to do and why you need this permission. Let the user decide how to proceed.`;

/** The settings objects that are in force, lowest first. */
export const readSettings = (
  cwd: string,
  home: string,
  sources: readonly string[],
  flag: string | Json | undefined,
): readonly { readonly source: RuleSource; readonly settings: Json }[] => {
  const files: readonly (readonly [string, RuleSource, string])[] = [
    ["user", "userSettings", join(home, ".claude", "settings.json")],
    ["project", "projectSettings", join(cwd, ".claude", "settings.json")],
    ["local", "localSettings", join(cwd, ".claude", "settings.local.json")],
  ];
  const found = files.flatMap(([name, source, path]) => {
    const settings = sources.includes(name) ? readJsonFile(path) : undefined;
    return settings === undefined ? [] : [{ source, settings }];
  });
  if (flag === undefined) return found;
  const settings = typeof flag === "string" ? readJsonFile(flag) : flag;
  return settings !== undefined ? [...found, { source: "flagSettings", settings }] : found;
};

const readJsonFile = (path: string): Json | undefined => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // A settings file that is not there is the normal case.
    return undefined;
  }
  const parsed = parseJson(text);
  return isRecord(parsed) ? parsed : undefined;
};
