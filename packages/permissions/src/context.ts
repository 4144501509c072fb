// What a check is made against: folders, mode, rules of all scopes, facts of the CLI's version. Rules are compiled when the first check
// needs them.

import { BashRules } from "./bash-rules.ts";
import { DomainRules } from "./domain-rules.ts";
import { foldersOf } from "./folders.ts";
import type { Folders } from "./folders.ts";
import { asksNobody, MODES, modeOf } from "./modes.ts";
import { liftingRules } from "./own-settings.ts";
import { PathRules } from "./path-rules.ts";
import { SCOPES } from "./scopes.ts";
import { isRecord, readSettings } from "./settings.ts";
import type { ReadSettings } from "./settings.ts";
import { own } from "./own.ts";
import { ruleText } from "./rule.ts";
import { ToolRules, toolNameOf } from "./tool-rules.ts";
import { changedList } from "./updates.ts";
import type { Behavior, ContextInput, Mode, PlacedRule, SettingsSource, Update } from "./types.ts";
import { compareVersions, factsOf, NEWEST_MEASURED } from "./versions.ts";
import type { VersionFacts } from "./versions.ts";

export interface Context {
  readonly cwd: string;
  readonly home: string;
  readonly mode: Mode;
  /** Those of the command line, of updates and of settings. */
  readonly additionalDirectories: readonly string[];
  /** All rules in effect, in the order of the settings. */
  readonly rules: readonly PlacedRule[];
  readonly cliVersion: string;
  /** What it was made of. `contextOf(context.input)` is equal to it. */
  readonly input: ContextInput;
}

export interface CompiledRules {
  readonly tools: ToolRules;
  readonly bash: BashRules;
  readonly read: PathRules;
  readonly edit: PathRules;
  readonly domains: DomainRules;
  /** Rules with content of all other tools, by tool. */
  readonly others: ReadonlyMap<string, readonly PlacedRule[]>;
}

export interface Compiled {
  readonly facts: VersionFacts;
  readonly folders: Folders;
  readonly rules: Readonly<Record<Behavior, CompiledRules>>;
  /** Rules of the session for Claude's own settings. */
  readonly ownSettings: readonly PlacedRule[];
  /** Plan mode asks a classifier. */
  readonly planClassifier: boolean;
  readonly bypassAvailable: boolean;
}

const compiled = new WeakMap<Context, Compiled>();
const readOf = new WeakMap<Context, readonly ReadSettings[]>();

export const contextOf = (given: ContextInput): Context => {
  const input = sound(given);
  const cliVersion = input.cliVersion ?? NEWEST_MEASURED;
  const facts = factsOf(cliVersion);
  const read = input.settings.map((source) => readSettings(source, facts));
  const onlyManaged = read.some(({ managedRulesOnly }) => managedRulesOnly);
  const isUntrusted = (index: number): boolean =>
    input.settings[index]!.scope === "projectSettings" && input.folderTrusted !== true;
  const rules = read.flatMap((each, index) => {
    if (onlyManaged && input.settings[index]!.scope !== "policySettings") return [];
    return facts.projectAllowNeedsTrust && isUntrusted(index)
      ? each.rules.filter(({ behavior }) => behavior !== "allow")
      : each.rules;
  });
  const directories = read.flatMap((each, index) =>
    facts.directoriesNeedTrust && isUntrusted(index) ? [] : each.directories,
  );
  const context: Context = {
    cwd: input.cwd,
    home: input.home,
    mode: modeIn(input, read, cliVersion),
    additionalDirectories: [...(input.additionalDirectories ?? []), ...directories],
    rules,
    cliVersion,
    input,
  };
  readOf.set(context, read);
  return context;
};

/** As a session starts: if nobody chose a mode, a default mode that asks nobody does not count. */
export const contextOfStart = (given: ContextInput): Context => {
  const written = contextOf(given);
  return given.mode === undefined && asksNobody(written.mode)
    ? contextOf({ ...written.input, mode: "default" })
    : written;
};

/** Only sources with a scope that exists: rules from anywhere else are not in effect. */
const sound = (given: ContextInput): ContextInput => {
  const settings = Array.isArray(given.settings) ? given.settings : [];
  const isSource = (source: unknown): boolean =>
    isRecord(source) && typeof source.scope === "string" && Object.hasOwn(SCOPES, source.scope);
  return settings === given.settings && settings.every(isSource)
    ? given
    : { ...given, settings: settings.filter(isSource) };
};

const modeIn = (input: ContextInput, read: readonly ReadSettings[], version: string): Mode => {
  const byRank = input.settings
    .map(({ scope }, index) => ({ rank: own(SCOPES, scope)?.precedence ?? 0, mode: read[index]!.defaultMode }))
    .filter(({ mode }) => mode !== undefined)
    .sort((a, b) => b.rank - a.rank);
  const mode = modeOf(input.mode) ?? modeOf(byRank[0]?.mode) ?? "default";
  const { since, until, sameAs } = MODES[mode];
  if (sameAs !== undefined) return sameAs;
  if (since !== undefined && compareVersions(version, since) < 0) return "default";
  if (until !== undefined && compareVersions(version, until) > 0) return "default";
  return mode === "bypassPermissions" && read.some(({ disablesBypass }) => disablesBypass) ? "default" : mode;
};

/** The compiled form, made once for each context. */
export const compiledOf = (context: Context): Compiled => {
  const known = compiled.get(context);
  if (known !== undefined) return known;
  const facts = factsOf(context.cliVersion);
  const folders = foldersOf(context.cwd, context.home, context.additionalDirectories, facts);
  const read = readOf.get(context) ?? [];
  const made: Compiled = {
    facts,
    folders,
    rules: {
      allow: compileRules(context, "allow", folders, facts),
      ask: compileRules(context, "ask", folders, facts),
      deny: compileRules(context, "deny", folders, facts),
    },
    ownSettings: liftingRules(context.rules),
    planClassifier: facts.planClassifier && !read.some(({ planWithoutClassifier }) => planWithoutClassifier),
    bypassAvailable: context.input.bypassAvailable === true && !read.some(({ disablesBypass }) => disablesBypass),
  };
  compiled.set(context, made);
  return made;
};

const EDITING = new Set(["Edit"]);
const READING = new Set(["Read"]);

const compileRules = (context: Context, behavior: Behavior, folders: Folders, facts: VersionFacts): CompiledRules => {
  const rules = context.rules.filter((rule) => rule.behavior === behavior);
  const withContent = rules.filter(({ rule }) => rule.ruleContent !== undefined && rule.ruleContent !== "*");
  const of = (tools: ReadonlySet<string>): readonly PlacedRule[] =>
    withContent.filter(({ rule }) => tools.has(rule.toolName));
  const pathFolders = {
    cwd: folders.cwd,
    home: folders.home,
    relativeRoots: behavior === "allow" || !facts.readDenyStopsWrite ? [folders.cwd] : folders.working,
  };
  const normalize = facts.exactLetters ? (text: string) => text : (text: string) => text.normalize("NFC");
  return {
    tools: new ToolRules(rules, behavior, facts),
    bash: new BashRules(of(new Set(["Bash"])), behavior === "allow", facts.wideDeny),
    read: new PathRules(of(READING), pathFolders, normalize),
    edit: new PathRules(of(EDITING), pathFolders, normalize),
    domains: new DomainRules(of(new Set(["WebFetch"]))),
    others: byTool(withContent, facts),
  };
};

const byTool = (rules: readonly PlacedRule[], facts: VersionFacts): ReadonlyMap<string, readonly PlacedRule[]> => {
  const map = new Map<string, PlacedRule[]>();
  for (const rule of rules) {
    const name = toolNameOf(rule.rule.toolName, facts);
    if (name === "Bash" || name === "Read" || name === "Edit" || name === "WebFetch") continue;
    const list = map.get(name);
    if (list === undefined) map.set(name, [rule]);
    else list.push(rule);
  }
  return map;
};

/** The context after an update. Nothing is written. */
export const applyUpdate = (context: Context, update: Update): Context => {
  const { input } = context;
  if (update.type === "setMode") {
    if (update.destination === "session" || update.destination === "cliArg")
      return contextOf({ ...input, mode: update.mode });
    return contextOf({ ...input, mode: update.mode, settings: applyUpdateToSettings(input.settings, update) });
  }
  return contextOf({ ...input, settings: applyUpdateToSettings(input.settings, update) });
};

/** The settings after an update, as settings files would have them; unknown fields are kept. */
export const applyUpdateToSettings = (settings: readonly SettingsSource[], update: Update): SettingsSource[] => {
  const index = settings.findIndex(({ scope }) => scope === update.destination);
  if (index === -1) return [...settings, { scope: update.destination, value: changedValue({}, update) }];
  return settings.map((source, at) => {
    if (at !== index) return source;
    // The lines of the old text are no longer true.
    const { text: _text, ...rest } = source;
    return { ...rest, value: changedValue(source.value, update) };
  });
};

const textsIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

const changedValue = (value: unknown, update: Update): unknown => {
  const file = isRecord(value) ? value : {};
  const permissions = isRecord(file.permissions) ? file.permissions : {};
  const withField = (field: string, next: unknown) => ({ ...file, permissions: { ...permissions, [field]: next } });
  if (update.type === "setMode") return withField("defaultMode", update.mode);
  if ("rules" in update) {
    const { type, behavior, rules } = update;
    return withField(behavior, changedList<unknown>(type, textsIn(permissions[behavior]), rules.map(ruleText)));
  }
  const field = "additionalDirectories";
  return withField(field, changedList<unknown>(update.type, textsIn(permissions[field]), update.directories));
};
