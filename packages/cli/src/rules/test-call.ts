// `quarterdeck rules test`: what Claude Code would do with a call, what a policy makes of it, and why.

import { join } from "node:path";
import { appliesTo, decideOver, openPolicies, realPath, policyStateOf } from "@quarterdeck/host";
import type { Policy } from "@quarterdeck/host";
import { check, NEWEST_MEASURED, SCOPES } from "@quarterdeck/permissions";
import type { Behavior, Reason, ToolCall, Verdict } from "@quarterdeck/permissions";
import { isRecord } from "@quarterdeck/protocol";
import { jsonText } from "../terminal/terminal.ts";
import { oneLine } from "../terminal/tool-lines.ts";
import { UsageError, UserError } from "../user-error.ts";
import { COLOURS, listedRulesIn, trustNote } from "./rules.ts";
import type { ListedFolderRules, RulesOptions } from "./rules.ts";

/** Exit code: 0 allowed, 3 asks, 4 denied. */
export const testCall = async (
  options: RulesOptions & { readonly tool: string; readonly text: string; readonly mode?: string },
): Promise<number> => {
  const { write, paint, tool } = options;
  const found = await listedRulesIn(options, options.mode);
  const { context, cliVersion } = found;
  const input = inputOf(tool, options.text);
  const verdict = check(context, { tool, input }, { realpath: realPath });
  const { reason } = verdict;
  const policy = policyOver(options, found, { tool, input }, verdict);
  const behavior = policy?.behavior ?? verdict.behavior;
  if (options.json) {
    const shown = { tool, input, mode: context.mode, cliVersion: cliVersion ?? null, ...verdict };
    write(`${jsonText({ ...shown, ...(policy !== undefined && { policy }) }, 2)}\n`);
  } else {
    if (policy !== undefined) {
      const rule = policy.rule === undefined ? "" : ` It matches ${policy.rule}.`;
      write(`${paint(COLOURS[behavior], WORDS[behavior])}  Your policy “${oneLine(policy.name)}” decides.${rule}\n`);
      write("Without it:\n");
    }
    write(`${paint(COLOURS[verdict.behavior], WORDS[verdict.behavior])}  ${reason.words}\n`);
    const version = cliVersion ?? `${NEWEST_MEASURED}, because none is installed`;
    for (const line of [...reasonLines(reason), `Claude Code: ${version}`]) write(paint("dim", `  ${line}\n`));
    const note = trustNote(found);
    const warnings = [...reason.warnings, ...(note === undefined ? [] : [note])];
    for (const warning of warnings) write(paint("yellow", `  Warning: ${warning}\n`));
  }
  return CODES[behavior];
};

/** The policy of this host that decides in place of the verdict. */
const policyOver = (
  { dataDir }: RulesOptions,
  { folder, context }: ListedFolderRules,
  call: ToolCall,
  verdict: Verdict,
) => {
  const policies = policiesIn(dataDir).filter(
    (policy) => policyStateOf(policy, Date.now()) === "on" && appliesTo(policy, "", folder),
  );
  const decided = decideOver(policies, call, { cwd: folder, home: context.home, realpath: realPath }, verdict);
  if (decided === undefined) return undefined;
  const { policy, behavior, rule } = decided;
  return { id: policy.id, name: policy.name, behavior, ...(rule !== undefined && { rule }) };
};

const policiesIn = (dataDir: string): readonly Policy[] => {
  try {
    return openPolicies({ path: join(dataDir, "policies.json") }).list();
  } catch (error) {
    throw error instanceof Error ? new UserError(error.message) : error;
  }
};

const WORDS: Readonly<Record<Behavior, string>> = { allow: "Allowed.", ask: "Asks.", deny: "Denied." };
const CODES: Readonly<Record<Behavior, number>> = { allow: 0, ask: 3, deny: 4 };

const reasonLines = ({ rule, path, line, scope, part, change }: Reason): string[] => [
  ...(rule === undefined ? [] : [`Rule: ${rule}`]),
  ...(path === undefined
    ? scope === undefined
      ? []
      : [`From: ${SCOPES[scope].name}`]
    : [`File: ${path}${line === undefined ? "" : `, line ${String(line)}`}`]),
  ...(part === undefined ? [] : [`Part: ${part}`]),
  ...change.map((words) => `To change it: ${words}`),
];

/** The text of a call as a person types it; JSON for everything else. */
const inputOf = (tool: string, text: string): Record<string, unknown> => {
  const field = Object.hasOwn(FIELDS, tool) ? FIELDS[tool] : undefined;
  if (field !== undefined && !(text.trimStart().startsWith("{") && isJson(text))) return { [field]: text };
  try {
    const input: unknown = JSON.parse(text);
    if (isRecord(input)) return input;
  } catch {
    // Reported below.
  }
  throw new UsageError(`The input of ${tool} must be a JSON object.`);
};
const FIELDS: Readonly<Record<string, string>> = {
  Bash: "command",
  Read: "file_path",
  Edit: "file_path",
  Write: "file_path",
  NotebookEdit: "notebook_path",
  Glob: "pattern",
  Grep: "pattern",
  WebFetch: "url",
  WebSearch: "query",
  Skill: "skill",
};

const isJson = (text: string): boolean => {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
};
