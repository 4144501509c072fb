// Which rules the CLI takes, and why it does not take the others. A rule that is not taken matches nothing, silently.

import { parseRule } from "./rule.ts";
import type { Behavior, Rule } from "./types.ts";
import type { VersionFacts } from "./versions.ts";

export type TakenRule =
  | { readonly taken: true; readonly rule: Rule }
  | { readonly taken: false; readonly words: string; readonly breaksFile: boolean; readonly instead?: string };

/** Tools whose content is a path. */
export const PATH_TOOLS = new Set([
  "Read",
  "Write",
  "Edit",
  "MultiEdit",
  "Glob",
  "Grep",
  "LS",
  "NotebookRead",
  "NotebookEdit",
]);

const refused = (words: string, breaksFile: boolean, instead?: string): TakenRule => ({
  taken: false,
  words,
  breaksFile,
  ...(instead !== undefined && { instead }),
});

/** Whether an allow rule may have a star here: only for tools of one MCP server. */
const isScopedStar = (toolName: string): boolean => /^mcp__[^*]+__.*\*/u.test(toolName);

export const takeRule = (text: string, behavior: Behavior, facts: VersionFacts): TakenRule => {
  const parsed = parseRule(text);
  if (!parsed.ok) {
    // In a file of an old CLI, a text that is not a tool's name is harmless. An unbalanced or empty text breaks the
    // file.
    const breaks = text.trim() === "" || text.includes("()") || count(text, "(") !== count(text, ")");
    return refused(parsed.error.message, breaks);
  }
  const { toolName, ruleContent } = parsed.rule;
  if (toolName.startsWith("mcp__")) {
    if (ruleContent !== undefined) return refused("A rule for an MCP tool has nothing in parentheses.", true, toolName);
    if (
      behavior === "allow" &&
      toolName.includes("*") &&
      !/^mcp__[^*]+__\*$/u.test(toolName) &&
      !(facts.toolNameStars && isScopedStar(toolName))
    )
      return refused("An allow rule may have a star only behind mcp__server__.", false);
    if (!facts.toolNameStars && toolName.includes("*") && !/^mcp__[^*]+__\*$/u.test(toolName))
      return refused("A star in a tool's name works only in newer CLIs.", false);
    return { taken: true, rule: parsed.rule };
  }
  if (toolName[0] !== toolName[0]!.toUpperCase() && !(facts.badEntriesAlone && toolName.includes("_"))) {
    const capital = toolName[0]!.toUpperCase() + toolName.slice(1);
    return refused("The tool's name begins with a capital letter.", true, text.replace(toolName, capital));
  }
  if (toolName.includes("*") && (behavior === "allow" || !facts.toolNameStars))
    return refused("A star in the tool's name works only in deny and ask rules of newer CLIs.", false);
  if (ruleContent === undefined) return { taken: true, rule: parsed.rule };
  if (toolName === "WebFetch" && !ruleContent.startsWith("domain:"))
    return refused("A WebFetch rule names a domain.", true, "WebFetch(domain:example.com)");
  if (toolName === "WebSearch" && /[*?]/u.test(ruleContent))
    return refused("A WebSearch rule has no wildcards.", true, "WebSearch");
  if (toolName === "Bash" && ruleContent.includes(":*") && !ruleContent.endsWith(":*"))
    return refused("In a Bash rule, :* stands only at the end.", true);
  if (toolName === "Bash" && ruleContent === ":*") return refused("Before :* stands a command.", true, "Bash");
  if (PATH_TOOLS.has(toolName) && ruleContent.includes(":*"))
    return refused("A path rule has no :* at its end.", true, `${toolName}(${ruleContent.replace(/:\*$/u, "/**")})`);
  return { taken: true, rule: ruleContent === "*" ? { toolName, ruleContent } : parsed.rule };
};

const count = (text: string, char: string): number => text.split(char).length - 1;
