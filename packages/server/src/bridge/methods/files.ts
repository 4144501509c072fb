// Files: completion of mentions, and the folders that are shared.

import type { ReadableSession } from "@quarterdeck/host";
import { filePathIn } from "@quarterdeck/protocol";
import type { Row } from "@quarterdeck/session";
import { describeFile, listFolder } from "../../files/file-contents.ts";
import type { Hunk } from "../../files/hunks.ts";
import { suggest } from "../../files/mentions.ts";
import type { Device } from "../../access/contract.ts";
import type { ContainedPaths } from "../../files/contract.ts";
import type { Download } from "../../http/contract.ts";
import { sightOf } from "../parts.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal, unknownSession } from "../../refusal.ts";

/** So far back a file that a row names is looked for. */
const ROWS_LOOKED_AT = 2000;

export const filesMethods = (parts: Parts): Handlers<"files/suggest" | "files/list" | "files/read"> => {
  const { host, paths: roots } = parts;

  return {
    "files/suggest": async ({ session: id, cwd, query, limit = 20, open = [] }, { device }) => {
      const { paths: seen } = sightOf(parts, device);
      const folder = await seen.resolve(id === undefined ? mustBeGiven(cwd) : cwdOf(parts, id));
      const session = id === undefined ? undefined : host.opened(id);
      const sight = { roots, seen };
      return suggest({ folder, sight, query, limit, open, ...(session !== undefined && { session }) });
    },

    "files/list": ({ path, hidden }, { device }) => listFolder(sightOf(parts, device).paths, path, hidden === true),

    "files/read": async ({ session, path, maxBytes, offset }, { device }) => {
      const { handle, path: real, stats } = await (await pathsFor(parts, device, session, path)).open(path);
      try {
        const contents = await describeFile({ handle, path: real, size: stats.size }, maxBytes, offset);
        if (contents.kind !== "image" && contents.kind !== "pdf") return contents;
        return {
          ...contents,
          url: ticketFor(parts, device, { session, asked: path, path: real }, contents.mediaType).url,
        };
      } finally {
        await handle.close();
      }
    },
  };
};

/** The folder that the session is in now. */
export const cwdOf = ({ store, host }: Parts, session: string): string => {
  const record = store.session(session);
  if (record === undefined) throw unknownSession(session);
  return host.opened(session)?.head.cwd ?? record.cwd;
};

const mustBeGiven = (cwd: string | undefined): string => {
  if (cwd === undefined) throw new Refusal("bad-request", "Name a session or a folder.");
  return cwd;
};

/** What the device sees of the roots; a path that the session's own rows name may lie elsewhere. */
export const pathsFor = async (
  parts: Parts,
  device: Device,
  session: string | undefined,
  path: string,
): Promise<ContainedPaths> => {
  const { paths, named } = sightOf(parts, device);
  if (session === undefined) return paths;
  const isSeen = await paths.resolve(path).then(
    () => true,
    () => false,
  );
  return !isSeen && isNamed(await parts.feeds.view(session), path) ? named : paths;
};

const isNamed = (view: ReadableSession, path: string): boolean =>
  Object.hasOwn(view.head.files, path) ||
  // A file that the model was refused is not shown to a device for that reason.
  view
    .rowsBefore(Infinity, ROWS_LOOKED_AT)
    .rows.some(
      (row) =>
        row.kind === "tool" && FILE_TOOLS.has(row.name) && row.result?.ok === true && filePathIn(row.input) === path,
    );

/** Another tool may be called with any path, and has shown nothing of the file. */
const FILE_TOOLS: ReadonlySet<string> = new Set([
  ...["Read", "Write", "Edit", "MultiEdit", "NotebookRead", "NotebookEdit"],
]);

export const hunksBy = (view: ReadableSession, names: readonly string[]): Hunk[] =>
  view.rowsBefore(Infinity, ROWS_LOOKED_AT).rows.flatMap((row: Row) => {
    if (row.kind !== "tool" || row.result?.ok !== true || !names.includes(String(filePathIn(row.input)))) return [];
    const { structured } = row.result as { structured?: { structuredPatch?: unknown } };
    return Array.isArray(structured?.structuredPatch) ? (structured.structuredPatch as Hunk[]) : [];
  });

export interface TicketFile {
  readonly session: string | undefined;
  /** As the client spelled it. */
  readonly asked: string;
  /** The real path. */
  readonly path: string;
}

/** The file is checked again when the ticket is used, by the role that the device has then. */
export const ticketFor = (
  parts: Parts,
  { id }: Device,
  { session, asked, path }: TicketFile,
  mediaType: string,
): { url: string; expiresAt: number } => {
  const { access, tickets } = parts;
  const mustBeKnown = (): Device => {
    const device = access.device(id);
    if (device === undefined) throw new Refusal("not-found", "This device was removed.");
    return device;
  };
  const open = async (): Promise<Download> => {
    const paths = await pathsFor(parts, mustBeKnown(), session, asked);
    const { handle, stats } = await paths.open(path);
    const name = path.slice(path.lastIndexOf("/") + 1);
    return { name, mediaType, size: stats.size, body: handle.createReadStream() };
  };
  return tickets.create({ kind: "download", open }, mustBeKnown());
};
