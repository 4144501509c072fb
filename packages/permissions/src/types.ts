// The words of this package: rules, scopes, modes, a call, a verdict and its reason. Data only.

export type Behavior = "allow" | "ask" | "deny";

/** A rule in the wire's own words. `ruleContent` is what stands between the parentheses. */
export interface Rule {
  readonly toolName: string;
  readonly ruleContent?: string | undefined;
}

/** `position` counts UTF-16 units from the start of the text. */
export interface RuleError {
  readonly message: string;
  readonly position: number;
}
export type ParsedRule = { readonly ok: true; readonly rule: Rule } | { readonly ok: false; readonly error: RuleError };
export type ParsedRuleList =
  | { readonly ok: true; readonly rules: readonly Rule[] }
  | { readonly ok: false; readonly error: RuleError };

/** Where a rule comes from. The first five can be named in an update. */
export type Scope =
  | "session"
  | "localSettings"
  | "projectSettings"
  | "userSettings"
  | "cliArg"
  | "command"
  | "flagSettings"
  | "policySettings";

/** `manual` is another name for `default`; only 2.1.38 knows `delegate`. */
export type Mode =
  | "default"
  | "acceptEdits"
  | "bypassPermissions"
  | "plan"
  | "dontAsk"
  | "auto"
  | "manual"
  | "delegate";

/** One source of settings. `value` is the parsed JSON; with `text`, reasons name the line. */
export interface SettingsSource {
  readonly scope: Scope;
  /** The file, for reasons and for rules that begin with one slash. */
  readonly path?: string | undefined;
  readonly value: unknown;
  readonly text?: string | undefined;
}

export interface ContextInput {
  readonly cwd: string;
  readonly home: string;
  /** What was chosen at the start or by a switch. Absent: `defaultMode` of the settings, else `default`. */
  readonly mode?: string | undefined;
  /** Directories from `--add-dir` and from updates. Others are read from the settings. */
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly settings: readonly SettingsSource[];
  /** Absent: the newest that was measured. */
  readonly cliVersion?: string | undefined;
  /** Whether a person trusted the folder. Matters for `additionalDirectories` in project settings. */
  readonly folderTrusted?: boolean | undefined;
  /** Whether the process may switch to bypass. In plan mode, it then asks for less. */
  readonly bypassAvailable?: boolean | undefined;
}

/** A rule where it stands. */
export interface PlacedRule {
  readonly rule: Rule;
  /** As it is written in its file. */
  readonly text: string;
  readonly behavior: Behavior;
  readonly scope: Scope;
  readonly path?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface CheckOptions {
  /** The path without links, or undefined where nothing is there. A link to nothing leads to its target. Absent: no links are assumed. */
  readonly realpath?: ((path: string) => string | undefined) | undefined;
  /** The names of the session's tools, as its `system/init` has them. Absent: the ones that a version has by default. */
  readonly tools?: readonly string[] | undefined;
  /** What an MCP server says about its tool. */
  readonly readOnlyHint?: boolean | undefined;
  /** What a skill or command says about itself: whether it brings its own allowed tools. */
  readonly skillAllowsTools?: boolean | undefined;
}

export type ReasonKind =
  /** A rule decided. */
  | "rule"
  /** The mode decided. */
  | "mode"
  /** A command or tool that only reads, inside the folders. */
  | "read-only"
  /** A tool that never needs permission. */
  | "safe-tool"
  /** A file that changes what programs or the CLI do. */
  | "special-path"
  /** Claude's own settings. */
  | "own-settings"
  /** A path outside the folders of the session. */
  | "outside"
  /** The command could not be understood. */
  | "unparsed"
  /** Questions to a person. */
  | "always-asks"
  /** A command that destroys too much. */
  | "dangerous"
  /** Nothing allowed it. */
  | "default"
  /** The CLI refuses such an input before it asks. */
  | "invalid-input";

export interface Reason {
  readonly kind: ReasonKind;
  /** One plain sentence. */
  readonly words: string;
  readonly rule?: string | undefined;
  readonly scope?: Scope | undefined;
  /** The file of the rule. */
  readonly path?: string | undefined;
  readonly line?: number | undefined;
  /** The part of a compound command, or the path, that decided. */
  readonly part?: string | undefined;
  /** What a person should know who trusts this verdict. Plain sentences. */
  readonly warnings: readonly string[];
  /** What would have changed the verdict. Plain sentences. */
  readonly change: readonly string[];
}

export interface Verdict {
  readonly behavior: Behavior;
  readonly reason: Reason;
}

/** As in the CLI's `permission_suggestions` and `updatedPermissions`. */
export type Update =
  | {
      readonly type: "addRules" | "replaceRules" | "removeRules";
      readonly rules: readonly Rule[];
      readonly behavior: Behavior;
      readonly destination: Scope;
    }
  | { readonly type: "setMode"; readonly mode: Mode; readonly destination: Scope }
  | {
      readonly type: "addDirectories" | "removeDirectories";
      readonly directories: readonly string[];
      readonly destination: Scope;
    };

/** Something in the settings that does not do what it seems to do. */
export interface Problem {
  readonly kind:
    | "not-in-effect"
    | "bad-rule"
    | "matches-nothing"
    | "wrong-case"
    | "single-slash"
    | "shadowed"
    /** The default mode asks nobody. */
    | "risky-mode";
  /** One or two plain sentences. */
  readonly words: string;
  readonly scope: Scope;
  readonly path?: string | undefined;
  readonly line?: number | undefined;
  readonly rule?: string | undefined;
  readonly behavior?: Behavior | undefined;
  /** A rule that does what this one seems to say. */
  readonly instead?: string | undefined;
}

export interface Suggestion {
  readonly choice: "once" | "session" | "always";
  /** For a button: "Allow once", "Allow for this session", "Always allow". */
  readonly label: string;
  /** Empty for "once". */
  readonly updates: readonly Update[];
  /** The rules as text. */
  readonly rules: readonly string[];
  /** What else it would allow. Plain sentences. */
  readonly also: readonly string[];
  readonly risk?: Risk | undefined;
}

export interface Risk {
  readonly level: "high" | "medium";
  readonly words: string;
}

export interface Program {
  /** The name as the shell sees it, after quotes. */
  readonly name: string;
  readonly args: readonly string[];
  /** How it is started, from the outside in: "eval", "sh -c", "xargs", "sudo". Empty: by the line itself. */
  readonly through: readonly string[];
}

export interface Programs {
  /** Every program and builtin that the line would start, in order. */
  readonly programs: readonly Program[];
  /** False: the line may start something that is not in the list. */
  readonly understood: boolean;
  /** Why not. Plain sentences. */
  readonly unknown: readonly string[];
}
