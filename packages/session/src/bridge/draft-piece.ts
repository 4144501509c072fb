// What a frame says of a draft.

import type { Draft } from "../draft.ts";

/** What has come of a draft since the last frame: `text` stands at `from`, and replaces what stood there. What is at 0 says what it is. */
export interface DraftPiece extends Partial<Omit<Draft, "id" | "text">> {
  readonly id: string;
  readonly from: number;
  readonly text: string;
}
