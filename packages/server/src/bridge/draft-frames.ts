// Builds `session/draft` frames as text. Most frames are of this kind: hundreds a second per session. Their byte size
// is summed from their parts, because counting it at the end would make V8 flatten the text first. For the gain, and
// what to delete, see docs/decisions/0006-draft-frames-as-text.md.

import type { DraftGrowth } from "@quarterdeck/session";
import { frameOf } from "./wire-frame.ts";
import type { WireFrame } from "./wire-frame.ts";

/** A text, and how many more bytes than UTF-16 units it needs. */
interface Sized {
  readonly text: string;
  readonly extra: number;
}
const sized = (text: string): Sized => ({ text, extra: Buffer.byteLength(text) - text.length });

export class DraftFrames {
  readonly #start: Sized;

  constructor(session: string) {
    this.#start = sized(
      `{"jsonrpc":"2.0","method":"session/draft","params":{"session":${JSON.stringify(session)},"drafts":[`,
    );
  }

  frameOf(growths: readonly DraftGrowth[], ended: readonly string[]): WireFrame {
    const end = sized(ended.length === 0 ? "]}}" : `],"ended":${JSON.stringify(ended)}}}`);
    let { text, extra } = this.#start;
    for (const [index, growth] of growths.entries()) {
      const piece = pieceOf(growth);
      text += index === 0 ? piece.text : `,${piece.text}`;
      extra += piece.extra;
    }
    text += end.text;
    return frameOf(text, text.length + extra + end.extra);
  }
}

/**
 * A `DraftPiece` of the bridge. After the first piece, only the text and the token estimate of a thinking draft change.
 */
const pieceOf = ({ draft, from, text }: DraftGrowth): Sized => {
  const { id, kind, messageId, index, at, toolUseId, name, tokens } = draft;
  const about = sized(
    JSON.stringify(from > 0 ? { id, tokens } : { id, kind, messageId, index, at, toolUseId, name, tokens }),
  );
  const added = sized(JSON.stringify(text));
  return { text: `${about.text.slice(0, -1)},"from":${from},"text":${added.text}}`, extra: about.extra + added.extra };
};
