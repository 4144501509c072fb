// Stands in for `claude` while a model answers. At a prompt it writes text deltas at an uneven pace (BENCH_DELTAS in
// total, BENCH_RATE per second). Each has the time of its writing as its text. Every few seconds it writes the whole
// message, like the CLI. At the end the whole text is in the file BENCH_TEXTS/<session>, so that the test need not
// trust the server. If BENCH_SPEECH names a file, its text is used instead, with BENCH_MESSAGE deltas per message.
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

import { microsecondsNow, STAMP_CHARACTERS, stampOf } from "./bridge-stamp.ts";
import { recordedTurn } from "./delta-stream.ts";

const {
  BENCH_DELTAS = "100",
  BENCH_RATE = "100",
  BENCH_TEXTS = ".",
  BENCH_SPEECH,
  BENCH_MESSAGE = "300",
} = process.env;
/** Max deltas of one message. */
const MOST_DELTAS = Number(BENCH_MESSAGE);
const DELTA_CHARACTERS = 12;
const speech = BENCH_SPEECH === undefined ? undefined : readFileSync(BENCH_SPEECH, "utf8");

const argv = process.argv.slice(2);
const session = argv[argv.findIndex((word) => word === "--session-id" || word === "--resume") + 1]!;
const { before, delta, after } = recordedTurn();
const [recordedId = ""] = /msg_\w+/u.exec(JSON.stringify(delta)) ?? [];
const beginsMessage = before.findIndex((line) => line.includes('"message_start"'));
const endsMessage = after.findIndex((line) => line.includes('"message_stop"')) + 1;

const writeBytes = (bytes: Buffer): void => {
  for (let from = 0; from < bytes.length;) from += writeSync(1, bytes, from);
};
const write = (lines: readonly string[]): void => writeBytes(Buffer.from(`${lines.join("\n")}\n`));

/** The deltas of a message: the number in the uuid, and the time of writing if that is the text. */
class DeltaLine {
  readonly #messageId: string;
  #line: Buffer;
  #textAt = 0;
  #uuidAt = 0;

  constructor(messageId: string) {
    this.#messageId = messageId;
    this.#line = this.#withText(stampOf(0));
  }

  /** Written in place, because making a line must not be part of the measurement. */
  writeStamp(n: number): number {
    const now = microsecondsNow();
    putDigits(this.#line, this.#textAt, STAMP_CHARACTERS - 1, now);
    putDigits(this.#line, this.#uuidAt, UUID_DIGITS, n);
    writeBytes(this.#line);
    return now;
  }

  writeText(n: number, text: string): void {
    this.#line = this.#withText(text);
    putDigits(this.#line, this.#uuidAt, UUID_DIGITS, n);
    writeBytes(this.#line);
  }

  #withText(text: string): Buffer {
    delta.uuid = UUID;
    delta.event.delta.text = text;
    const line = Buffer.from(`${JSON.stringify(delta).replaceAll(recordedId, this.#messageId)}\n`);
    this.#textAt = line.indexOf(text);
    this.#uuidAt = line.indexOf(UUID) + UUID.length - UUID_DIGITS;
    return line;
  }
}

const UUID = "00000000-0000-4000-a000-000000000000";
const UUID_DIGITS = 12;
const putDigits = (line: Buffer, at: number, count: number, value: number): void => {
  let rest = value;
  for (let place = at + count - 1; place >= at; place -= 1) {
    line[place] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
};

let seed = Number.parseInt(session.slice(-8), 16);
/** Seeded, so that every contender sees the same pace. */
const chance = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const gap = (): number => (0.5 + chance()) * (1000 / Number(BENCH_RATE));

/**
 * Sleeps between deltas instead of waiting in an event loop. Otherwise a hundred of these on two cores would be what is
 * measured.
 */
const clock = new Int32Array(new SharedArrayBuffer(4));
const sleepUntil = (moment: number): void => {
  const left = moment - performance.now();
  if (left > 0) Atomics.wait(clock, 0, 0, left);
};

const stream = (): void => {
  const texts: string[] = [];
  let said = "";
  let due = performance.now();
  const ownId = (): string => `msg_${String(texts.length)}`;
  const withId = (recorded: string): string => recorded.replaceAll(recordedId, ownId());
  write(before.map(withId));
  let line = new DeltaLine(ownId());
  for (let sent = 0; sent < Number(BENCH_DELTAS); sent += 1) {
    due += gap();
    sleepUntil(due);
    if (said === "" && sent > 0) {
      write(before.slice(beginsMessage).map((recorded) => withId(lineWith(recorded))));
      line = new DeltaLine(ownId());
    }
    if (speech === undefined) {
      said += stampOf(line.writeStamp(sent));
    } else {
      const text = speech.slice(sent * DELTA_CHARACTERS, (sent + 1) * DELTA_CHARACTERS);
      line.writeText(sent, text);
      said += text;
    }
    if ((sent + 1) % MOST_DELTAS !== 0 && sent + 1 < Number(BENCH_DELTAS)) continue;
    write(after.slice(0, endsMessage).map((recorded) => withId(lineWith(recorded, said))));
    texts.push(said);
    said = "";
  }
  writeFileSync(join(BENCH_TEXTS, session), texts.join(""));
  write(after.slice(endsMessage));
};

/** A recorded line with a new uuid, because a message with a known uuid is dropped. */
const lineWith = (line: string, text?: string): string => {
  const value = JSON.parse(line) as { type: string; uuid: string; message?: { content: { text?: string }[] } };
  value.uuid = randomUUID();
  if (value.type === "assistant") for (const block of value.message!.content) block.text = text ?? "";
  return JSON.stringify(value);
};

const answer = (line: string): void => {
  const message = JSON.parse(line) as { type: string; request_id?: string };
  if (message.type === "user") stream();
  if (message.type !== "control_request") return;
  const response = { subtype: "success", request_id: message.request_id, response: { commands: [], models: [] } };
  write([JSON.stringify({ type: "control_response", response })]);
};

let begun = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (begun + chunk).split("\n");
  begun = lines.pop() ?? "";
  for (const line of lines) if (line !== "") answer(line);
});
process.stdin.on("end", () => process.exit(0));
