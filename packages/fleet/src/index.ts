export { isPublicKey, newKey, openBus, publicKeyOf } from "./bus.ts";
export type { Bus, BusMessage, BusOptions } from "./bus.ts";
export { FleetError } from "./fleet-error.ts";
export type { FleetErrorCode } from "./fleet-error.ts";
export { joinFleet } from "./fleet-node.ts";
export type { BusAnswer, FleetNode, FleetNodeOptions } from "./fleet-node.ts";
export { decodeJoinCode, encodeJoinCode, isBusUrl } from "./join-code.ts";
export type { JoinCode } from "./join-code.ts";
export { isNodeName, nodeNameFrom } from "./names.ts";
export { natsConfig } from "./nats-config.ts";
export type { BusConfig } from "./nats-config.ts";
export { isAtLeast, isNatsVersion, OLDEST_NATS, versionIn } from "./nats-version.ts";
export { remembered } from "./roster.ts";
export type { NodeState, Roster, RosterChange, RosterNode } from "./roster.ts";
export {
  inboxPrefix,
  joinInboxPrefix,
  joinPermissions,
  joinSubject,
  nodePermissions,
  readJoinSubject,
} from "./subjects.ts";
export type { VirtualSocket } from "./virtual-socket.ts";
