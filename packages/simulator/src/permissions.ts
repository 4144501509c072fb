// May this tool run now? A small table in place of the CLI's engine: what the rules, the folders and the tool itself say,
// and what the mode makes of it. It decides and suggests; asking the host and obeying the answer is `tool-permission`'s.
import { relative } from "node:path";
import { textAt } from "./json.ts";
import type { Json } from "./json.ts";
import type { PermissionMode } from "./options.ts";
import { addRules } from "./permission-decision.ts";
import type { Decision } from "./permission-decision.ts";
import { RuleBook } from "./rule-book.ts";
import type { Rule } from "./rule-book.ts";
import { absolute, directoryOf } from "./shell-command.ts";
import { decideShell } from "./shell-permission.ts";

export interface Question {
  readonly toolName: string;
  readonly input: Json;
  /** Tools of the harness itself, which never ask. */
  readonly harmless: boolean;
  readonly interactive: boolean;
  readonly planFile: string;
}

const READ_TOOLS: readonly string[] = ["Read", "Glob", "Grep"];
const EDIT_TOOLS: readonly string[] = ["Write", "Edit", "NotebookEdit"];

export class Permissions {
  mode: PermissionMode;
  readonly book: RuleBook;

  constructor(cwd: string, mode: PermissionMode) {
    this.book = new RuleBook(cwd);
    this.mode = mode;
  }

  /** Applies one `PermissionUpdate`; true if it changed the mode. */
  update(update: Json): boolean {
    if (update.type !== "setMode") {
      this.book.update(update);
      return false;
    }
    const mode = textAt(update, "mode") as PermissionMode | undefined;
    if (mode === undefined || mode === this.mode) return false;
    this.mode = mode;
    return true;
  }

  decide(question: Question): Decision {
    const { toolName } = question;
    if (this.book.ruleFor(toolName)?.behavior === "deny") {
      return { kind: "deny", message: `Permission to use ${toolName} has been denied.`, reasonType: "rule" };
    }
    if (question.interactive) return { kind: "ask", message: "This needs an answer from the user.", fields: {} };
    if (question.harmless) return { kind: "allow", source: "config" };
    const decision = this.#decideAs(question, this.mode);
    if (this.mode === "bypassPermissions" && decision.kind !== "deny") return BY_MODE;
    return decision.kind === "ask" ? this.#underMode(decision, question) : decision;
  }

  /** What becomes of a question in the modes that ask less, or nothing. */
  #underMode(decision: Extract<Decision, { kind: "ask" }>, question: Question): Decision {
    const { toolName } = question;
    switch (this.mode) {
      case "dontAsk":
        return { kind: "deny", message: dontAskText(toolName), reasonType: "mode" };
      case "auto": {
        const isHarmless = READ_TOOLS.includes(toolName) || this.#decideAs(question, "acceptEdits").kind === "allow";
        return isHarmless ? BY_MODE : { kind: "unchecked" };
      }
      case "plan": {
        if (READ_TOOLS.includes(toolName)) return BY_MODE;
        const isAsked = toolName.startsWith("mcp__") || EDIT_TOOLS.includes(toolName);
        if (!isAsked || decision.fields.decision_reason_type === "safetyCheck") return { kind: "unchecked" };
        return { ...decision, fields: { decision_reason_type: "mode" } };
      }
      default:
        return decision;
    }
  }

  #decideAs(question: Question, mode: PermissionMode): Decision {
    return question.toolName === "Bash"
      ? decideShell(this.book, mode, textAt(question.input, "command") ?? "")
      : this.#decideOther(question, mode);
  }

  #decideOther(question: Question, mode: PermissionMode): Decision {
    const whole = this.book.ruleFor(question.toolName);
    const { toolName, input } = question;
    if (whole?.behavior === "ask") {
      return {
        kind: "ask",
        message: `Permission to use ${toolName} needs approval.`,
        fields: { decision_reason_type: "rule", decision_reason_rule_source: whole.source },
      };
    }
    const path = textAt(input, "file_path") ?? textAt(input, "notebook_path") ?? textAt(input, "path") ?? this.book.cwd;
    if (READ_TOOLS.includes(toolName)) return this.#decideRead(toolName, path, whole);
    if (EDIT_TOOLS.includes(toolName)) return this.#decideEdit(question, mode, path, whole);
    if (whole?.behavior === "allow") return { kind: "allow", source: "config", reasonType: "rule" };
    if (toolName.startsWith("mcp__")) return this.#decideMcp(toolName);
    const host = toolName === "WebFetch" ? hostOf(textAt(input, "url") ?? "") : undefined;
    if (host !== undefined && this.book.allowsHost(host)) {
      return { kind: "allow", source: "config", reasonType: "rule" };
    }
    return {
      kind: "ask",
      message: `Claude requested permissions to use ${toolName}, but you haven't granted it yet.`,
      fields: {
        permission_suggestions: [
          addRules(toolName, host === undefined ? undefined : `domain:${host}`, "localSettings"),
        ],
      },
    };
  }

  #decideRead(toolName: string, path: string, whole: Rule | undefined): Decision {
    if (whole?.behavior === "allow" && !this.book.isInside(path))
      return { kind: "allow", source: "config", reasonType: "rule" };
    if (this.book.isInside(path)) return { kind: "allow", source: "config", reasonType: "mode" };
    const full = absolute(path, this.book.cwd);
    if (this.book.allowsPath("Read", full)) return { kind: "allow", source: "config", reasonType: "rule" };
    return {
      kind: "ask",
      message: `Claude requested permissions to read from ${full}, but you haven't granted it yet.`,
      fields: {
        permission_suggestions: [addRules("Read", `/${toolName === "Read" ? directoryOf(full) : full}/**`, "session")],
        ...OUTSIDE,
        ...(toolName === "Read" ? { server_policy_ask_only: true } : {}),
      },
    };
  }

  #decideEdit({ toolName, planFile }: Question, mode: PermissionMode, path: string, whole: Rule | undefined): Decision {
    const full = absolute(path, this.book.cwd);
    const message = `Claude requested permissions to write to ${full}, but you haven't granted it yet.`;
    if (full === planFile) return { kind: "allow", source: "config", reasonType: "other" };
    if (whole?.behavior === "allow" || this.book.allowsPath("Edit", full)) {
      return { kind: "allow", source: "config", reasonType: "rule" };
    }
    const inside = this.book.isInside(path);
    const ownFolder = relative(this.book.cwd, full).split("/")[0] ?? "";
    const isSensitive = ownFolder === ".claude" || ownFolder === ".git";
    if (inside && mode === "acceptEdits" && !isSensitive) return BY_MODE;
    const suggestions = [
      ...(mode === "default" ? [{ type: "setMode", mode: "acceptEdits", destination: "session" }] : []),
      ...(inside ? [] : [{ type: "addDirectories", directories: [directoryOf(full)], destination: "session" }]),
    ];
    if (isSensitive) {
      const reason =
        ownFolder === ".git" ? `Claude requested permissions to edit ${full} which is a sensitive file.` : message;
      return {
        kind: "ask",
        message: reason,
        fields: {
          permission_suggestions: suggestions,
          decision_reason: reason,
          decision_reason_type: "safetyCheck",
          classifier_approvable: true,
        },
      };
    }
    const policy = toolName === "NotebookEdit" ? {} : { server_policy_ask_only: true };
    return {
      kind: "ask",
      message,
      fields: { permission_suggestions: suggestions, ...(inside ? {} : OUTSIDE), ...policy },
    };
  }

  #decideMcp(toolName: string): Decision {
    const server = /^mcp__(.+?)__/.exec(toolName)?.[1] ?? "";
    if (this.book.serverRule(server)?.behavior === "allow")
      return { kind: "allow", source: "config", reasonType: "rule" };
    return {
      kind: "ask",
      message: `Claude requested permissions to use ${toolName}, but you haven't granted it yet.`,
      fields: {
        permission_suggestions: [addRules(toolName, undefined, "localSettings")],
        server_policy_ask_only: true,
      },
    };
  }
}

const BY_MODE: Decision = { kind: "allow", source: "config", reasonType: "mode" };

const OUTSIDE = {
  decision_reason: "Path is outside allowed working directories",
  decision_reason_type: "workingDir",
} as const;

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);

const dontAskText = (toolName: string): string =>
  `Permission to use ${toolName} has been denied because Claude Code is running in don't ask mode. IMPORTANT: You *may* attempt to accomplish this action using other tools that might naturally be used to accomplish this goal, e.g. using head instead of cat. But you *should not* attempt to work around this denial in malicious ways, e.g. do not use your ability to run tests to execute non-test actions. You should only try to work around this restriction in reasonable ways that do not attempt to bypass the intent behind this denial. If you believe this capability is essential to complete the user's request, STOP and explain to the user what you were trying to do and why you need this permission. Let the user decide how to proceed.`;
