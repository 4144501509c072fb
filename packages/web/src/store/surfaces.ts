// Which dialog of the page is open, requested by a button, a key or a slash command. One at a time.

import type { Need } from "@quarterdeck/client/policy";
import { useSyncExternalStore } from "react";

export type Surface =
  | ({ readonly kind: "start" } & StartWish)
  | { readonly kind: "resume" }
  | { readonly kind: "settings"; readonly tab?: SettingsDialogTab }
  | { readonly kind: "help" }
  | { readonly kind: "palette" }
  | { readonly kind: "keys" }
  | { readonly kind: "permissions"; readonly session: string }
  | { readonly kind: "servers"; readonly session: string }
  | { readonly kind: "export"; readonly session: string; readonly title: string }
  | { readonly kind: "terminal"; readonly session: string }
  | { readonly kind: "rename"; readonly session: string; readonly title: string }
  | ({ readonly kind: "rewind" } & Rewind)
  | ({ readonly kind: "trust" } & TrustQuestion)
  | ({ readonly kind: "confirm" } & Confirmation);

export type SettingsDialogTab = "look" | "notify" | "devices" | "about";
export type TrustChoice = "trusted" | "without-settings";

export interface StartWish {
  /** A machine of the fleet. By default that of the screen. */
  readonly machine?: string;
  readonly cwd?: string;
  readonly prompt?: string;
  readonly worktree?: boolean;
  readonly uploads?: readonly string[];
  readonly onStarted?: () => void;
}

export interface Rewind {
  readonly session: string;
  /** The id of the prompt. */
  readonly prompt: string;
  /** What it says. */
  readonly text: string;
  /** The message is edited and sent again. */
  readonly resends?: boolean;
}

export interface TrustQuestion {
  /** The session that waits for the answer. It says which machine has the folder. */
  readonly session?: string;
  readonly cwd: string;
  /** A session already runs there, without the folder's settings. */
  readonly runs?: boolean;
  /** A prompt waits for the answer. */
  readonly sends?: boolean;
  readonly then: (choice: TrustChoice) => void;
}

export interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly tone?: "main" | "danger";
  /** The person must type this to continue. */
  readonly typed?: string;
  readonly run: () => void;
}

let open: Surface | undefined;
const listeners = new Set<() => void>();
const set = (next: Surface | undefined): void => {
  open = next;
  for (const listener of listeners) listener();
};

export const openSurface = (surface: Surface): void => set(surface);
export const closeSurface = (): void => set(undefined);
/** Asks the person first if the policy requires it. */
export const afterConfirm = (need: Need, about: Confirmation): void => {
  if (need.confirm === undefined) about.run();
  else set({ kind: "confirm", ...about });
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useSurface = (): Surface | undefined => useSyncExternalStore(subscribe, () => open);
