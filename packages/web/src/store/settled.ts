// Asks the server about something that a person is still typing.

import { useEffect, useState } from "react";

export interface Settled<T> {
  readonly value?: T;
  readonly problem?: string;
  /** Whether the answer is about what is typed now. An earlier answer stays until the next one is here. */
  readonly isCurrent: boolean;
}

/** Calls `run` when `key` has not changed for a moment. An answer to an earlier key is dropped. */
export const useSettled = <T>(key: string | undefined, run: () => Promise<T>): Settled<T> => {
  const [answer, setAnswer] = useState<{ readonly key: string; readonly value?: T; readonly problem?: string }>();
  useEffect(() => {
    if (key === undefined) return undefined;
    let gone = false;
    const timer = setTimeout(() => {
      run().then(
        (value) => !gone && setAnswer({ key, value }),
        (error: unknown) =>
          !gone && setAnswer({ key, problem: error instanceof Error ? error.message : String(error) }),
      );
    }, SETTLE_MS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
    // `run` is made of what the key names.
  }, [key]);
  if (key === undefined || answer === undefined) return { isCurrent: false };
  const { key: of, ...rest } = answer;
  return { ...rest, isCurrent: of === key };
};

const SETTLE_MS = 180;
