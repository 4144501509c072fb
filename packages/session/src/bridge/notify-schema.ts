// The methods of notifications: which events a device wants, its push subscriptions, whether a person looks at a page,
// and the targets that an admin sets for the server.

import { z } from "zod";
import { command, Done, Id, method, Path, Time } from "./shapes.ts";

const Clock = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/u, "A time has the form 22:30.");

const Choices = z.object({
  waiting: z.boolean().describe("A session waits for an answer."),
  finished: z.boolean().describe("A turn ended well."),
  failed: z.boolean().describe("A turn failed, or the process died."),
  content: z
    .enum(["shown", "hidden"])
    .describe("`hidden`: the notification names no session and no command, and offers no answers."),
  quiet: z
    .object({ from: Clock, to: Clock, timeZone: z.string().min(1).max(100).describe("An IANA name.") })
    .nullable()
    .describe("Nothing is sent between these times. Requests that are still open afterwards are sent then."),
  mutedSessions: z.array(Id).max(500),
  mutedProjects: z.array(Path).max(200),
  mutedMachines: z.array(z.string().max(40)).max(500).default([]).describe("Other machines of the fleet."),
});

const Target = z.object({
  id: z.string(),
  kind: z.enum(["webhook", "ntfy"]),
  url: z.string().describe("For ntfy, with the topic, such as `https://ntfy.sh/my-topic`."),
  hasSecret: z.boolean().describe("A webhook always has one. For ntfy it is an access token."),
  choices: Choices,
  problem: z.string().optional().describe("Why the last delivery failed."),
});

export const NOTIFY_METHODS = {
  "notifications/get": method(
    "Which events this device wants, and which of its browsers get them.",
    z.object({}),
    z.object({
      publicKey: z.string().describe("The server's VAPID key, for `pushManager.subscribe`."),
      choices: Choices,
      subscriptions: z.array(
        z.object({
          endpoint: z.string(),
          at: Time,
          problem: z.string().optional().describe("Why the last delivery failed."),
        }),
      ),
    }),
  ),
  "notifications/set": method(
    "Sets which events this device wants. Muting applies to this device only.",
    z.object({ ...command, choices: Choices }),
    Done,
  ),
  "notifications/subscribe": method(
    "Adds a push subscription of this device. At most five; the oldest is dropped. It ends with the device.",
    z.object({
      ...command,
      endpoint: z.string().min(1).max(2000).describe("https, at a public host."),
      p256dh: z.string().max(100),
      auth: z.string().max(50),
    }),
    Done,
  ),
  "notifications/unsubscribe": method(
    "Removes a push subscription of this device. Without an endpoint: all of them.",
    z.object({ ...command, endpoint: z.string().max(2000).optional() }),
    Done,
  ),
  "notifications/test": method(
    "Sends a test to the subscriptions of this device, and says how the push services answered.",
    z.object({ ...command }),
    z.object({ results: z.array(z.object({ host: z.string(), ok: z.boolean(), problem: z.string().optional() })) }),
  ),
  "notifications/look": method(
    "Says whether a person looks at this client now. While one looks at any device, nothing is sent. Ends with the socket.",
    z.object({ looking: z.boolean() }),
    Done,
  ),
  "notifications/targets": method(
    "The webhooks and ntfy topics of the server. Secrets are never returned.",
    z.object({}),
    z.object({ targets: z.array(Target) }),
  ),
  "notifications/setTarget": method(
    "Adds or changes a webhook or an ntfy topic. A new webhook gets a secret, which is returned once.",
    z.object({
      ...command,
      id: Id.optional().describe("Without it: a new target. At most 20."),
      kind: z.enum(["webhook", "ntfy"]),
      url: z.string().min(1).max(2000),
      token: z.string().max(500).optional().describe("The access token of ntfy. Without it: as before."),
      choices: Choices,
    }),
    z.object({ id: z.string(), secret: z.string().optional() }),
  ),
  "notifications/removeTarget": method("Removes a target.", z.object({ ...command, id: Id }), Done),
  "notifications/testTarget": method(
    "Sends a test to a target, and says how it answered.",
    z.object({ ...command, id: Id }),
    z.object({ ok: z.boolean(), problem: z.string().optional() }),
  ),
} as const;
