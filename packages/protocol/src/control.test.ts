// Compares recordings with the shapes. What real CLIs answered and wrote must match, and each top-level field must be
// named by the shape or be in a list below. An entry that no recording needs fails too.
import { describe, expect, it } from "vitest";
import { keyOf, SCHEMAS } from "./catalogue.ts";
import { CONTROL } from "./control.ts";
import type { ControlSubtype } from "./control.ts";
import { recordedLines } from "@quarterdeck/test-kit/recorded-lines";
import { misfitOf } from "./schema.ts";
import type { Infer, Schema } from "./schema.ts";

type Wire = Readonly<Record<string, unknown>>;

/** Answers without a shape, because no code reads them. */
const OPEN_ANSWERS = ["get_memory_dialog", "get_sandbox_dialog", "get_skills_dialog", "submit_feedback"];
const LEFT_IN_ANSWERS: Readonly<Record<string, readonly string[]>> = {
  initialize: [
    "analytics_disabled",
    "feedback_mode",
    "ide_rc_auto_enable_gate",
    "other_hook_ask_outranks_host",
    "remote_control_auto_connect_default",
    "remote_control_auto_enable",
    "remote_control_auto_on_by_default",
    "remote_control_available",
  ],
};
const LEFT_IN_MESSAGES: Readonly<Record<string, readonly string[]>> = {
  assistant: ["thinking_display"],
  "result/success": [
    "first_content_frame_ms",
    "first_request_cache_read_input_tokens",
    "first_request_input_tokens",
    "request_sent_wall_ms",
    "time_to_request_ms",
    "ttft_stream_ms",
  ],
  stream_event: ["abandoned_blocks", "owed_rows", "thinking_display"],
  "system/init": [
    "analytics_disabled",
    "messaging_socket_path",
    "per_turn_effort_active",
    "product_feedback_disabled",
    "ultrathink_available",
    "ultrathink_typed_raises",
  ],
};

const isWire = (value: unknown): value is Wire => typeof value === "object" && value !== null && !Array.isArray(value);

interface Answer {
  readonly subtype: ControlSubtype;
  readonly where: string;
  readonly body: unknown;
}

/** Each success of a CLI, with the request that it answers. */
const recordedAnswers = (): readonly Answer[] => {
  const asked = new Map<string, string>();
  const answers: Answer[] = [];
  for (const { version, recording, dir, msg } of recordedLines()) {
    const place = `${version}/${recording}`;
    if (msg?.["type"] === "control_request" && dir === "in" && isWire(msg["request"])) {
      asked.set(`${place} ${String(msg["request_id"])}`, String(msg["request"]["subtype"]));
    }
    const response = msg?.["type"] === "control_response" && dir === "out" ? msg["response"] : undefined;
    if (!isWire(response) || response["subtype"] !== "success") continue;
    const subtype = asked.get(`${place} ${String(response["request_id"])}`);
    if (subtype === undefined || !Object.hasOwn(CONTROL, subtype)) continue;
    answers.push({
      subtype: subtype as ControlSubtype,
      where: `${place} ${subtype}`,
      body: response["response"],
    });
  }
  return answers;
};

type Unnamed = Map<string, Set<string>>;
const addUnnamed = (into: Unnamed, key: string, schema: Schema<unknown>, value: unknown): void => {
  for (const field of isWire(value) ? Object.keys(value) : []) {
    if (schema.fields !== undefined && Object.hasOwn(schema.fields, field)) continue;
    into.set(key, (into.get(key) ?? new Set()).add(field));
  }
};
const listed = (unnamed: Unnamed) =>
  Object.fromEntries([...unnamed].map(([key, fields]) => [key, [...fields].toSorted()]));

describe("recorded answers of the CLI", () => {
  const answers = recordedAnswers();

  it("exist for most requests of a host", () => {
    expect(new Set(answers.map(({ subtype }) => subtype)).size).toBeGreaterThan(35);
  });

  it("match the shape that their request promises", () => {
    const misfits = answers.flatMap(({ subtype, where, body }) => {
      const misfit = misfitOf(CONTROL[subtype].response, body);
      return misfit === undefined ? [] : [`${where}: ${misfit}`];
    });
    expect(misfits).toEqual([]);
  });

  it("have only top-level fields that are named or listed", () => {
    const unnamed: Unnamed = new Map();
    const open = new Set<string>();
    for (const { subtype, body } of answers) {
      const schema: Schema<unknown> = CONTROL[subtype].response;
      if (schema.fields !== undefined) addUnnamed(unnamed, subtype, schema, body);
      else if (isWire(body) && Object.keys(body).length > 0) open.add(subtype);
    }
    expect(listed(unnamed)).toEqual(LEFT_IN_ANSWERS);
    expect([...open].toSorted()).toEqual(OPEN_ANSWERS);
  });
});

describe("recorded messages of the CLI", () => {
  it("have only top-level fields that are named or listed", () => {
    const unnamed: Unnamed = new Map();
    for (const { dir, msg } of recordedLines()) {
      if (dir !== "out" || msg === undefined) continue;
      const key = keyOf(msg);
      const schema = SCHEMAS.get(key);
      if (schema === undefined) throw new Error(`a recorded message has no shape: ${key}`);
      addUnnamed(unnamed, key, schema, key.startsWith("control_request/") ? msg["request"] : msg);
    }
    expect(listed(unnamed)).toEqual(LEFT_IN_MESSAGES);
  });
});

describe("requests of the host", () => {
  it("accept every published field", () => {
    const call = {
      subtype: "mcp_call",
      tool: "mcp__a__b",
      arguments: {},
      expires_at: "2030-01-01T00:00:00Z",
      timeout_ms: 1,
      result_not_for_model: true,
      check_permissions: true,
      input_files: [{ name: "a", lane_path: "b" }],
      output_files: [{ name: "a", lane_path: "b", if_match: "c" }],
    } satisfies Infer<typeof CONTROL.mcp_call.request>;
    expect(CONTROL.mcp_call.request.accepts(call)).toBe(true);
    expect(CONTROL.mcp_call.request.accepts({ ...call, input_files: [{ name: "a" }] })).toBe(false);
  });

  it("refuse null where an old CLI would exit", () => {
    const { mcp_set_servers: set, initialize } = CONTROL;
    expect(set.request.accepts({ subtype: "mcp_set_servers", servers: { a: { command: "b" } } })).toBe(true);
    expect(set.request.accepts({ subtype: "mcp_set_servers", servers: { a: null } })).toBe(false);
    for (const field of ["agents", "sdkMcpServerConfigs"]) {
      expect(initialize.request.accepts({ subtype: "initialize", [field]: { a: {} } }), field).toBe(true);
      expect(initialize.request.accepts({ subtype: "initialize", [field]: { a: null } }), field).toBe(false);
    }
  });
});
