// The bus with a real NATS server: who may use which subject, and bytes between two machines.

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openBus } from "./bus.ts";
import { testBus } from "./bus.fixture.ts";
import type { TestBus } from "./bus.fixture.ts";
import { FleetError } from "./fleet-error.ts";
import { joinFleet } from "./fleet-node.ts";
import type { FleetNode, FleetNodeOptions } from "./fleet-node.ts";
import { encodeFrame, WINDOW_BYTES } from "./frames.ts";
import { DISCONNECTS, inboxPrefix, joinInboxPrefix, tunnelSubject } from "./subjects.ts";
import type { VirtualSocket } from "./virtual-socket.ts";

const nodeOn = async (bus: TestBus, name: string, more: Partial<FleetNodeOptions> = {}): Promise<FleetNode> => {
  const refuse = () => ({ ok: false, code: "refused", message: "Not here." }) as const;
  const { seed } = bus.keys[name]!;
  const options = { name, url: bus.url, seed, version: "0.1.0", bridge: 1, onOpen: refuse, onAsk: refuse, ...more };
  // A computer that was paused for seconds has missed the answer. Servers join again then, too.
  const join = (triesLeft: number): Promise<FleetNode> =>
    joinFleet(options).catch((error: unknown) => {
      if (triesLeft > 0 && error instanceof FleetError && error.code === "no-answer") return join(triesLeft - 1);
      throw error;
    });
  const node = await join(4);
  onTestFinished(() => node.close());
  return node;
};
/** `once` would reject with the error that comes before. */
const closing = (socket: VirtualSocket) => new Promise((resolve) => socket.once("close", resolve));
const stateOf = (node: FleetNode, other: string) => node.roster.get(other)?.state;

describe("permissions of the NATS server", () => {
  it("let each user use its own subjects and nothing else", async () => {
    const names = ["hub", "box", "mac"];
    const bus = await testBus(names, ["c1"]);
    const others = (name: string) => names.filter((each) => each !== name);
    const users = [
      ...names.map((name) => ({ name, seed: bus.keys[name]!.seed, prefix: inboxPrefix(name) })),
      { name: "c1", seed: bus.codes["c1"]!.seed, prefix: joinInboxPrefix("c1") },
    ];
    const everySubject = [
      ">",
      "*",
      "qd.>",
      "qd.f.>",
      "qd.*.*",
      "$SYS.>",
      "$SYS.ACCOUNT.*.DISCONNECT",
      "$SYS.ACCOUNT.QD.*",
      "$SYS.REQ.SERVER.PING",
      DISCONNECTS,
      "_INBOX.>",
      "_INBOX_*.>",
      "qd.p.*",
      "qd.j.*",
      "qd.j.c1",
      "qd.j.c2",
      joinInboxPrefix("c1") + ".>",
      ...names.flatMap((name) => [`qd.p.${name}`, `${inboxPrefix(name)}.>`, `qd.f.*.${name}.*`, `qd.f.${name}.*.*`]),
      ...names.flatMap((from) => names.map((to) => tunnelSubject(from, to, "x"))),
    ];
    const allowed = (name: string) => ({
      subscribe: new Set(
        name === "c1"
          ? [joinInboxPrefix("c1") + ".>"]
          : [
              "qd.p.*",
              ...names.map((each) => `qd.p.${each}`),
              `${inboxPrefix(name)}.>`,
              `qd.f.*.${name}.*`,
              ...names.map((from) => tunnelSubject(from, name, "x")),
              ...(name === "hub" ? ["qd.j.*", "qd.j.c1", "qd.j.c2", DISCONNECTS] : []),
            ],
      ),
      publish: new Set(
        name === "c1" ? ["qd.j.c1"] : [`qd.p.${name}`, ...names.map((to) => tunnelSubject(name, to, "x"))],
      ),
    });
    for (const { name, seed, prefix } of users) {
      const own = await openBus({ url: bus.url, seed, inboxPrefix: prefix });
      const seen: { subscribe: string[]; publish: string[] } = { subscribe: [], publish: [] };
      for (const subject of everySubject) {
        if (await own.maySubscribe(subject)) seen.subscribe.push(subject);
        // Nobody publishes to a wildcard: NATS takes it as a plain name.
        if (!/[*>]/u.test(subject) && (await own.mayPublish(subject))) seen.publish.push(subject);
      }
      const wanted = allowed(name);
      expect({ name, ...seen }).toEqual({
        name,
        subscribe: everySubject.filter((subject) => wanted.subscribe.has(subject)),
        publish: everySubject.filter((subject) => wanted.publish.has(subject)),
      });
      // A machine may publish to the inbox of another one only as the answer to its request, once.
      for (const other of others(name)) expect(await own.mayPublish(`${inboxPrefix(other)}.x`)).toBe(false);
      await own.close();
    }
  });

  it("refuse a key that is not known", async () => {
    const bus = await testBus(["hub"]);
    const { seed } = (await testBus(["hub"])).keys["hub"]!;
    await expect(openBus({ url: bus.url, seed, inboxPrefix: "_INBOX_hub" })).rejects.toMatchObject({
      code: "not-accepted",
    });
    const own = await openBus({ url: bus.url, seed: bus.keys["hub"]!.seed, inboxPrefix: "_INBOX_hub" });
    expect(own.server).toMatchObject({ isOpenToAll: false });
    await own.close();
  });
});

describe("the tunnel", () => {
  it("carries HTTP, waits for a reader that stops, and shows an absent machine at once", async () => {
    const bus = await testBus(["hub", "box"]);
    const body = randomBytes(8 * 1024 * 1024);
    const server = createServer((asked, response) => {
      const hash = createHash("sha256");
      void pipeline(asked, hash).then(() => {
        response.setHeader("x-hash", hash.digest("hex"));
        response.end(body);
      });
    });
    let atMachine: VirtualSocket | undefined;
    await nodeOn(bus, "box", {
      onOpen: (from, about) =>
        from === "hub" && about === "http"
          ? { ok: true, take: (socket) => void server.emit("connection", (atMachine = socket)) }
          : { ok: false, code: "refused", message: "Not you." },
    });
    const hub = await nodeOn(bus, "hub");
    await expect.poll(() => stateOf(hub, "box")).toBe("here");

    const socket = await hub.open("box", "http");
    const asked = request({ createConnection: () => socket, method: "POST", path: "/" });
    asked.end(body);
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    expect(answer.headers["x-hash"]).toBe(createHash("sha256").update(body).digest("hex"));
    // Nobody reads the answer yet: the machine has sent no more than the window and what a stream keeps.
    await expect.poll(() => atMachine!.writableNeedDrain).toBe(true);
    expect(atMachine!.bytesWritten).toBeLessThanOrEqual(2 * WINDOW_BYTES);
    const hash = createHash("sha256");
    await pipeline(answer, hash);
    expect(hash.digest("hex")).toBe(createHash("sha256").update(body).digest("hex"));

    await expect(hub.open("box", "other")).rejects.toMatchObject({ code: "refused", message: "Not you." });
    await expect(hub.open("nobody", "http")).rejects.toMatchObject({ code: "machine-away" });
    await expect(hub.open("hub", "http")).rejects.toMatchObject({ code: "refused" });
  });

  it("resets connections when NATS is killed, refuses at once while it is down, and works again after", async () => {
    const bus = await testBus(["hub", "box"]);
    const echo = () => ({ ok: true, take: (socket: VirtualSocket) => void socket.pipe(socket) }) as const;
    const box = await nodeOn(bus, "box", { onOpen: echo });
    const hub = await nodeOn(bus, "hub");
    await expect.poll(() => stateOf(hub, "box")).toBe("here");
    const before = await hub.open("box", null);
    before.write("one");
    expect(String((await once(before, "data"))[0])).toBe("one");

    const closed = closing(before);
    await bus.kill();
    await closed;
    expect(stateOf(hub, "box")).toBe("not-answering");
    await expect(hub.open("box", null)).rejects.toMatchObject({ code: "bus-down" });
    expect(hub.bus.publish("qd.p.hub", new Uint8Array())).toBe(false);

    await bus.start();
    await expect.poll(() => [stateOf(hub, "box"), stateOf(box, "hub")]).toEqual(["here", "here"]);
    const after = await hub.open("box", null);
    after.write("two");
    expect(String((await once(after, "data"))[0])).toBe("two");

    // A restarted machine has a new incarnation: its old connections end at the other side.
    const ended = closing(after);
    await box.close();
    await ended;
    expect(stateOf(hub, "box")).toBe("away");
    const again = await nodeOn(bus, "box", { onOpen: echo });
    await expect.poll(() => [stateOf(hub, "box"), stateOf(again, "hub")]).toEqual(["here", "here"]);
  });

  it("ends both sides of a connection when one side takes the other for gone", async () => {
    const bus = await testBus(["hub", "box"]);
    await nodeOn(bus, "box", { onOpen: () => ({ ok: true, take: (socket) => void socket.pipe(socket) }) });
    const hub = await nodeOn(bus, "hub");
    const quiet = await hub.open("box", null);
    const closed = closing(quiet);
    // The box sees another start of the hub. The first one is there and has nothing to send.
    await nodeOn(bus, "hub");
    await closed;
    expect(quiet.destroyed).toBe(true);
  });

  it("learns from NATS that a node was killed, before its beats are missing", async () => {
    const bus = await testBus(["hub", "box", "mac"]);
    const [hub, box, mac] = await Promise.all(["hub", "box", "mac"].map((name) => nodeOn(bus, name, { hub: "hub" })));
    const noticed = (by: FleetNode, other: string): string | undefined => {
      const node = by.roster.get(other);
      // A node that is only silent is away since its last beat.
      return node?.state === "not-answering" ? (node.since > node.heardAt ? "told" : "silent") : node?.state;
    };
    await expect
      .poll(() => [hub!, mac!].flatMap((node) => ["box", "hub", "mac"].map((each) => noticed(node, each))))
      .toEqual(["here", undefined, "here", "here", "here", undefined]);
    // Without a goodbye, like a killed process.
    await box!.bus.close();
    await expect.poll(() => [noticed(hub!, "box"), noticed(mac!, "box")]).toEqual(["told", "told"]);
    expect([noticed(hub!, "mac"), noticed(mac!, "hub")]).toEqual(["here", "here"]);
    await hub!.bus.close();
    await expect.poll(() => noticed(mac!, "hub")).toBe("told");
  });

  it("ends a connection whose frames are invalid, lost or replayed, and puts out a node that was removed", async () => {
    const bus = await testBus(["hub", "box"]);
    const taken: VirtualSocket[] = [];
    await nodeOn(bus, "box", { onOpen: () => ({ ok: true, take: (socket) => void taken.push(socket) }) });
    let isRefused = false;
    const hub = await nodeOn(bus, "hub", { onRefused: () => (isRefused = true) });
    const forged = {
      invalid: new Uint8Array([9, 0, 0, 0, 0]),
      lost: encodeFrame({ type: "data", seq: 7, bytes: new Uint8Array(1) }),
      credit: encodeFrame({ type: "credit", bytes: 1 }),
    };
    for (const bytes of Object.values(forged)) {
      const connection = randomBytes(15).toString("base64url");
      const subject = tunnelSubject("hub", "box", connection);
      await hub.bus.request(subject, new TextEncoder().encode("null"), 5000);
      const socket = taken.at(-1)!;
      const closed = closing(socket);
      hub.bus.publish(subject, bytes);
      await closed;
    }
    bus.remove("hub");
    await expect.poll(() => [hub.bus.isUp, isRefused]).toEqual([false, true]);
    await expect(hub.open("box", null)).rejects.toMatchObject({ code: "bus-down" });
  });
});
