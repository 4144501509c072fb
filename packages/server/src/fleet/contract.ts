// What the rest of the server knows about the fleet.

import type { ResultOf } from "@quarterdeck/session/bridge";
import type { ServerAccess } from "../access/access.ts";
import type { Log } from "../log.ts";

export type FleetStatus = NonNullable<ResultOf<"fleet/status">["fleet"]>;

export interface FleetMemberOptions {
  readonly dataDir: string;
  readonly access: ServerAccess;
  readonly version: string;
  readonly log: Log;
}

export interface FleetMember {
  /** Undefined on a machine that is in no fleet. */
  status(): FleetStatus | undefined;
  /** Reads the files again: joins, leaves, or takes over what others may do here. */
  reload(): Promise<void>;
  /** The status may have changed. */
  onChange(listener: () => void): () => void;
}
