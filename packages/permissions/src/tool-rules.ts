// Rules for a whole tool: `Bash`, `Bash(*)`, `mcp__server`, `mcp__server__*`, and names with stars.

import { PATH_TOOLS } from "./rule-problems.ts";
import type { Behavior, PlacedRule } from "./types.ts";
import type { VersionFacts } from "./versions.ts";

export const toolNameOf = (tool: string, facts: VersionFacts): string =>
  facts.agentIsTask && tool === "Agent" ? "Task" : tool;

/** `mcp__server__tool` is about `mcp__server` too. The server's name has no double underscore. */
const serverOf = (tool: string): string | undefined => /^mcp__.+?(?=__)/su.exec(tool)?.[0];

const starMatches = (pattern: string, name: string): boolean => {
  const parts = pattern.split("*");
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > name.length - last.length) return false;
    at = found + part.length;
  }
  return true;
};

export class ToolRules {
  readonly #names = new Map<string, PlacedRule>();
  /** `Read(*)`: since 2.1.325 it frees a file tool only inside the working folders. */
  readonly #inside = new Map<string, PlacedRule>();
  readonly #servers = new Map<string, PlacedRule>();
  readonly #stars: PlacedRule[] = [];
  readonly #facts: VersionFacts;

  constructor(rules: readonly PlacedRule[], behavior: Behavior, facts: VersionFacts) {
    this.#facts = facts;
    for (const rule of rules) {
      const { ruleContent } = rule.rule;
      if (ruleContent !== undefined && ruleContent !== "*") continue;
      const name = toolNameOf(rule.rule.toolName, facts);
      const isInside = ruleContent === "*" && behavior === "allow" && facts.starStaysInside && PATH_TOOLS.has(name);
      if (/^mcp__[^*]+?__\*$/su.test(name)) put(this.#servers, name.slice(0, -3), rule);
      else if (name.includes("*")) this.#stars.push(rule);
      else if (isInside) put(this.#inside, name, rule);
      else {
        put(this.#names, name, rule);
        if (/^mcp__(?:(?!__).)+$/su.test(name)) put(this.#servers, name, rule);
      }
    }
  }

  match(tool: string): PlacedRule | undefined {
    const name = toolNameOf(tool, this.#facts);
    const server = serverOf(name);
    return (
      this.#names.get(name) ??
      (server === undefined ? undefined : this.#servers.get(server)) ??
      this.#stars.find(({ rule }) => starMatches(rule.toolName, name) || starMatches(rule.toolName, tool))
    );
  }

  matchInside(tool: string): PlacedRule | undefined {
    return this.#inside.get(toolNameOf(tool, this.#facts));
  }
}

const put = (map: Map<string, PlacedRule>, key: string, rule: PlacedRule): void => {
  if (!map.has(key)) map.set(key, rule);
};
