// Drafts grow. If a draft continues the text of the last checkpoint, only the new text is written, as a separate piece.

/** What one checkpoint writes of a session's drafts. */
export interface DraftWrites {
  /** Drafts whose pieces are deleted first. Undefined means all drafts. */
  readonly forget: readonly string[] | undefined;
  readonly pieces: readonly StoredDraftPiece[];
}

export interface StoredDraftPiece {
  readonly name: string;
  /** Dense from 0. */
  readonly n: number;
  readonly body: string;
}

export class DraftPieces {
  readonly #written = new Map<string, ReadonlyMap<string, { readonly text: string; readonly n: number }>>();

  next(session: string, drafts: Readonly<Record<string, string>>): DraftWrites {
    const written = this.#written.get(session);
    const forget = written && [...written.keys()].filter((name) => !(name in drafts));
    const pieces: StoredDraftPiece[] = [];
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

  /** The stored text is unknown, so the next drafts are written whole. */
  lose(session: string): void {
    this.#written.delete(session);
  }
}

/**
 * Undefined if the text does not continue the written text. The comparison also makes V8 flatten the text, which grew
 * as a chain of strings: docs/decisions/0007-what-a-delta-allocates.md.
 */
const restOf = (text: string, old: string): string | undefined =>
  text.startsWith(old) ? text.slice(old.length) : undefined;

const LAST_PIECE = 999_999;

/** Half a character at the end waits for its other half, because half of it could not be read back. */
const withoutHalf = (text: string): string => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
};

/** Older versions stored all drafts in one part. */
const WHOLE_PART = "drafts";
/** The names of all draft parts of a session are between these two. */
export const DRAFT_PARTS = ["draft ", WHOLE_PART] as const;
export const partOfPiece = (name: string, n: number): string => `draft ${name} ${String(n).padStart(6, "0")}`;
/** The first and the last possible part of a draft. */
export const partsOfDraft = (name: string) => [partOfPiece(name, 0), partOfPiece(name, LAST_PIECE)] as const;
const draftOfPart = (part: string): string => part.slice("draft ".length, part.lastIndexOf(" "));

/** Expects parts in the order of their names. Pieces after a missing or damaged piece are dropped. */
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
