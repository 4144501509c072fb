// Predicts what the CLI will do with a call, and says why.

import { bashFinding } from "./bash-check.ts";
import { compiledOf } from "./context.ts";
import type { Compiled, Context } from "./context.ts";
import { byRule } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { MODES, READING_TOOLS, WRITING_TOOLS } from "./modes.ts";
import { olderBashFinding } from "./older-bash-check.ts";
import type { Realpath } from "./paths.ts";
import { reasonOf } from "./reasons.ts";
import { isRecord } from "./settings.ts";
import { ALWAYS_ASK, isKnownTool, toolFinding } from "./tool-checks.ts";
import type { CheckOptions, ToolCall, Verdict } from "./types.ts";

/** What the CLI will do with a call. Never throws. An invalid call asks. */
export const check = (context: Context, asked: ToolCall, given: CheckOptions = {}): Verdict => {
  const compiled = compiledOf(context);
  const call = isRecord(asked?.input) && typeof asked.tool === "string" ? asked : soundCall(asked);
  const options = given.realpath === undefined ? given : { ...given, realpath: careful(given.realpath) };
  const decided = decide(context, compiled, call, options);
  const finding = afterMode(planEdits(decided, context, compiled, call, options), context, compiled, call);
  const behavior = finding.behavior === "pass" ? "ask" : finding.behavior;
  const asksByDefault =
    behavior === "allow" && finding.kind === "mode" && !isFreeByDefault(context, compiled, call, options);
  return { behavior, reason: reasonOf(finding, context, call, asksByDefault) };
};

/** Whether a call that the mode allows would run unasked in the mode `default` too. */
const isFreeByDefault = (context: Context, compiled: Compiled, call: ToolCall, options: CheckOptions): boolean =>
  decide({ ...context, mode: "default" }, compiled, call, options).behavior === "allow";

const soundCall = (asked: unknown): ToolCall => {
  const { tool, input } = isRecord(asked) ? asked : {};
  return { tool: typeof tool === "string" ? tool : "", input: isRecord(input) ? input : {} };
};

/** A path that cannot be resolved, for example without the rights to read it, counts as a path that does not exist. */
const careful =
  (realpath: Realpath): Realpath =>
  (path) => {
    try {
      return realpath(path);
    } catch {
      return undefined;
    }
  };

const decide = (context: Context, compiled: Compiled, call: ToolCall, options: CheckOptions): Finding => {
  const { rules, facts } = compiled;
  const { tool } = call;
  const deny = rules.deny.tools.match(tool);
  if (deny !== undefined) return byRule("deny", deny, `A rule denies the whole tool ${tool}.`);
  const ask = rules.ask.tools.match(tool);
  if (ask !== undefined) return byRule("ask", ask, `A rule asks for the whole tool ${tool}.`);
  const own = ownFinding(context, compiled, call, options);
  if (own.behavior === "deny") return own;
  if (ALWAYS_ASK.has(tool)) return own;
  const isBypass =
    context.mode === "bypassPermissions" ||
    (context.mode === "plan" && compiled.bypassAvailable && !facts.planKeepsAsking);
  if (own.behavior === "ask") {
    if (own.kind === "rule" && facts.askRulesHold) return own;
    if (own.isSafety === true && facts.safetyHolds && (!isBypass || own.holdsInBypass === true)) return own;
  }
  if (isBypass && !isKnownTool(tool))
    return { behavior: "ask", kind: "default", words: "This tool is not known, so it may not exist." };
  if (isBypass) return { behavior: "allow", kind: "mode", words: "The mode allows everything." };
  const allow = rules.allow.tools.match(tool);
  if (allow !== undefined) return byRule("allow", allow, `A rule allows the whole tool ${tool}.`);
  if (own.behavior === "pass" || own.behavior === "ask") {
    const inside = own.kind === "outside" ? undefined : rules.allow.tools.matchInside(tool);
    if (inside !== undefined)
      return byRule("allow", inside, `A rule allows the tool ${tool} inside the folders of the session.`);
  }
  return own;
};

const ownFinding = (context: Context, compiled: Compiled, call: ToolCall, options: CheckOptions): Finding => {
  const { tool, input } = call;
  const shared = { compiled, mode: context.mode, realpath: options.realpath };
  if (tool !== "Bash") return toolFinding(call, { ...shared, options });
  const command = input.command;
  if (typeof command !== "string")
    return { behavior: "ask", kind: "invalid-input", words: "The input has no command." };
  const finding = (compiled.facts.shellGrammar ? bashFinding : olderBashFinding)(command, shared);
  if (finding.behavior !== "allow" || !/(?:^|[^\\])(?:\\\\)*\\$/u.test(command)) return finding;
  return { behavior: "ask", kind: "unparsed", words: "The line ends with a backslash, so it is not whole." };
};

/** Auto mode lets file commands of the shell pass as acceptEdits does. So does plan mode before 2.1.325, where it has its classifier. */
const planEdits = (
  finding: Finding,
  context: Context,
  compiled: Compiled,
  call: ToolCall,
  options: CheckOptions,
): Finding => {
  const { facts, planClassifier } = compiled;
  const isAuto = context.mode === "auto" && facts.autoMode;
  const isOlderPlan = context.mode === "plan" && planClassifier && !facts.planKeepsAsking;
  if (call.tool !== "Bash" || !(isAuto || isOlderPlan)) return finding;
  if (finding.behavior !== "ask" || finding.kind === "rule" || finding.isSafety === true) return finding;
  const edited = ownFinding({ ...context, mode: "acceptEdits" }, compiled, call, options);
  return edited.behavior === "allow" ? edited : finding;
};

/** Modes that turn a question into something else. */
const afterMode = (
  finding: Finding,
  { mode }: Context,
  { facts, planClassifier }: Compiled,
  { tool }: ToolCall,
): Finding => {
  const isOpen = finding.behavior === "ask" || finding.behavior === "pass";
  if (isOpen && mode === "dontAsk")
    return {
      ...finding,
      behavior: "deny",
      words: `${finding.words} ${MODES.dontAsk.name}: what would ask is refused.`,
    };
  const isClassified = mode === "auto" ? facts.autoMode : mode === "plan" && planClassifier;
  if (!isClassified) return finding;
  if (
    finding.behavior === "allow" &&
    mode === "plan" &&
    facts.planChecksAgents &&
    (tool === "Task" || tool === "Agent")
  )
    return classified(finding);
  if (!isOpen || finding.kind === "rule" || finding.kind === "always-asks" || finding.holdsInBypass === true)
    return finding;
  if (READS.has(tool) && finding.kind === "outside")
    return { behavior: "allow", kind: "mode", words: "In this mode, tools that only read may read everywhere." };
  // Plan mode asks for plain changes of files itself.
  return mode === "plan" && WRITES.has(tool) && finding.kind === "mode" ? finding : classified(finding);
};

const READS: ReadonlySet<string> = new Set(READING_TOOLS);
const WRITES: ReadonlySet<string> = new Set(WRITING_TOOLS);

const classified = (finding: Finding): Finding => ({
  ...finding,
  behavior: "deny",
  kind: "mode",
  words: "A classifier of the CLI decides in this mode. Where it does not run, the call is refused.",
});
