// Stands in for `claude` as it is while a model answers: at a prompt it writes text deltas at a pace (BENCH_DELTAS in all, BENCH_RATE
// a second, unevenly), each with the moment of its writing as its text, and every few seconds the whole message, as the CLI does.
// In the end the whole text is in the file BENCH_TEXTS/<session>, so that nobody need believe a server about it. Where BENCH_SPEECH
// names a file, its text is said instead, BENCH_MESSAGE deltas a message.
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";

import { stampNow } from "./bridge-stamp.ts";
import { recordedTurn } from "./delta-stream.ts";

const {
  BENCH_DELTAS = "100",
  BENCH_RATE = "100",
  BENCH_TEXTS = ".",
  BENCH_SPEECH,
  BENCH_MESSAGE = "300",
} = process.env;
/** Of one message. */
const MOST_DELTAS = Number(BENCH_MESSAGE);
const DELTA_CHARACTERS = 12;
const speech = BENCH_SPEECH === undefined ? undefined : readFileSync(BENCH_SPEECH, "utf8");

const argv = process.argv.slice(2);
const session = argv[argv.findIndex((word) => word === "--session-id" || word === "--resume") + 1]!;
const { before, delta, after } = recordedTurn();
const [messageId = ""] = /msg_\w+/u.exec(JSON.stringify(delta)) ?? [];
const beginsMessage = before.findIndex((line) => line.includes('"message_start"'));
const endsMessage = after.findIndex((line) => line.includes('"message_stop"')) + 1;
delta.uuid = "<uuid>";
delta.event.delta.text = "<text>";
/** A line is made of pieces: what it costs to make one is not to be measured. */
const [first = "", middle = "", last = ""] = JSON.stringify(delta).split(/<text>|<uuid>/u);

const write = (lines: readonly string[]): void => {
  const text = `${lines.join("\n")}\n`;
  const written = writeSync(1, text);
  if (written === Buffer.byteLength(text)) return;
  const bytes = Buffer.from(text);
  for (let from = written; from < bytes.length;) from += writeSync(1, bytes, from);
};

let seed = Number.parseInt(session.slice(-8), 16);
/** Seeded: every contender sees the same unevenness. */
const chance = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const gap = (): number => (0.5 + chance()) * (1000 / Number(BENCH_RATE));

/**
 * Sleeps through the gaps instead of waiting in an event loop, and comes last when the machine is full: a hundred of these on two
 * cores would else be what is measured, by how long others wait for a core.
 */
setPriority(19);
const clock = new Int32Array(new SharedArrayBuffer(4));
const sleepUntil = (moment: number): void => {
  const left = moment - performance.now();
  if (left > 0) Atomics.wait(clock, 0, 0, left);
};

const stream = (): void => {
  const texts: string[] = [];
  let said = "";
  let due = performance.now();
  const withId = (line: string): string => line.replaceAll(messageId, `msg_${String(texts.length)}`);
  write(before.map(withId));
  let pieces = [first, middle, last].map(withId);
  for (let sent = 0; sent < Number(BENCH_DELTAS); sent += 1) {
    due += gap();
    sleepUntil(due);
    if (said === "" && sent > 0) {
      write(before.slice(beginsMessage).map((line) => withId(lineWith(line))));
      pieces = [first, middle, last].map(withId);
    }
    const text =
      speech === undefined ? stampNow() : speech.slice(sent * DELTA_CHARACTERS, (sent + 1) * DELTA_CHARACTERS);
    const uuid = `00000000-0000-4000-a000-${String(sent).padStart(12, "0")}`;
    const shown = speech === undefined ? text : JSON.stringify(text).slice(1, -1);
    write([`${pieces[0]!}${shown}${pieces[1]!}${uuid}${pieces[2]!}`]);
    said += text;
    if ((sent + 1) % MOST_DELTAS !== 0 && sent + 1 < Number(BENCH_DELTAS)) continue;
    write(after.slice(0, endsMessage).map((line) => withId(lineWith(line, said))));
    texts.push(said);
    said = "";
  }
  writeFileSync(join(BENCH_TEXTS, session), texts.join(""));
  write(after.slice(endsMessage));
};

/** As recorded, with a uuid of its own: a message that has come already is not told twice. */
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
