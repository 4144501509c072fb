// Many sessions stream at a fixed pace, each followed by several clients. It measures how long a delta takes from the
// CLI's stdout to a client, and what that costs the process in between. It checks that every client gets the whole
// text. In between is the server, a bare relay, or a fleet: the server of a machine, NATS, and the server of a gateway.
// Usage: bridge-load-reader.ts <server | relay | fleet> <folder> <sessions> <clients> <deltas a second> <seconds>
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { encodeLine } from "@quarterdeck/protocol";
import type { Row } from "@quarterdeck/session";
import type { DraftPiece } from "@quarterdeck/session/bridge";
import { WebSocket } from "ws";

import { usageOf, World } from "../e2e/trials/fleet/world.ts";
import type { Usage } from "./bridge-probe.ts";
import { measuredProcess, spawnMeasured, startBridgeServer, writeProgram } from "./bridge-server.ts";
import type { Measured } from "./bridge-server.ts";
import { BridgeSocket } from "./bridge-socket.ts";
import { microsecondsNow, STAMP_CHARACTERS, stampsIn } from "./bridge-stamp.ts";
import { PROMPT } from "./reader.ts";

export interface LoadReading {
  /** Milliseconds from the CLI's stdout to a client. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** Share of one core, while all sessions streamed. */
  readonly cpuShare: number;
  readonly cpuMicrosecondsPerDelivery: number;
  readonly deliveriesPerSecond: number;
  readonly residentBytes: number;
  /** Deltas that a client did not get, or got wrong. */
  readonly lost: number;
}

interface Middle extends Measured {
  /** A client that follows one session. */
  follow(session: string, ear: Ear): Promise<void>;
  prompt(session: string): Promise<void>;
}

const [, , contender = "", folder = "", ...sizes] = process.argv;
const [sessionCount = 1, clientCount = 1, rate = 1, seconds = 1] = sizes.map(Number);
/**
 * A server runs for days, so all contenders are measured with compiled code. Code that runs a few times a second, such
 * as a commit or a checkpoint, is compiled in the twentieth second. A short run says nothing about speed and need not
 * wait for it.
 */
const WARM_UP_SECONDS = Math.min(30, 5 * seconds);
const SLACK_SECONDS = 2;
const SPAWNED_AT_ONCE = 8;
/** A hundred identical programs would all be optimized at the same moment, and use the whole machine for a second. */
const UNOPTIMIZED = ["--no-opt", "--no-maglev"];

/**
 * A text that grows in its own buffer. A text of a thousand strings would be copied by each collection of the client.
 */
class GrowingText {
  #bytes = Buffer.allocUnsafeSlow(8 * 1024);
  length = 0;

  /** All of it is ASCII. */
  put(from: number, text: string): void {
    const length = from + text.length;
    if (length > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], length * 2);
    this.#bytes.write(text, from, "latin1");
    this.length = length;
  }

  toString(): string {
    return this.#bytes.toString("latin1", 0, this.length);
  }
}

/** What one client receives of one session. */
class Ear {
  /** Messages that are still being streamed, and the complete ones. */
  readonly #drafts = new Map<string, GrowingText>();
  readonly #whole = new Map<string, string>();
  readonly #heard: (stamps: readonly number[], at: number) => void;
  readonly #done = Promise.withResolvers<void>();
  readonly done = this.#done.promise;
  isWrong = false;

  constructor(heard: (stamps: readonly number[], at: number) => void) {
    this.#heard = heard;
  }

  get said(): string {
    return [...this.#whole.values()].join("");
  }

  piece(id: string, text: string, at: number, from?: number): void {
    let have = this.#drafts.get(id);
    if (have === undefined) this.#drafts.set(id, (have = new GrowingText()));
    const place = from ?? have.length;
    if (place > have.length) this.isWrong = true;
    this.#heard(stampsIn(text.slice(have.length - place)), at);
    have.put(place, text);
  }

  /** The complete message from the CLI. */
  whole(id: string, text: string, at: number): void {
    const have = String(this.#drafts.get(id) ?? "");
    if (!text.startsWith(have)) this.isWrong = true;
    if (!this.#whole.has(id)) this.#heard(stampsIn(text.slice(have.length)), at);
    this.#drafts.delete(id);
    this.#whole.set(id, text);
  }

  end(): void {
    this.#done.resolve();
  }
}

const startServer = async (claude: string, sessions: readonly string[]): Promise<Middle> => {
  const server = await startBridgeServer({ folder, claude, flags: ["--max-sessions", String(sessions.length)] });
  return bridgeMiddle({ ...server, open: () => BridgeSocket.open(server) }, sessions);
};

/** The clients are at a gateway, the sessions at another machine. */
const startFleet = async (claude: string, sessions: readonly string[]): Promise<Middle> => {
  const world = await World.open({ machines: { box: {} }, claude });
  const { devices } = await world.device(["hub"]);
  const { url } = world.machine("hub").server!;
  const parts = [...["hub", "box"].map((name) => world.machine(name).server!.pid), world.nats.pid];
  const usage = (): Promise<Usage> => {
    const all = parts.map(usageOf);
    const sum = (field: "cpuMs" | "residentBytes"): number => all.reduce((total, one) => total + one[field], 0);
    return Promise.resolve({ cpuMicroseconds: sum("cpuMs") * 1000, residentBytes: sum("residentBytes"), heapBytes: 0 });
  };
  return bridgeMiddle(
    {
      cwd: world.machine("box").place.cwd,
      open: () => BridgeSocket.openThrough({ url, device: devices.get("hub")! }, "box"),
      usage,
      stop: () => world.close(),
    },
    sessions,
  );
};

interface BridgeMiddle extends Measured {
  readonly cwd: string;
  readonly open: () => Promise<BridgeSocket>;
}

const bridgeMiddle = async (server: BridgeMiddle, sessions: readonly string[]): Promise<Middle> => {
  const admin = await server.open();
  const sockets: BridgeSocket[] = [admin];
  const begin = async (commandId: string): Promise<void> => {
    await admin.call("sessions/start", { commandId, cwd: server.cwd } as never);
  };
  for (let from = 0; from < sessions.length; from += SPAWNED_AT_ONCE)
    await Promise.all(sessions.slice(from, from + SPAWNED_AT_ONCE).map(begin));
  return {
    usage: server.usage,
    follow: async (session, ear) => {
      const socket = await server.open();
      sockets.push(socket);
      socket.onTold = ({ method, params }) => {
        const at = microsecondsNow();
        if (method === "session/draft") {
          for (const { id, from, text } of params["drafts"] as DraftPiece[]) ear.piece(id, text, at, from);
        } else if (method === "session/changed") {
          for (const row of (params["rows"] ?? []) as Row[]) {
            if (row.kind === "text") ear.whole(row.id, row.text, at);
            if (row.kind === "turn") ear.end();
          }
        }
      };
      await socket.subscribe({ session });
    },
    prompt: async (session) => void (await admin.command("session/prompt", { session, content: "Go on." })),
    stop: async () => {
      for (const socket of sockets) socket.drop();
      await server.stop();
    },
  };
};

interface RelayedLine {
  readonly type: string;
  readonly event?: { readonly type: string; readonly delta?: { readonly type: string; readonly text: string } };
  readonly message?: { readonly id: string; readonly content: readonly { readonly text: string }[] };
}

const startRelay = async (claude: string, sessions: readonly string[]): Promise<Middle> => {
  const script = fileURLToPath(new URL("bridge-relay.ts", import.meta.url));
  const child = spawnMeasured(script, [claude, ...sessions], { PATH: process.env["PATH"] ?? "" });
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The relay ended with ${String(code)}.`)));
    createInterface({ input: child.stderr! }).on("line", (line) => {
      if (line.startsWith("{")) resolve(JSON.parse(line) as { port: number });
      else console.error(line);
    });
  });
  const sockets = new Map<string, WebSocket>();
  const { usage, stop } = measuredProcess(child);
  return {
    usage,
    follow: async (session, ear) => {
      const socket = new WebSocket(`ws://127.0.0.1:${String(port)}/${session}`, { perMessageDeflate: false });
      sockets.set(session, socket);
      let draft = 0;
      socket.on("message", (data: Buffer) => {
        const line = JSON.parse(data.toString()) as RelayedLine;
        const at = microsecondsNow();
        const { type, event, message } = line;
        if (event?.delta?.type === "text_delta") ear.piece(String(draft), event.delta.text, at);
        else if (type === "assistant") ear.whole(String(draft++), message!.content[0]!.text, at);
        else if (type === "result") ear.end();
      });
      await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    },
    prompt: async (session) => sockets.get(session)!.send(encodeLine(PROMPT)),
    stop,
  };
};

/** The same for every contender. The program derives its uneven pace from it. */
const uuidOf = (session: number): string => {
  const spread = Math.imul(session + 1, 0x9e3779b1) >>> 0;
  return `00000000-0000-4000-a000-0000${spread.toString(16).padStart(8, "0")}`;
};

const read = async (): Promise<LoadReading> => {
  const texts = join(folder, "texts");
  mkdirSync(texts, { recursive: true });
  const deltas = rate * (WARM_UP_SECONDS + seconds + SLACK_SECONDS);
  const claude = writeProgram(
    join(folder, "claude"),
    [process.execPath, ...UNOPTIMIZED, fileURLToPath(new URL("bridge-paced-cli.ts", import.meta.url))],
    { BENCH_DELTAS: String(deltas), BENCH_RATE: String(rate), BENCH_TEXTS: texts },
  );
  const sessions = Array.from({ length: sessionCount }, (_, session) => uuidOf(session));
  const starts = { server: startServer, relay: startRelay, fleet: startFleet };
  const middle = await starts[contender as keyof typeof starts](claude, sessions);
  const latencies = new Float64Array(Math.ceil(2 * clientCount * rate * seconds));
  let heardCount = 0;
  let [begin, end] = [Infinity, Infinity];
  const heard = (stamps: readonly number[], at: number): void => {
    for (const stamp of stamps) if (stamp >= begin && stamp < end) latencies[heardCount++] = at - stamp;
  };
  const ears = Array.from({ length: clientCount }, (_, client) => ({
    session: sessions[client % sessionCount]!,
    ear: new Ear(heard),
  }));
  for (const { session, ear } of ears) await middle.follow(session, ear);
  await Promise.all(sessions.map((session) => middle.prompt(session)));
  await delay(WARM_UP_SECONDS * 1000);
  begin = microsecondsNow();
  const usedBefore = await middle.usage();
  await delay(seconds * 1000);
  end = microsecondsNow();
  const usedAfter = await middle.usage();
  await Promise.all(ears.map(({ ear }) => ear.done));
  const expected = new Map(sessions.map((session) => [session, readFileSync(join(texts, session), "utf8")]));
  const lost = ears.reduce((sum, { session, ear }) => sum + lostOf(ear, expected.get(session)!), 0);
  await middle.stop();
  const sorted = latencies.subarray(0, heardCount).toSorted();
  const quantile = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)]! / 1000;
  const cpu = usedAfter.cpuMicroseconds - usedBefore.cpuMicroseconds;
  return {
    p50: quantile(0.5),
    p99: quantile(0.99),
    worst: quantile(1),
    cpuShare: cpu / (end - begin),
    cpuMicrosecondsPerDelivery: cpu / heardCount,
    deliveriesPerSecond: heardCount / ((end - begin) / 1e6),
    residentBytes: usedAfter.residentBytes,
    lost,
  };
};

/** If the text is wrong, at least one delta is. */
const lostOf = ({ said, isWrong }: Ear, written: string): number => {
  if (said === written && !isWrong) return 0;
  return Math.max(1, (written.length - said.length) / STAMP_CHARACTERS);
};

console.log(JSON.stringify(await read()));
process.exit(0);
