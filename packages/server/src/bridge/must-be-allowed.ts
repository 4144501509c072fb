// Enforces the policy. Each call passes here before its handler runs. A handler calls it again only with what it alone
// knows: the commands of a session, the suggestions of a request, a new folder. The role comes from the server's
// record.

import { includesRole } from "@quarterdeck/session/bridge";
import type { Method } from "@quarterdeck/session/bridge";
import { isConfirmed, mayThroughFleet, needs } from "@quarterdeck/session/bridge/policy";
import type { Given, Known } from "@quarterdeck/session/bridge/policy";
import type { Device } from "../access/contract.ts";
import { Refusal } from "../refusal.ts";

type Caller = Pick<Device, "role" | "via">;

/** Without parameters, checks the method alone, before the parameters are parsed. */
export const mustBeAllowed = <M extends Method>(device: Caller, method: M, params?: Given<M>, known?: Known): void => {
  const refused = refusalFor(device, method, params, known);
  if (refused !== undefined) throw refused;
};

export const refusalFor = <M extends Method>(
  device: Caller,
  method: M,
  params?: Given<M>,
  known?: Known,
): Refusal | undefined => {
  if (device.via !== undefined && !mayThroughFleet(method))
    return new Refusal("forbidden", `${method} does not work through another machine. Use this machine's own page.`);
  const { role, what = method, confirm } = needs(method, params, known);
  if (!includesRole(device.role, role))
    return new Refusal("forbidden", `${what} needs the role ${role}; this device has ${device.role}.`, { role });
  if (confirm !== undefined && params !== undefined && !isConfirmed(method, params))
    return new Refusal("forbidden", `${confirm} must be confirmed in words.`, { confirm: true });
  return undefined;
};
