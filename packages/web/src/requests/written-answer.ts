// What a person has written or chosen in a card and not sent. It is kept until the request is answered, also while another card or
// another session is shown. Words survive a reload (`accepts` checks what was stored). Whether Allow is enabled, rules and modes do not.

import { isRecord } from "@quarterdeck/client/content";
import { useCallback, useState } from "react";
import { readKept, writeKept } from "../store/kept.ts";

/** Two CLIs may give two requests the same id. */
export const writtenIn = (session: string, request: string): string => `${session} ${request}`;

type Accepts<T> = (value: unknown) => value is T;

const written = new Map<string, Map<string, unknown>>();
const INDEX = "answers";
const MOST = 50;
/** Longer texts are kept until the page is closed. */
const LONGEST = 200_000;

export const useWrittenAnswer = <T>(
  card: string,
  part: string,
  initial: () => T,
  accepts?: Accepts<T>,
): readonly [T, (next: T) => void] => {
  const [value, setValue] = useState<T>(() => {
    const parts = written.get(card);
    if (parts?.has(part) === true) return parts.get(part) as T;
    const stored = accepts === undefined ? undefined : readAnswer(card)[part];
    return accepts?.(stored) === true ? stored : initial();
  });
  const isKept = accepts !== undefined;
  const set = useCallback(
    (next: T) => {
      const parts = written.get(card) ?? new Map<string, unknown>();
      written.set(card, parts.set(part, next));
      if (isKept) writeAnswer(card, part, next);
      setValue(() => next);
    },
    [card, part, isKept],
  );
  return [value, set];
};

export const forgetWritten = (card: string): void => {
  written.delete(card);
  const index = readIndex();
  if (!index.includes(card)) return;
  writeKept(`answer.${card}`, undefined);
  writeKept(
    INDEX,
    index.filter((each) => each !== card),
  );
};

const readIndex = (): readonly string[] => {
  const index = readKept(INDEX);
  return Array.isArray(index) ? index.filter((each): each is string => typeof each === "string") : [];
};

export const readAnswer = (card: string): Readonly<Record<string, unknown>> => {
  const stored = readKept(`answer.${card}`);
  return isRecord(stored) ? stored : {};
};

export const writeAnswer = (card: string, part: string, value: unknown): void => {
  const next = { ...readAnswer(card), [part]: value };
  if (JSON.stringify(next).length > LONGEST) return;
  writeKept(`answer.${card}`, next);
  const index = readIndex();
  if (index.at(-1) === card) return;
  const order = [...index.filter((each) => each !== card), card];
  for (const old of order.slice(0, -MOST)) writeKept(`answer.${old}`, undefined);
  writeKept(INDEX, order.slice(-MOST));
};

export const isString = (value: unknown): value is string => typeof value === "string";
