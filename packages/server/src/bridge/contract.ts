// What the bridge needs from the rest of the server, and what it offers in return.

import type { EventStore, Host, TrustStore } from "@quarterdeck/host";
import type { NotificationParams, ServerInfo } from "@quarterdeck/session/bridge";
import type { WebSocket } from "ws";
import type { Access } from "../access/contract.ts";
import type { ContainedPaths, Sight } from "../files/contract.ts";
import type { GitWork } from "../git/git-work.ts";
import type { Metrics, SocketAbout, Tickets } from "../http/contract.ts";
import type { Log } from "../log.ts";

export type AgentInfo = ServerInfo["agent"];
export type MachineInfo = ServerInfo["machine"];
export type Limits = ServerInfo["limits"];
export type Notice = NotificationParams<"server/notice">;

export interface Bridge {
  accept(ws: WebSocket, about: SocketAbout): void;
  /** To every client. */
  notice(notice: Notice): void;
  /** From now on, whatever would begin work is refused with `shutting-down`. Reading and answering go on. */
  drain(): void;
  /** Closes every socket with `CLOSE_CODES.shuttingDown`. */
  close(): Promise<void>;
}

export interface BridgeOptions {
  readonly host: Host;
  /** The host's own; the server closes the host, and the host the store. */
  readonly store: EventStore;
  readonly trust: TrustStore;
  readonly access: Access;
  readonly tickets: Tickets;
  /** What an admin sees of the roots. For the server's own decisions, and never for another device: take `sightOf`. */
  readonly paths: ContainedPaths;
  /** All of the file system but what is hidden: for the one path that a row or an open request names. */
  readonly named: ContainedPaths;
  /** What roles below admin see. */
  readonly belowAdmin: Sight;
  readonly git: GitWork;
  /** Ours alone: nothing in it is read for a client. */
  readonly dataDir: string;
  /** A private folder for files that go with prompts; each session has one of its own in it. */
  readonly sessionFiles: string;
  /** Of the CLI: where its own sessions lie. */
  readonly configFolder: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly agent: AgentInfo;
  readonly machine: MachineInfo;
  readonly limits: Limits;
  /** Of the package. */
  readonly version: string;
  readonly startedAt: number;
}
