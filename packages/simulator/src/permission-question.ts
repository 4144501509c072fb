// How the CLI words a question about a tool, and what it suggests with it. The check decides whether there is a question.
import type { Context, ToolCall, Verdict } from "@quarterdeck/permissions";
import { textAt } from "./json.ts";
import { addRules } from "./permission-decision.ts";
import type { Decision } from "./permission-decision.ts";
import { absolute, directoryOf, isWithinAny } from "./shell-command.ts";
import { shellQuestionFor } from "./shell-question.ts";

export type Asked = Extract<Decision, { kind: "ask" }>;

const SEARCH_TOOLS: readonly string[] = ["Read", "Glob", "Grep"];
const EDIT_TOOLS: readonly string[] = ["Write", "Edit", "NotebookEdit"];

export const questionFor = (context: Context, call: ToolCall, verdict: Verdict): Asked => {
  const { tool, input } = call;
  const command = tool === "Bash" ? (textAt(input, "command") ?? "") : undefined;
  if (verdict.reason.kind === "rule") return ruledQuestion(tool, command, verdict);
  if (command !== undefined) return shellQuestionFor(context, command);
  const path = textAt(input, "file_path") ?? textAt(input, "notebook_path") ?? textAt(input, "path") ?? context.cwd;
  if (SEARCH_TOOLS.includes(tool)) return readQuestion(context, tool, path);
  if (EDIT_TOOLS.includes(tool)) return editQuestion(context, tool, path, verdict);
  const host = tool === "WebFetch" ? hostOf(textAt(input, "url") ?? "") : undefined;
  const content = host === undefined ? undefined : `domain:${host}`;
  return {
    kind: "ask",
    message: `Claude requested permissions to use ${tool}, but you haven't granted it yet.`,
    fields: {
      permission_suggestions: [addRules(tool, content, "localSettings")],
      ...(tool.startsWith("mcp__") ? { server_policy_ask_only: true } : {}),
    },
  };
};

const ruledQuestion = (tool: string, command: string | undefined, { reason }: Verdict): Asked => ({
  kind: "ask",
  message: `Permission to use ${tool}${command === undefined ? "" : ` with command ${command}`} needs approval.`,
  fields: {
    decision_reason_type: "rule",
    decision_reason_rule_source: reason.scope,
    ...(command === undefined ? {} : { server_policy_ask_only: false }),
  },
});

const readQuestion = (context: Context, tool: string, path: string): Asked => {
  const full = absolute(path, context.cwd);
  return {
    kind: "ask",
    message: `Claude requested permissions to read from ${full}, but you haven't granted it yet.`,
    fields: {
      permission_suggestions: [addRules("Read", `/${tool === "Read" ? directoryOf(full) : full}/**`, "session")],
      ...OUTSIDE,
      ...(tool === "Read" ? { server_policy_ask_only: true } : {}),
    },
  };
};

const editQuestion = (context: Context, tool: string, path: string, { reason }: Verdict): Asked => {
  const full = absolute(path, context.cwd);
  const inside = isWithinAny(full, [context.cwd, ...context.additionalDirectories]);
  const message = `Claude requested permissions to write to ${full}, but you haven't granted it yet.`;
  const suggestions = [
    ...(context.mode === "default" ? [{ type: "setMode", mode: "acceptEdits", destination: "session" }] : []),
    ...(inside ? [] : [{ type: "addDirectories", directories: [directoryOf(full)], destination: "session" }]),
  ];
  if (reason.kind === "special-path" || reason.kind === "own-settings") {
    const words =
      reason.kind === "special-path"
        ? `Claude requested permissions to edit ${full} which is a sensitive file.`
        : message;
    return {
      kind: "ask",
      message: words,
      fields: {
        permission_suggestions: suggestions,
        decision_reason: words,
        decision_reason_type: "safetyCheck",
        classifier_approvable: true,
      },
    };
  }
  if (context.mode === "plan") return { kind: "ask", message, fields: { decision_reason_type: "mode" } };
  const policy = tool === "NotebookEdit" ? {} : { server_policy_ask_only: true };
  return {
    kind: "ask",
    message,
    fields: { permission_suggestions: suggestions, ...(inside ? {} : OUTSIDE), ...policy },
  };
};

const OUTSIDE = {
  decision_reason: "Path is outside allowed working directories",
  decision_reason_type: "workingDir",
} as const;

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);
