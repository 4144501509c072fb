// Permission rules of a folder: what they are, what they would do with a call, and changes of their files.

import { appliesTo, decideOver, realPath, policyStateOf } from "@quarterdeck/host";
import type { Policy } from "@quarterdeck/host";
import { check, contextOf, modeOf, parseRule, problemsOf, riskOf, rulesOfSettings } from "@quarterdeck/permissions";
import type { Behavior, CheckOptions, Problem, SettingsSource, ToolCall } from "@quarterdeck/permissions";
import { isRecord } from "@quarterdeck/protocol";
import type { ResultOf } from "@quarterdeck/session/bridge";
import type { Device } from "../../access/contract.ts";
import { linksSeen, readFolderRules } from "../../rules/folder-rules.ts";
import type { FolderRules } from "../../rules/folder-rules.ts";
import { latestCalls } from "../../rules/latest-calls.ts";
import type { LatestCall } from "../../rules/latest-calls.ts";
import { partsOfCall, ruleReachOf, ruleKey, usesOf } from "../../rules/rule-reach.ts";
import { RuleChanges } from "../../rules/rule-changes.ts";
import { sightOf } from "../parts.ts";
import type { Handlers, Params, Parts } from "../parts.ts";
import { Refusal, unknownSession } from "../../refusal.ts";
import { ours } from "./session.ts";

type Listed = ResultOf<"rules/list">;
type Where = Pick<Params<"rules/list">, "session" | "cwd">;

export const rulesMethods = (parts: Parts): Handlers<"rules/list" | "rules/test" | "rules/preview" | "rules/save"> => {
  const changes = new RuleChanges(parts);

  /** The real path of a folder that the device may see. */
  const folderOf = async ({ session, cwd }: Where, device: Device): Promise<string> => {
    const { store, host } = parts;
    const record = session === undefined ? undefined : store.session(session);
    if (session !== undefined && record === undefined) throw unknownSession(session);
    const folder = cwd ?? (record === undefined ? undefined : (host.opened(record.id)?.head.cwd ?? record.cwd));
    if (folder === undefined) throw new Refusal("bad-request", "Name a session or a folder.");
    return sightOf(parts, device).paths.resolve(folder);
  };
  const linksFor = (device: Device): CheckOptions => {
    const { paths } = sightOf(parts, device);
    return linksSeen((path) => paths.shows(path));
  };

  return {
    "rules/list": async (where, { device }) => {
      const found = await readFolderRules(parts, await folderOf(where, device), where.session);
      return listed(found, latestCalls(parts, found.folder), linksFor(device), cliVersionOf(parts));
    },

    "rules/test": async (params, { device }) => {
      const found = await readFolderRules(parts, await folderOf(params, device), params.session);
      const { call, toolUseId } = callOf(parts, params);
      const mode = params.mode === undefined ? found.context.mode : mustBeMode(params.mode);
      const context = contextOf({ ...found.context.input, mode });
      const links = linksFor(device);
      const { rules = [] } = params;
      // The call that is asked about is not one of the earlier ones.
      const calls = (rules.length === 0 ? [] : latestCalls(parts, found.folder)).filter(
        (each) => each.toolUseId !== toolUseId,
      );
      const verdict = check(context, call, links);
      const decided = decideOver(
        policiesFor(parts, params.session, found.folder),
        call,
        placeOf(parts, found, links),
        verdict,
      );
      return {
        mode,
        ...verdictOf(verdict),
        ...(decided !== undefined && { policy: markOf(decided) }),
        parts: partsOfCall(call).map(({ text, call: part }) => ({ text, ...verdictOf(check(context, part, links)) })),
        rules: ruleReachOf(context, rules, calls, links),
        looked: lookedAt(calls),
      };
    },

    "rules/preview": async ({ change, ...where }, { device }) => {
      const folder = await folderOf(where, device);
      const files = await changes.preview(folder, change);
      const { to } = change;
      const calls = to?.behavior === "allow" ? latestCalls(parts, folder) : [];
      const about = { files: [...files], looked: lookedAt(calls) };
      if (to === undefined) return { ...about, problems: [] };
      const problems = problemsWith(to, cliVersionOf(parts));
      if (to.behavior !== "allow") return { ...about, problems };
      const { context } = await readFolderRules(parts, folder, where.session);
      const [reach] = ruleReachOf(context, [to.rule], calls, linksFor(device));
      return { ...about, problems, reach: reach!, ...(reach!.risk !== undefined && { risk: reach!.risk }) };
    },

    "rules/save": async ({ change, hashes = [], undo, ...where }, { device }) => {
      if (undo !== undefined) return changes.undo(undo);
      if (change === undefined) throw new Refusal("bad-request", "Name a change, or what to undo.");
      return changes.save(await folderOf(where, device), change, hashes);
    },
  };
};

const policiesFor = ({ policies }: Parts, session: string | undefined, folder: string): readonly Policy[] =>
  policies
    .list()
    .filter((policy) => policyStateOf(policy, Date.now()) === "on" && appliesTo(policy, session ?? "", folder));

const placeOf = ({ machine }: Parts, { folder }: FolderRules, { realpath = realPath }: CheckOptions) => ({
  ...{ cwd: folder, home: machine.home, realpath },
});

const markOf = ({ policy: { id, name }, behavior, rule }: NonNullable<ReturnType<typeof decideOver>>) => ({
  ...{ id, name, behavior },
  ...(rule !== undefined && { rule }),
});

const cliVersionOf = ({ agent }: Parts): string | undefined => (agent.kind === "claude" ? agent.version : undefined);

const mustBeMode = (mode: string) => {
  const known = modeOf(mode);
  if (known === undefined) throw new Refusal("bad-request", `The mode ${JSON.stringify(mode)} does not exist.`);
  return known;
};

/** The call of an open request is the server's own copy. */
const callOf = (
  parts: Parts,
  { session, requestId, tool, input = {} }: Params<"rules/test">,
): { readonly call: ToolCall; readonly toolUseId?: string | undefined } => {
  if (requestId === undefined) {
    if (tool === undefined) throw new Refusal("bad-request", "Name a tool, or an open request of a session.");
    return { call: { tool, input } };
  }
  if (session === undefined) throw new Refusal("bad-request", "Name the session of the request.");
  const open = ours(parts, session).head.requests.find(({ id }) => id === requestId);
  if (open?.request.subtype !== "can_use_tool")
    throw new Refusal("not-open", "This request is not open.", { requestId });
  const { tool_name: name, input: asked, tool_use_id: toolUseId } = open.request;
  return { call: { tool: name, input: asked }, toolUseId };
};

const verdictOf = ({ behavior, reason }: ReturnType<typeof check>) => ({
  behavior,
  reason: { ...reason, warnings: [...reason.warnings], change: [...reason.change] },
});

const lookedAt = (calls: readonly LatestCall[]): Listed["looked"] => {
  const first = calls.at(-1);
  return { calls: calls.length, ...(first !== undefined && { since: first.at }) };
};

const listed = (
  { folder, files, sources, trust, context }: FolderRules,
  calls: readonly LatestCall[],
  links: CheckOptions,
  cliVersion: string | undefined,
): Listed => {
  const uses = usesOf(context, calls, links);
  // Whether the folder is trusted is said once, for all its rules.
  const found = problemsOf(sources, { cliVersion, folderTrusted: true, cwd: context.cwd, home: context.home });
  const rules = sources.flatMap((source) =>
    rulesIn(source).map(({ behavior, text, line }) => {
      const named = { scope: source.scope, path: source.path, behavior, rule: text };
      const parsed = parseRule(text);
      const risk = parsed.ok && behavior === "allow" ? riskOf(parsed.rule) : undefined;
      const { matched = 0, lastAt } = uses.get(ruleKey(named)) ?? {};
      return {
        ...named,
        ...(line !== undefined && { line }),
        matched,
        ...(lastAt !== undefined && { lastAt }),
        ...(risk !== undefined && { risk }),
        problems: found.filter((problem) => isAbout(problem, named, line)).map(wordsOf),
      };
    }),
  );
  return {
    folder,
    mode: context.mode,
    trust,
    files: files.map(({ scope, path, text, problem }) => ({
      scope,
      path,
      exists: text !== undefined,
      ...(problem !== undefined && { problem }),
    })),
    rules,
    problems: found
      .filter(({ rule }) => rule === undefined)
      .map((problem) => ({ ...wordsOf(problem), scope: problem.scope, path: problem.path, line: problem.line })),
    looked: lookedAt(calls),
  };
};

const wordsOf = ({ kind, words, instead }: Problem) => ({ kind, words, ...(instead !== undefined && { instead }) });

const isAbout = (
  problem: Problem,
  { scope, path, behavior, rule }: Parameters<typeof ruleKey>[0],
  line: number | undefined,
): boolean =>
  problem.rule === rule &&
  problem.scope === scope &&
  problem.path === path &&
  (problem.behavior ?? behavior) === behavior &&
  (problem.line === undefined || line === undefined || problem.line === line);

interface WrittenRule {
  readonly behavior: Behavior;
  readonly text: string;
  readonly line?: number;
}
const BEHAVIORS = ["allow", "ask", "deny"] as const;

const rulesIn = ({ text, value }: SettingsSource): readonly WrittenRule[] => {
  if (text !== undefined) {
    const read = rulesOfSettings(text);
    return read.ok ? read.rules : [];
  }
  const permissions = isRecord(value) && isRecord(value["permissions"]) ? value["permissions"] : {};
  return BEHAVIORS.flatMap((behavior) => {
    const list = permissions[behavior];
    return (Array.isArray(list) ? list : [])
      .filter((each) => typeof each === "string")
      .map((each) => ({ behavior, text: each }));
  });
};

/** What is wrong with a rule that is not saved yet. */
const problemsWith = (
  { scope, behavior, rule }: NonNullable<Params<"rules/preview">["change"]["to"]>,
  cliVersion?: string,
) =>
  problemsOf([{ scope, value: { permissions: { [behavior]: [rule] } } }], { cliVersion, folderTrusted: true }).map(
    wordsOf,
  );
