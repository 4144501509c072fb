// Devices, and tickets: addresses for uploads and downloads over HTTP.

import { exportAudit } from "../../audit/audit-file.ts";
import { isLoopback } from "../../access/through-proxy.ts";
import { findTailscale } from "../../access/tailscale.ts";
import { describeFile } from "../../files/file-contents.ts";
import { actorOf, sightOf } from "../parts.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal, unknownSession } from "../../refusal.ts";
import { exportOf } from "./export.ts";
import { pathsFor, ticketFor } from "./files.ts";

export const devicesMethods = (
  parts: Parts,
): Handlers<
  "devices/list" | "devices/pair" | "devices/reach" | "devices/addToken" | "devices/revoke" | "tickets/create"
> => {
  const { access, tickets, limits, log } = parts;
  return {
    "devices/list": () => ({
      devices: access.devices().map((device) => ({ ...device, connected: parts.connected(device.id) })),
    }),

    "devices/pair": ({ role, name }, { device }) => {
      log.info("pairing link made", { by: device.id, role });
      return access.pair({ role, ...(name !== undefined && { name }) });
    },

    "devices/reach": async () => {
      const origin = access.linkOrigin();
      const { protocol, hostname, port } = new URL(origin);
      if (protocol === "https:" && !isLoopback(hostname)) return { origin, fromOutside: true, commands: [] };
      const tailscale = await findTailscale(port);
      if (tailscale === undefined) return { origin, fromOutside: false, commands: [] };
      const { name, isServed } = tailscale;
      const commands = [
        ...(isServed ? [] : [`tailscale serve --bg ${port}`]),
        `npx quarterdeck serve --port ${port} --behind-proxy --allow-host ${name}`,
      ];
      return { origin, fromOutside: false, tailscale, commands };
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
          const { session } = params;
          if (parts.store.session(session) === undefined) throw unknownSession(session);
          return tickets.create({ kind: "download", open: () => exportOf(parts, params, device.role) }, device);
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
