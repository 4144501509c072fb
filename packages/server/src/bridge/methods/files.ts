// Files: completion of mentions, the folders that are shared, what changed.

import type { SessionView } from "@quarterdeck/host";
import type { Row, ToolRow } from "@quarterdeck/session";
import { diffOf, listChanges } from "../../files/changes.ts";
import { describeFile, listFolder } from "../../files/file-contents.ts";
import type { Hunk } from "../../files/hunks.ts";
import { suggest } from "../../files/mentions.ts";
import type { ContainedPaths, Device, Download } from "../../seams.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal } from "../refusal.ts";
import { unknownSession } from "./sessions.ts";

/** So far back a file that a row names is looked for. */
const ROWS_LOOKED_AT = 2000;

export const filesMethods = (
  parts: Parts,
): Handlers<"files/suggest" | "files/list" | "files/read" | "changes/list" | "changes/diff"> => {
  const { store, host, feeds, paths } = parts;

  const cwdOf = (session: string): string => {
    const record = store.session(session);
    if (record === undefined) throw unknownSession(session);
    return host.opened(session)?.head.cwd ?? record.cwd;
  };

  return {
    "files/suggest": async ({ session: id, cwd, query, limit = 20 }) => {
      const folder = await paths.resolve(id === undefined ? mustBeGiven(cwd) : cwdOf(id));
      const session = id === undefined ? undefined : host.opened(id);
      return suggest({ folder, query, limit, ...(session !== undefined && { session }) });
    },

    "files/list": ({ path, hidden }) => listFolder(paths, path, hidden === true),

    "files/read": async ({ session, path, maxBytes }, { device }) => {
      const from = session === undefined ? paths : await pathsFor(parts, session, path);
      const { handle, path: real, stats } = await from.open(path);
      try {
        const contents = await describeFile({ handle, path: real, size: stats.size }, maxBytes);
        if (contents.kind !== "image" && contents.kind !== "pdf") return contents;
        return { ...contents, url: ticketFor(parts, device, from, real, contents.mediaType).url };
      } finally {
        await handle.close();
      }
    },

    "changes/list": async ({ session }) => {
      const { head } = await feeds.view(session);
      return listChanges(await paths.resolve(cwdOf(session)), head.files);
    },

    "changes/diff": async ({ session, path }) => {
      const view = await feeds.view(session);
      const from = await pathsFor(parts, session, path);
      const real = await from.resolve(path).catch((error: unknown) => {
        // Deleted since: git knows what it was.
        if ((error as { code?: unknown }).code === "not-found") return path;
        throw error;
      });
      const bySession = hunksBy(view, [path, real]);
      return diffOf({ cwd: await paths.resolve(cwdOf(session)), path: real, paths: from, bySession });
    },
  };
};

const mustBeGiven = (cwd: string | undefined): string => {
  if (cwd === undefined) throw new Refusal("bad-request", "Give a session or a folder.");
  return cwd;
};

/** The roots; for a path that the session's own rows name, wherever that is. */
export const pathsFor = async (parts: Parts, session: string, path: string): Promise<ContainedPaths> => {
  const isInRoots = await parts.paths.resolve(path).then(
    () => true,
    () => false,
  );
  if (isInRoots) return parts.paths;
  return isNamed(await parts.feeds.view(session), path) ? parts.named : parts.paths;
};

const isNamed = (view: SessionView, path: string): boolean =>
  Object.hasOwn(view.head.files, path) ||
  // What was refused to the model is no reason to show it to anybody.
  view
    .rowsBefore(Infinity, ROWS_LOOKED_AT)
    .rows.some((row) => row.kind === "tool" && row.result?.ok === true && pathOf(row) === path);

const pathOf = ({ input }: ToolRow): unknown => input["file_path"] ?? input["notebook_path"];

const hunksBy = (view: SessionView, names: readonly string[]): Hunk[] =>
  view.rowsBefore(Infinity, ROWS_LOOKED_AT).rows.flatMap((row: Row) => {
    if (row.kind !== "tool" || row.result?.ok !== true || !names.includes(String(pathOf(row)))) return [];
    const { data } = row.result as { data?: { structuredPatch?: unknown } };
    return Array.isArray(data?.structuredPatch) ? (data.structuredPatch as Hunk[]) : [];
  });

export const ticketFor = (
  { tickets }: Pick<Parts, "tickets">,
  device: Device,
  paths: ContainedPaths,
  path: string,
  mediaType: string,
): { url: string; expiresAt: number } => {
  const open = async (): Promise<Download> => {
    const { handle, stats } = await paths.open(path);
    const name = path.slice(path.lastIndexOf("/") + 1);
    return { name, mediaType, size: stats.size, body: handle.createReadStream() };
  };
  return tickets.create({ kind: "download", open }, device);
};
