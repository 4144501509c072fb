// The text of a settings file: its rules with their lines, and the text after a change. What we do not know is kept.

import { notBuilt } from "./not-built.ts";
import type { Behavior, Update } from "./types.ts";

export interface SettingsRule {
  readonly text: string;
  readonly behavior: Behavior;
  /** From 1. */
  readonly line: number;
}

export type SettingsRules =
  | { readonly ok: true; readonly rules: readonly SettingsRule[] }
  | { readonly ok: false; readonly error: { readonly message: string; readonly line: number } };

export const rulesOfSettings = (_text: string): SettingsRules => notBuilt("rulesOfSettings");

/** A change of one file. `moveRule` of a list keeps the order of the others. */
export type SettingsChange = Update;

export type ChangedSettings =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: { readonly message: string; readonly line: number } };

/** An empty text is an empty file. Indentation and order of the rest stay as they are. */
export const settingsWith = (_text: string, _change: SettingsChange): ChangedSettings => notBuilt("settingsWith");
