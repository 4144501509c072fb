// One permission case: settings, mode and call, with the verdict of each CLI version that was measured. The format is that of
// packages/permissions/fixtures/corpus.json. `{{cwd}}`, `{{home}}`, `{{out}}` and `{{a*900}}` stand for what differs or is long.

export const MEASURED_VERSIONS = ["2.1.38", "2.1.200", "2.1.325"] as const;
export type MeasuredVersion = (typeof MEASURED_VERSIONS)[number];

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type FileSpec = string | { readonly symlink: string } | { readonly exec: string } | { readonly dir: true };

export interface PermissionCase {
  readonly id: string;
  readonly group: string;
  readonly note: string;
  /** A text is written as it is. `policy` is the managed file of the machine. */
  readonly settings?: Readonly<Partial<Record<"user" | "project" | "local" | "policy", unknown>>>;
  readonly flags?: readonly string[];
  readonly files?: Readonly<Record<string, FileSpec>>;
  /** true: a repository with one empty commit. "all": every file is committed. */
  readonly git?: boolean | "all";
  readonly env?: Readonly<Record<string, string>>;
  /** Names of tools for each server. A name that ends with "!" has a readOnlyHint. */
  readonly mcp?: Readonly<Record<string, readonly string[]>>;
  /** The user has accepted the trust dialog for the project, or for this folder. */
  readonly trusted?: boolean | string;
  /** A folder in the project where the CLI starts. */
  readonly start?: string;
  /** Web requests leave through a proxy that does not exist. */
  readonly web?: boolean;
  readonly root?: boolean;
  /** Calls before the judged one. The host allows them. */
  readonly before?: readonly Call[];
  /** Updates that the host gives with its answer to the first call of `before`. */
  readonly grants?: readonly unknown[];
  /** The prompt of the turn, for slash commands. */
  readonly prompt?: string;
  /** What the small model of 2.1.38 says as the prefix of the command. */
  readonly prefix?: string;
  /** A call that the subagent of `call` makes. The verdict is the verdict of this call. */
  readonly sub?: Call;
  /** The case may change what others see, so it gets its own process. */
  readonly alone?: true;
  readonly call: Call;
}

export interface Verdict {
  readonly verdict: "allow" | "ask" | "deny" | "error";
  readonly [detail: string]: unknown;
}

export type RecordedCase = PermissionCase & { readonly verdicts?: Readonly<Record<string, Verdict>> };

export const definitionOf = (one: RecordedCase): PermissionCase => {
  const { verdicts: _verdicts, ...definition } = one;
  return definition;
};

export interface Corpus {
  readonly about: string;
  readonly base: Readonly<Record<string, FileSpec>>;
  readonly cases: readonly RecordedCase[];
}

/** One line for each case, so that a change of one case is a change of one line. */
export const corpusText = ({ cases, ...head }: Corpus): string => {
  const top = JSON.stringify(head, null, 1).slice(0, -2);
  return `${top},\n "cases": [\n${cases.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n ]\n}\n`;
};
