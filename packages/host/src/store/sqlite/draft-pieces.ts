// Drafts grow: of one that goes on from what was handed in before, only the rest is written, as a piece of its own.

/** What one checkpoint writes of a session's drafts. */
export interface DraftWrites {
  /** Names whose pieces go first; undefined for all that there are. */
  readonly forget: readonly string[] | undefined;
  readonly pieces: readonly DraftPiece[];
}

export interface DraftPiece {
  readonly name: string;
  /** Dense from 0 on. */
  readonly n: number;
  readonly body: string;
}

export class DraftPieces {
  readonly #written = new Map<string, ReadonlyMap<string, { readonly text: string; readonly n: number }>>();

  next(session: string, drafts: Readonly<Record<string, string>>): DraftWrites {
    const written = this.#written.get(session);
    const forget = written && [...written.keys()].filter((name) => !(name in drafts));
    const pieces: DraftPiece[] = [];
    const now = new Map<string, { text: string; n: number }>();
    for (const [name, given] of Object.entries(drafts)) {
      const text = withoutHalf(given);
      const old = written?.get(name);
      const rest = old === undefined || old.n === LAST_PIECE ? undefined : restOf(text, old.text);
      if (rest === "") {
        now.set(name, old!);
        continue;
      }
      const n = rest === undefined ? 0 : old!.n + 1;
      if (n === 0 && old !== undefined && old.n > 0) forget?.push(name);
      pieces.push({ name, n, body: rest ?? text });
      now.set(name, { text, n });
    }
    this.#written.set(session, now);
    return { forget, pieces };
  }

  /** What is written of it is not known (any more): the next ones are written whole. */
  lose(session: string): void {
    this.#written.delete(session);
  }
}

/**
 * Nothing where it does not go on from what was written. The comparison also makes V8 join the text, which grew as a chain of
 * strings: docs/decisions/0007-what-a-delta-allocates.md.
 */
const restOf = (text: string, old: string): string | undefined =>
  text.startsWith(old) ? text.slice(old.length) : undefined;

const LAST_PIECE = 999_999;

/** Half a character at the end waits for the other half: neither would be read back as it was. */
const withoutHalf = (text: string): string => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
};

/** Versions before had one part with all drafts in it. */
const WHOLE_PART = "drafts";
/** Between these two are the parts of all drafts of a session. */
export const DRAFT_PARTS = ["draft ", WHOLE_PART] as const;
export const partOfPiece = (name: string, n: number): string => `draft ${name} ${String(n).padStart(6, "0")}`;
/** The first and the last that a draft may have. */
export const partsOfDraft = (name: string) => [partOfPiece(name, 0), partOfPiece(name, LAST_PIECE)] as const;
const draftOfPart = (part: string): string => part.slice("draft ".length, part.lastIndexOf(" "));

/** From parts in the order of their names. What follows a piece that is missing or damaged is not what was written. */
export const draftsOf = (
  parts: readonly { readonly name: string; readonly body: string | undefined }[],
): Readonly<Record<string, string>> => {
  const drafts: Record<string, string> = {};
  const counts = new Map<string, number>();
  for (const { name: part, body } of parts) {
    if (body === undefined) continue;
    if (part === WHOLE_PART) {
      Object.assign(drafts, JSON.parse(body));
      continue;
    }
    const name = draftOfPart(part);
    const count = counts.get(name) ?? 0;
    if (part !== partOfPiece(name, count)) continue;
    drafts[name] = (drafts[name] ?? "") + body;
    counts.set(name, count + 1);
  }
  return drafts;
};
