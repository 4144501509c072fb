// `quarterdeck rules policy`: policies that decide about calls by themselves, for a folder or a session.

import { oneLine } from "../terminal/tool-lines.ts";
import { jsonText } from "../terminal/terminal.ts";
import { UsageError, UserError } from "../user-error.ts";
import { atRulesDesk, presets } from "./desk.ts";
import type { NewPolicy, RulesDesk, ShownPolicy } from "./desk.ts";
import { folderAt } from "./rules.ts";
import type { RulesOptions } from "./rules.ts";

const DOES = { allow: "allows without asking", ask: "always asks", deny: "denies" } as const;

export const listPolicies = (options: RulesOptions): Promise<number> =>
  atRulesDesk(options, async (desk) => {
    const policies = await desk.policies();
    if (options.json) options.write(`${jsonText({ policies, presets }, 2)}\n`);
    else if (policies.length === 0) options.write(`No policies.\n${presetHelp()}`);
    else for (const policy of policies) options.write(policyText(policy, options));
    return 0;
  });

export interface NewPolicyOptions extends RulesOptions {
  readonly preset?: string;
  readonly behavior?: "allow" | "ask" | "deny";
  readonly rules: readonly string[];
  readonly name?: string;
  readonly session?: string;
  readonly times?: number;
  readonly hours?: number;
}

export const addPolicy = (options: NewPolicyOptions): Promise<number> =>
  atRulesDesk(options, async (desk) => {
    const policy = await desk.addPolicy(policyOf(options));
    if (options.json) options.write(`${jsonText(policy, 2)}\n`);
    else options.write(`Added.\n${policyText(policy, options)}`);
    return 0;
  });

const policyOf = ({ preset, behavior, rules, name, session, times, hours, cwd }: NewPolicyOptions): NewPolicy => {
  const limits = {
    ...(times !== undefined && { times }),
    ...(hours !== undefined && { until: Date.now() + hours * 3_600_000 }),
    ...(session === undefined ? { folder: folderAt(cwd) } : { session }),
  };
  if (preset !== undefined) {
    const known = presets.find(({ id }) => id === preset);
    if (known === undefined) throw new UsageError(`There is no preset \`${preset}\`.\n${presetHelp()}`);
    const { id: _id, about: _about, rules: own, ...rest } = known;
    return { ...rest, rules: [...own, ...rules], ...limits, ...(name !== undefined && { name }) };
  }
  if (behavior === undefined) throw new UsageError("Say what the policy does: --allow, --ask or --deny, or --preset.");
  if (rules.length === 0) throw new UsageError("A policy needs at least one rule, such as 'Bash(npm test:*)'.");
  const named = name ?? `${behavior}: ${rules.join(", ")}`.slice(0, 200);
  return { name: named, behavior, rules: [...rules], ...limits };
};

export const changePolicy = (
  options: RulesOptions & { readonly action: "on" | "off" | "remove"; readonly wanted: string },
): Promise<number> =>
  atRulesDesk(options, async (desk) => {
    const { action, json, write } = options;
    const { id, name } = await found(desk, options.wanted);
    if (action === "remove") await desk.removePolicy(id);
    else await desk.switchPolicy(id, action === "on");
    if (json) write(`${jsonText({ id, name, done: action })}\n`);
    else write(`${oneLine(name)} is ${action === "remove" ? "removed" : action}.\n`);
    return 0;
  });

const found = async (desk: RulesDesk, wanted: string): Promise<ShownPolicy> => {
  const all = (await desk.policies()).filter(({ id, name }) => id.startsWith(wanted) || name === wanted);
  const [policy] = all;
  if (policy === undefined)
    throw new UserError(`There is no policy ${wanted}. \`quarterdeck rules policy list\` shows all policies.`);
  if (all.length > 1) throw new UserError(`${wanted} matches ${String(all.length)} policies. Use the whole id.`);
  return policy;
};

const policyText = (policy: ShownPolicy, { paint }: Pick<RulesOptions, "paint">): string => {
  const { id, name, behavior, rules, outside, state, used, times, until, folder, session, waiting = [] } = policy;
  const where = session === undefined ? `in ${folder ?? "?"}` : `in session ${session}`;
  const limit = [
    `used ${String(used)}${times === undefined ? "" : ` of ${String(times)}`} times`,
    ...(until === undefined ? [] : [`until ${new Date(until).toISOString()}`]),
  ];
  const waits =
    waiting.length === 0
      ? ""
      : paint(
          "yellow",
          `  ${String(waiting.length)} running sessions started before it. Stop and resume them to apply it fully.\n`,
        );
  return (
    `${paint("bold", oneLine(name))}  ${state}\n` +
    `  ${DOES[behavior]} ${oneLine(where)}; ${limit.join(", ")}\n` +
    rules.map((rule) => `  ${oneLine(rule)}\n`).join("") +
    (outside === true ? "  everything outside of the folder\n" : "") +
    `${waits}${paint("dim", `  ${id}\n`)}`
  );
};

const presetHelp = (): string =>
  `Presets for \`quarterdeck rules policy add --preset ID\`:\n${presets.map(({ id, name, about }) => `  ${id.padEnd(10)}${name}. ${about}\n`).join("")}`;
