// What the methods share, and the form of a method: checked parameters, the calling client, a result.

import type { Actor } from "@quarterdeck/session";
import type { Method, ResultOf } from "@quarterdeck/session/bridge";
import { seesRoots } from "@quarterdeck/session/bridge/policy";
import type { METHODS } from "@quarterdeck/session/bridge/schema";
import type { z } from "zod";
import type { Device } from "../access/contract.ts";
import type { BridgeOptions } from "./contract.ts";
import type { Sight } from "../files/contract.ts";
import { pathsWithin } from "../files/paths-within.ts";
import type { Connection } from "./connection.ts";
import type { Feeds } from "./feeds.ts";
import type { ListFeed } from "./list-feed.ts";
import type { Notifier } from "../notify/notifier.ts";
import type { Summaries } from "./summaries.ts";
import type { Transcripts } from "./transcripts.ts";

export interface Parts extends BridgeOptions {
  readonly feeds: Feeds;
  readonly list: ListFeed;
  readonly summaries: Summaries;
  readonly transcripts: Transcripts;
  readonly notifier: Notifier;
  /** Number of open sockets of a device. */
  readonly connected: (deviceId: string) => number;
}

export type Params<M extends Method> = z.output<(typeof METHODS)[M]["params"]>;
export type Handler<M extends Method> = (params: Params<M>, caller: Connection) => Promise<ResultOf<M>> | ResultOf<M>;
export type Handlers<M extends Method> = { readonly [K in M]: Handler<K> };

/** What this device may see of the disk, by its role and folders in the server's record. */
export const sightOf = (
  { paths, named, belowAdmin }: Pick<BridgeOptions, "paths" | "named" | "belowAdmin">,
  { role, folders }: Pick<Device, "role" | "folders">,
): Sight => {
  const whole = seesRoots(role) ? { paths, named } : belowAdmin;
  if (folders === undefined) return whole;
  return { paths: pathsWithin(whole.paths, folders), named: pathsWithin(whole.named, folders) };
};

export const actorOf = ({ id, name }: Device): Actor => ({ id, name });
