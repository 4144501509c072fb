// Devices and their roles.

import { z } from "zod";
import { Done, Id, Time, command, method } from "./shapes.ts";

export const RoleName = z.enum(["view", "answer", "operate", "admin"]);

export const DEVICES_METHODS = {
  "devices/list": method(
    "",
    z.object({}),
    z.object({
      devices: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          kind: z.enum(["browser", "program"]),
          role: RoleName,
          createdAt: Time,
          lastSeenAt: Time.optional(),
          connected: z.number(),
        }),
      ),
    }),
  ),
  "devices/pair": method(
    "Creates a pairing link that works once, within two minutes.",
    z.object({ ...command, role: RoleName, name: z.string().max(100).optional() }),
    z.object({ link: z.string(), code: z.string(), expiresAt: Time }),
  ),
  "devices/addToken": method(
    "Creates a bearer token for a program. It is shown only once.",
    z.object({ ...command, role: RoleName, name: z.string().min(1).max(100) }),
    z.object({ id: z.string(), token: z.string() }),
  ),
  "devices/revoke": method(
    "Revokes a device and closes its sockets within a second.",
    z.object({ ...command, id: Id }),
    Done,
  ),
} as const;
