// Which secrets an export contains, and an export without them. First everything is read once, so that a value is
// removed also from earlier places, where nothing shows what it is.

import { createHash } from "node:crypto";
import { findSecrets, secretRemover, shownSecret } from "@quarterdeck/session";
import type { FoundSecret } from "@quarterdeck/session";
import type { RowWords } from "./row-words.ts";

/** Names a value without containing it. */
export const findingId = (value: string): string => createHash("sha256").update(value).digest("hex").slice(0, 24);

export interface RedactionFinding {
  readonly id: string;
  readonly kind: string;
  readonly shown: string;
  readonly excerpt: string;
  count: number;
  readonly rowId: string;
}

const AROUND = 40;

/** Part of a text, with every secret in it as a person may see it. */
const maskedPart = (text: string, found: readonly FoundSecret[], from: number, to: number): string => {
  let part = "";
  let at = Math.max(0, from);
  for (const { value, start, end } of found) {
    if (end <= at || start >= to) continue;
    part += `${text.slice(at, start)}${shownSecret(value)}`;
    at = end;
  }
  return part + text.slice(at, Math.max(at, to));
};

/** Collects what is found, by value. */
export class Findings {
  readonly #byValue = new Map<string, RedactionFinding>();

  /** One row, or none for the title. A value counts once for each row that contains it. */
  add(rowId: string, texts: Iterable<string>): void {
    const counted = new Set<string>();
    for (const text of texts) {
      const found = findSecrets(text);
      for (const { kind, value, start, end } of found) {
        const known = this.#byValue.get(value);
        if (known === undefined) {
          const shown = shownSecret(value);
          const excerpt = maskedPart(text, found, start - AROUND, end + AROUND);
          const about = { id: findingId(value), kind, shown, rowId, count: 1 };
          this.#byValue.set(value, { ...about, excerpt: excerpt.replaceAll(/\s+/gu, " ").trim() });
        } else if (rowId !== "" && !counted.has(value)) known.count++;
        counted.add(value);
      }
    }
  }

  /** In the order of their first places. */
  get list(): readonly RedactionFinding[] {
    return [...this.#byValue.values()];
  }

  /** Removes what was found, and what is found in the text itself, except the values with these ids. */
  remover(keep: readonly string[]): (text: string) => string {
    const kept = new Set(keep);
    const known = new Map([...this.#byValue].map(([value, { kind }]) => [value, kind]));
    return secretRemover(known, (value) => kept.has(findingId(value)));
  }
}

export function* textsOf({ who, prose, blocks }: RowWords): Generator<string> {
  yield who;
  if (prose !== undefined) yield prose;
  for (const { text } of blocks) yield text;
}

export const cleanWords = (words: RowWords, clean: (text: string) => string): RowWords => ({
  ...words,
  who: clean(words.who),
  ...(words.prose !== undefined && { prose: clean(words.prose) }),
  blocks: words.blocks.map((block) => ({ ...block, text: clean(block.text) })),
});

/** Every text in a JSON value. A field is read with its name, which may tell that its value is a secret. */
export function* textsInJson(value: unknown, name = ""): Generator<string> {
  if (typeof value === "string") yield name === "" ? value : `${name}: "${value}"`;
  else if (Array.isArray(value)) for (const one of value) yield* textsInJson(one, name);
  else if (typeof value === "object" && value !== null)
    for (const [key, one] of Object.entries(value)) yield* textsInJson(one, key);
}

export const cleanJson = (value: unknown, clean: (text: string) => string): unknown => {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((one) => cleanJson(one, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [clean(key), cleanJson(one, clean)]));
};
