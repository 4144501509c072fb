// Devices and their roles.

import { z } from "zod";
import { ROLES } from "./role.ts";
import { Done, Id, Time, command, method } from "./shapes.ts";

export const RoleName = z.enum(ROLES);

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
  "devices/reach": method(
    "Says whether other machines can reach the address of pairing links, and if not, what Tailscale on this machine would need.",
    z.object({}),
    z.object({
      origin: z.string(),
      fromOutside: z.boolean().describe("The address uses HTTPS and is not this machine's own."),
      tailscale: z.object({ name: z.string(), isServed: z.boolean() }).optional(),
      commands: z.array(z.string()).describe("For a terminal on the server's machine."),
    }),
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
