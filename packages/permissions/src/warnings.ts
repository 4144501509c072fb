// What a person should know who trusts a verdict: above all, ways around a deny rule that the CLI does not see.

import type { Context } from "./context.ts";
import { compiledOf } from "./context.ts";
import type { Finding } from "./finding.ts";
import type { ToolCall } from "./types.ts";

const NONE: readonly string[] = [];

/** Forms through which the CLI's own deny rules do not see. */
const AROUND =
  /\beval\b|\b(?:ba|z|da|k)?sh\b\s+(?:-\w*c\b|<<|[^-\s])|\$\(|`|\bsource\b|\bxargs\s+-|\bgit\s+-|\bpython3?\b|\bperl\b|\bruby\b|\bnode\b|\bfind\b.*-exec/u;

export const warningsFor = (finding: Finding, context: Context, { tool, input }: ToolCall): readonly string[] => {
  if (tool !== "Bash" || finding.behavior !== "allow") return NONE;
  const command = typeof input.command === "string" ? input.command : "";
  const { rules } = compiledOf(context);
  const warnings: string[] = [];
  const hasDenials = !rules.deny.bash.isEmpty || !rules.deny.read.isEmpty || !rules.deny.edit.isEmpty;
  if (hasDenials && AROUND.test(command.slice(0, 20_000)))
    warnings.push(
      "Your deny rules do not see what runs inside this command: eval, sh -c, scripts, substitutions and other programs pass them.",
    );
  if (finding.kind === "rule" && finding.rule?.rule.ruleContent === undefined && !rules.deny.bash.isEmpty)
    warnings.push(
      "A rule allows the whole tool. Deny rules for single commands can be walked around with other options or another order.",
    );
  return warnings;
};
