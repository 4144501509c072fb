// Warnings about a verdict: above all, that a command gets around a deny rule without the CLI noticing.

import { LONGEST_COMMAND } from "./cli-reading.ts";
import type { Context } from "./context.ts";
import { compiledOf } from "./context.ts";
import type { Finding } from "./finding.ts";
import { baseName } from "./paths.ts";
import { programsOf } from "./programs.ts";
import type { ToolCall } from "./types.ts";

const NONE: readonly string[] = [];

/** Forms through which the CLI's own deny rules do not see. */
const AROUND =
  /\b(?:eval|source|trap|alias|busybox|toybox|python3?|perl|ruby|node)\b|\b(?:ba|z|da|k)?sh\b\s+(?:-\w*c\b|<<|[^-\s])|\$\(|`|\bxargs\s+-|\bgit\s+-|\bfind\b.*-exec|(?:^|[;&|(]\s*)(?:\$\w|\$\{|\.{1,2}\/)/u;
const MOST_WARNED = 3;
/** Longer lines of older CLIs get no warning. */
const LONGEST_SEEN = 20_000;

export const warningsFor = (finding: Finding, context: Context, { tool, input }: ToolCall): readonly string[] => {
  if (tool !== "Bash" || finding.behavior === "deny") return NONE;
  const command = typeof input.command === "string" ? input.command : "";
  const { rules, facts } = compiledOf(context);
  const hasBashDenials = !rules.deny.bash.isEmpty;
  if (!hasBashDenials && rules.deny.read.isEmpty && rules.deny.edit.isEmpty) return NONE;
  const warnings: string[] = [];
  const isLong = facts.shellGrammar && command.length > LONGEST_COMMAND;
  if (isLong)
    warnings.push(
      "Claude Code does not read a command of more than 10,000 characters. Your deny rules see only how it begins.",
    );
  else if (command.length <= LONGEST_SEEN && AROUND.test(command)) {
    const unseen = hasBashDenials ? unseenIn(command, context) : NONE;
    warnings.push(...unseen);
    if (unseen.length === 0 && finding.behavior === "allow")
      warnings.push(
        "Your deny rules do not see what runs inside this command: eval, sh -c, scripts, substitutions and other programs pass them.",
      );
  }
  const isWholeTool = finding.kind === "rule" && finding.rule?.rule.ruleContent === undefined;
  if (finding.behavior === "allow" && isWholeTool && hasBashDenials)
    warnings.push(
      "A rule allows the whole tool. Deny rules for single commands can be walked around with other options or another order.",
    );
  return warnings;
};

/** Denied programs that the line starts without the CLI seeing it. */
const unseenIn = (command: string, context: Context): readonly string[] => {
  const { deny } = compiledOf(context).rules;
  const found = new Set<string>();
  for (const { name, args, through } of programsOf(command).programs) {
    const rule = deny.bash.first([baseName(name), ...args].join(" "));
    if (rule === undefined || found.size === MOST_WARNED) continue;
    const way = through.length === 0 ? "here" : `behind ${through.join(", ")}`;
    found.add(`The rule ${rule.rule.text} denies ${baseName(name)}, but Claude Code does not see it ${way}.`);
  }
  return [...found];
};
