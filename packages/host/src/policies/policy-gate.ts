// What the policies do in one session. If the process was started with our hook, the CLI asks the host before each
// call. So a policy can deny or ask even if the CLI would allow the call. When the CLI asks for permission, a policy
// may answer. Each decision is counted first. A policy that fails allows nothing.

import type { HookOutput, RequestOf } from "@quarterdeck/protocol";
import { isRecord } from "@quarterdeck/protocol";
import type { Head, PolicyMark } from "@quarterdeck/session";
import { realPath } from "../rules/real-path.ts";
import { decide, decideBefore } from "./decide.ts";
import type { CallPlace, Decided } from "./decide.ts";
import { appliesTo, ASKS_ALWAYS, markOf, policyStateOf } from "./policy.ts";
import type { Policy } from "./policy.ts";
import type { PolicyStore } from "./policy-store.ts";

export interface GateOptions {
  readonly store: PolicyStore;
  readonly session: string;
  readonly head: () => Pick<Head, "cwd" | "cliVersion">;
  /** If the head does not name one yet. */
  readonly cwd: string;
  readonly home: string;
  readonly now?: () => number;
}

export interface BeforeTool {
  readonly output: HookOutput;
  readonly policy?: PolicyMark;
}

export interface AutomaticAnswer {
  readonly answer: { readonly behavior: "allow" } | { readonly behavior: "deny"; readonly message: string };
  readonly policy: PolicyMark;
}

/** The first version that was seen to ask when a hook says so. 2.1.38 ignores it and runs the call. */
const ASKS_BY_HOOK = "2.1.200";

export class PolicyGate {
  readonly #options: GateOptions;
  readonly #now: () => number;
  /** Calls that a policy wants a person to see, until the CLI asks about them. */
  readonly #forPerson = new Set<string>();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Whether a policy denies or asks here, so that a new process must ask before each call. */
  get guards(): boolean {
    return this.#policies().some(({ behavior }) => behavior !== "allow");
  }

  /** The answer to the hook. Never throws: a call that could not be checked is not run. */
  beforeTool({ input, tool_use_id: id }: RequestOf<"hook_callback">): BeforeTool {
    const { tool_name: tool, tool_input: given } = input as { tool_name?: unknown; tool_input?: unknown };
    try {
      if (typeof tool !== "string") return { output: {} };
      const call = { tool, input: isRecord(given) ? given : {} };
      const decided = this.#take((policies) => decideBefore(policies, call, this.#place()));
      if (decided === undefined) return { output: {} };
      const { policy, rule, words } = decided;
      if (decided.behavior === "deny")
        return { output: hookSays("deny", denied(decided)), policy: markOf(policy, "deny", rule) };
      if (!this.#asksByHook)
        return { output: hookSays("deny", cannotAsk(decided)), policy: markOf(policy, "ask", rule) };
      if (typeof id === "string") this.#forPerson.add(id);
      return {
        output: hookSays("ask", `Your policy "${policy.name}" wants a person to decide. ${words}`),
        policy: markOf(policy, "ask", rule),
      };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return {
        output: hookSays("deny", `The policies of this host could not be checked, so the call was denied: ${why}`),
      };
    }
  }

  /** Undefined: a person answers. */
  answer(request: RequestOf<"can_use_tool">): AutomaticAnswer | undefined {
    const { tool_name: tool, input, tool_use_id: id } = request;
    if (ASKS_ALWAYS.has(tool) || this.#forPerson.delete(id)) return undefined;
    const decided = this.#take((policies) => {
      const found = decide(policies, { tool, input }, this.#place());
      // Nothing is decided by itself, so nothing is counted.
      return found?.behavior === "ask" || (found?.behavior === "allow" && wantsPerson(request)) ? undefined : found;
    });
    if (decided === undefined) return undefined;
    const { policy, behavior, rule } = decided;
    const answer: AutomaticAnswer["answer"] =
      behavior === "allow" ? { behavior: "allow" } : { behavior: "deny", message: denied(decided) };
    return { answer, policy: markOf(policy, behavior, rule) };
  }

  #take(find: (policies: readonly Policy[]) => Decided | undefined): Decided | undefined {
    const decided = find(this.#policies());
    return decided !== undefined && this.#options.store.take(decided.policy.id) ? decided : undefined;
  }

  #policies(): readonly Policy[] {
    const { store, session } = this.#options;
    const all = store.list();
    if (all.length === 0) return all;
    const { cwd } = this.#place();
    return all.filter((policy) => policyStateOf(policy, this.#now()) === "on" && appliesTo(policy, session, cwd));
  }

  #place(): CallPlace {
    const { head, cwd, home } = this.#options;
    const { cwd: now = cwd } = head();
    return { cwd: realPath(now) ?? now, home, realpath: realPath };
  }

  get #asksByHook(): boolean {
    const { cliVersion } = this.#options.head();
    return cliVersion !== undefined && isAtLeast(cliVersion, ASKS_BY_HOOK);
  }
}

/** The CLI asks for a reason that our policies must respect: a rule or hook that asks, or a call that it warns about. */
const wantsPerson = (request: RequestOf<"can_use_tool">): boolean =>
  request.matched_ask_rule !== undefined ||
  request.requires_user_interaction === true ||
  request.default_to_no === true ||
  request.suppress_always_allow_rule === true ||
  PERSON_REASONS.has(request.decision_reason_type ?? "");
const PERSON_REASONS: ReadonlySet<string> = new Set(["hook", "rule", "safetyCheck"]);

const denied = ({ policy, rule, words }: Decided): string => {
  const what = rule === undefined ? words : `It matches ${rule}. ${words}`;
  return `Denied by the policy "${policy.name}" of this host. ${what} A person can turn the policy off.`;
};

const cannotAsk = ({ policy, words }: Decided): string =>
  `The policy "${policy.name}" of this host wants a person to decide. ${words} This version of Claude Code cannot ask here, so the call was denied. A person can update Claude Code or turn the policy off.`;

const hookSays = (permissionDecision: "deny" | "ask", permissionDecisionReason: string): HookOutput => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason },
});

const isAtLeast = (version: string, least: string): boolean => {
  const [mine, theirs] = [version, least].map((each) => each.split(/[.-]/u).slice(0, 3).map(Number));
  for (const [at, part] of theirs!.entries()) {
    const own = mine![at] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
};
