// Text that was typed and not sent, by session, on this device.

import { readKept, writeKept } from "../store/kept.ts";

export interface Unsent {
  readonly text: string;
  /** Uploads that the server has. A picture's preview does not survive a reload. */
  readonly files: readonly UnsentFile[];
}
export interface UnsentFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

export const EMPTY: Unsent = { text: "", files: [] };
const MOST = 200;
/** Storage names of an older version. Texts of users are stored under them. */
const INDEX = "drafts";

const isFile = (value: unknown): value is UnsentFile => {
  if (typeof value !== "object" || value === null) return false;
  const { id, name, mediaType, size } = value as Record<string, unknown>;
  return (
    typeof id === "string" && typeof name === "string" && typeof mediaType === "string" && typeof size === "number"
  );
};

export const decodeUnsent = (value: unknown): Unsent => {
  if (typeof value !== "object" || value === null) return EMPTY;
  const { text, files } = value as Record<string, unknown>;
  return { text: typeof text === "string" ? text : "", files: Array.isArray(files) ? files.filter(isFile) : [] };
};

export const readUnsent = (session: string): Unsent => decodeUnsent(readKept(`draft.${session}`));

export const writeUnsent = (session: string, unsent: Unsent): void => {
  const index = readKept(INDEX);
  const before = Array.isArray(index) ? index.filter((id): id is string => typeof id === "string") : [];
  const others = before.filter((id) => id !== session);
  if (unsent.text === "" && unsent.files.length === 0) {
    writeKept(`draft.${session}`, undefined);
    if (others.length !== before.length) writeKept(INDEX, others);
    return;
  }
  writeKept(`draft.${session}`, unsent);
  if (before.at(-1) === session) return;
  const order = [...others, session];
  for (const old of order.slice(0, -MOST)) writeKept(`draft.${old}`, undefined);
  writeKept(INDEX, order.slice(-MOST));
};
