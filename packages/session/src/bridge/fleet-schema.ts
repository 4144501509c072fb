// The fleet of this machine: which other machines it knows, and what their devices may do here.

import { z } from "zod";
import { RoleName } from "./devices-schema.ts";
import { command, method, Time } from "./shapes.ts";

const Machine = z.object({
  name: z.string(),
  state: z.enum(["here", "not-answering", "away"]),
  since: Time,
  version: z.string(),
  bridge: z.number(),
  allowed: RoleName.optional().describe("The most that devices of that machine may do here. Absent: nothing."),
  folders: z.array(z.string()).optional().describe("Only in these folders here. Absent: in all."),
});

const FleetState = z.object({
  name: z.string(),
  node: z.string().describe("The name of this machine."),
  isHub: z.boolean(),
  bus: z.enum(["up", "down", "refused"]).describe("refused: the fleet no longer accepts this machine."),
  machines: z.array(Machine),
});

export const FLEET_METHODS = {
  "fleet/status": method(
    "The fleet that this machine is in, and its other machines.",
    z.object({}),
    z.object({ fleet: FleetState.optional() }),
  ),
  "fleet/reload": method(
    "Reads the files of the fleet again, after a command on this machine has changed them.",
    z.object({ ...command }),
    z.object({ bus: z.enum(["up", "down", "refused", "none"]) }),
  ),
} as const;

export const FLEET_NOTIFICATIONS = {
  "fleet/changed": z.object({ fleet: FleetState.optional().describe("Absent: this machine is in no fleet now.") }),
} as const;
