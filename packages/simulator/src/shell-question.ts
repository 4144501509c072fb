// How the CLI words a question about a shell command, and what it suggests with it. That there is a question is the check's decision.
import { check } from "@quarterdeck/permissions";
import type { Context } from "@quarterdeck/permissions";
import { addRules } from "./permission-decision.ts";
import type { Decision } from "./permission-decision.ts";
import { directoryOf, isWithinAny, parseShell, ruleFor } from "./shell-command.ts";
import type { ShellPart } from "./shell-command.ts";

type Asked = Extract<Decision, { kind: "ask" }>;

export const shellQuestionFor = (context: Context, command: string): Asked => {
  const shell = parseShell(command, context.cwd);
  if (shell.opaque !== undefined) {
    return {
      kind: "ask",
      message: shell.opaque,
      fields: { permission_suggestions: [], decision_reason: shell.opaque, decision_reason_type: "other" },
    };
  }
  const asking = shell.parts.filter(
    ({ text }) => check(context, { tool: "Bash", input: { command: text } }).behavior !== "allow",
  );
  // A command whose parts are all free on their own asks as a whole.
  return wordsFor(context, command, shell.parts, asking.length === 0 ? shell.parts : asking);
};

const wordsFor = (
  context: Context,
  command: string,
  parts: readonly ShellPart[],
  asking: readonly ShellPart[],
): Asked => {
  const first = asking[0] ?? { text: command, kind: "other", paths: [] };
  const isInside = (path: string): boolean => isWithinAny(path, [context.cwd, ...context.additionalDirectories]);
  const alone = asking.length === 1;
  const path = first.paths.find((it) => !isInside(it)) ?? (first.kind === "reads" ? undefined : first.paths[0]);
  if (alone && path !== undefined) {
    const rule = addRules("Bash", parts.length === 1 ? ruleFor(command) : command, "localSettings");
    const suggestions =
      first.kind === "reads"
        ? [rule, addRules("Read", `/${readableRootOf(path)}/**`, "session")]
        : [
            rule,
            { type: "addDirectories", directories: [directoryOf(path)], destination: "session" },
            ...(first.kind === "writes" && context.mode === "default"
              ? [{ type: "setMode", mode: "acceptEdits", destination: "session" }]
              : []),
          ];
    const name = first.text.split(/\s+/)[0] ?? "";
    return {
      kind: "ask",
      message: isInside(path)
        ? `${name} in '${path}' needs approval. The path is inside the working directories for this session ('${context.cwd}'), and Claude Code asks before a shell command creates, changes or removes files there.`
        : `${name} in '${path}' was blocked. For security, Claude Code may only use files in the allowed working directories for this session: '${context.cwd}'.`,
      fields: { permission_suggestions: suggestions, blocked_path: path },
    };
  }
  if (parts.length === 1) {
    const isFind = command.startsWith("find ");
    const reason = isFind
      ? "find with '-delete' executes commands or modifies files — cannot be auto-allowed by a Bash(find:*) prefix rule"
      : "This command requires approval";
    return {
      kind: "ask",
      message: reason,
      fields: {
        permission_suggestions: isFind ? [] : [addRules("Bash", ruleFor(command), "localSettings")],
        decision_reason: reason,
        decision_reason_type: "other",
      },
    };
  }
  return {
    kind: "ask",
    message: "This command requires approval",
    fields: {
      permission_suggestions: [
        {
          type: "addRules",
          rules: asking.map((part) => ({ toolName: "Bash", ruleContent: ruleFor(part.text) })),
          behavior: "allow",
          destination: "localSettings",
        },
      ],
      decision_reason_type: "subcommandResults",
    },
  };
};

/** A folder is its own root; a file's is the folder that it lies in. */
const readableRootOf = (path: string): string => (/\.[^/]*$|\/etc\/[^/]+$/.test(path) ? directoryOf(path) : path);
