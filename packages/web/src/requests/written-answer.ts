// What a person has written or chosen in a card and not sent. It is kept until the request is answered, also while
// another card or another session is shown. Whether Allow is enabled is not kept: that is checked again.

import { useCallback, useState } from "react";

/** Two CLIs may give two requests the same id. */
export const writtenIn = (session: string, request: string): string => `${session} ${request}`;

const written = new Map<string, Map<string, unknown>>();

export const useWritten = <T>(card: string, part: string, initial: () => T): readonly [T, (next: T) => void] => {
  const [value, setValue] = useState<T>(() => {
    const parts = written.get(card);
    return parts?.has(part) === true ? (parts.get(part) as T) : initial();
  });
  const set = useCallback(
    (next: T) => {
      const parts = written.get(card) ?? new Map<string, unknown>();
      written.set(card, parts.set(part, next));
      setValue(() => next);
    },
    [card, part],
  );
  return [value, set];
};

export const forgetWritten = (card: string): void => void written.delete(card);
