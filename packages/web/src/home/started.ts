// Messages that sessions were started with on this device, newest last. Up in an empty box brings them back.

import { kept } from "../store/kept.ts";

const MOST = 50;
const MOST_CHARACTERS = 10_000;

const decodeStarted = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.filter((text): text is string => typeof text === "string" && text.length <= MOST_CHARACTERS).slice(-MOST)
    : [];

const stored = kept("started", decodeStarted);
export const startedTexts = stored.get;
export const rememberStart = (text: string): void => {
  if (text !== "") stored.set(decodeStarted([...stored.get().filter((known) => known !== text), text]));
};
