// Asks the worker for the kinds of words in a piece of code, and remembers the answers.

import type { HighlightAnswer, HighlightRequest } from "./highlight.worker.ts";
import type { Grammar } from "./languages.ts";
// oxlint-disable-next-line import/default -- Vite makes the address.
import workerUrl from "./highlight.worker.ts?worker&url";

/** Triples: from, to, kind. */
export type Stretches = Uint32Array;

/** Longer code stays plain. */
const LONGEST = 120_000;
const REMEMBERED = 200;

const known = new Map<string, Promise<Stretches>>();
const waiting = new Map<number, (stretches: Stretches) => void>();
let worker: Worker | undefined;
let last = 0;

/** The page's policy lets no string become a script's address; this one is ours, known when the page was built. */
const ownScript = (url: string): string => {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (types === undefined) return url;
  const policy = types.createPolicy("quarterdeck-worker", {
    createScriptURL: (given) => {
      if (new URL(given, location.href).origin !== location.origin) throw new TypeError("Only the page's own worker.");
      return given;
    },
  });
  return policy.createScriptURL(url);
};
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (given: string) => string },
  ): { createScriptURL(given: string): string };
}

const start = (): Worker => {
  const started = new Worker(ownScript(workerUrl), { type: "module", name: "highlight" });
  started.addEventListener("message", (event: MessageEvent<HighlightAnswer>) => {
    waiting.get(event.data.id)?.(event.data.stretches);
    waiting.delete(event.data.id);
  });
  started.addEventListener("error", () => {
    // It could not be loaded, or it broke: what waits stays plain.
    for (const answer of waiting.values()) answer(new Uint32Array());
    waiting.clear();
    worker = undefined;
  });
  return started;
};

/** `remember`: the same will be asked again. Not so for code that is still being written. */
export const highlight = (code: string, grammar: Grammar, remember = true): Promise<Stretches> => {
  if (code.length > LONGEST) return Promise.resolve(new Uint32Array());
  const key = `${grammar}\0${code}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const id = ++last;
  const answer = new Promise<Stretches>((resolve) => {
    waiting.set(id, resolve);
    worker ??= start();
    worker.postMessage({ id, code, grammar } satisfies HighlightRequest);
  });
  if (!remember) return answer;
  known.set(key, answer);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  return answer;
};
