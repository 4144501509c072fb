// Why the CLI decided about a call without asking: the check runs again with the rules of that moment. The result is a fact of the log, so
// the fold stays pure. It is said only if the check and the CLI agree; the fold decides that.

import { check, contextOf } from "@quarterdeck/permissions";
import type { SettingsSource, Verdict } from "@quarterdeck/permissions";
import type { FileScope } from "@quarterdeck/permissions/words";
import type { ClaudeOptions, UserMessage } from "@quarterdeck/protocol";
import { isRecord } from "@quarterdeck/protocol";
import type { Fact, Fold, Head, ToolRow } from "@quarterdeck/session";
import { realPath } from "./real-path.ts";
import { readSettingsFiles } from "./settings-files.ts";
import type { SettingsFile } from "./settings-files.ts";

export type Explained = Extract<Fact, { type: "call-explained" }>;

export interface ExplainOptions {
  readonly cwd: string;
  readonly home: string;
  readonly configDir: string;
}

/** A rule that was added a moment ago may be missed. Then nothing is said. */
const FRESH_MS = 1000;

export class ExplainedCalls {
  readonly #options: ExplainOptions;
  #read: { readonly at: number; readonly cwd: string; readonly files: Promise<readonly SettingsFile[]> } | undefined;

  constructor(options: ExplainOptions) {
    this.#options = options;
  }

  /** The calls of these results that nobody was asked about, explained if possible. */
  async explain(message: UserMessage, fold: Fold, flags: ClaudeOptions): Promise<Explained[]> {
    const rows = idsIn(message).flatMap((id) => {
      const row = fold.row(`tool/${id}`);
      return row?.kind === "tool" && isUnexplained(row) ? [row] : [];
    });
    if (rows.length === 0) return [];
    const { head } = fold;
    const files = await this.#files(head.cwd ?? this.#options.cwd);
    return rows.flatMap((row) => this.#explained(row, head, flags, files) ?? []);
  }

  #explained(row: ToolRow, head: Head, flags: ClaudeOptions, files: readonly SettingsFile[]): Explained | undefined {
    const { home, cwd } = this.#options;
    const { addDir = [] } = flags;
    const context = contextOf({
      cwd: head.cwd ?? cwd,
      home,
      settings: ruleSourcesOf(head, flags, files),
      additionalDirectories: [...addDir, ...head.rules.directories],
      ...(head.mode !== undefined && { mode: head.mode }),
      ...(head.cliVersion !== undefined && { cliVersion: head.cliVersion }),
      folderTrusted: flags.settingSources === undefined,
      bypassAvailable: head.process?.canBypass === true,
    });
    const verdict = check(context, { tool: row.name, input: row.input }, { realpath: realPath });
    return factOf(row.toolUseId, verdict, context.mode);
  }

  #files(cwd: string): Promise<readonly SettingsFile[]> {
    const now = Date.now();
    const known = this.#read;
    if (known !== undefined && known.cwd === cwd && now - known.at < FRESH_MS) return known.files;
    const files = readSettingsFiles({ cwd, configDir: this.#options.configDir });
    this.#read = { at: now, cwd, files };
    return files;
  }
}

/** Everything that a process with these flags takes rules from. */
export const ruleSourcesOf = (
  { rules }: Pick<Head, "rules">,
  { settings, settingSources, allowedTools = [], disallowedTools = [] }: ClaudeOptions,
  files: readonly SettingsFile[],
): SettingsSource[] => {
  const loads = ({ scope }: SettingsFile): boolean =>
    scope === "policySettings" ||
    settingSources === undefined ||
    (settingSources as readonly string[]).includes(SOURCES[scope]);
  return [
    ...files.filter(loads).map(({ scope, path, text, value }) => ({ scope, path, text, value })),
    ...(isRecord(settings) ? [{ scope: "flagSettings", value: settings } as const] : []),
    { scope: "cliArg", value: { permissions: { allow: [...allowedTools], deny: [...disallowedTools] } } },
    { scope: "session", value: { permissions: { allow: rules.allow, deny: rules.deny, ask: rules.ask } } },
  ];
};
const SOURCES: Readonly<Record<Exclude<FileScope, "policySettings">, string>> = {
  localSettings: "local",
  projectSettings: "project",
  userSettings: "user",
};

const factOf = (toolUseId: string, { behavior, reason }: Verdict, mode: string): Explained | undefined => {
  if (behavior === "ask") return undefined;
  const said = { type: "call-explained", toolUseId, behavior } as const;
  switch (reason.kind) {
    case "rule": {
      if (reason.rule === undefined) return { ...said, kind: "rule" };
      const { rule: text, scope = "session", path, line } = reason;
      const place = { ...(path !== undefined && { path }), ...(line !== undefined && { line }) };
      return { ...said, kind: "rule", rule: { text, scope, ...place } };
    }
    case "mode":
      return { ...said, kind: "mode", mode };
    case "read-only":
    case "safe-tool":
      return behavior === "allow" ? { ...said, kind: "read-only" } : undefined;
    default:
      return undefined;
  }
};

/** Nobody answered it, and the CLI did not say enough. */
const isUnexplained = ({ decision, result, askedBy }: ToolRow): boolean =>
  result !== undefined &&
  !(!result.ok && REFUSED_BEFORE.test(result.text)) &&
  askedBy === undefined &&
  (decision === undefined ||
    (decision.at === undefined && decision.rule === undefined && !KNOWN.has(decision.decider ?? "")));
/** The CLI has no such tool, or refuses the input: nothing decided about a permission. */
const REFUSED_BEFORE = /^(?:<tool_use_error>)?(?:Error: )?(?:No such tool available|InputValidationError)/u;
const KNOWN: ReadonlySet<string> = new Set(["person", "policy", "hook", "classifier"]);

const idsIn = ({ message: { content } }: UserMessage): string[] =>
  typeof content === "string" ? [] : content.flatMap((block) => ("tool_use_id" in block ? [block.tool_use_id] : []));
