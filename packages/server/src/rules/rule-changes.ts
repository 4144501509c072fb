// One change of a rule: in its file, from one file to another, or undone. What a person saw before it is named by its hash. What is
// shown of a file is its rules: other settings may be secrets.

import { randomUUID } from "node:crypto";
import { isInside, previewSettings, readFolder, settingsPlace, trust, trustIn, writeSettings } from "@quarterdeck/host";
import type { SettingsEdit, SettingsPlace } from "@quarterdeck/host";
import { parseRule, rulesOfSettings, settingsWith } from "@quarterdeck/permissions";
import type { Rule, SettingsChange, Update } from "@quarterdeck/permissions";
import { isRecord } from "@quarterdeck/protocol";
import type { PermissionUpdate } from "@quarterdeck/protocol";
import type { ParamsOf, ResultOf } from "@quarterdeck/session/bridge";
import { Refusal } from "../refusal.ts";
import { hunksBetween } from "../files/hunks.ts";
import type { Hunk } from "../files/hunks.ts";
import type { RulesParts } from "./folder-rules.ts";

export type RuleChange = ParamsOf<"rules/preview">["change"];
type Place = NonNullable<RuleChange["to"]>;
type PreviewedFile = ResultOf<"rules/preview">["files"][number];
type Saved = ResultOf<"rules/save">;

/** One file of a change. */
interface FileChange {
  readonly place: SettingsPlace & { readonly scope: Place["scope"] };
  readonly edit: SettingsEdit;
  /** Reported to the host before the file is written, so that the folder stays trusted. */
  readonly updates: readonly Update[];
}

/** What undoes a change: the text before it, if the file is still what the change wrote. */
interface Undo {
  readonly folder: string;
  readonly files: readonly (FileChange & { readonly hash: string; readonly before: string | undefined })[];
}

const MOST_UNDOS = 100;
/** Sessions in folders below load these settings, too. */
const MOST_FOLDERS = 20;

export class RuleChanges {
  readonly #parts: RulesParts;
  readonly #undos = new Map<string, Undo>();

  constructor(parts: RulesParts) {
    this.#parts = parts;
  }

  async preview(folder: string, change: RuleChange): Promise<readonly PreviewedFile[]> {
    const files = this.#filesOf(folder, change);
    return Promise.all(
      files.map(async ({ place, edit }) => {
        const { before, after, hash } = await previewSettings(place, edit);
        const { scope, path } = place;
        return { scope, path, hash, creates: before === undefined, hunks: shownHunks(before ?? "", after) };
      }),
    );
  }

  async save(folder: string, change: RuleChange, hashes: readonly string[]): Promise<Saved> {
    const files = this.#filesOf(folder, change);
    if (hashes.length !== files.length)
      throw new Refusal("bad-request", "Preview the change first, and send one hash for each file.");
    return this.#write(
      folder,
      files.map((file, at) => ({ ...file, hash: hashes[at]! })),
    );
  }

  async undo(id: string): Promise<Saved> {
    const undo = this.#undos.get(id);
    if (undo === undefined) throw new Refusal("not-found", "This change can no longer be undone here.");
    const files = undo.files.toReversed().map((file) => ({ ...file, edit: () => file.before ?? "{}\n" }));
    const saved = await this.#write(undo.folder, files);
    this.#undos.delete(id);
    return saved;
  }

  async #write(folder: string, files: readonly (FileChange & { readonly hash: string })[]): Promise<Saved> {
    const updates = files.flatMap((file) => file.updates).filter(({ destination }) => destination !== "userSettings");
    const written: Undo["files"][number][] = [];
    const writeAll = async (): Promise<void> => {
      for (const file of files) {
        const { before } = await previewSettings(file.place, (text) => text ?? "");
        const { hash } = await writeSettings(file.place, file.edit, file.hash);
        written.push({ ...file, before, hash, updates: file.updates.map(inverseOf) });
      }
    };
    try {
      await this.#keepingTrust(updates.length === 0 ? [] : await this.#foldersAround(folder), updates, writeAll);
    } catch (error) {
      // A move is both files or none.
      for (const { place, before, hash } of written.toReversed())
        await writeSettings(place, () => before ?? "{}\n", hash).catch(() => undefined);
      throw error;
    }
    const id = randomUUID();
    this.#undos.set(id, { folder, files: written });
    const [oldest] = this.#undos.keys();
    if (this.#undos.size > MOST_UNDOS && oldest !== undefined) this.#undos.delete(oldest);
    return { undo: id, files: written.map(({ place: { scope, path } }) => ({ scope, path })) };
  }

  /** This folder, and those below it that have sessions. */
  async #foldersAround(folder: string): Promise<readonly string[]> {
    const { store, trust: known, configFolder: configDir, dataDir } = this.#parts;
    // Like a start: a folder without settings of its own counts as trusted.
    const contents = await readFolder(folder, { configDir, hidden: [dataDir] });
    if (contents.files.length === 0 && trustIn(contents, known) === "unknown") await trust(contents, known);
    const below = store
      .sessions()
      .map(({ cwd }) => cwd)
      .filter((cwd) => cwd !== folder && isInside(cwd, folder));
    return [folder, ...new Set(below)].slice(0, MOST_FOLDERS);
  }

  #keepingTrust(folders: readonly string[], updates: readonly Update[], write: () => Promise<void>): Promise<void> {
    const [folder, ...others] = folders;
    if (folder === undefined) return write();
    const next = (): Promise<void> => this.#keepingTrust(others, updates, write);
    return this.#parts.host.writeRules(folder, updates as readonly PermissionUpdate[], next);
  }

  #filesOf(folder: string, { from, to }: RuleChange): readonly FileChange[] {
    const placeOf = (scope: Place["scope"]): FileChange["place"] => ({
      ...settingsPlace({ cwd: folder, configDir: this.#parts.configFolder }, scope),
      scope,
    });
    const added = to === undefined ? [] : [updateOf("addRules", to, mustParse(to.rule))];
    const removed = from === undefined ? [] : [removalOf(from)];
    if (from !== undefined && to !== undefined && from.scope === to.scope)
      return [{ place: placeOf(to.scope), edit: replaced(from, to), updates: [...removed, ...added] }];
    return [
      ...(to === undefined ? [] : [{ place: placeOf(to.scope), edit: editedBy(added), updates: added }]),
      ...(from === undefined ? [] : [{ place: placeOf(from.scope), edit: without(from), updates: removed }]),
    ];
  }
}

type RulesUpdate = Extract<Update, { readonly rules: unknown }>;

const updateOf = (type: RulesUpdate["type"], { behavior, scope }: Place, rule: Rule): RulesUpdate => ({
  type,
  rules: [rule],
  behavior,
  destination: scope,
});

const inverseOf = (update: Update): Update =>
  update.type === "addRules"
    ? { ...update, type: "removeRules" }
    : update.type === "removeRules"
      ? { ...update, type: "addRules" }
      : update;

const mustParse = (text: string): Rule => {
  const parsed = parseRule(text);
  if (parsed.ok) return parsed.rule;
  const { message, position } = parsed.error;
  throw new Refusal("bad-request", message, { position });
};

const editedBy =
  (changes: readonly SettingsChange[]): SettingsEdit =>
  (text = "") =>
    changes.reduce((before, change) => {
      const changed = settingsWith(before, change);
      if (changed.ok) return changed.text;
      const { message, line } = changed.error;
      throw new Refusal("unsupported", `${message} Repair line ${String(line)} of the file first.`);
    }, text);

/** The rules of one list, as they are written. */
const mustHave = (text: string, { behavior, rule }: Place): readonly string[] => {
  const read = rulesOfSettings(text);
  const list = read.ok ? read.rules.filter((each) => each.behavior === behavior).map((each) => each.text) : [];
  if (list.includes(rule)) return list;
  throw new Refusal("changed", "The rule is no longer in its file. Look at the rules again.", { rule });
};

/** As it is written in the file: it may be no valid rule. */
const removalOf = (from: Place): RulesUpdate => updateOf("removeRules", from, { toolName: from.rule });

const without =
  (from: Place): SettingsEdit =>
  (text = "") => {
    mustHave(text, from);
    return editedBy([removalOf(from)])(text);
  };

/** In the same list the new rule takes the place of the old one. */
const replaced =
  (from: Place, to: Place): SettingsEdit =>
  (text = "") => {
    const added = updateOf("addRules", to, mustParse(to.rule));
    const list = mustHave(text, from);
    const isInPlace = from.behavior === to.behavior && !list.includes(to.rule);
    const edit = { type: "editRule", behavior: from.behavior, from: from.rule, to: to.rule } as const;
    return editedBy(isInPlace ? [edit] : [removalOf(from), added])(text);
  };

// What a device sees of the change.

const shownHunks = (before: string, after: string): Hunk[] => {
  const known = new Set(
    [...permissionStrings(before), ...permissionStrings(after), ...KEYS].map((each) => JSON.stringify(each)),
  );
  return hunksBetween(before, after).map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => line[0]! + shownLine(line.slice(1), known)),
  }));
};

const KEYS = ["permissions", "allow", "ask", "deny", "defaultMode", "additionalDirectories", "$schema"];
const STRING = /"(?:[^"\\]|\\.)*"/gu;

/** A line that has only rules is shown. For another setting, only its name is shown. */
const shownLine = (line: string, known: ReadonlySet<string>): string => {
  const rest = line.replaceAll(STRING, (text) => (known.has(text) ? "" : text));
  if (/^[\s{}[\],:]*$/u.test(rest)) return line;
  const name = /^(\s*[{,]?\s*"(?:[^"\\]|\\.)*"\s*:)/u.exec(line)?.[1];
  return `${name ?? /^\s*/u.exec(line)![0]} …`;
};

const permissionStrings = (text: string): readonly string[] => {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/u, ""));
    const permissions = isRecord(value) && isRecord(value["permissions"]) ? value["permissions"] : {};
    return Object.values(permissions)
      .flat()
      .filter((each) => typeof each === "string");
  } catch {
    // Not JSON: nothing of it is shown.
    return [];
  }
};
