// Changes of a file as numbered lines. Pure.

import { readableText } from "@quarterdeck/client/content";

/** Like a `structuredPatch`: each line begins with a space, `+` or `-`. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "note";
  readonly old?: number;
  readonly new?: number;
  readonly text: string;
  /** Stretches of the text that differ from its old or new version. */
  readonly marks?: readonly (readonly [from: number, to: number])[];
}

export const SIGNS = { same: " ", added: "+", removed: "−", note: " " } as const;
/** Classes of a line in diff.css. */
export const LINE_CLASSES = { same: "", added: "is-added", removed: "is-removed", note: "is-note" } as const;

export const countOf = (hunks: readonly Hunk[]): { readonly added: number; readonly removed: number } => {
  let added = 0;
  let removed = 0;
  for (const { lines } of hunks) {
    for (const line of lines) {
      if (line[0] === "+") added++;
      else if (line[0] === "-") removed++;
    }
  }
  return { added, removed };
};

/** For a diff that is only read: hidden characters are named. Line ends stay as they are. */
export const readableHunk = (hunk: Hunk): Hunk => ({
  ...hunk,
  lines: hunk.lines.map((line) => (line.endsWith("\r") ? `${readableText(line.slice(0, -1))}\r` : readableText(line))),
});

/** Without the words that differ: `diffLinesOf` of compare.ts adds them. */
export const numberedLines = (hunk: Hunk): readonly DiffLine[] => {
  let { oldStart: old, newStart: now } = hunk;
  return hunk.lines.map((line): DiffLine => {
    const text = line.slice(1);
    switch (line[0]) {
      case "+":
        return { kind: "added", new: now++, text };
      case "-":
        return { kind: "removed", old: old++, text };
      case "\\":
        return { kind: "note", text: text.trim() };
      default:
        return { kind: "same", old: old++, new: now++, text };
    }
  });
};

/** Pairs of lines for two columns. */
export interface SplitLine {
  readonly left: DiffLine | undefined;
  readonly right: DiffLine | undefined;
}

export const splitLines = (lines: readonly DiffLine[]): readonly SplitLine[] => {
  const rows: SplitLine[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    if (line.kind === "same" || line.kind === "note") {
      rows.push({ left: line, right: line });
      at++;
      continue;
    }
    const removed: DiffLine[] = [];
    const added: DiffLine[] = [];
    while (lines[at]?.kind === "removed" || lines[at]?.kind === "added") {
      const next = lines[at++]!;
      (next.kind === "removed" ? removed : added).push(next);
    }
    for (let pair = 0; pair < Math.max(removed.length, added.length); pair++) {
      rows.push({ left: removed[pair], right: added[pair] });
    }
  }
  return rows;
};

/** The whole old text removed, the whole new text added: for texts that are too different or incomplete. */
export const wholly = (old: string, now: string): Hunk => {
  const before = old === "" ? [] : old.replace(/\n$/u, "").split("\n");
  const after = now === "" ? [] : now.replace(/\n$/u, "").split("\n");
  return {
    oldStart: 1,
    oldLines: before.length,
    newStart: 1,
    newLines: after.length,
    lines: [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)],
  };
};
