// `quarterdeck rules`: the permission rules of a folder, a test of a call, and changes with the file's diff first. Reading needs no
// server: the settings files are the same.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  configFolder,
  fileTrustStore,
  findClaude,
  readSettingsFiles,
  spawnEnvironment,
  trustOf,
} from "@quarterdeck/host";
import type { FolderTrust, SettingsFile } from "@quarterdeck/host";
import {
  contextOfStart,
  MODES,
  modeOf,
  parseRule,
  problemsOf,
  riskOf,
  rulesOfSettings,
  SCOPES,
} from "@quarterdeck/permissions";
import type { Behavior, Context, Problem, Risk, SettingsSource, WritableScope } from "@quarterdeck/permissions";
import { openKeyboard } from "../terminal/printer.ts";
import { jsonText } from "../terminal/terminal.ts";
import type { Paint } from "../terminal/terminal.ts";
import { UsageError, UserError } from "../user-error.ts";
import { atRulesDesk } from "./desk.ts";
import type { PreviewedFiles, RuleChange } from "./desk.ts";

export interface RulesOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly paint: Paint;
}

export interface ListedFolderRules {
  readonly folder: string;
  readonly files: readonly SettingsFile[];
  readonly context: Context;
  /** The installed CLI. Without it, the answers are those of the newest version that was measured. */
  readonly cliVersion?: string;
  readonly problems: readonly Problem[];
  readonly trust: FolderTrust;
}

/** A rule as it stands in its file, in effect or not. */
interface WrittenRule {
  readonly scope: SettingsFile["scope"];
  readonly path: string;
  readonly line: number;
  readonly behavior: Behavior;
  readonly text: string;
  readonly inEffect: boolean;
  readonly risk?: Risk;
  readonly problems: readonly Pick<Problem, "kind" | "words" | "instead">[];
}

const SCOPE_WORDS: Readonly<Record<string, WritableScope>> = {
  local: "localSettings",
  project: "projectSettings",
  user: "userSettings",
};

export const scopeOf = (word: string | undefined): WritableScope | undefined => {
  if (word === undefined) return undefined;
  const scope = Object.hasOwn(SCOPE_WORDS, word) ? SCOPE_WORDS[word] : undefined;
  if (scope === undefined)
    throw new UsageError("--scope must be local (this project, only you), project (shared) or user (all projects).");
  return scope;
};

export const listedRulesIn = async ({ cwd, env, dataDir }: RulesOptions, mode?: string): Promise<ListedFolderRules> => {
  const folder = folderAt(cwd);
  const environment = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const configDir = configFolder(environment);
  const [files, cliVersion, trust] = await Promise.all([
    readSettingsFiles({ cwd: folder, configDir }),
    installedVersion(env),
    trustOf(folder, fileTrustStore(join(dataDir, "trusted-folders.json")), {
      configDir,
      hidden: [dataDir],
      quick: true,
    }),
  ]);
  const settings: SettingsSource[] = files.flatMap(({ scope, path, text, value }) =>
    text === undefined ? [] : [{ scope, path, text, value }],
  );
  const chosen = mode === undefined ? undefined : mustBeMode(mode);
  const context = contextOfStart({
    cwd: folder,
    home: env["HOME"] ?? homedir(),
    settings,
    folderTrusted: true,
    ...(chosen !== undefined && { mode: chosen }),
    ...(cliVersion !== undefined && { cliVersion }),
  });
  return {
    ...{ folder, files, context, trust },
    problems: problemsOf(settings, { cliVersion, folderTrusted: true, cwd: folder, home: context.home }),
    ...(cliVersion !== undefined && { cliVersion }),
  };
};

/** Undefined if no Claude Code is installed, or if it does not tell its version. */
const installedVersion = async (env: RulesOptions["env"]): Promise<string | undefined> => {
  try {
    return (await findClaude({ env: spawnEnvironment(env, { marker: "none:none:0" }) })).version;
  } catch {
    return undefined;
  }
};

/** Includes rules that are not in effect, so that a person can find them. */
const writtenIn = ({ files, problems }: ListedFolderRules): readonly WrittenRule[] =>
  files.flatMap(({ scope, path, text = "" }): WrittenRule[] => {
    const read = rulesOfSettings(text);
    if (!read.ok) return [];
    const isOff = problems.some((each) => isAboutFile(each) && each.path === path);
    return read.rules.map(({ behavior, text: rule, line }) => {
      const own = problems.filter(
        (each) =>
          each.rule === rule &&
          each.scope === scope &&
          each.path === path &&
          (each.behavior ?? behavior) === behavior &&
          (each.line ?? line) === line,
      );
      const parsed = parseRule(rule);
      const risk = parsed.ok && behavior === "allow" ? riskOf(parsed.rule) : undefined;
      return {
        ...{ scope, path, line, behavior, text: rule },
        inEffect: !isOff && !own.some(({ kind }) => kind !== "shadowed"),
        ...(risk !== undefined && { risk }),
        problems: own.map(({ kind, words, instead }) => ({ kind, words, ...(instead !== undefined && { instead }) })),
      };
    });
  });

const isAboutFile = ({ kind, rule }: Problem): boolean => kind === "not-in-effect" && rule === undefined;

/** Undefined if the rules of the folder apply. */
export const trustNote = ({ trust, files }: ListedFolderRules): string | undefined => {
  const hasOwn = files.some(
    ({ scope, text }) => (scope === "projectSettings" || scope === "localSettings") && text !== undefined,
  );
  if (trust === "trusted" || !hasOwn) return undefined;
  const why =
    trust === "changed" ? "The settings of this folder changed since it was trusted." : "This folder is not trusted.";
  return `${why} Quarterdeck starts Claude Code without its own settings. This is shown as if you trusted it.`;
};

export const folderAt = (cwd: string): string => {
  try {
    return realpathSync(cwd);
  } catch {
    throw new UserError(`The folder ${cwd} does not exist. Use --cwd to choose another.`);
  }
};

const mustBeMode = (mode: string) => {
  const known = modeOf(mode);
  if (known === undefined) throw new UsageError(`There is no permission mode \`${mode}\`.`);
  return known;
};

// List.

export const listRules = async (options: RulesOptions): Promise<number> => {
  const { write, paint } = options;
  const found = await listedRulesIn(options);
  const { folder, files, context, problems, trust } = found;
  const { mode } = context;
  const rules = writtenIn(found);
  if (options.json) {
    const shownFiles = files.map(({ scope, path, text, problem }) => ({
      scope,
      path,
      exists: text !== undefined || problem !== undefined,
      ...(problem !== undefined && { problem }),
    }));
    write(`${jsonText({ folder, mode, trust, files: shownFiles, rules, problems }, 2)}\n`);
    return 0;
  }
  write(`${paint("bold", folder)}\n${paint("dim", `default mode: ${MODES[mode].name} (${mode})`)}\n`);
  const note = trustNote(found);
  if (note !== undefined) write(`${paint("yellow", note)}\n`);
  for (const file of files) {
    const own = rules.filter(({ path }) => path === file.path);
    const about = problems
      .filter(({ rule, path }) => rule === undefined && path === file.path)
      .map(({ words }) => words);
    const notes = new Set([...(file.problem === undefined ? [] : [file.problem]), ...about]);
    if (own.length === 0 && notes.size === 0) continue;
    write(`\n${SCOPES[file.scope].name} ${paint("dim", file.path)}\n`);
    for (const words of notes) write(`  ${paint("red", words)}\n`);
    for (const rule of own) write(ruleLine(rule, paint));
  }
  if (rules.length === 0) write("\nNo rules. Claude Code decides by its mode alone.\n");
  return 0;
};

export const COLOURS = { allow: "green", ask: "yellow", deny: "red" } as const;

const ruleLine = ({ text, behavior, line, inEffect, risk, problems }: WrittenRule, paint: Paint): string => {
  const place = paint("dim", `  line ${String(line)}${inEffect ? "" : ", not in effect"}`);
  const notes = [
    ...problems.map(({ words, instead }) => `${words}${instead === undefined ? "" : ` Use ${instead} instead.`}`),
    ...(risk === undefined ? [] : [`Risky: ${risk.words}`]),
  ].map((words) => paint("yellow", `         ${words}\n`));
  return `  ${paint(COLOURS[behavior], behavior.padEnd(6))} ${text}${place}\n${notes.join("")}`;
};

// Changes.

export interface ChangeOptions extends RulesOptions {
  readonly rule: string;
  readonly behavior?: Behavior;
  readonly scope?: WritableScope;
  /** Saves without a question. */
  readonly yes: boolean;
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}

export const addRule = async (options: ChangeOptions): Promise<number> => {
  const { rule, behavior, scope = "localSettings" } = options;
  if (behavior === undefined) throw new UsageError("Say what the rule does: --allow, --ask or --deny.");
  // People rely on a saved rule, so a rule without effect is reported first.
  const { files, problems } = await listedRulesIn(options);
  const file = files.find((each) => each.scope === scope);
  const about = [
    ...problemsOf([{ scope, value: { permissions: { [behavior]: [rule] } } }], { folderTrusted: true }),
    ...problems.filter((each) => isAboutFile(each) && each.scope === scope && each.path === file?.path),
  ].map(({ words, instead }) => `${words}${instead === undefined ? "" : ` Use ${instead} instead.`}`);
  const parsed = parseRule(rule);
  const risk = parsed.ok && behavior === "allow" ? riskOf(parsed.rule) : undefined;
  return makeChange(options, { to: { scope, behavior, rule } }, [
    ...(parsed.ok ? about : []),
    ...(risk === undefined ? [] : [`Risky: ${risk.words}`]),
  ]);
};

export const removeRule = async (options: ChangeOptions): Promise<number> => {
  const found = writtenIn(await listedRulesIn(options)).filter(
    ({ text, behavior, scope }) =>
      text === options.rule &&
      (options.behavior === undefined || behavior === options.behavior) &&
      (options.scope === undefined || scope === options.scope) &&
      Object.values(SCOPE_WORDS).includes(scope as WritableScope),
  );
  const [first] = found;
  if (first === undefined)
    throw new UserError(`There is no such rule in a settings file. \`quarterdeck rules list\` shows all rules.`);
  const places = new Set(found.map(({ behavior, scope }) => `${behavior} ${scope}`));
  if (places.size > 1) {
    const where = found.map(({ behavior, path, line }) => `  ${behavior}  ${path}, line ${String(line)}`);
    throw new UserError(
      `This rule stands in several places. Use --scope, --allow, --ask or --deny.\n${where.join("\n")}`,
    );
  }
  const { scope, behavior, text: rule } = first;
  return makeChange(options, { from: { scope: scope as WritableScope, behavior, rule } });
};

const makeChange = (options: ChangeOptions, change: RuleChange, warnings: readonly string[] = []): Promise<number> =>
  atRulesDesk(options, async (desk) => {
    const folder = folderAt(options.cwd);
    const files = await desk.preview(folder, change);
    const isChange = files.some(({ hunks }) => hunks.length > 0);
    if (!options.json) {
      showDiff(files, options);
      for (const words of warnings) options.write(options.paint("yellow", `Warning: ${words}\n`));
    }
    if (!isChange) {
      if (options.json) options.write(`${jsonText({ saved: false, files, warnings }, 2)}\n`);
      else options.write("The file says that already. Nothing was changed.\n");
      return 0;
    }
    const isSaved = options.yes || (await isMeant(options));
    if (isSaved)
      await desk.save(
        folder,
        change,
        files.map(({ hash }) => hash),
      );
    if (options.json) options.write(`${jsonText({ saved: isSaved, files, warnings }, 2)}\n`);
    else options.write(isSaved ? "Saved.\n" : "Nothing was changed.\n");
    return isSaved ? 0 : 1;
  });

const isMeant = async ({ interactive, json, signal }: ChangeOptions): Promise<boolean> => {
  if (!interactive || json)
    throw new UserError("Nothing was changed. Use --yes to save this change without a question.");
  const keyboard = openKeyboard();
  try {
    await keyboard.settle(signal);
    return /^y(?:es)?$/iu.test((await keyboard.ask("Save this change? y or n: ", signal)).trim());
  } finally {
    keyboard.close();
  }
};

const showDiff = (files: PreviewedFiles, { write, paint }: ChangeOptions): void => {
  for (const { path, creates, hunks } of files) {
    write(`${paint("bold", path)}${creates ? " (new file)" : ""}\n`);
    for (const { oldStart, newStart, lines } of hunks) {
      write(paint("dim", `@@ -${String(oldStart)} +${String(newStart)} @@\n`));
      for (const line of lines)
        write(`${line.startsWith("+") ? paint("green", line) : line.startsWith("-") ? paint("red", line) : line}\n`);
    }
  }
};
