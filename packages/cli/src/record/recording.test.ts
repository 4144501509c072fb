import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../fake-claude.fixture.ts";
import { metaFileOf, Recording } from "./recording.ts";
import { Redactor } from "./redact.ts";
import { fc, secretInText } from "./secrets.fixture.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const END = { args: ["-p"], exit: { code: 0, sig: null }, stderr: "" };
const linesOf = (file: string): unknown[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);

const delta = (text: string, type = "text_delta", field = "text", index = 0): string =>
  `${JSON.stringify({ type: "stream_event", event: { type: "content_block_delta", index, delta: { type, [field]: text } } })}\n`;
const blockStop = `${JSON.stringify({ type: "stream_event", event: { type: "content_block_stop", index: 0 } })}\n`;

test("lines are recorded unchanged and in order, with what the host did", () => {
  const file = join(scratchFolder(), "a.ndjson");
  let clock = 100;
  const recording = new Recording(file, { now: () => clock });
  recording.push("in", bytes('{"type":"user" , "n":1.0}\n{"half":'));
  clock = 107;
  recording.push("out", bytes('{"a":1,"a":2}\r\n\nnot json\n'));
  recording.push("in", bytes('"line"}\n'));
  recording.push("out", Uint8Array.of(0x7b, 0xff, 0x0a));
  recording.signal("SIGINT");
  recording.end("in");
  recording.push("out", bytes('{"last":true}'));
  recording.end("out");
  recording.finish({ args: ["-p", "--verbose"], exit: { code: null, sig: "SIGTERM" }, stderr: "oh\n" });
  expect(readFileSync(file, "utf8").split("\n")).toEqual([
    '{"t":0,"dir":"in","msg":{"type":"user" , "n":1.0}}',
    '{"t":7,"dir":"out","msg":{"a":1,"a":2}}',
    '{"t":7,"dir":"out","raw":"not json"}',
    '{"t":7,"dir":"in","msg":{"half":"line"}}',
    '{"t":7,"dir":"out","bytes":"e/8="}',
    '{"t":7,"dir":"in","msg":{"type":"__signal","signal":"SIGINT"}}',
    '{"t":7,"dir":"in","msg":{"type":"__eof"}}',
    '{"t":7,"dir":"out","msg":{"last":true}}',
    "",
  ]);
  expect(JSON.parse(readFileSync(metaFileOf(file), "utf8"))).toEqual({
    name: "a",
    args: ["-p", "--verbose"],
    env_extra: {},
    exit: { code: null, sig: "SIGTERM", t: 7 },
    stderr: "oh\n",
  });
});

test("half a line is recorded if the process dies in the middle of it", () => {
  const file = join(scratchFolder(), "a.ndjson");
  const recording = new Recording(file, { now: () => 0 });
  recording.push("out", bytes('{"type":"assis'));
  recording.finish(END);
  expect(linesOf(file)).toEqual([{ t: 0, dir: "out", raw: '{"type":"assis' }]);
});

test("both files are private, and nothing is overwritten without --force", () => {
  const file = join(scratchFolder(), "a.ndjson");
  new Recording(file).finish(END);
  for (const path of [file, metaFileOf(file)]) expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(() => new Recording(file)).toThrow(/already exists\. Use --force to overwrite it/);
  writeFileSync(file, "old", { mode: 0o644 });
  const again = new Recording(file, { force: true });
  again.push("out", bytes("{}\n"));
  again.finish(END);
  expect(linesOf(file)).toHaveLength(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("if the meta file exists, nothing is left behind", () => {
  const file = join(scratchFolder(), "a.ndjson");
  writeFileSync(metaFileOf(file), "{}");
  expect(() => new Recording(file)).toThrow(/a\.meta\.json already exists/);
  expect(existsSync(file)).toBe(false);
});

test("without redaction a line is on disk as soon as it is complete", () => {
  const file = join(scratchFolder(), "a.ndjson");
  const recording = new Recording(file);
  recording.push("out", bytes(delta("x")));
  expect(linesOf(file)).toHaveLength(1);
  recording.discard();
  expect([existsSync(file), existsSync(metaFileOf(file))]).toEqual([false, false]);
});

describe("redacted", () => {
  const redacted = (...chunks: (readonly ["in" | "out", string])[]) => {
    const file = join(scratchFolder(), "a.ndjson");
    const recording = new Recording(file, { redactor: new Redactor(), now: () => 0 });
    for (const [dir, text] of chunks) recording.push(dir, bytes(text));
    recording.finish(END);
    return linesOf(file) as { dir: string; msg?: { event?: { delta?: Record<string, string> } } }[];
  };
  const texts = (lines: ReturnType<typeof redacted>, field = "text") =>
    lines.flatMap(({ msg }) => msg?.event?.delta?.[field] ?? []);

  test("a secret that is spread over deltas is found, and the order stays", () => {
    const lines = redacted(
      ["out", delta("the key is sk-a")],
      ["in", '{"type":"user"}\n'],
      ["out", delta("nt-abcd") + delta("efgh and")],
      ["out", delta(" more") + blockStop],
    );
    expect(texts(lines)).toEqual(["the key is <secret-1>", "", " and", " more"]);
    expect(lines.map(({ dir }) => dir)).toEqual(["out", "in", "out", "out", "out", "out"]);
  });

  test("input that is streamed as JSON stays JSON", () => {
    const json = JSON.stringify({ command: "curl -H 'x: a@b.org'", password: "hunter22" });
    const pieces = [json.slice(0, 30), json.slice(30, 50), json.slice(50)];
    const lines = redacted([
      "out",
      pieces.map((piece) => delta(piece, "input_json_delta", "partial_json")).join("") + blockStop,
    ]);
    expect(JSON.parse(texts(lines, "partial_json").join(""))).toEqual({
      command: "curl -H 'x: <email-1>'",
      password: "<secret-1>",
    });
  });

  test("a block that never ends is written at the end, each block on its own", () => {
    const lines = redacted([
      "out",
      delta("a@b.o") + delta("rg", "text_delta", "text", 1) + delta("rg!") + delta("x", "text_delta", "text", 1),
    ]);
    expect(texts(lines)).toEqual(["<email-1>", "rg", "!", "x"]);
  });

  test("bytes, raw lines, arguments and stderr are redacted too", () => {
    const file = join(scratchFolder(), "a.ndjson");
    const recording = new Recording(file, { redactor: new Redactor({ home: "/home/ann" }) });
    recording.push("out", Uint8Array.of(0xff, ...bytes(" a@b.org\nraw a@b.org\n")));
    recording.finish({ args: ["--add-dir", "/home/ann/x"], exit: END.exit, stderr: "for c@d.org" });
    const [first, second] = linesOf(file) as [{ bytes: string }, { raw: string }];
    expect(Buffer.from(first.bytes, "base64")).toEqual(Buffer.from([0xff, ...bytes(" <email-1>")]));
    expect(second.raw).toBe("raw <email-1>");
    expect(JSON.parse(readFileSync(metaFileOf(file), "utf8"))).toMatchObject({
      args: ["--add-dir", "<home>/x"],
      stderr: "for <email-2>",
    });
  });

  test("no chunking and no splitting lets a secret through", () => {
    fc.assert(
      fc.property(
        secretInText,
        fc.array(fc.nat(40), { maxLength: 5 }),
        fc.integer({ min: 1, max: 200 }),
        ({ text, secret }, cuts, chunk) => {
          const said = `so ${text} it is`;
          const at = [0, ...cuts.map((cut) => Math.min(cut, said.length)), said.length].toSorted((a, b) => a - b);
          const stream =
            at
              .slice(1)
              .map((end, index) => delta(said.slice(at[index], end)))
              .join("") +
            `{"type":"assistant","message":{"content":[{"type":"text","text":${JSON.stringify(said)}}]}}\n` +
            `${blockStop}noise: ${said}\n`;
          const all = bytes(stream);
          const file = join(scratchFolder(), "a.ndjson");
          const recording = new Recording(file, { redactor: new Redactor() });
          for (let from = 0; from < all.length; from += chunk) recording.push("out", all.slice(from, from + chunk));
          recording.end("out");
          recording.finish({ ...END, stderr: said });
          const lines = linesOf(file) as ReturnType<typeof redacted>;
          expect(lines).toHaveLength(at.length - 1 + 3);
          expect(readFileSync(file, "utf8")).not.toContain(secret);
          expect(texts(lines).join("")).not.toContain(secret);
          expect(readFileSync(metaFileOf(file), "utf8")).not.toContain(secret);
        },
      ),
    );
  });
});
