// How this browser shows the page. Stored here, never on the server, because a phone and a desktop differ.

import { useSyncExternalStore } from "react";
import { kept } from "./kept.ts";

const CHOICES = {
  theme: ["system", "dark", "light"],
  density: ["comfortable", "compact"],
  size: ["small", "normal", "large", "larger"],
  enter: ["sends", "breaks"],
  notify: ["off", "waiting", "all"],
} as const;

export type Settings = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };

const DEFAULTS: Settings = {
  theme: "system",
  density: "comfortable",
  size: "normal",
  enter: "sends",
  notify: "off",
};

export const decodeSettings = (value: unknown): Settings => {
  const given = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const entries = Object.entries(CHOICES).map(([name, choices]) => {
    const wanted = given[name];
    const known = typeof wanted === "string" && (choices as readonly string[]).includes(wanted);
    return [name, known ? wanted : DEFAULTS[name as keyof Settings]];
  });
  return Object.fromEntries(entries) as Settings;
};

const stored = kept("settings", decodeSettings);

export const useSettings = (): Settings => useSyncExternalStore(stored.subscribe, stored.get);
export const currentSettings = (): Settings => stored.get();
export const subscribeToSettings = stored.subscribe;
export const changeSettings = (patch: Partial<Settings>): void => stored.set({ ...stored.get(), ...patch });

/** Sets them as attributes of the root element. CSS does the rest. */
export const wearSettings = (): (() => void) => {
  const wear = (): void => {
    const { theme, density, size } = stored.get();
    const { dataset } = document.documentElement;
    if (theme === "system") delete dataset["theme"];
    else dataset["theme"] = theme;
    dataset["density"] = density;
    dataset["size"] = size;
  };
  wear();
  return stored.subscribe(wear);
};
