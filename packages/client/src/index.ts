export { inBrowserStore } from "./browser-store.ts";
export { BridgeError } from "./bridge-error.ts";
export { connect, urlOf } from "./connect.ts";
export { connectFleet } from "./fleet.ts";
export type {
  Fleet,
  FleetMachine,
  FleetOptions,
  FleetSession,
  FleetSessionList,
  FleetSessionListSnapshot,
  FleetSnapshot,
} from "./fleet.ts";
export { forgetDevice, loadDevice, pairDevice } from "./device-keys.ts";
export { hashOf } from "./hash.ts";
export { withProcess } from "./with-process.ts";
export { upload } from "./upload.ts";
export type { Uploaded, UploadOptions } from "./upload.ts";
export type {
  CallOptions,
  Client,
  ConnectionState,
  ConnectOptions,
  Credentials,
  DeviceCredentials,
  RefusalCode,
  SessionList,
  SessionListSnapshot,
  SessionSnapshot,
  SessionView,
  TokenCredentials,
  Watcher,
} from "./contract.ts";
export type * from "@quarterdeck/session";
export type * from "@quarterdeck/session/bridge";
