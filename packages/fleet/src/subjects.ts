// Every subject of the bus, and who may use it. The NATS server enforces this table, so the sender in a subject is always true.
// Queue groups are not used: any node that may subscribe could join one and take messages of others.

import { isNodeName } from "./names.ts";

/** Bytes of one virtual connection, or a request that opens one. */
export const tunnelSubject = (from: string, to: string, connection: string): string =>
  `qd.f.${from}.${to}.${connection}`;
/** Hello, beat and bye of a node. */
export const presenceSubject = (node: string): string => `qd.p.${node}`;
/** A request to join with the code of this id. Only the hub reads it. */
export const joinSubject = (codeId: string): string => `qd.j.${codeId}`;
/** Each node has its own inbox prefix: a node that could read the default one would see the answers for others. */
export const inboxPrefix = (node: string): string => `_INBOX_${node}`;
/** A node name cannot contain an underscore, so a code never shares the inbox of a node. */
export const joinInboxPrefix = (codeId: string): string => `_INBOX_join_${codeId}`;

/** The account of all users of the fleet. */
export const ACCOUNT = "QD";
/** NATS says that somebody's connection ended. Only the hub reads it, because it names addresses. */
export const DISCONNECTS = `$SYS.ACCOUNT.${ACCOUNT}.DISCONNECT`;

export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** May answer a request once, at the inbox that the request names. */
  readonly answers: boolean;
}

export const nodePermissions = (node: string, isHub: boolean): Permissions => ({
  publish: [`qd.f.${node}.*.*`, presenceSubject(node)],
  subscribe: [`qd.f.*.${node}.*`, "qd.p.*", `${inboxPrefix(node)}.>`, ...(isHub ? ["qd.j.*", DISCONNECTS] : [])],
  answers: true,
});

/** The holder of a join code can ask the hub, and nothing else. */
export const joinPermissions = (codeId: string): Permissions => ({
  publish: [joinSubject(codeId)],
  subscribe: [`${joinInboxPrefix(codeId)}.>`],
  answers: false,
});

export interface TunnelAddress {
  readonly from: string;
  readonly to: string;
  readonly connection: string;
}

const CONNECTION = /^[\w-]{1,40}$/u;

export const readTunnelSubject = (subject: string): TunnelAddress | undefined => {
  const [qd, f, from = "", to = "", connection = "", ...rest] = subject.split(".");
  const isOurs = qd === "qd" && f === "f" && rest.length === 0;
  return isOurs && isNodeName(from) && isNodeName(to) && CONNECTION.test(connection)
    ? { from, to, connection }
    : undefined;
};

export const readPresenceSubject = (subject: string): string | undefined => {
  const [qd, p, node = "", ...rest] = subject.split(".");
  return qd === "qd" && p === "p" && rest.length === 0 && isNodeName(node) ? node : undefined;
};

export const readJoinSubject = (subject: string): string | undefined => /^qd\.j\.([\w-]{1,40})$/u.exec(subject)?.[1];
