// How a row stores a body: as text, or above a size as the name of a blob. A checksum covers the body and the place
// where it belongs. Neither a flipped bit nor a misplaced record is read as data.

import { crc32 } from "node:zlib";
import type { Blobs } from "./blobs.ts";

export const LARGEST_BODY = 256 * 1024;

export interface Sealed {
  readonly body: string | null;
  readonly blob: string | null;
  readonly sum: number;
}

/** Where the blobs of a session are, and the session name that goes into each checksum. */
export interface Vault {
  readonly blobs: Blobs;
  readonly space: string;
  readonly session: string;
}

export const eventLabel = (seq: number, at: number): string => `event ${seq} ${at}`;
export const rowLabel = (id: string, order: number, rev: number, at: number): string =>
  `row ${id} ${order} ${rev} ${at}`;
export const partLabel = (name: string): string => `part ${name}`;

/** Checksum of the id and the key, because the records of a session are found by its key. */
export const sumOfSession = (key: number, id: string): number => crc32(`session ${key} ${id}`);

export interface Sealing extends Sealed {
  readonly bytes: number;
  /** The blob that was written for this body. It must be deleted if the row is not committed. */
  readonly newBlob: string | undefined;
}

export const seal = ({ blobs, space, session }: Vault, label: string, body: string): Sealing => {
  const seed = crc32(`${session} ${label} `);
  // Counts bytes like SQLite counts replaced data. Otherwise a session would seem to shrink each time its fold is
  // saved.
  const bytes = Buffer.byteLength(body);
  if (bytes <= LARGEST_BODY) return { body, blob: null, sum: crc32(body, seed), bytes, newBlob: undefined };
  const { hash, isNew } = blobs.write(space, body);
  return { body: null, blob: hash, sum: crc32(hash, seed), bytes, newBlob: isNew ? hash : undefined };
};

/** Returns undefined if the record is not what was sealed. */
export const unseal = ({ blobs, space, session }: Vault, label: string, sealed: Sealed): string | undefined => {
  const text: unknown = sealed.body ?? sealed.blob;
  // A single bit can turn text into bytes with the same checksum.
  if (typeof text !== "string" || crc32(text, crc32(`${session} ${label} `)) !== sealed.sum) return undefined;
  return sealed.blob === null ? text : blobs.read(space, sealed.blob);
};
