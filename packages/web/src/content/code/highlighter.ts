// Asks the worker for the kinds of words in a piece of code, and caches the answers.

import type { HighlightAnswer, HighlightRequest } from "./highlight.worker.ts";
import type { Grammar } from "./languages.ts";
// oxlint-disable-next-line import/default -- Vite makes the address.
import workerUrl from "./highlight.worker.ts?worker&url";
import { ownScript } from "./own-script.ts";

/** Triples: from, to, kind. */
export type Stretches = Uint32Array;

/** Longer code stays plain. */
const LONGEST = 120_000;
const REMEMBERED = 200;
const PATIENCE_MS = 20_000;

const known = new Map<string, Promise<Stretches>>();
const waiting = new Map<number, (stretches: Stretches) => void>();
let worker: Worker | undefined;
let last = 0;
const start = (): Worker => {
  const started = new Worker(ownScript(workerUrl), { type: "module", name: "highlight" });
  started.addEventListener("message", (event: MessageEvent<HighlightAnswer>) => {
    waiting.get(event.data.id)?.(event.data.stretches);
    waiting.delete(event.data.id);
  });
  started.addEventListener("error", giveUp);
  return started;
};

/**
 * The worker could not be loaded, failed, or does not finish. Waiting code stays plain, and the next code gets a new
 * worker.
 */
const giveUp = (): void => {
  worker?.terminate();
  worker = undefined;
  for (const answer of waiting.values()) answer(new Uint32Array());
  waiting.clear();
};

export const highlight = (code: string, grammar: Grammar, remember: boolean): Promise<Stretches> => {
  if (code.length > LONGEST) return Promise.resolve(new Uint32Array());
  const key = `${grammar}\0${code}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const id = ++last;
  const answer = new Promise<Stretches>((resolve) => {
    const tooLong = setTimeout(giveUp, PATIENCE_MS);
    waiting.set(id, (stretches) => {
      clearTimeout(tooLong);
      resolve(stretches);
    });
    worker ??= start();
    worker.postMessage({ id, code, grammar } satisfies HighlightRequest);
  });
  if (!remember) return answer;
  known.set(key, answer);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  return answer;
};
