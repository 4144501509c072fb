// Mentions in a prompt: `@src/tide.js`, `@src/tide.js#L4-9`, `@"my docs/a.md"`, and a slash command at its start. Pure.

import type { FileRef } from "./file-refs.ts";

export type MentionPiece =
  | { readonly kind: "text"; readonly text: string }
  /** Without a file: a command, a server or an agent. */
  | { readonly kind: "mention"; readonly text: string; readonly file?: FileRef };

const MENTION = /(?:^|(?<=[\s([{,;]))@(?:"[^"\n]{1,300}"|[^\s@"]{1,300})|^\/[\w:-]{1,80}/gu;

export const mentionsIn = (text: string): readonly MentionPiece[] => {
  const pieces: MentionPiece[] = [];
  let at = 0;
  for (const match of text.matchAll(MENTION)) {
    // Marks after a name belong to the sentence.
    const whole = match[0].startsWith('@"') ? match[0] : match[0].replace(/[.,;:!?)\]}]+$/u, "");
    if (whole.length < 2) continue;
    if (match.index > at) pieces.push({ kind: "text", text: text.slice(at, match.index) });
    const file = whole.startsWith("@") ? fileOf(whole.slice(1)) : undefined;
    pieces.push({ kind: "mention", text: whole, ...(file !== undefined && { file }) });
    at = match.index + whole.length;
  }
  if (at < text.length) pieces.push({ kind: "text", text: text.slice(at) });
  return pieces;
};

/** `server:resource` and `agent-name (agent)` are not files. */
const fileOf = (named: string): FileRef | undefined => {
  const [, path = "", line] = /^"?([^"#]*?)"?(?:#L(\d{1,7})(?:-\d{1,7})?)?$/u.exec(named) ?? [];
  if (path === "" || /^[\w.-]+:/u.test(path) || path.startsWith("agent-")) return undefined;
  return { path, ...(line !== undefined && { line: Number(line) }) };
};
