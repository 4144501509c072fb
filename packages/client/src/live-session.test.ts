import type { Event, Row, Streamed } from "@quarterdeck/session";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connect } from "./connect.ts";
import type { Client, SessionView } from "./contract.ts";
import { ModelServer, Refused } from "./model-server.fixture.ts";

let server: ModelServer;
let client: Client;
let seq: number;

beforeEach(() => {
  vi.useFakeTimers();
  seq = 0;
  server = new ModelServer();
  server.apply("a", ...lines(300));
  client = connect({
    url: "http://127.0.0.1:1",
    credentials: { kind: "token", token: "x" },
    client: { name: "test", version: "1" },
    openSocket: server.openSocket,
  });
});
afterEach(() => {
  client.close();
  vi.useRealTimers();
});

const settle = (ms = 1): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
/** One row each. */
const lines = (count: number): Event[] =>
  Array.from({ length: count }, () => ({
    seq: ++seq,
    at: seq,
    type: "noise",
    bytes: "",
    size: seq,
    reason: "not-json",
  }));
const streamed = (event: object): Streamed => ({
  type: "streamed",
  at: seq,
  message: { type: "stream_event", event, session_id: "s", uuid: "u", parent_tool_use_id: null } as never,
});
const begins = (): Streamed[] => [
  streamed({
    type: "message_start",
    message: { id: "m1", type: "message", role: "assistant", model: "x", content: [], usage: {} },
  }),
  streamed({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
];
const grows = (text: string): Streamed =>
  streamed({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const opened = async (): Promise<SessionView> => {
  const view = client.session("a");
  await settle(5_000);
  return view;
};
const sizes = ({ snapshot }: SessionView): number[] =>
  snapshot.rows.map((row) => (row as Extract<Row, { kind: "noise" }>).size);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("following", () => {
  it("requests the number of rows and the pace that its program set", async () => {
    client.close();
    client = connect({
      url: "http://127.0.0.1:1",
      credentials: { kind: "token", token: "x" },
      client: { name: "test", version: "1" },
      openSocket: server.openSocket,
      firstRows: 24,
      paceMs: 50,
    });
    const view = await opened();
    expect(server.socket.calls("session/subscribe")).toMatchObject([
      { params: { session: "a", rows: 24, paceMs: 50 } },
    ]);
    expect(sizes(view)).toEqual(range(277, 300));
  });

  it("[S3] starts again when the server says so, and shows the old state until then", async () => {
    const view = await opened();
    server.holds = true;
    server.socket.tell({ method: "session/changed", params: { session: "a", cursor: "e1:999", reset: true } });
    server.socket.deliver();
    await settle();
    expect(server.socket.calls("session/subscribe").at(-1)?.params).toEqual({ session: "a", rows: 100 });
    expect(view.snapshot).toMatchObject({ status: "ready" });
    expect(sizes(view)).toEqual(range(201, 300));
    server.holds = false;
    server.apply("a", ...lines(1));
    server.socket.deliver();
    server.flush();
    await settle();
    expect(sizes(view)).toEqual(range(201, 301));
  });

  it("[S3] subscribes once for any number of frames that do not fit", async () => {
    await opened();
    for (let rev = 0; rev < 5; rev++)
      server.socket.tell({ method: "session/changed", params: { session: "a", cursor: `other:${rev}` } });
    await settle();
    expect(server.socket.calls("session/subscribe")).toHaveLength(2);
  });

  it("[S6] a missing session is failed until the server mentions it", async () => {
    const view = client.session("new");
    client.sessions.subscribe(() => {});
    await settle();
    expect(view.snapshot).toMatchObject({
      status: "failed",
      error: { code: "unknown-session", message: "Session new does not exist." },
    });
    server.apply("new", ...lines(1));
    server.socket.tell({ method: "sessions/changed", params: { sessions: [summary("new", 1)], removed: [] } });
    await settle();
    expect(view.snapshot).toMatchObject({ status: "ready" });
    expect(view.snapshot.error).toBeUndefined();
  });

  it("[S6] a failed session is retried on the next socket", async () => {
    server.answers["session/subscribe"] = () => {
      throw new Refused("internal", "Oh.");
    };
    const view = await opened();
    expect(view.snapshot.status).toBe("failed");
    delete server.answers["session/subscribe"];
    server.socket.drop();
    await settle();
    expect(view.snapshot.status).toBe("ready");
  });

  it("[D1] a new subscription from the cursor closes a gap in a draft", async () => {
    server.apply("a", ...begins(), grows("Hello"));
    const view = await opened();
    server.apply("a", grows(", world"));
    server.socket.tell({
      method: "session/draft",
      params: { session: "a", drafts: [{ ...view.snapshot.drafts[0], from: 9, text: "ld" }] },
    });
    await settle();
    expect(view.snapshot.drafts).toMatchObject([{ text: "Hello, world" }]);
    expect(server.socket.calls("session/subscribe").at(-1)?.params).toHaveProperty("cursor");
  });

  it("[D3] a growing draft leaves rows and head unchanged", async () => {
    server.apply("a", ...begins(), grows("Hello"));
    const view = await opened();
    const { snapshot } = view;
    const id = snapshot.drafts[0]!.id;
    const heard: unknown[] = [];
    const other: unknown[] = [];
    view.subscribeDraft(id, (draft) => heard.push(draft?.text));
    view.subscribeDraft("another", (draft) => other.push(draft));
    server.apply("a", grows(","));
    server.flush();
    server.apply("a", grows(" world"));
    server.flush();
    await settle();
    expect(heard).toEqual(["Hello, world"]);
    expect(view.snapshot).not.toBe(snapshot);
    expect(view.snapshot.rows).toBe(snapshot.rows);
    expect(view.snapshot.drafts).toMatchObject([{ id, text: "Hello, world" }]);
    server.socket.tell({ method: "session/draft", params: { session: "a", drafts: [], ended: [id] } });
    await settle();
    expect(heard).toEqual(["Hello, world", undefined]);
    expect(other).toEqual([]);
  });

  it("[L1] listeners are called once per turn, and only after a change", async () => {
    const view = await opened();
    let calls = 0;
    view.subscribe(() => calls++);
    for (let each = 0; each < 5; each++) {
      server.apply("a", ...lines(1));
      server.flush();
    }
    await settle();
    expect(calls).toBe(1);
    const { snapshot } = view;
    server.socket.tell({ method: "session/changed", params: { session: "a", cursor: "e1:0" } });
    await settle();
    expect(calls).toBe(1);
    expect(view.snapshot).toBe(snapshot);
  });

  it("[L1] in a browser listeners are called at once, then once per animation frame, and also without a frame", async () => {
    const frames: (() => void)[] = [];
    let now = 0;
    vi.stubGlobal("requestAnimationFrame", (step: () => void) => frames.push(step));
    vi.stubGlobal("performance", { now: () => now });
    try {
      const view = await opened();
      let calls = 0;
      view.subscribe(() => calls++);
      const push = async (): Promise<void> => {
        server.apply("a", ...lines(1));
        server.flush();
        await settle();
      };
      now += 17;
      await push();
      expect(calls).toBe(1);
      await push();
      await push();
      expect(calls).toBe(1);
      for (const frame of frames.splice(0)) frame();
      expect(calls).toBe(2);
      await push();
      expect(calls).toBe(2);
      await settle(100);
      expect(calls).toBe(3);
      for (const frame of frames.splice(0)) frame();
      expect(calls).toBe(3);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("[L2] users share one subscription, which ends with the last of them", async () => {
    const one = await opened();
    const two = client.session("a");
    await settle();
    expect(two.snapshot).toBe(one.snapshot);
    expect(server.socket.calls("session/subscribe")).toHaveLength(1);
    let calls = 0;
    one.subscribe(() => calls++);
    one.close();
    one.close();
    server.apply("a", ...lines(1));
    server.flush();
    await settle();
    expect(calls).toBe(0);
    expect(sizes(two).at(-1)).toBe(301);
    expect(server.socket.calls("session/unsubscribe")).toEqual([]);
    two.close();
    const three = client.session("a");
    await settle();
    expect(server.socket.calls("session/unsubscribe")).toEqual([]);
    three.close();
    await settle();
    expect(server.socket.calls("session/unsubscribe")).toHaveLength(1);
  });

  it("[A1] acknowledges every 64 KB, not earlier", async () => {
    await opened();
    const { socket } = server;
    server.holds = true;
    server.apply("a", ...lines(1));
    server.flush();
    const first = socket.outbox[0]!.length;
    socket.deliver();
    await settle(5000);
    expect(socket.calls("session/ack")).toEqual([]);
    server.apply("a", ...lines(1000));
    server.flush();
    const second = socket.outbox[0]!.length;
    expect(second).toBeGreaterThan(64 * 1024);
    socket.deliver();
    await settle(1);
    const cursor = `e1:${server.fold("a").rev}`;
    expect(socket.calls("session/ack")).toMatchObject([{ params: { session: "a", cursor, bytes: first + second } }]);
    expect(socket.calls("session/ack")[0]).not.toHaveProperty("id");
    await settle(5000);
    expect(socket.calls("session/ack")).toHaveLength(1);
  });
});

describe("the past", () => {
  it("[W1] is loaded page by page; concurrent calls share one request", async () => {
    const view = await opened();
    await Promise.all([view.loadBefore(50), view.loadBefore(50), settle()]);
    expect(sizes(view)).toEqual(range(151, 300));
    expect(server.socket.calls("session/rows")).toHaveLength(1);
    await Promise.all([view.loadBefore(500), settle()]);
    expect(sizes(view)).toEqual(range(1, 300));
    expect(view.snapshot.more).toBe(false);
    await view.loadBefore();
    expect(server.socket.calls("session/rows")).toHaveLength(2);
  });

  it("[W3] can be entered at a row, read in both directions, and left", async () => {
    const view = await opened();
    const target = server.fold("a").rows[49]!.id;
    const [found] = await Promise.all([view.loadAround(target), settle()]);
    expect(found).toBe(true);
    expect(sizes(view)).toEqual(range(1, 100));
    expect(view.snapshot).toMatchObject({ more: false, moreAfter: true });
    await Promise.all([view.loadAfter(150), settle()]);
    expect(sizes(view)).toEqual(range(1, 250));
    server.apply("a", ...lines(1));
    server.flush();
    await settle();
    expect(sizes(view).at(-1)).toBe(250);
    await Promise.all([view.loadEnd(), settle()]);
    expect(sizes(view)).toEqual(range(202, 301));
    expect(view.snapshot).toMatchObject({ more: true, moreAfter: false });
  });

  it("[W3] does not move for a missing row", async () => {
    const view = await opened();
    const { snapshot } = view;
    const [found] = await Promise.all([view.loadAround("nothing"), settle()]);
    expect(found).toBe(false);
    expect(view.snapshot).toBe(snapshot);
  });

  it("[W5] a page is requested again after a restart of the server", async () => {
    const view = await opened();
    server.holds = true;
    const loaded = view.loadBefore(50);
    await settle();
    server.holds = false;
    server.apply("a", ...lines(20));
    server.restart();
    await settle();
    await loaded;
    expect(sizes(view)).toEqual(range(171, 320));
  });

  it("[W6] stays where it was after a reset", async () => {
    const view = await opened();
    await Promise.all([view.loadAround(server.fold("a").rows[99]!.id), settle()]);
    const before = view.snapshot.rows;
    expect(sizes(view)).toEqual(range(50, 149));
    server.restart();
    await settle();
    expect(sizes(view)).toEqual(range(50, 149));
    expect(view.snapshot.rows[0]).toBe(before[0]);
    expect(view.snapshot.moreAfter).toBe(true);
  });
});

const summary = (id: string, updatedAt: number, waiting: SessionSummary["waiting"] = []): SessionSummary => ({
  id,
  cwd: "/x",
  project: "/x",
  createdAt: 0,
  updatedAt,
  archived: false,
  live: true,
  phase: "idle",
  since: 0,
  lastEventAt: 0,
  costUsd: 0,
  waiting,
  queued: 0,
  tasks: 0,
  lastOrder: 0,
  watching: 0,
  origin: "quarterdeck",
  held: false,
});
const ASKS: SessionSummary["waiting"] = [{ id: "r", kind: "permission", at: 0, about: "Bash ls" }];

describe("the list", () => {
  const ids = (): string[] => client.sessions.snapshot.sessions.map(({ id }) => id);

  it("[L3] is loaded on first use, and then kept", async () => {
    server.summaries = [summary("old", 1), summary("new", 3), summary("asks", 2, ASKS)];
    await settle();
    expect(server.socket.calls("sessions/list")).toEqual([]);
    expect(client.sessions.snapshot).toEqual({ status: "loading", sessions: [] });
    let calls = 0;
    const off = client.sessions.subscribe(() => calls++);
    await settle();
    expect(client.sessions.snapshot.status).toBe("ready");
    expect(ids()).toEqual(["asks", "new", "old"]);
    const [asks, newest] = client.sessions.snapshot.sessions;
    const changed = { sessions: [summary("old", 9), summary("asks", 2, ASKS)], removed: ["nobody"] };
    server.socket.tell({ method: "sessions/changed", params: changed });
    await settle();
    expect(ids()).toEqual(["asks", "old", "new"]);
    expect(client.sessions.snapshot.sessions[0]).toBe(asks);
    expect(client.sessions.snapshot.sessions[2]).toBe(newest);
    expect(calls).toBe(2);
    off();
    server.socket.tell({ method: "sessions/changed", params: { sessions: [], removed: ["old"] } });
    await settle();
    expect(ids()).toEqual(["asks", "new"]);
    expect(calls).toBe(2);
  });

  it("[L3] comes in pages, with changes that arrive meanwhile", async () => {
    server.answers["sessions/list"] = ({ cursor }, socket) => {
      if (cursor === "2") return { sessions: [summary("one", 1)], total: 2 };
      socket.tell({ method: "sessions/changed", params: { sessions: [summary("three", 3)], removed: [] } });
      return { sessions: [summary("two", 2)], total: 2, nextCursor: "2" };
    };
    client.sessions.subscribe(() => {});
    await settle();
    expect(ids()).toEqual(["three", "two", "one"]);
  });

  it("[L3] is loaded again on a new socket, and equal summaries keep their identity", async () => {
    server.summaries = [summary("one", 1), summary("two", 2)];
    client.sessions.subscribe(() => {});
    await settle(5_000);
    const { snapshot } = client.sessions;
    server.dropAll();
    await settle();
    expect(server.socket.calls("sessions/list")).toHaveLength(1);
    expect(client.sessions.snapshot).toBe(snapshot);
    server.summaries = [summary("two", 2)];
    server.dropAll();
    await settle(1_000);
    expect(ids()).toEqual(["two"]);
    expect(client.sessions.snapshot.sessions[0]).toBe(snapshot.sessions[0]);
  });
});
