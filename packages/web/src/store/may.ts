// What this device may do, and what a person confirms first. The page asks the policy that the server enforces.

import type { Client, Method } from "@quarterdeck/client";
import { allows, type Given, type Known, type Need } from "@quarterdeck/client/policy";
import { confirm, type Confirmation } from "./surfaces.ts";

export const may = <M extends Method>(client: Client, method: M, params?: Given<M>, known?: Known): boolean =>
  allows(client.info?.device.role, method, params, known);

/** Asks the person first where the policy wants it. */
export const afterConfirm = (need: Need, about: Confirmation): void => {
  if (need.confirm === undefined) about.run();
  else confirm(about);
};
