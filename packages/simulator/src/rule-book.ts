// The permission rules with their sources, and the additional folders. It finds the rule that matches. `permissions`
// decides what follows from the rule and the mode.
import { ruleText } from "@quarterdeck/protocol";
import { isRecord, listAt, recordAt, textAt, textsIn } from "./json.ts";
import type { Json } from "./json.ts";
import { absolute } from "./shell-command.ts";

export type RuleBehavior = "allow" | "ask" | "deny";
export type RuleSource = "session" | "localSettings" | "projectSettings" | "userSettings" | "cliArg" | "flagSettings";

export interface Rule {
  readonly behavior: RuleBehavior;
  readonly source: RuleSource;
  readonly toolName: string;
  readonly ruleContent?: string;
}

export const parseRule = (text: string, behavior: RuleBehavior, source: RuleSource): Rule => {
  const match = /^([^(]+)\((.*)\)$/s.exec(text.trim());
  return match === null
    ? { behavior, source, toolName: text.trim() }
    : { behavior, source, toolName: match[1]!, ruleContent: match[2]! };
};

export class RuleBook {
  readonly cwd: string;
  readonly rules: Rule[] = [];
  readonly directories: string[] = [];

  constructor(cwd: string) {
    this.cwd = cwd;
  }

  /** Adds the rules of a settings object. */
  addSettings(settings: Json, source: RuleSource): void {
    const permissions = recordAt(settings, "permissions");
    for (const behavior of ["allow", "ask", "deny"] as const) {
      for (const text of textsIn(listAt(permissions, behavior))) this.rules.push(parseRule(text, behavior, source));
    }
    this.directories.push(...textsIn(listAt(permissions, "additionalDirectories")));
  }

  /** Applies one `PermissionUpdate` about rules or folders. */
  update(update: Json): void {
    const destination = textAt(update, "destination") ?? "session";
    const source = (destination === "cliArg" ? "session" : destination) as RuleSource;
    switch (update.type) {
      case "addDirectories":
        this.directories.push(...textsIn(listAt(update, "directories")));
        return;
      case "removeDirectories":
        for (const directory of textsIn(listAt(update, "directories")))
          remove(this.directories, (it) => it === directory);
        return;
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
        return;
      }
      default:
        return;
    }
  }

  isInside(path: string): boolean {
    return [this.cwd, ...this.directories].some((directory) => isWithin(absolute(path, this.cwd), directory));
  }

  /** The rule about all uses of a tool. */
  ruleFor(toolName: string): Rule | undefined {
    const fitting = this.rules.filter((rule) => rule.toolName === toolName && rule.ruleContent === undefined);
    return byStrength(fitting);
  }

  /** The rule about exactly this command. */
  commandRule(command: string): Rule | undefined {
    return byStrength(this.rules.filter((rule) => rule.toolName === "Bash" && rule.ruleContent === command));
  }

  commandPartRule(text: string): Rule | undefined {
    return byStrength(
      this.rules.filter(
        (rule) => rule.toolName === "Bash" && rule.ruleContent !== undefined && fitsShell(rule.ruleContent, text),
      ),
    );
  }

  serverRule(server: string): Rule | undefined {
    return byStrength(
      this.rules.filter((it) => it.toolName === `mcp__${server}` || it.toolName === `mcp__${server}__*`),
    );
  }

  allowsHost(host: string): boolean {
    return this.rules.some((rule) => rule.toolName === "WebFetch" && rule.ruleContent === `domain:${host}`);
  }

  allowsPath(toolName: string, full: string): boolean {
    return this.rules.some(
      ({ behavior, toolName: name, ruleContent }) =>
        behavior === "allow" &&
        name === toolName &&
        ruleContent?.startsWith("//") === true &&
        fitsPath(ruleContent.slice(1), full),
    );
  }
}

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

const remove = <T>(list: T[], when: (entry: T) => boolean): void => {
  for (let at = list.length - 1; at >= 0; at--) if (when(list[at]!)) list.splice(at, 1);
};
