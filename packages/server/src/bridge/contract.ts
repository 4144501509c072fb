// What the bridge needs from the rest of the server, and what it offers in return.

import type { EventStore, Host, ListedTrustStore, PolicyStore } from "@quarterdeck/host";
import type { NotificationParams, ServerInfo } from "@quarterdeck/session/bridge";
import type { WebSocket } from "ws";
import type { Access } from "../access/contract.ts";
import type { ContainedPaths, Sight } from "../files/contract.ts";
import type { FleetMember } from "../fleet/contract.ts";
import type { GitWork } from "../git/git-work.ts";
import type { Metrics, SocketAbout, Tickets } from "../http/contract.ts";
import type { KeptSettings } from "../settings/kept-settings.ts";
import type { Retention } from "../settings/retention.ts";
import type { Log } from "../log.ts";
import type { Notifier } from "../notify/notifier.ts";
import type { NotifyStore } from "../notify/notify-file.ts";
import type { Outbound } from "../notify/outbound.ts";

export type AgentInfo = ServerInfo["agent"];
export type MachineInfo = ServerInfo["machine"];
export type Limits = ServerInfo["limits"];
export type Notice = NotificationParams<"server/notice">;

export interface Bridge {
  readonly notifier: Notifier;
  accept(ws: WebSocket, about: SocketAbout): void;
  /** Sends the notice to every client. */
  notice(notice: Notice): void;
  /** From now on, calls that would start work are refused with `shutting-down`. Reads and answers still work. */
  drain(): void;
  /** Closes every socket with `CLOSE_CODES.shuttingDown`. */
  close(): Promise<void>;
}

export interface BridgeOptions {
  readonly host: Host;
  /** The host's store. The server closes the host, and the host closes the store. */
  readonly store: EventStore;
  readonly trust: ListedTrustStore;
  readonly policies: PolicyStore;
  readonly access: Access;
  readonly tickets: Tickets;
  /** What an admin sees of the roots. For the server's own decisions only. For a device, use `sightOf`. */
  readonly paths: ContainedPaths;
  /** The whole file system without hidden paths, for the single path that a row or an open request names. */
  readonly named: ContainedPaths;
  /** What roles below admin see. */
  readonly belowAdmin: Sight;
  readonly git: GitWork;
  readonly fleet: FleetMember;
  readonly kept: KeptSettings;
  readonly retention: Retention;
  readonly notifyStore: NotifyStore;
  readonly outbound: Outbound;
  /** Names of the variables that sessions get. */
  readonly environment: readonly string[];
  /** Ours alone: nothing in it is read for a client. */
  readonly dataDir: string;
  /** A private folder for files that are sent with prompts. Each session has its own folder in it. */
  readonly sessionFiles: string;
  /** The CLI's configuration folder, which contains its own sessions. */
  readonly configFolder: string;
  /** Where the CLI keeps its logs. */
  readonly cacheFolder: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly agent: AgentInfo;
  readonly machine: MachineInfo;
  readonly limits: Limits;
  /** Version of the package. */
  readonly version: string;
  readonly startedAt: number;
}
