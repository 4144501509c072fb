// A case of the conformance suite, as data: what the model says, what the host does, and what must be seen. Older
// versions may have known differences.
import type { Block, Scenario, Script, Step } from "@quarterdeck/simulator";
import { CLI_VERSIONS, NEWEST } from "@quarterdeck/test-kit/claude-cache";
import type { CliVersion } from "@quarterdeck/test-kit/claude-cache";
import type { Answer, HostStep } from "./host-script.ts";
import type { Pattern } from "./match.ts";

export interface Case {
  /** Kebab-case and unique. `--only` accepts it. */
  readonly name: string;
  readonly area: Area;
  readonly about: string;
  readonly scenario: Scenario;
  /** Processes, one after the other, with the same HOME and cwd. */
  readonly phases: readonly Phase[];
  /** Files in the cwd before the first phase. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs as a user other than root, if the suite runs as root. */
  readonly unprivileged?: boolean;
  readonly expect: Expectations;
  readonly differs?: readonly VersionDifference[];
  readonly excluded?: readonly Exclusion[];
  /** True if the simulator claims the case. Otherwise the reason. */
  readonly simulator: true | string;
  /** Part of the subset that `npm test` runs on the newest real CLI. */
  readonly fast?: boolean;
}

export type Area = (typeof AREAS)[number];
export const AREAS = [
  "plain",
  "thinking",
  "permissions",
  "files",
  "questions and plan",
  "agents and tasks",
  "todo",
  "parallel tools",
  "queue and interrupts",
  "control requests",
  "hooks",
  "mcp",
  "slash commands",
  "compaction",
  "sessions",
  "images and files",
  "errors and limits",
  "input, end and signals",
  "structured output",
  "events by environment",
] as const;

export interface Phase {
  readonly args: readonly string[];
  /** Arguments without the usual stream-json flags. */
  readonly bareArgs?: boolean;
  readonly answers?: readonly Answer[];
  readonly host: readonly HostStep[];
}

/** Everything here is about all phases together, in order. */
export interface Expectations {
  /** How often a script is played from its first step to its last. Default: once. */
  readonly plays?: Readonly<Record<string, number>>;
  /** Steps, as `when#step`, that may be seen partly or not at all, for example because they are interrupted. */
  readonly partial?: readonly string[];
  /**
   * Scripts of subagents. What the CLI shows of them differs by version and mode, so only their tool uses are checked.
   */
  readonly subagents?: readonly string[];
  /** One pattern for each `result`, in order. Default: a success for each prompt. */
  readonly results?: readonly Pattern[];
  /** Exit code of each phase. Default: 0. */
  readonly exits?: readonly number[];
  /** The tools of all `can_use_tool` requests, sorted. Default: not checked, but each request must have an answer. */
  readonly asks?: readonly string[];
  /** Each must match a line of stdout. */
  readonly see?: readonly Pattern[];
  /** Must match different lines, in this order. */
  readonly order?: readonly Pattern[];
  readonly never?: readonly Pattern[];
  /** How often each pattern matches. */
  readonly count?: readonly { readonly of: Pattern; readonly is: number }[];
  /** Tool uses that end without a result, for example because the process was killed. */
  readonly openTools?: number;
  readonly stderr?: string;
  /** Files in the cwd at the end: their content, or null if the file must be missing. */
  readonly files?: Readonly<Record<string, Pattern>>;
  /** Requests that the API got, in any order. Real CLIs only. */
  readonly requests?: readonly Pattern[];
}

export interface VersionDifference {
  readonly versions: readonly CliVersion[];
  readonly why: string;
  readonly expect: Expectations;
}

export interface Exclusion {
  readonly versions: readonly CliVersion[];
  readonly why: string;
}

export const OLD: readonly CliVersion[] = CLI_VERSIONS.filter((version) => version !== NEWEST);

export const STREAM_ARGS = ["--output-format", "stream-json", "--input-format", "stream-json", "--verbose"] as const;
export const PARTIAL = "--include-partial-messages";
export const STDIO_PROMPTS = ["--permission-prompt-tool", "stdio"] as const;
export const REPLAY = "--replay-user-messages";

/** How a case is written: one phase unless it names several. */
export type CaseSketch = Omit<Case, "area" | "scenario" | "phases" | "expect"> & {
  readonly scripts: readonly Script[];
  readonly otherwise?: readonly Step[];
  readonly args?: readonly string[];
  readonly bareArgs?: boolean;
  readonly answers?: readonly Answer[];
  readonly host?: readonly HostStep[];
  readonly phases?: readonly Phase[];
  readonly expect?: Expectations;
};

export const casesOf = (area: Area, sketches: readonly CaseSketch[]): readonly Case[] =>
  sketches.map(({ scripts, otherwise, args, bareArgs, answers, host, phases, expect, ...rest }) => ({
    ...rest,
    area,
    scenario: { name: rest.name, scripts, ...(otherwise !== undefined && { otherwise }) },
    phases: phases ?? [
      {
        args: args ?? [],
        host: host ?? [],
        ...(answers !== undefined && { answers }),
        ...(bareArgs !== undefined && { bareArgs }),
      },
    ],
    expect: expect ?? {},
  }));

export const script = (when: string, ...steps: readonly Step[]): Script => ({ when, steps });
export const says = (...say: (Block | string)[]): Step => ({
  say: say.map((block) => (typeof block === "string" ? { text: block } : block)),
});
export const uses = (tool: string, input: Readonly<Record<string, unknown>> = {}, id?: string): Block =>
  id === undefined ? { tool, input } : { tool, input, id };
export const bash = (command: string, more: Readonly<Record<string, unknown>> = {}): Block =>
  uses("Bash", { command, description: "Run a command", ...more });

/** What a version is expected to show: the case's expectations, with the differences of the version applied. */
export const expectationsFor = (wanted: Case, version: string): Expectations =>
  (wanted.differs ?? [])
    .filter((difference) => (difference.versions as readonly string[]).includes(version))
    .reduce<Expectations>((sum, difference) => ({ ...sum, ...difference.expect }), wanted.expect);

export const exclusionOf = (wanted: Case, version: string): string | undefined =>
  wanted.excluded?.find((exclusion) => (exclusion.versions as readonly string[]).includes(version))?.why;
