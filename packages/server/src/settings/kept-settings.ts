// What people set for the whole server: defaults of new sessions, and how long sessions are kept. One private file, always replaced as a
// whole. A file that cannot be read stops the start: a guess about retention could delete sessions.

import { join } from "node:path";
import { isRecord } from "@quarterdeck/protocol";
import { readPrivateFile, writePrivateFile } from "../access/private-file.ts";
import { ServerError } from "../server-error.ts";

export const KEPT_SETTINGS_FILE = "server-settings.json";

export interface StartDefaults {
  readonly model?: string;
  readonly effort?: string;
  readonly permissionMode?: string;
  readonly maxThinkingTokens?: number;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
}

export interface KeptRetention {
  readonly days: number | null;
  readonly onlyArchived: boolean;
  readonly last?: { readonly at: number; readonly deleted: number };
}

interface Kept {
  readonly defaults: StartDefaults;
  readonly projects: Readonly<Record<string, StartDefaults>>;
  readonly retention: KeptRetention;
}

export interface KeptSettings {
  defaultsFor(project?: string): StartDefaults | undefined;
  setDefaults(settings: StartDefaults, project?: string): void;
  readonly retention: KeptRetention;
  setRetention(retention: KeptRetention): void;
}

const NOTHING: Kept = { defaults: {}, projects: {}, retention: { days: null, onlyArchived: false } };
const MOST_PROJECTS = 1000;

export const openKeptSettings = (dataDir: string): KeptSettings => {
  const path = join(dataDir, KEPT_SETTINGS_FILE);
  let kept = read(path);
  const save = (patch: Partial<Kept>): void => {
    kept = { ...kept, ...patch };
    writePrivateFile(path, `${JSON.stringify(kept, null, 2)}\n`);
  };
  return {
    defaultsFor: (project) =>
      project === undefined
        ? kept.defaults
        : Object.hasOwn(kept.projects, project)
          ? kept.projects[project]
          : undefined,
    setDefaults: (settings, project) => {
      if (project === undefined) return save({ defaults: settings });
      const { [project]: _before, ...others } = kept.projects;
      const isEmpty = Object.keys(settings).length === 0;
      // The ones that were set longest ago are dropped.
      const latest = Object.entries(others).slice(-(MOST_PROJECTS - 1));
      save({ projects: Object.fromEntries([...latest, ...(isEmpty ? [] : [[project, settings] as const])]) });
    },
    get retention() {
      return kept.retention;
    },
    setRetention: (retention) => save({ retention }),
  };
};

const read = (path: string): Kept => {
  const text = readPrivateFile(path);
  if (text === undefined) return NOTHING;
  const broken = (why: string): ServerError =>
    new ServerError(`${path} cannot be read. Repair the file, or delete it to start with the defaults. ${why}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw broken(error instanceof Error ? error.message : String(error));
  }
  if (!isRecord(value)) throw broken("It is not an object.");
  const { defaults = {}, projects = {}, retention = NOTHING.retention } = value;
  if (!isRecord(defaults) || !isRecord(projects) || !Object.values(projects).every(isRecord))
    throw broken("The defaults are not objects.");
  if (!isRetention(retention)) throw broken("The retention is not valid.");
  return { defaults, projects: projects as Kept["projects"], retention };
};

const isRetention = (value: unknown): value is KeptRetention =>
  isRecord(value) &&
  (value["days"] === null || (typeof value["days"] === "number" && value["days"] >= 1)) &&
  typeof value["onlyArchived"] === "boolean";
