// An exception in a timer would end the process, because nothing catches it. These tests cover the timers of the
// bridge.

import { EventEmitter } from "node:events";
import type { Host } from "@quarterdeck/host";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WebSocket } from "ws";
import { Connection } from "./connection.ts";
import type { ConnectionOwner, Following } from "./connection.ts";
import { Feed } from "./feed.ts";
import { ListFeed } from "./list-feed.ts";
import type { SessionSource } from "./session-source.ts";
import { Ticker } from "./ticker.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const BUG = new Error("a bug");
const bug = (): never => {
  throw BUG;
};

/** A socket in memory, and what was logged about it. */
const connection = () => {
  const socket = Object.assign(new EventEmitter(), { write: () => true });
  const ws = Object.assign(new EventEmitter(), {
    _socket: socket,
    readyState: 1,
    bufferedAmount: 0,
    ping: vi.fn<() => void>(),
    close: vi.fn<(code: number) => void>(),
    terminate: vi.fn<() => void>(),
  });
  const errors: string[] = [];
  const owner = {
    access: { challenge: () => "nonce", serverId: "server" },
    log: { error: (event: string) => errors.push(event), debug: () => undefined },
    version: "0",
    onGone: () => undefined,
  } as unknown as ConnectionOwner;
  const about = { origin: "", remote: "", admitted: () => undefined } as never;
  return { ws, errors, connection: new Connection(ws as unknown as WebSocket, about, owner) };
};

describe("[S48] timers of the bridge", () => {
  it("[S48] a failed heartbeat closes only its own connection", () => {
    const { ws, errors, connection: broken } = connection();
    broken.following.set("s", { pinged: bug } as unknown as Following);
    broken.beat(performance.now());
    expect(errors).toEqual(["heartbeat failed"]);
    expect(ws.close.mock.calls).toEqual([[1011, expect.any(String)]]);
  });

  it("[S48] a list that cannot be made is sent later", () => {
    let touched: (id: string) => void = () => undefined;
    const host = { subscribe: (listener: typeof touched) => ((touched = listener), () => undefined) };
    const errors: unknown[] = [];
    const sent: unknown[] = [];
    const summary = { id: "s", title: "t" } as SessionSummary;
    const summariesOf = vi.fn<() => Map<string, SessionSummary>>(() => new Map([["s", summary]]));
    const list = new ListFeed({
      host: host as unknown as Host,
      summariesOf,
      onError: (error) => errors.push(error),
    });
    list.add({ hasRoom: true, send: (frame: unknown) => sent.push(frame) } as unknown as Connection);
    summariesOf.mockImplementationOnce(bug);
    touched("s");
    vi.runAllTimers();
    expect([errors, sent.length]).toEqual([[BUG], 0]);
    touched("s");
    vi.runAllTimers();
    expect([errors, sent.length]).toEqual([[BUG], 1]);
    list.close();
  });

  it("[S48] a follower whose timer fails is an error of its feed", () => {
    const errors: unknown[] = [];
    const ticker = new Ticker((error) => errors.push(error));
    const view = { rev: 1, epoch: "e", drafts: [], row: () => undefined };
    const source = { view, subscribe: () => () => undefined } as unknown as SessionSource;
    const feed = new Feed("s", source, ticker);
    const follower = feed.follow({ hasRoom: true, send: () => undefined, ping: () => undefined }, 50);
    follower.send({ data: "", length: 0 }, 0);
    expect(follower.canTake(1)).toBe(false);
    ticker.soon = bug;
    vi.runAllTimers();
    expect(errors).toEqual([BUG]);
    feed.close();
  });
});

describe("[S62] pings", () => {
  it("[S62] a client that sends pings but does not read the answers is closed", () => {
    const { ws } = connection();
    ws.emit("ping");
    expect(ws.close).not.toHaveBeenCalled();
    ws.bufferedAmount = 33 * 1024 * 1024;
    ws.emit("ping");
    expect(ws.close).toHaveBeenCalledOnce();
  });
});
