// Files and folders as a client sees them. The type of a file comes from its bytes.

import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { lstat } from "node:fs/promises";
import type { FileContents, ResultOf } from "@quarterdeck/session/bridge";
import { HEAD_BYTES, mediaTypeOf, TextCheck } from "../http/media-type.ts";
import type { ContainedPaths } from "./contract.ts";

type Listing = ResultOf<"files/list">;

const MOST_ENTRIES = 5000;
const MOST_BYTES = 1_000_000;

export const listFolder = async (
  paths: ContainedPaths,
  path: string | undefined,
  hidden: boolean,
): Promise<Listing> => {
  if (path === undefined) {
    // A folder of a session may have been deleted or replaced by a link.
    const there = await Promise.all(
      paths.roots.map((root) =>
        paths.resolve(root).then(
          (real) => (real === root ? [root] : []),
          () => [],
        ),
      ),
    );
    const entries = there.flat().map((root) => ({ name: root, path: root, kind: "folder" as const }));
    return { entries: entries.slice(0, MOST_ENTRIES), truncated: entries.length > MOST_ENTRIES };
  }
  const { path: folder, entries: found } = await paths.list(path);
  const shown = found.filter(({ name }) => hidden || !name.startsWith("."));
  const entries = await Promise.all(
    shown.slice(0, MOST_ENTRIES).map(async (entry): Promise<Listing["entries"][number]> => {
      const entryPath = join(folder, entry.name);
      const about = { name: entry.name, path: entryPath };
      if (entry.isSymbolicLink()) return { ...about, kind: "link" };
      if (entry.isDirectory()) return { ...about, kind: "folder", git: await exists(join(entryPath, ".git")) };
      if (!entry.isFile()) return { ...about, kind: "other" };
      const stats = await lstat(entryPath).catch(() => undefined);
      return { ...about, kind: "file", ...(stats !== undefined && { size: stats.size }) };
    }),
  );
  const parent = await paths.resolve(join(folder, "..")).catch(() => undefined);
  return {
    path: folder,
    ...(parent !== undefined && parent !== folder && { parent }),
    entries: entries.toSorted(foldersFirst),
    truncated: shown.length > MOST_ENTRIES,
  };
};

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

const foldersFirst = (a: Listing["entries"][number], b: Listing["entries"][number]): number =>
  Number(b.kind === "folder") - Number(a.kind === "folder") || (a.name < b.name ? -1 : 1);

export interface SizedFile {
  readonly handle: FileHandle;
  readonly path: string;
  readonly size: number;
}

export const describeFile = async (
  { handle, path, size }: SizedFile,
  maxBytes: number = MOST_BYTES,
  offset = 0,
): Promise<Omit<FileContents, "url">> => {
  const bytes = await readUpTo(handle, Math.max(maxBytes, HEAD_BYTES), offset);
  const head = offset === 0 ? bytes : await readUpTo(handle, HEAD_BYTES);
  return { path, ...describeBytes(bytes, size, { offset, head }) };
};

interface Window {
  readonly offset: number;
  /** The beginning of the file. */
  readonly head: Buffer;
}

/** What a file is, from some of its bytes. `size` is that of the whole file. */
export const describeBytes = (
  bytes: Buffer,
  size: number,
  { offset, head }: Window = { offset: 0, head: bytes },
): Omit<FileContents, "url" | "path"> => {
  const truncated = size > offset + bytes.length;
  const text = textOf(bytes, truncated);
  const latin = text === undefined && isLatin(bytes) ? bytes.toString("latin1") : undefined;
  const mediaType = mediaTypeOf(head.subarray(0, HEAD_BYTES), text !== undefined || latin !== undefined);
  const about = { size, mediaType };
  if (mediaType.startsWith("image/")) return { ...about, kind: "image", truncated: false };
  if (mediaType === "application/pdf") return { ...about, kind: "pdf", truncated: false };
  const found = text ?? latin;
  if (found === undefined || mediaType !== "text/plain") return { ...about, kind: "binary", truncated: false };
  const read = text === undefined ? bytes.length : Buffer.byteLength(text);
  return {
    ...{ ...about, kind: "text", text: found, truncated },
    ...(text === undefined && { encoding: "latin-1" as const }),
    ...(truncated && { next: offset + read }),
  };
};

/** Text of the time before UTF-8: no control characters, neither of ASCII nor those from 0x80 to 0x9F, and mostly ASCII. */
const isLatin = (bytes: Buffer): boolean => {
  let high = 0;
  for (const byte of bytes) {
    if ((byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) || (byte > 126 && byte < 160))
      return false;
    if (byte > 159) high++;
  }
  return high * 3 < bytes.length;
};

const readUpTo = async (handle: FileHandle, most: number, offset = 0): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < most) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.alloc(Math.min(65_536, most - length)),
      0,
      null,
      offset + length,
    );
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks);
};

/** Returns undefined if it is not UTF-8. If the file is cut, its last character may be cut too. */
const textOf = (bytes: Buffer, isCut: boolean): string | undefined => {
  const check = new TextCheck();
  check.push(bytes);
  if (!check.end() && !(isCut && isTextButForItsEnd(bytes))) return undefined;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).replace(isCut ? /\uFFFD$/ : /$^/, "");
};

const isTextButForItsEnd = (bytes: Buffer): boolean =>
  [1, 2, 3].some((less) => {
    const check = new TextCheck();
    check.push(bytes.subarray(0, Math.max(0, bytes.length - less)));
    return check.end();
  });

/** The whole file as text, or the reason why not. */
export const readText = async (
  paths: ContainedPaths,
  path: string,
  maxBytes: number,
): Promise<{ readonly text: string } | { readonly unreadable: string }> => {
  const { handle, stats } = await paths.open(path);
  try {
    if (stats.size > maxBytes) return { unreadable: `The file is larger than ${maxBytes} bytes.` };
    const bytes = await readUpTo(handle, maxBytes);
    const text = textOf(bytes, false);
    return text === undefined ? { unreadable: "The file is not text." } : { text };
  } finally {
    await handle.close();
  }
};
