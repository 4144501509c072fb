import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { frameWriterOf } from "./frame-writer.ts";
import { frameOf } from "./wire-frame.ts";

let server: WebSocketServer;
beforeAll(async () => {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
  await once(server, "listening");
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Both ends of one WebSocket. */
const pair = async (): Promise<{ ours: WebSocket; theirs: WebSocket }> => {
  const theirs = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[ours]] = (await Promise.all([once(server, "connection"), once(theirs, "open")])) as [[WebSocket], unknown];
  return { ours, theirs };
};
/** A version of `ws` that keeps its socket in another field. */
const withoutSocket = (ws: WebSocket): WebSocket =>
  ({
    send: ws.send.bind(ws),
    get bufferedAmount() {
      return ws.bufferedAmount;
    },
  }) as unknown as WebSocket;

const TEXTS = ["", "plain", "grün", "x".repeat(200), "ü".repeat(40_000), "x".repeat(70_000)];
describe("[B10] a frame writer", () => {
  it("writes to the socket below ws, which builds no frame itself", async () => {
    const { ours, theirs } = await pair();
    const send = vi.spyOn(ours, "send");
    const write = frameWriterOf(ours, () => undefined);
    const received: string[] = [];
    theirs.on("message", (data: Buffer) => received.push(data.toString("utf8")));
    for (const text of TEXTS) write(frameOf(text));
    await vi.waitFor(() => expect(received).toEqual(TEXTS));
    expect(send).not.toHaveBeenCalled();
    theirs.terminate();
  });

  it("sends the same texts if ws has no socket field", async () => {
    const { ours, theirs } = await pair();
    const write = frameWriterOf(withoutSocket(ours), () => undefined);
    const received: string[] = [];
    theirs.on("message", (data: Buffer, isBinary) => received.push(isBinary ? "binary" : data.toString("utf8")));
    for (const text of TEXTS) write(frameOf(text));
    await vi.waitFor(() => expect(received).toEqual(TEXTS));
    theirs.terminate();
  });

  it.each([
    ["with the socket", (ws: WebSocket) => ws],
    ["without it", withoutSocket],
  ])("reports when there is no room, and when there is room again, %s", async (_, seen) => {
    const { ours, theirs } = await pair();
    theirs.pause();
    const drained = Promise.withResolvers<void>();
    let drains = 0;
    const write = frameWriterOf(seen(ours), () => {
      drains++;
      drained.resolve();
    });
    const large = frameOf("x".repeat(1024 * 1024));
    expect(write(frameOf("small"))).toBe(true);
    let hasRoom = true;
    for (let count = 0; count < 100 && hasRoom; count++) hasRoom = write(large);
    expect([hasRoom, drains]).toEqual([false, 0]);
    theirs.resume();
    await drained.promise;
    expect(write(frameOf("small"))).toBe(true);
    theirs.terminate();
  });
});
