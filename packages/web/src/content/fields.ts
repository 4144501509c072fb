// Reads values whose form nobody guarantees: answers of the CLI, outputs of hooks, files.

import { isRecord } from "@quarterdeck/client/content";

export type Fields = Readonly<Record<string, unknown>>;
export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
export const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** 2.1.38 lists a server and its tools twice if the server came in mid-session. */
export const onceEach = (list: readonly Fields[]): readonly Fields[] => [
  ...new Map(list.map((entry) => [textOf(entry["name"]), entry])).values(),
];

/** The text of a notebook, which is a string or a list of lines. */
export const linesText = (value: unknown): string =>
  Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : textOf(value);
