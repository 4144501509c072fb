// The eight places that rules come from: one table for every surface.

import type { Scope } from "./types.ts";

/** Scopes that are settings files. The others are flags of a process, or what a session was allowed. */
export type FileScope = Extract<Scope, "policySettings" | "localSettings" | "projectSettings" | "userSettings">;

/** The settings files that a person may change through us. */
export const WRITABLE_SCOPES = [
  "localSettings",
  "projectSettings",
  "userSettings",
] as const satisfies readonly FileScope[];
export type WritableScope = (typeof WRITABLE_SCOPES)[number];

export interface ScopeFacts {
  readonly scope: Scope;
  /** For a person: "This project, only you". */
  readonly name: string;
  /** How long or for which users it applies, in a few words. */
  readonly about: string;
  /** Below the project (`.claude/…`), below HOME (`~/…`), or undefined where there is no file. */
  readonly file?: string | undefined;
  /** Which wins where only one value can hold, such as `defaultMode`. Higher wins. Rules of all scopes hold together. */
  readonly precedence: number;
  /** Whether a person may change it through us. */
  readonly canWrite: boolean;
  /** Whether it is there again in the next process. */
  readonly lasts: boolean;
}

export const SCOPES: Readonly<Record<Scope, ScopeFacts>> = {
  session: {
    scope: "session",
    name: "This session",
    about: "until its process stops",
    precedence: 7,
    canWrite: true,
    lasts: false,
  },
  command: {
    scope: "command",
    name: "The slash command that runs",
    about: "while the command runs",
    precedence: 6,
    canWrite: false,
    lasts: false,
  },
  cliArg: {
    scope: "cliArg",
    name: "The command line",
    about: "until its process stops",
    precedence: 5,
    canWrite: false,
    lasts: false,
  },
  policySettings: {
    scope: "policySettings",
    name: "Your organization",
    about: "set by your administrator",
    file: "managed-settings.json",
    precedence: 8,
    canWrite: false,
    lasts: true,
  },
  flagSettings: {
    scope: "flagSettings",
    name: "The --settings flag",
    about: "until its process stops",
    precedence: 4,
    canWrite: false,
    lasts: false,
  },
  localSettings: {
    scope: "localSettings",
    name: "This project, only you",
    about: "not checked in",
    file: ".claude/settings.local.json",
    precedence: 3,
    canWrite: true,
    lasts: true,
  },
  projectSettings: {
    scope: "projectSettings",
    name: "This project, shared",
    about: "shared with the repository",
    file: ".claude/settings.json",
    precedence: 2,
    canWrite: true,
    lasts: true,
  },
  userSettings: {
    scope: "userSettings",
    name: "All your projects",
    about: "applies everywhere",
    file: "~/.claude/settings.json",
    precedence: 1,
    canWrite: true,
    lasts: true,
  },
};

export const SCOPE_NAMES = Object.keys(SCOPES) as readonly Scope[];
