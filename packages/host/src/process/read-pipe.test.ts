import { spawn } from "node:child_process";
import { PassThrough } from "node:stream";
import type { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readPipe } from "./read-pipe.ts";

const written = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251));
const WRITE = "process.stdout.write(Buffer.from(Array.from({ length: 300000 }, (_, n) => n % 251)));";
const pipeOfProcess = (): Readable => spawn(process.execPath, ["-e", WRITE]).stdout;
/** A pipe of a Node version that keeps the handle elsewhere. */
const withoutHandle = (pipe: Readable): Readable =>
  new Proxy(pipe, {
    get: (target, key): unknown => {
      if (key === "_handle") return undefined;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });

it.each([
  ["its handle", (pipe: Readable) => pipe],
  ["the stream, without a handle", withoutHandle],
])("reads a whole pipe by %s, and nothing while it is paused", async (_, seen) => {
  const read: Buffer[] = [];
  let isPaused = false;
  // It stays until all is read: when a process exits, Node resumes its paused streams by itself.
  const child = spawn(process.execPath, ["-e", `${WRITE} process.stdin.resume();`]);
  let left = written.length;
  const pipe = readPipe(seen(child.stdout), (bytes) => {
    expect(isPaused).toBe(false);
    read.push(Buffer.from(bytes));
    left -= bytes.length;
    if (left === 0) child.stdin.end();
    isPaused = true;
    pipe.pause();
    setTimeout(() => {
      isPaused = false;
      pipe.resume();
    }, 5);
  });
  await new Promise((resolve) => pipe.once("close", resolve));
  expect(read.length).toBeGreaterThan(1);
  expect(Buffer.concat(read).equals(written)).toBe(true);
});

it("uses the handle of a pipe in this Node, and reads into one buffer", async () => {
  const buffers = new Set<ArrayBufferLike>();
  const stdout = pipeOfProcess();
  const pipe = readPipe(stdout, (bytes) => buffers.add(bytes.buffer));
  expect(pipe).not.toBe(stdout);
  await new Promise((resolve) => pipe.once("close", resolve));
  expect(buffers.size).toBe(1);
});

it("reads a stream that is not a Node pipe", async () => {
  const stream = new PassThrough();
  const read: Buffer[] = [];
  const pipe = readPipe(stream, (bytes) => read.push(Buffer.from(bytes)));
  stream.end(written);
  await new Promise((resolve) => pipe.once("end", resolve));
  expect(Buffer.concat(read).equals(written)).toBe(true);
});
