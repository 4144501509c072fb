// May this shell command run now? By its rules and by what its parts do; with the question that is asked if not.
import type { PermissionMode } from "./options.ts";
import { addRules } from "./permission-decision.ts";
import type { Decision } from "./permission-decision.ts";
import type { RuleBook } from "./rule-book.ts";
import { directoryOf, parseShell, ruleFor } from "./shell-command.ts";
import type { ShellPart } from "./shell-command.ts";

export const decideShell = (book: RuleBook, mode: PermissionMode, command: string): Decision => {
  const whole = book.ruleFor("Bash");
  const shell = parseShell(command, book.cwd);
  const exact = book.commandRule(command);
  const perPart = shell.parts.map((part) => book.commandPartRule(part.text));
  if (exact?.behavior === "deny" || perPart.some((rule) => rule?.behavior === "deny")) {
    return {
      kind: "deny",
      message: `Permission to use Bash with command ${command} has been denied.`,
      reasonType: "subcommandResults",
    };
  }
  const asked = [exact, whole, ...perPart].find((rule) => rule?.behavior === "ask");
  if (asked !== undefined) {
    return {
      kind: "ask",
      message: `Permission to use Bash with command ${command} needs approval.`,
      fields: {
        decision_reason_type: "rule",
        decision_reason_rule_source: asked.source,
        server_policy_ask_only: false,
      },
    };
  }
  if (exact !== undefined) {
    return {
      kind: "allow",
      source: exact.source === "localSettings" ? "user_permanent" : "config",
      reasonType: "rule",
    };
  }
  if (whole?.behavior === "allow") return { kind: "allow", source: "config", reasonType: "rule" };
  if (shell.opaque !== undefined) {
    return {
      kind: "ask",
      message: shell.opaque,
      fields: { permission_suggestions: [], decision_reason: shell.opaque, decision_reason_type: "other" },
    };
  }
  const asking = shell.parts.filter((part, at) => perPart[at] === undefined && !isAllowedPart(book, mode, part));
  if (asking.length === 0) return { kind: "allow", source: "config", reasonType: "subcommandResults" };
  return questionFor(book, mode, command, shell.parts, asking);
};

const isAllowedPart = (book: RuleBook, mode: PermissionMode, part: ShellPart): boolean => {
  const inside = part.paths.every((path) => book.isInside(path));
  if (part.kind === "reads") return inside;
  return mode === "acceptEdits" && (part.kind === "writes" || part.kind === "redirects") && inside;
};

const questionFor = (
  book: RuleBook,
  mode: PermissionMode,
  command: string,
  parts: readonly ShellPart[],
  asking: readonly ShellPart[],
): Decision => {
  const first = asking[0]!;
  const alone = asking.length === 1;
  const path = first.paths.find((it) => !book.isInside(it)) ?? (first.kind === "reads" ? undefined : first.paths[0]);
  if (alone && path !== undefined) {
    const rule = addRules("Bash", parts.length === 1 ? ruleFor(command) : command, "localSettings");
    const suggestions =
      first.kind === "reads"
        ? [rule, addRules("Read", `/${readableRootOf(path)}/**`, "session")]
        : [
            rule,
            { type: "addDirectories", directories: [directoryOf(path)], destination: "session" },
            ...(first.kind === "writes" && mode === "default"
              ? [{ type: "setMode", mode: "acceptEdits", destination: "session" }]
              : []),
          ];
    const name = first.text.split(/\s+/)[0] ?? "";
    return {
      kind: "ask",
      message: book.isInside(path)
        ? `${name} in '${path}' needs approval. The path is inside the working directories for this session ('${book.cwd}'), and Claude Code asks before a shell command creates, changes or removes files there.`
        : `${name} in '${path}' was blocked. For security, Claude Code may only use files in the allowed working directories for this session: '${book.cwd}'.`,
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
