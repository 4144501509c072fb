export { isInFleet, readHub, readNode } from "./fleet-files.ts";
export type { Allowed, HubFile, NodeFile } from "./fleet-files.ts";
export { fleetPaths } from "./fleet-files.ts";
export { makeCode, removeNode } from "./hub.ts";
export { mustBeMember } from "./as-node.ts";
export { checkFleet } from "./check-fleet.ts";
export { allowMachine, foundFleet, joinWithCode, leaveFleet, readCode, rotateKey } from "./membership.ts";
export { nodeNameFrom } from "@quarterdeck/fleet";
