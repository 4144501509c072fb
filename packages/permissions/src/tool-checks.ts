// What each tool's own check says: files, searches, the web, skills, agents. Bash has files of its own.

import type { Compiled } from "./context.ts";
import { byRule, passed } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { FREE_TOOLS } from "./modes.ts";
import { liftingRule } from "./own-settings.ts";
import { allowRule, firstRule, whereIs } from "./path-access.ts";
import type { Where } from "./path-access.ts";
import { folderOf, isLink } from "./paths.ts";
import type { Realpath } from "./paths.ts";
import { specialPath } from "./special-paths.ts";
import { toolNameOf } from "./tool-rules.ts";
import { isTrustedAddress, partsOfUrl } from "./trusted-hosts.ts";
import type { CheckOptions, Mode, PlacedRule, ToolCall } from "./types.ts";

export interface ToolCheck {
  readonly compiled: Compiled;
  readonly mode: Mode;
  readonly realpath: Realpath | undefined;
  readonly options: CheckOptions;
}

const textAt = (input: ToolCall["input"], field: string): string | undefined => {
  const value = input[field];
  return typeof value === "string" ? value : undefined;
};

const invalid: Finding = {
  behavior: "ask",
  kind: "invalid-input",
  words: "The input has no text where the tool needs one.",
};
const free = (words: string): Finding => ({ behavior: "allow", kind: "safe-tool", words });

const writeFinding = (tool: string, path: string | undefined, check: ToolCheck): Finding => {
  if (path === undefined) return invalid;
  const { compiled, mode, realpath } = check;
  const { rules, facts } = compiled;
  const where = whereIs(path, compiled, realpath);
  const deny = firstRule(where.spellings, (at) => rules.deny.edit.match(at));
  if (deny !== undefined) return byRule("deny", deny, `A rule denies changing ${path}.`, path);
  if (facts.readDenyStopsWrite) {
    const hidden = firstRule(where.spellings, (at) => rules.deny.read.match(at));
    if (hidden !== undefined)
      return byRule("deny", hidden, `A rule denies reading ${path}, so it cannot be changed either.`, path);
  }
  // Stronger than an ask rule. Other modes were not measured.
  const lifted =
    mode === "default" || mode === "acceptEdits"
      ? liftingRule(where.spellings, compiled.ownSettings, compiled.folders)
      : undefined;
  if (lifted !== undefined) return byRule("allow", lifted, `A rule of this session allows changing ${path}.`, path);
  const ask = firstRule(where.spellings, (at) => rules.ask.edit.match(at));
  if (ask !== undefined) return byRule("ask", ask, `A rule asks before ${path} is changed.`, path);
  for (const at of where.spellings) {
    const special = specialPath(at, facts);
    if (special !== undefined)
      return {
        behavior: "ask",
        kind: special.kind,
        words: `It would change ${path}. ${special.words}`,
        part: path,
        isSafety: true,
      };
  }
  if (facts.noWriteThroughLinks && isLink(where.path, realpath))
    return {
      behavior: "deny",
      kind: "special-path",
      words: `${path} is a link, and this CLI does not write through links.`,
      part: path,
    };
  if (mode === "plan")
    return {
      behavior: "ask",
      kind: "mode",
      words: "Plan mode asks before a file is changed.",
      part: path,
      isSafety: facts.safetyHolds,
    };
  if ((mode === "acceptEdits" || mode === "auto") && where.isWrittenInside)
    return { behavior: "allow", kind: "mode", words: "The mode lets files of the project be changed." };
  const allow = writeAllow(tool, where, check);
  if (allow !== undefined) return byRule("allow", allow, `A rule allows changing ${path}.`, path);
  if (where.isWrittenInside)
    return { behavior: "ask", kind: "default", words: "No rule allows changing files of the project." };
  const isCarriedOut = where.spellings.length > 1 && facts.noWriteThroughLinks;
  return {
    behavior: "ask",
    kind: "outside",
    words: "The file lies outside the folders of the session.",
    part: path,
    isSafety: isCarriedOut,
  };
};

const writeAllow = (tool: string, where: Where, { compiled }: ToolCheck): PlacedRule | undefined => {
  const { rules, facts } = compiled;
  return (
    (where.isWrittenInside ? rules.allow.tools.matchInside(tool) : undefined) ??
    allowRule(where, (at) => rules.allow.edit.match(at), facts.allowFollowsLinks)
  );
};

const readFinding = (path: string | undefined, check: ToolCheck): Finding => {
  if (path === undefined) return invalid;
  const { compiled, realpath } = check;
  const { rules, facts } = compiled;
  const where = whereIs(path, compiled, realpath);
  const deny = firstRule(where.spellings, (at) => rules.deny.read.match(at));
  if (deny !== undefined) return byRule("deny", deny, `A rule denies reading ${path}.`, path);
  const ask = firstRule(where.spellings, (at) => rules.ask.read.match(at));
  if (ask !== undefined) return byRule("ask", ask, `A rule asks before ${path} is read.`, path);
  if (where.isInside)
    return { behavior: "allow", kind: "read-only", words: "It only reads, inside the folders of the session." };
  const allow =
    allowRule(where, (at) => rules.allow.read.match(at), facts.allowFollowsLinks) ??
    allowRule(where, (at) => rules.allow.edit.match(at), facts.allowFollowsLinks);
  if (allow !== undefined) return byRule("allow", allow, `A rule allows reading ${path}.`, path);
  return { behavior: "ask", kind: "outside", words: "It reads outside the folders of the session.", part: path };
};

const globFinding = (input: ToolCall["input"], check: ToolCheck): Finding => {
  const pattern = textAt(input, "pattern") ?? "";
  const path = textAt(input, "path");
  if (path === undefined && check.compiled.facts.globPatternFolder && pattern.startsWith("/")) {
    const star = /[*?[{]/u.exec(pattern)?.index ?? pattern.length;
    return readFinding(folderOf(pattern.slice(0, star) + "x"), check);
  }
  return readFinding(path ?? ".", check);
};

const webFinding = (input: ToolCall["input"], { compiled }: ToolCheck): Finding => {
  const url = partsOfUrl(textAt(input, "url") ?? "");
  if (url === undefined) return { behavior: "ask", kind: "invalid-input", words: "The address cannot be read." };
  const { rules, facts } = compiled;
  const host = facts.domainStars ? url.host.replace(/\.$/u, "") : url.host;
  const isFree = isTrustedAddress(host, url.path);
  if (isFree && !facts.domainStars) return free("It is a documentation site that the CLI trusts.");
  const find = (behavior: "allow" | "ask" | "deny"): PlacedRule | undefined =>
    rules[behavior].domains.match(host, facts.domainStars);
  const deny = find("deny");
  if (deny !== undefined) return byRule("deny", deny, `A rule denies the host ${host}.`, host);
  const ask = find("ask");
  if (ask !== undefined) return byRule("ask", ask, `A rule asks for the host ${host}.`, host);
  if (isFree) return free("It is a documentation site that the CLI trusts.");
  const allow = find("allow");
  if (allow !== undefined) return byRule("allow", allow, `A rule allows the host ${host}.`, host);
  return { behavior: "ask", kind: "default", words: `No rule allows the host ${host}.`, part: host };
};

const skillFinding = (input: ToolCall["input"], { compiled, options }: ToolCheck): Finding => {
  const name = (textAt(input, "skill") ?? textAt(input, "command") ?? "")
    .trim()
    .replace(/^\//u, "")
    .split(/\s/u, 1)[0]!;
  const find = (behavior: "allow" | "ask" | "deny"): PlacedRule | undefined =>
    compiled.rules[behavior].others.get("Skill")?.find(({ rule }) => {
      const content = (rule.ruleContent ?? "").replace(/^\//u, "");
      return content === name || (content.endsWith(":*") && name.startsWith(content.slice(0, -2)));
    });
  const deny = find("deny");
  if (deny !== undefined) return byRule("deny", deny, `A rule denies the skill ${name}.`, name);
  if (options.skillAllowsTools === false) return free("The skill brings no tools of its own.");
  const ask = find("ask");
  if (ask !== undefined) return byRule("ask", ask, `A rule asks for the skill ${name}.`, name);
  const allow = find("allow");
  if (allow !== undefined) return byRule("allow", allow, `A rule allows the skill ${name}.`, name);
  return { behavior: "ask", kind: "default", words: "A skill that brings its own tools asks.", part: name };
};

const agentFinding = (input: ToolCall["input"], { compiled }: ToolCheck): Finding => {
  const type = textAt(input, "subagent_type") ?? "";
  const find = (behavior: "allow" | "ask" | "deny"): PlacedRule | undefined =>
    compiled.rules[behavior].others.get("Task")?.find(({ rule }) => rule.ruleContent === type);
  const deny = find("deny");
  if (deny !== undefined) return byRule("deny", deny, `A rule denies agents of the type ${type}.`, type);
  return free("Starting an agent needs no permission; what it does is checked.");
};

const FREE: ReadonlySet<string> = new Set(FREE_TOOLS);
/** Other tools that are known to exist. */
const OTHER_TOOLS = new Set(
  "Bash WebSearch PowerShell REPL LSP Monitor Workflow EnterWorktree ExitWorktree SendMessage TeamCreate TeamDelete ReadMcpResourceTool RemoteTrigger CronCreate CronDelete CronList".split(
    " ",
  ),
);
/** Whether a tool of this name is known to us. MCP servers bring their own. */
export const isKnownTool = (tool: string): boolean =>
  tool.startsWith("mcp__") || FREE.has(tool) || ALWAYS_ASK.has(tool) || OTHER_TOOLS.has(tool) || OWN_CHECKS.has(tool);

const OWN_CHECKS = new Set(
  "Read NotebookRead LS Grep Glob Write Edit MultiEdit NotebookEdit WebFetch Skill SlashCommand Task Agent TodoWrite".split(
    " ",
  ),
);
/** Tools whose card is the answer. */
export const ALWAYS_ASK = new Set(["AskUserQuestion", "ExitPlanMode"]);

export const toolFinding = ({ tool, input }: ToolCall, check: ToolCheck): Finding => {
  if (check.options.tools?.includes(tool) === false)
    return { behavior: "deny", kind: "invalid-input", words: "The session has no tool of this name." };
  switch (toolNameOf(tool, check.compiled.facts)) {
    case "Read":
    case "NotebookRead":
      return readFinding(textAt(input, "file_path") ?? textAt(input, "notebook_path"), check);
    case "LS":
    case "Grep":
      return readFinding(textAt(input, "path") ?? ".", check);
    case "Glob":
      return globFinding(input, check);
    case "Write":
    case "Edit":
    case "MultiEdit":
      return writeFinding(tool, textAt(input, "file_path"), check);
    case "NotebookEdit":
      return writeFinding(tool, textAt(input, "notebook_path"), check);
    case "WebFetch":
      return webFinding(input, check);
    case "Skill":
    case "SlashCommand":
      return skillFinding(input, check);
    case "Task":
      return agentFinding(input, check);
    case "Agent":
      return { behavior: "deny", kind: "invalid-input", words: "This version has no tool of this name." };
    default:
      if (ALWAYS_ASK.has(tool)) return { behavior: "ask", kind: "always-asks", words: "This always asks a person." };
      if (tool === "TodoWrite" && check.compiled.facts.noTodoWrite && check.options.tools === undefined)
        return { behavior: "deny", kind: "invalid-input", words: "This version has no tool of this name." };
      return FREE.has(tool) || tool === "TodoWrite" ? free("This tool never needs permission.") : passed;
  }
};
