// The only writer of stdout: whole lines, in order, with backpressure. It also triggers faults, because most faults
// depend on what is written.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Fault, FaultPlan } from "./faults.ts";

export type Message = Readonly<Record<string, unknown>>;

export class Output {
  readonly #faults: FaultPlan;
  #hung = false;
  #unwritten = 0;
  #corked = false;
  #onWritten: (() => void)[] = [];

  constructor(faults: FaultPlan) {
    this.#faults = faults;
    // If the host leaves, the end of stdin shows it. A broken pipe is ignored.
    process.stdout.on("error", () => {});
  }

  get isHung(): boolean {
    return this.#hung;
  }

  /** Writes one message as one line. Never throws: if the host leaves, the end of stdin shows it. */
  write(message: Message): void {
    if (this.#faults.isEmpty) {
      this.#put(`${JSON.stringify(message)}\n`);
      return;
    }
    for (const point of pointsOf(message)) {
      for (const fault of this.#faults.pass(point)) this.#commit(fault, message);
    }
    this.#put(`${JSON.stringify(message)}\n`);
  }

  /** Writes raw text that is not a message. */
  writeText(text: string): void {
    this.#put(text);
  }

  /** For points that are not messages. */
  pass(point: string): void {
    for (const fault of this.#faults.pass(point)) this.#commit(fault, undefined);
  }

  /** Resolves when the host has room again. */
  async room(): Promise<void> {
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
    while (this.#hung) await new Promise(() => {});
  }

  /** Resolves when everything has left the process. */
  async flush(): Promise<void> {
    while (this.#unwritten > 0) {
      await new Promise<void>((resolve) => {
        this.#onWritten.push(resolve);
      });
    }
  }

  #put(text: string): void {
    if (this.#hung) return;
    this.#unwritten++;
    // Lines of one moment are written together, because a stream has hundreds of deltas.
    if (!this.#corked) {
      this.#corked = true;
      process.stdout.cork();
      process.nextTick(() => {
        this.#corked = false;
        process.stdout.uncork();
      });
    }
    process.stdout.write(text, () => {
      this.#unwritten--;
      if (this.#unwritten > 0) return;
      for (const resolve of this.#onWritten.splice(0)) resolve();
    });
  }

  #commit(fault: Fault, message: Message | undefined): void {
    switch (fault.what) {
      case "die":
        this.#dieAfter("", Number(fault.arg ?? 1));
        break;
      case "die-mid-line": {
        const line = JSON.stringify(message ?? { type: "system" });
        this.#dieAfter(line.slice(0, Math.ceil(line.length / 2)), 1);
        break;
      }
      case "hang":
        this.#hung = true;
        setInterval(() => {}, 1 << 30);
        break;
      case "flood":
        this.#flood(Number(fault.arg ?? 10_000), message);
        break;
      case "garbage":
        this.#put(fault.arg === undefined ? '\u0000\u001b[31mnot json {"type":\n' : `${fault.arg}\n`);
        break;
      case "delay":
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(fault.arg ?? 1000));
        break;
      case "stderr":
        process.stderr.write(`${fault.arg ?? "simulated noise on stderr"}\n`);
        break;
      case "orphan":
        leaveOrphan(Number(fault.arg ?? 60));
        break;
      case "ignore-eof":
      case "ignore-sigterm":
        break;
    }
  }

  #flood(count: number, message: Message | undefined): void {
    const line = `${JSON.stringify({
      type: "stream_event",
      event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "flood " } },
      session_id: message?.session_id ?? "",
      parent_tool_use_id: null,
      uuid: randomUUID(),
      api_message_id: "msg_sim_flood",
    })}\n`;
    const batch = line.repeat(100);
    for (let left = count; left > 0; left -= 100) this.#put(left >= 100 ? batch : line.repeat(left));
  }

  #dieAfter(text: string, code: number): void {
    this.#put(text);
    this.#hung = true;
    void this.flush().then(() => process.exit(code));
  }
}

/** A child that outlives us and keeps our stdout open, like a tool that becomes a daemon. */
const leaveOrphan = (seconds: number): void => {
  spawn("sleep", [String(seconds)], { detached: true, stdio: ["ignore", "inherit", "ignore"] }).unref();
};

const pointsOf = (message: Message): readonly string[] => {
  const points = [String(message.type)];
  if (typeof message.subtype === "string") points.push(message.subtype);
  if (message.type === "system" && typeof message.status === "string") points.push(message.status);
  if (message.type === "control_request") {
    points.push(String((message.request as { readonly subtype?: unknown }).subtype));
  }
  if (message.type === "user" && message.isReplay !== true) points.push("tool_result");
  if (message.type === "stream_event") points.push(String((message.event as { readonly type?: unknown }).type));
  return points;
};
