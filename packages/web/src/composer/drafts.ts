// What was typed and not sent, by session, on this device.

import { readKept, writeKept } from "../store/kept.ts";

export interface Draft {
  readonly text: string;
  /** Uploads that the server has; a picture's preview does not outlive the page. */
  readonly files: readonly DraftFile[];
}
export interface DraftFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

export const EMPTY: Draft = { text: "", files: [] };
const MOST = 200;
const INDEX = "drafts";

const isFile = (value: unknown): value is DraftFile => {
  if (typeof value !== "object" || value === null) return false;
  const { id, name, mediaType, size } = value as Record<string, unknown>;
  return (
    typeof id === "string" && typeof name === "string" && typeof mediaType === "string" && typeof size === "number"
  );
};

export const decodeDraft = (value: unknown): Draft => {
  if (typeof value !== "object" || value === null) return EMPTY;
  const { text, files } = value as Record<string, unknown>;
  return { text: typeof text === "string" ? text : "", files: Array.isArray(files) ? files.filter(isFile) : [] };
};

export const readDraft = (session: string): Draft => decodeDraft(readKept(`draft.${session}`));

export const writeDraft = (session: string, draft: Draft): void => {
  const index = readKept(INDEX);
  const before = Array.isArray(index) ? index.filter((id): id is string => typeof id === "string") : [];
  const others = before.filter((id) => id !== session);
  if (draft.text === "" && draft.files.length === 0) {
    writeKept(`draft.${session}`, undefined);
    if (others.length !== before.length) writeKept(INDEX, others);
    return;
  }
  writeKept(`draft.${session}`, draft);
  if (before.at(-1) === session) return;
  const order = [...others, session];
  for (const old of order.slice(0, -MOST)) writeKept(`draft.${old}`, undefined);
  writeKept(INDEX, order.slice(-MOST));
};
