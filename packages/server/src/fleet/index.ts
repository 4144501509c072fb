export { isInFleet, readHub, readNode } from "./fleet-files.ts";
export type { Allowed, HubFile, NodeFile } from "./fleet-files.ts";
export { fleetPaths } from "./fleet-files.ts";
export { makeCode, removeNode } from "./hub.ts";
export {
  allowMachine,
  checkFleet,
  foundFleet,
  joinWithCode,
  leaveFleet,
  mustBeMember,
  readCode,
  rotateKey,
} from "./membership.ts";
export { nodeNameFrom } from "@quarterdeck/fleet";
