// Plays back a recording of any version. It writes what the CLI wrote, and waits where the host sent something. Ids
// that the recorded host chose are replaced by those of this host.
import { existsSync, readFileSync } from "node:fs";
import { Output } from "./emit.ts";
import { FaultPlan } from "./faults.ts";
import { isRecord, parseJson, recordAt, textAt } from "./json.ts";
import type { Json } from "./json.ts";
import { readLines } from "./stdin-lines.ts";
import { readGivenFile, UsageError } from "./usage-error.ts";

interface Entry {
  readonly t: number;
  readonly dir: "in" | "out";
  /** Missing for a line that was not JSON. */
  readonly msg?: Json;
  readonly raw?: string;
}

type Arrival =
  | { readonly kind: "line"; readonly text: string; readonly message: unknown }
  | { readonly kind: "eof" }
  | { readonly kind: "signal" };

export const replay = async (file: string, speed: number, faultPlan: string): Promise<void> => {
  const entries = readRecording(file);
  const output = new Output(new FaultPlan(faultPlan));
  const player = new Player(entries, output);
  listen(player);
  output.pass("start");
  let last = 0;
  for (const [at, entry] of entries.entries()) {
    if (entry.dir === "in") {
      if (!(await player.awaitHost(entry, at))) break;
    } else {
      await wait((entry.t - last) / speed);
      await output.room();
      if (entry.msg === undefined) output.writeText(`${entry.raw ?? ""}\n`);
      else output.write(player.mapped(entry.msg));
    }
    last = entry.t;
  }
  const { code, signal, stderr } = endOf(file);
  if (stderr !== "") process.stderr.write(stderr);
  await output.flush();
  if (output.isHung) return;
  if (signal !== undefined) process.kill(process.pid, signal);
  else process.exit(code);
};

const readRecording = (file: string): readonly Entry[] => {
  const text = readGivenFile("recording", file);
  const lines = text.split("\n").map(parseJson).filter(isRecord);
  // The recording of a CLI that refused to start is empty. A file that is not a recording has text but no entries.
  if (text.trim() !== "" && !lines.some(({ dir }) => dir === "in" || dir === "out")) {
    throw new UsageError(`Not a recording: '${file}' has no line {"t":ms,"dir":"in"|"out","msg":{}}.`);
  }
  return lines.map((line) => ({
    t: Number(line.t ?? 0),
    dir: line.dir === "in" ? "in" : "out",
    ...(isRecord(line.msg) ? { msg: line.msg } : {}),
    ...(typeof line.raw === "string" ? { raw: line.raw } : {}),
  }));
};

/** The meta file next to a recording says how the process ended. */
const endOf = (
  file: string,
): { readonly code: number; readonly signal: NodeJS.Signals | undefined; readonly stderr: string } => {
  const path = file.replace(/\.ndjson$/, ".meta.json");
  const meta = path !== file && existsSync(path) ? parseJson(readFileSync(path, "utf8")) : undefined;
  const { code, sig } = recordAt(meta, "exit");
  return {
    code: typeof code === "number" ? code : 0,
    signal: typeof sig === "string" ? (sig as NodeJS.Signals) : undefined,
    stderr: textAt(meta, "stderr") ?? "",
  };
};

class Player {
  readonly #entries: readonly Entry[];
  readonly #output: Output;
  readonly #ids = new Map<string, string>();
  #arrived: Arrival[] = [];
  #onArrival: () => void = () => {};
  #at = 0;

  constructor(entries: readonly Entry[], output: Output) {
    this.#entries = entries;
    this.#output = output;
  }

  arrive(arrival: Arrival): void {
    if (arrival.kind === "line" && this.#answerForeign(arrival.message)) return;
    this.#arrived.push(arrival);
    this.#onArrival();
  }

  /** Waits for the host line that matches a recorded one. Returns false if the host has ended. */
  async awaitHost(entry: Entry, at: number): Promise<boolean> {
    this.#at = at;
    for (;;) {
      const found = this.#arrived.findIndex((arrival) => corresponds(entry, arrival));
      if (found >= 0) {
        const [arrival] = this.#arrived.splice(found, 1);
        if (arrival?.kind === "line") this.#learn(entry.msg, arrival.message);
        return true;
      }
      if (this.#arrived.some(({ kind }) => kind === "eof")) return false;
      await new Promise<void>((resolve) => {
        this.#onArrival = resolve;
      });
    }
  }

  /** The message with the host's ids instead of the recorded ones. */
  mapped(message: Json): Json {
    return this.#ids.size === 0 ? message : (this.#map(message) as Json);
  }

  #map(value: unknown): unknown {
    if (typeof value === "string") return this.#ids.get(value) ?? value;
    if (Array.isArray(value)) return value.map((entry) => this.#map(entry));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.#map(entry)]));
  }

  #learn(recorded: Json | undefined, sent: unknown): void {
    for (const key of ["request_id", "uuid"]) {
      const before = textAt(recorded, key);
      const now = textAt(sent, key);
      if (before !== undefined && now !== undefined && before !== now) this.#ids.set(before, now);
    }
  }

  /** A request that is not in the recording is answered at once, so that another host can continue. */
  #answerForeign(message: unknown): boolean {
    if (!isRecord(message) || message.type !== "control_request") return false;
    const subtype = recordAt(message, "request").subtype;
    const isExpected = this.#entries
      .slice(this.#at)
      .some(
        ({ dir, msg }) =>
          dir === "in" && msg?.type === "control_request" && recordAt(msg, "request").subtype === subtype,
      );
    if (isExpected) return false;
    const response =
      subtype === "initialize"
        ? {
            commands: [],
            agents: [],
            output_style: "default",
            available_output_styles: ["default"],
            models: [],
            account: {},
            pid: process.pid,
          }
        : {};
    this.#output.write({
      type: "control_response",
      response: { subtype: "success", request_id: message.request_id, response },
    });
    return true;
  }
}

const corresponds = (entry: Entry, arrival: Arrival): boolean => {
  const { msg } = entry;
  if (msg?.type === "__eof") return arrival.kind === "eof";
  if (msg?.type === "__signal") return arrival.kind === "signal";
  if (arrival.kind !== "line") return false;
  if (msg === undefined) return !isRecord(arrival.message);
  if (!isRecord(arrival.message)) return false;
  if (msg.type !== arrival.message.type) return false;
  return (
    msg.type !== "control_request" || recordAt(msg, "request").subtype === recordAt(arrival.message, "request").subtype
  );
};

const listen = (player: Player): void => {
  readLines(
    (text) => {
      player.arrive({ kind: "line", text, message: parseJson(text) });
    },
    () => {
      player.arrive({ kind: "eof" });
    },
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      player.arrive({ kind: "signal" });
    });
  }
};

const wait = (ms: number): Promise<void> | undefined =>
  ms > 0 && Number.isFinite(ms) ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
