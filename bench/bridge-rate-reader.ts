// Reads the delta stream at the far end: stub CLI, server (fold, drafts, durable log), WebSocket, a client in its own
// process. Measures the time from the prompt to the end of the turn at the client. Each reading is a new session with a
// fresh stub.
// Usage: bridge-rate-reader.ts <stream file> <folder> [readings]
import { randomUUID } from "node:crypto";
import { join } from "node:path";

import type { Row } from "@quarterdeck/session";
import type { DraftPiece } from "@quarterdeck/session/bridge";

import { startBridgeServer, writeProgram } from "./bridge-server.ts";
import { BridgeSocket } from "./bridge-socket.ts";
import { STUB, readingOf } from "./reader.ts";
import type { Clock, Reading } from "./reader.ts";

export interface RateReading extends Omit<Reading, "deltas"> {
  /** Number of draft frames in the last reading. */
  readonly frames: number;
}

const [, , stream = "", folder = "", readings = "1"] = process.argv;
const claude = writeProgram(join(folder, "claude"), [process.execPath, STUB], { BENCH_STREAM: stream });
const server = await startBridgeServer({ folder, claude });
const socket = await BridgeSocket.open(server);
let frames = 0;
let textLength = 0;

/** Includes the server's CPU time. */
const clock = async (): Promise<Clock> => ({
  wall: performance.now(),
  cpu: (await server.usage()).cpuMicroseconds / 1000,
});

const read = async (): Promise<Clock> => {
  frames = 0;
  textLength = 0;
  const session: string = randomUUID();
  await socket.call("sessions/start", { commandId: session, cwd: server.cwd } as never);
  const { promise: done, resolve } = Promise.withResolvers<void>();
  socket.onTold = ({ method, params }) => {
    if (method === "session/draft") {
      frames += 1;
      for (const { from, text } of params["drafts"] as DraftPiece[]) {
        if (from !== textLength) throw new Error(`A piece stands at ${String(from)}, and ${String(textLength)} came.`);
        textLength += text.length;
      }
    } else if (((params["rows"] ?? []) as Row[]).some(({ kind }) => kind === "turn")) resolve();
  };
  await socket.subscribe({ session });
  const { cpu } = await clock();
  const startedAt = performance.now();
  await socket.command("session/prompt", { session, content: "Go on." });
  await done;
  const end = await clock();
  await socket.command("sessions/close", { session });
  return { wall: end.wall - startedAt, cpu: end.cpu - cpu };
};

const times: Clock[] = [];
for (let left = Number(readings); left > 0; left -= 1) times.push(await read());
const { milliseconds, cpuMilliseconds, cold } = readingOf(times, 0, textLength);
const reading: RateReading = { milliseconds, cpuMilliseconds, cold, textLength, frames };
console.log(JSON.stringify(reading));
socket.drop();
await server.stop();
process.exit(0);
