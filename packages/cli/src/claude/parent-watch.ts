// Whether the program that started this one is still there. The system gives a process without a parent to another one.

import { setTimeout as delay } from "node:timers/promises";

const LOOK_MS = 20;

export const parentWatch = (parentOf: () => number = () => process.ppid) => {
  const first = parentOf();
  const isGone = (): boolean => parentOf() !== first;
  return {
    isGoneWithin: async (ms: number): Promise<boolean> => {
      for (const until = Date.now() + ms; Date.now() < until && !isGone();) await delay(LOOK_MS);
      return isGone();
    },
  };
};
