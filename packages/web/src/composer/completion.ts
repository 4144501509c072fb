// What is being completed at the caret, and the text after a choice. Pure.

export interface Completing {
  readonly kind: "mention" | "slash";
  /** The part of the text that a choice replaces. */
  readonly from: number;
  readonly to: number;
  readonly query: string;
}

const MOST = 200;

export const completionAt = (text: string, caret: number): Completing | undefined => {
  const before = text.slice(0, caret);
  const slash = /^\/([\w:.-]*)$/u.exec(before);
  if (slash !== null) {
    const rest = /^[\w:.-]*/u.exec(text.slice(caret))![0];
    return { kind: "slash", from: 0, to: caret + rest.length, query: slash[1]! };
  }
  return mentionAt(before, caret);
};

/** `@path`, or `@"path with spaces`, at the start or after a character that cannot be part of an address. */
const mentionAt = (before: string, caret: number): Completing | undefined => {
  const at = before.lastIndexOf("@");
  if (at === -1 || caret - at > MOST) return undefined;
  const previous = before[at - 1];
  if (previous !== undefined && !/[\s([{"'`,;]/u.test(previous)) return undefined;
  const typed = before.slice(at + 1);
  if (typed.startsWith('"')) {
    const query = typed.slice(1);
    return /["\n]/u.test(query) ? undefined : { kind: "mention", from: at, to: caret, query };
  }
  return /\s/u.test(typed) ? undefined : { kind: "mention", from: at, to: caret, query: typed };
};

export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  /** Continue to complete inside, for example in a folder. */
  readonly more: boolean;
}

export const chooseMention = (at: Completing, kind: string, value: string): Edit => {
  const folder = kind === "folder";
  const path = folder && !value.endsWith("/") ? `${value}/` : value;
  if (!/\s/u.test(path)) return { from: at.from, to: at.to, insert: `@${path}${folder ? "" : " "}`, more: folder };
  return { from: at.from, to: at.to, insert: folder ? `@"${path}` : `@"${path}" `, more: folder };
};

export const chooseCommand = (at: Completing, name: string): Edit => ({
  from: at.from,
  to: at.to,
  insert: `/${name} `,
  more: false,
});

/** Splits a text at pairs of start and end, to mark matches. */
export const pieces = (
  text: string,
  ranges: readonly (readonly [number, number])[],
): readonly { readonly text: string; readonly match: boolean }[] => {
  const result: { text: string; match: boolean }[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start > at) result.push({ text: text.slice(at, start), match: false });
    if (end > Math.max(start, at)) result.push({ text: text.slice(Math.max(start, at), end), match: true });
    at = Math.max(at, end);
  }
  if (at < text.length) result.push({ text: text.slice(at), match: false });
  return result;
};
