// What a check is made against: folders, mode, rules of all scopes, facts of the CLI's version.

import { notBuilt } from "./not-built.ts";
import type { ContextInput, Mode, PlacedRule, SettingsSource, Update } from "./types.ts";

export interface Context {
  readonly cwd: string;
  readonly home: string;
  readonly mode: Mode;
  readonly additionalDirectories: readonly string[];
  /** All rules in effect, in the order of the settings. */
  readonly rules: readonly PlacedRule[];
  readonly cliVersion: string;
  /** What it was made of. `contextOf(context.input)` is equal to it. */
  readonly input: ContextInput;
}

export const contextOf = (_input: ContextInput): Context => notBuilt("contextOf");

/** The context after an update. Nothing is written. */
export const applyUpdate = (_context: Context, _update: Update): Context => notBuilt("applyUpdate");

/** The settings of one scope after an update, as a settings file would have them; unknown fields are kept. */
export const applyUpdateToSettings = (_settings: readonly SettingsSource[], _update: Update): SettingsSource[] =>
  notBuilt("applyUpdateToSettings");
