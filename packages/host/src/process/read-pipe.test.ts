import { spawn } from "node:child_process";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { readPipe } from "./read-pipe.ts";

const written = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251));

it("reads all of a process's pipe, and nothing while it is paused", async () => {
  const child = spawn(process.execPath, [
    "-e",
    "process.stdout.write(Buffer.from(Array.from({ length: 300000 }, (_, n) => n % 251)))",
  ]);
  const read: Buffer[] = [];
  let isPaused = false;
  const pipe = readPipe(child.stdout, (bytes) => {
    expect(isPaused).toBe(false);
    read.push(Buffer.from(bytes));
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

it("reads a stream that is no pipe of Node's", async () => {
  const stream = new PassThrough();
  const read: Buffer[] = [];
  const pipe = readPipe(stream, (bytes) => read.push(Buffer.from(bytes)));
  stream.end(written);
  await new Promise((resolve) => pipe.once("end", resolve));
  expect(Buffer.concat(read).equals(written)).toBe(true);
});
