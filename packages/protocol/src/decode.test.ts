import { describe, expect, it } from "vitest";
import { keyOf, SCHEMAS } from "./catalogue.ts";
import { requestSchemaOf } from "./control.ts";
import { decodeLine, decodeValue } from "./decode.ts";
import type { JsonValue } from "./json.ts";
import { fc } from "./property.fixture.ts";
import { recordedLines } from "@quarterdeck/test-kit/recorded-lines";
import type { RecordedLine } from "@quarterdeck/test-kit/recorded-lines";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import type { Schema } from "./schema.ts";
import { StreamEventMessage } from "./stdout.ts";

const lines = recordedLines();
const writerOf = (line: RecordedLine) => (line.dir === "in" ? "host" : "cli");
const decodeRecorded = (line: RecordedLine) => decodeLine(line.raw ?? JSON.stringify(line.msg), writerOf(line));

/** Recorded lines that are not messages, each with its reason. Checked both ways. */
const NOT_MESSAGES: Readonly<Record<string, (line: RecordedLine) => boolean>> = {
  "the recorder's mark of the end of stdin": (line) => line.msg?.["type"] === "__eof",
  "the recorder's mark of a signal": (line) => line.msg?.["type"] === "__signal",
  "17a: not JSON, which kills the CLI": (line) => line.recording === "17a_bad_json" && line.raw === "{this is not json",
  "17b: a blank line, which the CLI ignores": (line) => line.recording === "17b_unknown_type" && line.raw === "",
  "17b: a type that the CLI ignores": (line) => line.msg?.["type"] === "frobnicate",
  "17b: an object without type, which the CLI ignores": (line) =>
    line.recording === "17b_unknown_type" && line.msg !== undefined && line.msg["type"] === undefined,
  "17c: a prompt without message, which kills the CLI": (line) =>
    line.recording === "17c_bad_user" && line.dir === "in" && line.msg?.["message"] === undefined,
  "17d: a prompt of another role, which kills the CLI": (line) =>
    line.recording === "17d_bad_role" && JSON.stringify(line.msg).includes('"role":"assistant"'),
  "10c: control requests made up, misdirected or without their fields, which the CLI refuses": (line) =>
    line.recording === "10c_all_subtypes" && line.dir === "in" && REFUSED_IN_10C.has(keyOf(line.msg ?? {})),
};
const REFUSED_IN_10C = new Set(
  [
    "totally_unknown",
    "supported_commands",
    "supportedCommands",
    "get_commands",
    "get_session_state",
    "file_snapshot",
    "ui_status",
    "can_use_tool",
    "hook_callback",
    "elicitation",
    "request_user_dialog",
    "set_permission_mode",
    "cancel_async_message",
  ].map((subtype) => `control_request/${subtype}`),
);

describe("every recorded line", () => {
  it("decodes as a message, or is on the list of exceptions", () => {
    const excused = (line: RecordedLine) => Object.values(NOT_MESSAGES).some((matches) => matches(line));
    const wrong = lines.filter((line) => (decodeRecorded(line).kind === "message") === excused(line));
    expect(wrong.map((line) => `${line.version}/${line.recording} ${JSON.stringify(line.msg ?? line.raw)}`)).toEqual(
      [],
    );
  });

  it("has a list of at most ten exceptions, without stale entries", () => {
    const stale = Object.entries(NOT_MESSAGES).filter(([, matches]) => !lines.some(matches));
    expect(stale).toEqual([]);
    expect(Object.keys(NOT_MESSAGES).length).toBeLessThanOrEqual(10);
  });

  it("keeps every field", () => {
    const decoded = lines.map((line) => ({ line, result: decodeRecorded(line) }));
    const untouched = decoded.filter(({ result }) => result.kind === "message" && result.dialects === undefined);
    expect(untouched.length).toBeGreaterThan(8000);
    expect(untouched.map(({ result }) => result.kind === "message" && result.message)).toEqual(
      untouched.map(({ line }) => line.msg),
    );
  });
});

/** One recorded example of each message and of each set of fields in it, enough to cover every shape. */
const examples = (): RecordedLine[] => {
  const seen = new Map<string, RecordedLine>();
  for (const line of lines) {
    if (line.msg === undefined || decodeRecorded(line).kind !== "message") continue;
    const inner = ["message", "event", "request", "response"].map((key) => Object.keys(line.msg?.[key] ?? {}).join());
    const delta = (line.msg["event"] as { delta?: { type?: string } } | undefined)?.delta?.type;
    seen.set([keyOf(line.msg), line.dir, Object.keys(line.msg).join(), ...inner, delta].join("|"), line);
  }
  return [...seen.values()];
};

const retyped = (value: unknown): unknown =>
  typeof value === "number" ? "retyped" : value === null ? ["retyped"] : 4711;
const withField = (message: Record<string, unknown>, path: readonly string[], change: (value: unknown) => unknown) => {
  const copy = structuredClone(message);
  let target = copy;
  for (const key of path.slice(0, -1)) target = target[key] as Record<string, unknown>;
  const last = path.at(-1)!;
  const value = change(target[last]);
  if (value === undefined) delete target[last];
  else target[last] = value;
  return copy;
};
/** The fields that a shape names and a recorded value has, with their place. */
const namedFields = (
  schema: Schema<unknown>,
  value: Record<string, unknown>,
  path: readonly string[] = [],
): { path: readonly string[]; optional: boolean; open: boolean }[] =>
  Object.entries(schema.fields ?? {})
    .filter(([key]) => value[key] !== undefined)
    .flatMap(([key, field]) => {
      const here = { path: [...path, key], optional: field.optional === true, open: field.kind.startsWith("anything") };
      const inner = value[key];
      const nested = field.fields !== undefined && typeof inner === "object" && inner !== null && !Array.isArray(inner);
      return [here, ...(nested ? namedFields(field, inner as Record<string, unknown>, here.path) : [])];
    });

describe("the list can fail", () => {
  const all = examples();
  const kindOf = (message: unknown, line: RecordedLine) => decodeValue(message as JsonValue, writerOf(line)).kind;

  it("is tried on every recorded message", () => {
    const recorded = new Set(
      lines.flatMap((line) => (decodeRecorded(line).kind === "message" ? [keyOf(line.msg!)] : [])),
    );
    expect(new Set(all.map((line) => keyOf(line.msg!)))).toEqual(recorded);
  });

  it("gives unknown for each recorded type and subtype that is renamed", () => {
    for (const line of all) {
      const message = line.msg!;
      const paths = [
        ["type"],
        ["subtype"],
        ["request", "subtype"],
        ["response", "subtype"],
        ["event", "type"],
        ["event", "delta", "type"],
      ];
      for (const path of paths) {
        const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], message);
        if (typeof value !== "string") continue;
        const renamed = withField(message, path, () => `${value}_renamed`);
        expect(kindOf(renamed, line), `${keyOf(message)} ${path.join(".")}`).toBe("unknown");
      }
    }
  });

  it("gives unknown for each retyped field, and for each removed required field", () => {
    let tried = 0;
    for (const line of all) {
      const message = line.msg!;
      const inRequest = message["type"] === "control_request" ? ["request"] : [];
      const shaped = inRequest.length > 0 ? (message["request"] as Record<string, unknown>) : message;
      const key = keyOf(message);
      const schema = inRequest.length > 0 ? requestSchemaOf(String(shaped["subtype"])) : SCHEMAS.get(key);
      const fields = namedFields(schema!, shaped, []).map((field) => ({
        ...field,
        path: [...inRequest, ...field.path],
      }));
      if (inRequest.length > 0) fields.push({ path: ["request_id"], optional: false, open: false });
      for (const { path, optional, open } of fields) {
        const name = `${keyOf(message)} ${path.join(".")}`;
        if (!open) expect(kindOf(withField(message, path, retyped), line), `${name} retyped`).toBe("unknown");
        if (!optional)
          expect(
            kindOf(
              withField(message, path, () => undefined),
              line,
            ),
            `${name} removed`,
          ).toBe("unknown");
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(1000);
  });

  it("looks into blocks, deltas and stream events", () => {
    const paths = [
      ["message", "content"],
      ["event", "index"],
      ["event", "delta"],
      ["event", "delta", "text"],
      ["event", "delta", "partial_json"],
      ["event", "delta", "thinking"],
      ["event", "delta", "signature"],
      ["event", "content_block"],
      ["event", "message"],
      ["event", "message", "role"],
      ["message", "content", "0"],
      ["message", "content", "0", "type"],
      ["message", "content", "0", "text"],
      ["message", "content", "0", "thinking"],
      ["message", "content", "0", "id"],
      ["message", "content", "0", "name"],
      ["message", "content", "0", "input"],
      ["message", "content", "0", "tool_use_id"],
    ];
    const met = new Set<string>();
    for (const line of all) {
      for (const path of paths) {
        const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], line.msg);
        if (value === undefined || (path.join() === "message,content,0" && typeof value === "string")) continue;
        met.add(path.join("."));
        expect(kindOf(withField(line.msg!, path, retyped), line), `${keyOf(line.msg!)} ${path.join(".")}`).toBe(
          "unknown",
        );
      }
    }
    expect([...met].toSorted()).toEqual(paths.map((path) => path.join(".")).toSorted());
  });
});

describe("decodeLine", () => {
  it("never throws and never drops, for any JSON", () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record({
        type: fc.constantFrom(
          "assistant",
          "system",
          "user",
          "result",
          "stream_event",
          "control_request",
          "control_response",
          "__proto__",
          "constructor",
        ),
        subtype: fc.constantFrom("init", "success", "__proto__", "toString"),
        message: fc.jsonValue(),
        event: fc.jsonValue(),
        request: fc.jsonValue(),
        response: fc.jsonValue(),
      }),
    );
    fc.assert(
      fc.property(value, (json) => {
        const decoded = decodeLine(JSON.stringify(json));
        expect(["message", "unknown"]).toContain(decoded.kind);
        if (decoded.kind === "unknown") expect(decoded.value).toEqual(JSON.parse(JSON.stringify(json)));
      }),
      { numRuns: roundsOf(3000) },
    );
  });

  it("keeps noise as its exact bytes, for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const decoded = decodeLine(bytes);
        if (decoded.kind === "noise") expect(decoded.bytes).toEqual(bytes);
        else expect(() => JSON.parse(new TextDecoder().decode(bytes)) as unknown).not.toThrow();
      }),
      { numRuns: roundsOf(3000) },
    );
    expect(decodeLine("not json é")).toEqual({
      kind: "noise",
      reason: "not-json",
      bytes: new TextEncoder().encode("not json é"),
      size: 11,
    });
    expect(decodeLine({ size: 99, head: Uint8Array.of(1) })).toEqual({
      kind: "noise",
      reason: "oversized",
      bytes: Uint8Array.of(1),
      size: 99,
    });
  });

  it("accepts a BOM, CR and white space around the JSON", () => {
    const message = { type: "keep_alive" };
    for (const line of ['\uFEFF{"type":"keep_alive"}', '{"type":"keep_alive"}\r', '  {"type":"keep_alive"} \t']) {
      expect(decodeLine(line)).toEqual({ kind: "message", message });
      expect(decodeLine(new TextEncoder().encode(line))).toEqual({ kind: "message", message });
    }
  });

  it("is safe against hostile JSON", () => {
    const polluted = decodeLine('{"type":"keep_alive","__proto__":{"polluted":true},"constructor":{"x":1}}');
    expect(polluted.kind).toBe("message");
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    const inherited = decodeLine('{"type":"prompt_suggestion","__proto__":{"suggestion":"from the prototype"}}');
    expect(inherited.kind).toBe("unknown");
    expect(decodeLine('{"type":"keep_alive","type":"nonsense"}').kind).toBe("unknown");
    expect(decodeLine('{"type":"prompt_suggestion","suggestion":"\\ud800"}')).toEqual({
      kind: "message",
      message: { type: "prompt_suggestion", suggestion: "\ud800" },
    });
    const deep = `{"type":"assistant","message":${'{"content":['.repeat(10_000)}${"]}".repeat(10_000)}}`;
    expect(decodeLine(deep)).toMatchObject({ kind: "noise", reason: "too-deep" });
  });

  it("[S63] keeps JSON that is too deep as its exact bytes", () => {
    const line = (levels: number): string =>
      `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{"x":${"[".repeat(levels)}${"]".repeat(levels)}}}]}}`;
    expect(decodeLine(line(400)).kind).toBe("message");
    for (const levels of [600, 3000, 100_000]) {
      const bytes = new TextEncoder().encode(line(levels));
      expect(decodeLine(bytes)).toEqual({ kind: "noise", reason: "too-deep", bytes, size: bytes.length });
    }
  });

  it("says what is unknown", () => {
    const reasons = [
      ["[]", "is not an object"],
      ["{}", "has no type"],
      ['{"type":"system","subtype":"brand_new"}', "system/brand_new is not known"],
      ['{"type":"control_request","request_id":"1","request":{"subtype":"x"}}', "control_request/x is not known"],
      ['{"type":"assistant","message":{"role":"assistant","content":7}}', /^assistant: message\.content is not /],
      ['{"type":"control_request","request":{}}', "control_request: request_id is not string"],
    ] as const;
    for (const [line, reason] of reasons) {
      const decoded = decodeLine(line);
      expect(decoded).toMatchObject({ kind: "unknown", reason: expect.stringMatching(reason) as unknown });
    }
  });

  it("agrees with the schema on every stream event, also on the fast path", () => {
    const field = fc.option(fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant([])), {
      nil: undefined,
    });
    const delta = fc.record(
      {
        type: fc.constantFrom("text_delta", "input_json_delta", "thinking_delta", "odd"),
        text: field,
        partial_json: field,
        thinking: field,
      },
      { requiredKeys: ["type"] },
    );
    const event = fc.record({
      type: fc.constantFrom("content_block_delta", "content_block_stop", "odd"),
      index: field,
      delta,
    });
    const message = fc.record(
      {
        type: fc.constant("stream_event"),
        event,
        uuid: field,
        session_id: field,
        parent_tool_use_id: field,
        api_message_id: field,
        ttft_ms: field,
        user_message_uuid: field,
        user_message_uuids: field,
      },
      { requiredKeys: ["type", "event"] },
    );
    fc.assert(
      fc.property(message, (value) => {
        const json = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(decodeValue(json).kind === "message").toBe(StreamEventMessage.accepts(json));
      }),
      { numRuns: roundsOf(5000) },
    );
  });
});
