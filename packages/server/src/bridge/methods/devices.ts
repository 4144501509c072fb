// Devices and tickets: who may come in, and addresses for what HTTP carries.

import type { ReadableSession } from "@quarterdeck/host";
import type { Row } from "@quarterdeck/session";
import type { Role } from "@quarterdeck/session/bridge";
import { exportAudit } from "../../audit/audit-file.ts";
import { exportEvents, exportRows } from "../../export/export-session.ts";
import type { ExportFormat } from "../../export/export-session.ts";
import { describeFile } from "../../files/file-contents.ts";
import type { Download } from "../../http/contract.ts";
import { actorOf, sightOf } from "../parts.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal } from "../refusal.ts";
import { pathsFor, ticketFor } from "./files.ts";
import { unknownSession } from "./sessions.ts";

const ROWS_AT_ONCE = 500;

const exportOf = async (parts: Parts, session: string, format: ExportFormat, role: Role): Promise<Download> => {
  const { store, feeds, summaries } = parts;
  if (format === "ndjson" || format === "ccpocket") return exportEvents(store, session, format, role);
  const view = await feeds.view(session);
  const { title, cwd, createdAt } = summaries.must(session);
  const exported = { id: session, title: title ?? "Session", cwd, createdAt, head: view.head, rows: rowsOf(view) };
  return exportRows(exported, format);
};

function* rowsOf(view: ReadableSession): Generator<Row> {
  for (let after = 0; ;) {
    const page = view.rowsAfter(after, ROWS_AT_ONCE);
    yield* page.rows;
    const last = page.rows.at(-1);
    if (!page.more || last === undefined) return;
    after = last.order;
  }
}

export const devicesMethods = (
  parts: Parts,
): Handlers<"devices/list" | "devices/pair" | "devices/addToken" | "devices/revoke" | "tickets/create"> => {
  const { access, tickets, limits, log } = parts;
  return {
    "devices/list": () => ({
      devices: access.devices().map((device) => ({ ...device, connected: parts.connected(device.id) })),
    }),

    "devices/pair": ({ role, name }, { device }) => {
      log.info("pairing link made", { by: device.id, role });
      return access.pair({ role, ...(name !== undefined && { name }) });
    },

    "devices/addToken": ({ role, name }, { device }) => {
      log.info("token made", { by: actorOf(device).id, role });
      return access.addToken({ role, name });
    },

    "devices/revoke": ({ id }, { device }) => {
      log.info("device revoked", { by: device.id, device: id });
      if (!access.revoke(id)) throw new Refusal("not-found", "The device does not exist.", { id });
      return {};
    },

    "tickets/create": async (params, { device }) => {
      switch (params.kind) {
        case "upload":
          if (params.size > limits.uploadBytes)
            throw new Refusal("too-large", `A file may have at most ${limits.uploadBytes} bytes.`, {
              limit: limits.uploadBytes,
            });
          return tickets.create({ kind: "upload", name: params.name, size: params.size }, device);
        case "export": {
          const { session, format } = params;
          if (parts.store.session(session) === undefined) throw unknownSession(session);
          return tickets.create(
            { kind: "download", open: () => exportOf(parts, session, format, device.role) },
            device,
          );
        }
        case "audit": {
          const { kind: _kind, format, folder, ...filter } = params;
          const real = folder === undefined ? {} : { folder: await sightOf(parts, device).paths.resolve(folder) };
          return tickets.create(
            { kind: "download", open: async () => exportAudit(parts, { ...filter, ...real }, format) },
            device,
          );
        }
        case "file": {
          const { session, path: asked } = params;
          const { handle, path, stats } = await (await pathsFor(parts, device, session, asked)).open(asked);
          try {
            const { mediaType } = await describeFile({ handle, path, size: stats.size }, 1);
            return ticketFor(parts, device, { session, asked, path }, mediaType);
          } finally {
            await handle.close();
          }
        }
      }
    },
  };
};
