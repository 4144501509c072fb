// What a CLI writes in a turn with very many text deltas, as one file. It uses the lines of a recording of the real
// CLI. Its text delta is repeated with a new uuid and text each time, so that no parser sees the same line twice.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const RECORDING = new URL("../packages/protocol/fixtures/recordings/2.1.325/01a_plain_partial.ndjson", import.meta.url);

/** `plain` is ASCII, as recorded. In `accented`, one delta in fifty has characters beyond Latin-1. */
export const TEXTS = ["plain", "accented"] as const;
export type Text = (typeof TEXTS)[number];

export interface DeltaStream {
  readonly deltas: number;
  readonly bytes: number;
  /** UTF-16 units of all deltas, to check that a reader saw all of them. */
  readonly textLength: number;
}

const PLAIN =
  "The splitter keeps what has begun, and hands on each line as soon as it is whole.\n\n```ts\nconst lines = " +
  'splitter.push(chunk);\nfor (const line of lines) console.log("got", line);\n```\n\nThat is all there is to it: ';
const ACCENTED = ["naïve — no", "✓ done: 漢字", "→ “so it is”", "🚢 ahoy, ça va"];

export const writeDeltaStream = (file: string, deltas: number, text: Text): DeltaStream => {
  const { before, delta, after } = recordedTurn();
  let textLength = 0;
  const made = Array.from({ length: deltas }, (_, index) => {
    delta.uuid = uuidOf(index);
    delta.event.delta.text = textOf(index, text);
    textLength += delta.event.delta.text.length;
    return JSON.stringify(delta);
  });
  const stream = Buffer.from([...before, ...made, ...after].map((line) => `${line}\n`).join(""));
  writeFileSync(file, stream);
  return { deltas, bytes: stream.length, textLength };
};

export interface DeltaLine {
  uuid: string;
  readonly event: { readonly delta: { text: string } };
}

/** The lines before the first text delta, that delta, and the lines after the last. */
export const recordedTurn = (): { before: string[]; delta: DeltaLine; after: string[] } => {
  const recorded = recordedLines();
  const template = recorded.findIndex((line) => line.includes('"text_delta"'));
  return {
    before: recorded.slice(0, template),
    delta: JSON.parse(recorded[template]!) as DeltaLine,
    after: recorded.filter((line, at) => at > template && !line.includes('"text_delta"')),
  };
};

/** The first turn of the recording, as the CLI wrote it. */
const recordedLines = (): string[] => {
  const lines: string[] = [];
  for (const line of readFileSync(RECORDING, "utf8").split("\n")) {
    if (line === "") continue;
    const { dir, msg } = JSON.parse(line) as { dir: string; msg: { type: string } };
    if (dir !== "out") continue;
    lines.push(JSON.stringify(msg));
    if (msg.type === "result") return lines;
  }
  throw new Error(`${RECORDING.pathname} has no result`);
};

const textOf = (index: number, text: Text): string => {
  if (text === "accented" && index % 50 === 0) return ACCENTED[(index / 50) % ACCENTED.length]!;
  const from = (index * 12) % PLAIN.length;
  return PLAIN.slice(from, from + 12);
};

const uuidOf = (index: number): string => {
  const hex = createHash("sha1").update(String(index)).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
};
