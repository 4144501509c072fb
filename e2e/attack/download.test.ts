// A file that changes while it is downloaded. Bytes beyond the announced length would be read as the next response on the connection.

import { once } from "node:events";
import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Bench } from "../bridge/bench.ts";

const shared = Bench.shared();

/** More than the kernel and the server hold for a client that does not read. */
const SIZE = 48 * 1024 * 1024;
const EVIL = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\nevil`;

/** Two requests on one keep-alive connection. Nothing is read until `rest` is called. */
const pipelined = async (
  bench: Bench,
  url: string,
): Promise<{ readonly headers: string; readonly rest: () => Promise<Buffer> }> => {
  const { hostname, port, host } = new URL(bench.server.url);
  const socket: Socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const request = (path: string, connection: string): string =>
    `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\n\r\n`;
  const begun = once(socket, "readable");
  socket.write(request(url, "keep-alive") + request("/healthz", "close"));
  await begun;
  const first = socket.read() as Buffer;
  const end = first.indexOf("\r\n\r\n") + 4;
  return {
    headers: first.subarray(0, end).toString(),
    rest: async () => {
      const chunks = [first.subarray(end)];
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      // A connection that closes early may end with an error.
      socket.on("error", () => undefined);
      await new Promise((resolve) => socket.on("close", resolve));
      return Buffer.concat(chunks);
    },
  };
};

const begin = async (): Promise<{ bench: Bench; path: string; url: string }> => {
  const bench = await shared();
  const client = await bench.client();
  const path = join(bench.cwd, "changing.bin");
  writeFileSync(path, "");
  truncateSync(path, SIZE);
  const { url } = await client.call("tickets/create", { kind: "file", path });
  return { bench, path, url };
};

describe("a download", () => {
  it("[S40] ends at the announced length when the file grows meanwhile", async () => {
    const { bench, path, url } = await begin();
    const { headers, rest } = await pipelined(bench, url);
    expect(headers).toContain(`content-length: ${String(SIZE)}`);
    appendFileSync(path, EVIL.repeat(1000));
    const body = await rest();
    expect(body.subarray(0, SIZE).every((byte) => byte === 0)).toBe(true);
    const next = body.subarray(SIZE).toString();
    expect(next).toMatch(/^HTTP\/1\.1 200 OK\r\n/u);
    expect(next).toMatch(/\{"status":"ok"\}$/u);
    expect(next).not.toContain("evil");
  });

  it("[S40] closes the connection when the file shrinks meanwhile, so no other response fills the missing bytes", async () => {
    const { bench, path, url } = await begin();
    const { headers, rest } = await pipelined(bench, url);
    expect(headers).toContain(`content-length: ${String(SIZE)}`);
    truncateSync(path, 0);
    const body = await rest();
    expect(body.length).toBeLessThan(SIZE);
    expect(body.every((byte) => byte === 0)).toBe(true);
    expect((await fetch(`${bench.server.url}/healthz`)).status).toBe(200);
  });
});
