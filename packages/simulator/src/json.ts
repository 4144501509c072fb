// Reads JSON of unknown shape: hosts, settings files and models write it.
import { isRecord } from "@quarterdeck/protocol";

export type Json = Record<string, unknown>;

export { isRecord };

export const recordAt = (value: unknown, key: string): Json => {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : {};
};

export const textAt = (value: unknown, key: string): string | undefined => {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === "string" ? found : undefined;
};

export const listAt = (value: unknown, key: string): readonly unknown[] => {
  const found = isRecord(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};

export const textsIn = (list: readonly unknown[]): readonly string[] =>
  list.filter((entry): entry is string => typeof entry === "string");

/** `undefined` for text that is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
