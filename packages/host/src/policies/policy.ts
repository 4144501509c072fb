// Policies of the host: above the rules of the CLI, for one project or one session. A policy allows, denies or always asks, by rules
// in the CLI's own form, and may end after some uses or at a time. Data and small functions over it; what matches is in `decide.ts`.

import { parseRule } from "@quarterdeck/permissions";
import type { Actor, PolicyMark } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import { isInside } from "../trust/contained-file.ts";

export type PolicyBehavior = PolicyMark["behavior"];

export interface NewPolicy {
  readonly name: string;
  /** `ask`: a person is asked, also where the CLI would allow the call. */
  readonly behavior: PolicyBehavior;
  /** As in settings files: `Bash(npm test:*)`, `Edit(docs/**)`. One of them must match. */
  readonly rules: readonly string[];
  /** Matches calls that reach outside of the folder, too. Not for `allow`. */
  readonly outside?: true | undefined;
  /** Either the sessions in this folder and below it, or one session. */
  readonly folder?: string | undefined;
  readonly session?: string | undefined;
  /** How often it decides; then it is over. */
  readonly times?: number | undefined;
  /** Until when it decides, in milliseconds since 1970. */
  readonly until?: number | undefined;
}

export interface Policy extends NewPolicy {
  readonly id: string;
  readonly isOn: boolean;
  /** How often it has decided. */
  readonly used: number;
  readonly lastUsedAt?: number;
  readonly createdAt: number;
  readonly by?: Actor;
}

export type PolicyState = "on" | "off" | "used-up" | "expired";

export const policyStateOf = ({ isOn, times, used, until }: Policy, now: number): PolicyState => {
  if (!isOn) return "off";
  if (times !== undefined && used >= times) return "used-up";
  return until !== undefined && now >= until ? "expired" : "on";
};

/** `folder` is where the session works, after every link. */
export const appliesTo = (policy: Policy, session: string, folder: string): boolean =>
  policy.session === undefined
    ? policy.folder !== undefined && isInside(folder, policy.folder)
    : policy.session === session;

/** What the log keeps of a policy that decided. */
export const markOf = (
  { id, name }: Pick<Policy, "id" | "name">,
  behavior: PolicyBehavior,
  rule?: string,
): PolicyMark => ({ id, name, behavior, ...(rule !== undefined && { rule }) });

const MOST_RULES = 200;

/** Throws `invalid-policy`, with what to do. */
export const mustBePolicy = (policy: NewPolicy): void => {
  const refuse = (message: string): never => {
    throw new HostError("invalid-policy", message);
  };
  const { name, behavior, rules, outside, folder, session, times, until } = policy;
  if (name.trim() === "") refuse("A policy needs a name.");
  if ((folder === undefined) === (session === undefined))
    refuse("A policy is for one folder or for one session. Name one of them.");
  if (rules.length === 0 && outside !== true) refuse("A policy needs at least one rule, such as Bash(npm test:*).");
  if (rules.length > MOST_RULES) refuse(`A policy has at most ${String(MOST_RULES)} rules.`);
  if (outside === true && behavior === "allow")
    refuse("A policy cannot allow what is outside of its folder. Use an allow rule with a path.");
  if (times !== undefined && (!Number.isInteger(times) || times < 1)) refuse("The limit is a number of uses, from 1.");
  if (until !== undefined && !Number.isFinite(until)) refuse("The end is a time.");
  for (const rule of rules) {
    const parsed = parseRule(rule);
    if (!parsed.ok) refuse(`The rule ${JSON.stringify(rule)} is invalid: ${parsed.error.message}`);
    else if (behavior === "allow" && ASKS_ALWAYS.has(parsed.rule.toolName))
      refuse(`${parsed.rule.toolName} is a question to a person. No policy can allow it.`);
  }
};

/** They are questions to a person: an automatic answer would be nobody's. */
export const ASKS_ALWAYS: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

export interface PolicyPreset extends Pick<NewPolicy, "name" | "behavior" | "rules" | "outside"> {
  readonly id: string;
  /** One or two sentences for a person who turns it on. */
  readonly about: string;
}

const bash = (...commands: readonly string[]): string[] => commands.map((command) => `Bash(${command}:*)`);

export const PRESETS: readonly PolicyPreset[] = [
  {
    id: "tests",
    name: "Tests and linters without asking",
    behavior: "allow",
    rules: bash(
      ...["npm test", "npm run test", "npm run lint", "npm run check", "npm run typecheck", "npx vitest run"],
      ...["pnpm test", "pnpm lint", "yarn test", "yarn lint", "npx eslint", "npx tsc --noEmit", "npx oxlint"],
      ...["pytest", "python -m pytest", "ruff check", "mypy", "cargo test", "cargo clippy", "go test", "go vet"],
    ),
    about: "Runs common test and lint commands. They run code of this project, so use it where you trust the project.",
  },
  {
    id: "outside",
    name: "Never outside this folder",
    behavior: "deny",
    rules: [],
    outside: true,
    about:
      "Denies file tools and commands that name a path outside of the folder. A program can still open other files by itself.",
  },
  {
    id: "publish",
    name: "Always ask before something is published",
    behavior: "ask",
    rules: bash(
      ...["git push", "npm publish", "pnpm publish", "yarn publish", "cargo publish", "twine upload", "docker push"],
      ...["gh pr create", "gh pr merge", "gh release create"],
    ),
    about: "Asks a person before a push or a release, also where a rule or the mode allows it.",
  },
];
