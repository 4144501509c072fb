// Measures a server over a stored folder, in fresh processes. Prints one line of JSON.
// Usage: bridge-store-reader.ts ready <folder> <data folder>
// Time until the server has started. Then lists and opens every session, and measures memory.
// Usage: bridge-store-reader.ts screens <folder> <data folder> <short | long>
// First screens and catch-ups of both sessions. Opens the named session first.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { startBridgeServer, writeProgram } from "./bridge-server.ts";
import { BridgeSocket } from "./bridge-socket.ts";
import { medianOf, medianRatio } from "./figure.ts";
import type { Pair } from "./store-reader.ts";

export interface ServerReady {
  readonly milliseconds: number;
  readonly sessions: number;
  /** For all pages of the list. */
  readonly listMilliseconds: number;
  /** After a collection, when each session was listed and its head was read. */
  readonly heapBytes: number;
  readonly residentBytes: number;
}

/** Milliseconds until the answer to `session/subscribe` has arrived. */
export interface ServerScreens {
  /** The named session, in a server that has just started. */
  readonly first: number;
  readonly firstScreen: Pair;
  /** After ten changes. */
  readonly catchUp: Pair;
  /** The long session, after ten times as many changes. */
  readonly catchUpTenfold: number;
  /** Characters of the answers, to show their cost. */
  readonly characters: Readonly<Record<string, number>>;
}

const CHANGES = 10;
const READINGS = 60;

const [, , work = "", folder = "", dataDir = "", named = ""] = process.argv;
mkdirSync(folder, { recursive: true });
const claude = writeProgram(join(folder, "claude"), ["false"], {});
const server = await startBridgeServer({ folder, dataDir, claude });
const socket = await BridgeSocket.open(server);

const ready = async (): Promise<ServerReady> => {
  const ids: string[] = [];
  const startedAt = performance.now();
  for (let cursor: string | undefined; ;) {
    const page = await socket.call("sessions/list", { limit: 100, ...(cursor !== undefined && { cursor }) });
    ids.push(...page.sessions.map(({ id }) => id));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  const listMilliseconds = performance.now() - startedAt;
  for (const session of ids) {
    await socket.subscribe({ session, rows: 0 });
    await socket.call("session/unsubscribe", { session });
  }
  const { heapBytes, residentBytes } = await server.usage({ collect: true });
  return { milliseconds: server.readyMilliseconds, sessions: ids.length, listMilliseconds, heapBytes, residentBytes };
};

const screens = async (): Promise<ServerScreens> => {
  const characters: Record<string, number> = {};
  const look = async (name: string, session: string, cursor?: string): Promise<number> => {
    const before = socket.characters;
    const startedAt = performance.now();
    const answer = await socket.subscribe({ session, ...(cursor !== undefined && { cursor }) });
    const took = performance.now() - startedAt;
    characters[name] = socket.characters - before;
    if (answer.status !== (cursor === undefined ? "reset" : "ok")) throw new Error(`${name} was ${answer.status}`);
    if (answer.rows.length === 0) throw new Error(`${name} has no rows`);
    await socket.call("session/unsubscribe", { session });
    return took;
  };
  /** The cursor of a client that has missed this many row changes. */
  const cursorBefore = async (session: string, changes: number): Promise<string> => {
    const { cursor, rows } = await socket.subscribe({ session, rows: changes + 1 });
    await socket.call("session/unsubscribe", { session });
    const epoch = cursor.slice(0, cursor.lastIndexOf(":") + 1);
    return `${epoch}${String((rows[0] as { rev: number }).rev)}`;
  };
  const first = await look("first", named);
  const [shortTen, longTen, longHundred] = [
    await cursorBefore("short", CHANGES),
    await cursorBefore("long", CHANGES),
    await cursorBefore("long", CHANGES * 10),
  ];
  const looks = {
    screenShort: () => look("screenShort", "short"),
    screenLong: () => look("screenLong", "long"),
    changesShort: () => look("changesShort", "short", shortTen),
    changesLong: () => look("changesLong", "long", longTen),
    tenfold: () => look("tenfold", "long", longHundred),
  };
  const times = Object.fromEntries(Object.keys(looks).map((name) => [name, [] as number[]]));
  for (let reading = 0; reading < READINGS; reading += 1) {
    const all = Object.entries(looks);
    for (const [name, take] of reading % 2 === 0 ? all : all.toReversed()) times[name]!.push(await take());
  }
  const pairOf = (short: keyof typeof looks, long: keyof typeof looks): Pair => ({
    short: medianOf(times[short]!),
    long: medianOf(times[long]!),
    ratio: medianRatio(times[long]!, times[short]!),
  });
  return {
    first,
    firstScreen: pairOf("screenShort", "screenLong"),
    catchUp: pairOf("changesShort", "changesLong"),
    catchUpTenfold: medianOf(times["tenfold"]!),
    characters,
  };
};

console.log(JSON.stringify(work === "ready" ? await ready() : await screens()));
socket.drop();
await server.stop();
process.exit(0);
