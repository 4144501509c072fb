// Decodes one line. It never throws and never drops: known JSON is a message, other JSON is `unknown`, everything else is
// `noise` with its exact bytes.

import { StreamEvent } from "./content.ts";
import { requestSchemaOf } from "./control.ts";
import { modernise } from "./dialects.ts";
import type { Dialect } from "./dialects.ts";
import { isRecord } from "./json.ts";
import type { JsonValue } from "./json.ts";
import { utf8TextOf } from "./line-splitter.ts";
import type { Line } from "./line-splitter.ts";
import { literal, misfitOf, object, record, string } from "./schema.ts";
import type { Schema } from "./schema.ts";
import { RESULT, StreamEventMessage, TOP_LEVEL } from "./stdout.ts";
import type { Message } from "./stdout.ts";
import { SYSTEM } from "./system.ts";

export interface DecodedMessage {
  readonly kind: "message";
  readonly message: Message;
  /** Set if an older form was rewritten to today's form. */
  readonly dialects?: readonly Dialect[];
}
export interface DecodedUnknown {
  readonly kind: "unknown";
  readonly value: JsonValue;
  /** For people: what is unknown about it. */
  readonly reason: string;
}
export interface DecodedNoise {
  readonly kind: "noise";
  readonly reason: "not-json" | "not-utf8" | "oversized" | "too-deep";
  /** The exact bytes; for a line over the limit, its start. */
  readonly bytes: Uint8Array;
  /** Bytes of the whole line. */
  readonly size: number;
}
export type Decoded = DecodedMessage | DecodedUnknown | DecodedNoise;

/** Who wrote the line. Lines of a host have no older forms, and a minimal prompt of a host is not an echo. */
export type LineWriter = "cli" | "host";

export const decodeLine = (line: Line, writer: LineWriter = "cli"): Decoded => {
  if (typeof line === "string") return decodeText(line, writer);
  if (!(line instanceof Uint8Array)) return { kind: "noise", reason: "oversized", bytes: line.head, size: line.size };
  const text = utf8TextOf(line);
  return text === undefined
    ? { kind: "noise", reason: "not-utf8", bytes: line, size: line.length }
    : decodeText(text, writer, line);
};

const BOM = 0xfeff;
const encoder = new TextEncoder();

/**
 * JSON of any depth can be parsed, but writing, hashing or showing it recurses and would throw. No message of the CLI comes
 * near this depth, but the model chooses the input of a tool.
 */
const MOST_LEVELS = 500;

const decodeText = (text: string, writer: LineWriter, bytes?: Uint8Array): Decoded => {
  const noise = (reason: "not-json" | "too-deep"): DecodedNoise => {
    const exact = bytes ?? encoder.encode(text);
    return { kind: "noise", reason, bytes: exact, size: exact.length };
  };
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === BOM ? text.slice(1) : text);
  } catch {
    return noise("not-json");
  }
  // Each level has at least two characters.
  if (text.length > 2 * MOST_LEVELS && isDeeper(value, MOST_LEVELS)) return noise("too-deep");
  return decodeValue(value as JsonValue, writer);
};

const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
};

/** The same for a line that is parsed already. */
export const decodeValue = (value: JsonValue, writer: LineWriter = "cli"): Decoded => {
  if (!isRecord(value)) return { kind: "unknown", value, reason: "is not an object" };
  if (value["type"] === "stream_event" && isPlainStreamEvent(value)) {
    return { kind: "message", message: value as unknown as Message };
  }
  const modern = writer === "cli" ? modernise(value) : { value, dialects: [] };
  const reason = unknownBecause(modern.value);
  if (reason !== undefined) return { kind: "unknown", value, reason };
  const message = modern.value as unknown as Message;
  return modern.dialects.length === 0
    ? { kind: "message", message }
    : { kind: "message", message, dialects: modern.dialects };
};

const byType: ReadonlyMap<string, Schema<unknown>> = new Map(Object.entries(TOP_LEVEL));
const bySystemSubtype: ReadonlyMap<string, Schema<unknown>> = new Map(Object.entries(SYSTEM));
const byResultSubtype: ReadonlyMap<string, Schema<unknown>> = new Map(Object.entries(RESULT));
const ControlRequestEnvelope = object({
  type: literal("control_request"),
  request_id: string,
  request: record,
});

const unknownBecause = (value: Record<string, unknown>): string | undefined => {
  const { type, subtype, request } = value;
  if (typeof type !== "string") return "has no type";
  if (type === "control_request") {
    const misfit = misfitOf(ControlRequestEnvelope, value);
    if (misfit !== undefined) return `control_request: ${misfit}`;
    const asked = (request as Record<string, unknown>)["subtype"];
    const schema = typeof asked === "string" ? requestSchemaOf(asked) : undefined;
    if (schema === undefined) return `control_request/${String(asked)} is not known`;
    return because(schema, request, `control_request/${String(asked)}`);
  }
  const name = type === "system" || type === "result" ? `${type}/${String(subtype)}` : type;
  const key = String(subtype);
  const schema =
    type === "system" ? bySystemSubtype.get(key) : type === "result" ? byResultSubtype.get(key) : byType.get(type);
  return schema === undefined ? `${name} is not known` : because(schema, value, name);
};

const because = (schema: Schema<unknown>, value: unknown, name: string): string | undefined => {
  const misfit = misfitOf(schema, value);
  return misfit === undefined ? undefined : `${name}: ${misfit}`;
};

// Deltas come hundreds per second and are most of all lines. So this code checks the fields of `StreamEventMessage`
// directly, and a test compares it with the schema. If this check fails, the schema decides.
const isPlainStreamEvent = (value: Record<string, unknown>): boolean => {
  const event = value["event"] as { type?: unknown; index?: unknown; delta?: unknown } | null | undefined;
  if (typeof event !== "object" || event === null) return false;
  if (event.type !== "content_block_delta") return StreamEvent.accepts(event) && StreamEventMessage.accepts(value);
  const delta = event.delta as { type?: unknown; text?: unknown; partial_json?: unknown } | null | undefined;
  if (typeof event.index !== "number" || typeof delta !== "object" || delta === null) return false;
  const content =
    delta.type === "text_delta" ? delta.text : delta.type === "input_json_delta" ? delta.partial_json : undefined;
  if (typeof content !== "string") return false;
  const { uuid, session_id, parent_tool_use_id: parent, api_message_id: id } = value;
  return (
    isTextOrAbsent(uuid) &&
    isTextOrAbsent(session_id) &&
    (parent === null || isTextOrAbsent(parent)) &&
    isTextOrAbsent(id) &&
    value["ttft_ms"] === undefined &&
    value["user_message_uuid"] === undefined &&
    value["user_message_uuids"] === undefined
  );
};
const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "string";
