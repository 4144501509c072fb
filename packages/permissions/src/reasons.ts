// A finding in words: which rule, in which file, what a person should know, and what would have changed it.

import type { Context } from "./context.ts";
import type { Finding } from "./finding.ts";
import { MODES } from "./modes.ts";
import { SCOPES } from "./scopes.ts";
import type { Reason, ToolCall } from "./types.ts";
import { warningsFor } from "./warnings.ts";

/** `asksByDefault`: what the mode allows would ask in the mode `default`. */
export const reasonOf = (finding: Finding, context: Context, call: ToolCall, asksByDefault = false): Reason => {
  const { rule, kind, words, part } = finding;
  const place = rule === undefined ? "" : ` It is ${rule.text}, from: ${SCOPES[rule.scope].name}.`;
  return {
    kind,
    words: words + place,
    ...(rule !== undefined && { rule: rule.text, scope: rule.scope }),
    ...(rule?.path !== undefined && { path: rule.path }),
    ...(rule?.line !== undefined && { line: rule.line }),
    ...(part !== undefined && { part: part.length > 2000 ? `${part.slice(0, 2000)}…` : part }),
    warnings: warningsFor(finding, context, call),
    change: changesFor(finding, context, call, asksByDefault),
  };
};

const changesFor = (
  { behavior, kind, rule, isSafety }: Finding,
  { mode }: Context,
  { tool }: ToolCall,
  asksByDefault: boolean,
): readonly string[] => {
  const isOpen = behavior === "ask" || behavior === "pass";
  if (kind === "rule" && rule !== undefined)
    return behavior === "allow"
      ? [`Without the rule ${rule.text} it would ask, unless another rule or the mode allows it.`]
      : [`Without the rule ${rule.text} it would be checked further. A new allow rule would not change the result.`];
  if (behavior === "allow")
    return kind === "mode"
      ? asksByDefault
        ? [`In the mode “${MODES.default.name}” it would ask.`]
        : []
      : [`A rule ${tool} under ask or deny would stop it.`];
  if (behavior === "deny")
    return kind === "mode" || mode === "dontAsk"
      ? ["Another mode would ask.", `A rule that allows it would let it pass.`]
      : [];
  if (kind === "always-asks") return [];
  if (kind === "own-settings" && tool !== "Bash")
    return ["Only a rule of this session lifts this: Edit(/.claude/**) in the project, Edit(~/.claude/**) at home."];
  if (isSafety === true) return ["No rule lifts this. A person can allow it once."];
  if (isOpen && kind === "outside")
    return ["Adding the folder to the session would change it.", "So would a rule that allows the path."];
  if (isOpen && kind === "unparsed")
    return [`A rule that allows the whole tool ${tool} would let it pass.`, "A plainer command could be checked."];
  return [`A rule that allows this call would let it pass.`];
};
