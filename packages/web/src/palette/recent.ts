// Recent choices in the palette, newest first. Kept in this browser.

import { kept } from "../store/kept.ts";

const MOST = 30;

export const decodeRecent = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((id) => typeof id === "string" && id.length < 500).slice(0, MOST) : [];

const stored = kept("palette", decodeRecent);
export const readRecent = (): readonly string[] => stored.get();
export const noteUse = (id: string): void =>
  stored.set([id, ...stored.get().filter((other) => other !== id)].slice(0, MOST));
