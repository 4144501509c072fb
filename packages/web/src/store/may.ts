// What this device may do. The page asks the policy that the server enforces.

import type { Client, Method } from "@quarterdeck/client";
import { allows, type Given, type Known } from "@quarterdeck/client/policy";

export const may = <M extends Method>(client: Client, method: M, params?: Given<M>, known?: Known): boolean =>
  allows(client.info?.device.role, method, params, known);
