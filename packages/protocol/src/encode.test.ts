import { describe, expect, it } from "vitest";
import { decodeLine } from "./decode.ts";
import { encodeLine } from "./encode.ts";
import { fc } from "./property.fixture.ts";
import { ProtocolError } from "./protocol-error.ts";
import { recordedLines } from "@quarterdeck/test-kit/recorded-lines";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import {
  allow,
  cancelRequest,
  controlRequest,
  deny,
  dialogAnswer,
  documentBlock,
  elicitationAnswer,
  hookAnswer,
  imageBlock,
  keepAlive,
  mcpAnswer,
  refusal,
  textBlock,
  userMessage,
} from "./stdin.ts";
import type { StdinMessage } from "./stdin.ts";

const code = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error instanceof ProtocolError ? error.code : error;
  }
  return "did not throw";
};

describe("the constructors", () => {
  const EVERY: readonly StdinMessage[] = [
    userMessage("hello"),
    userMessage(
      [textBlock("look"), imageBlock("image/png", "AAAA"), documentBlock("application/pdf", "AAAA", "spec")],
      {
        uuid: "6f1c3d8e-0000-4000-8000-000000000001",
        priority: "now",
        origin: { kind: "human" },
        shouldQuery: false,
        clientComposed: true,
      },
    ),
    controlRequest("1", {
      subtype: "initialize",
      hooks: { PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["h"] }] },
    }),
    controlRequest("2", { subtype: "interrupt", cancel_queued: true }),
    controlRequest("3", { subtype: "set_permission_mode", mode: "acceptEdits" }),
    allow("4", { command: "ls" }),
    allow(
      "5",
      {},
      {
        updatedInput: { command: "pwd" },
        updatedPermissions: [{ type: "setMode", mode: "plan", destination: "session" }],
      },
    ),
    deny("6", "no"),
    deny("7", "", { interrupt: true }),
    hookAnswer("8"),
    hookAnswer("9", { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } }),
    mcpAnswer("10", { jsonrpc: "2.0", id: 1, result: {} }),
    elicitationAnswer("11", "accept", { name: "x" }),
    dialogAnswer("12", { behavior: "cancelled" }),
    refusal("13", "Unsupported control request subtype: x"),
    cancelRequest("14"),
    keepAlive(),
  ];

  it("build lines that decode to what was built", () => {
    for (const message of EVERY) {
      const line = encodeLine(message, { version: "2.1.325" });
      expect(line.endsWith("\n") && line.indexOf("\n") === line.length - 1).toBe(true);
      expect(decodeLine(line, "host")).toEqual({ kind: "message", message });
    }
  });

  it("always give a prompt the role that the CLI accepts", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "binary" }), (text) => {
        fc.pre(text.trim() !== "");
        const line = encodeLine(userMessage(text));
        expect(line.slice(0, -1)).not.toMatch(/[\n\u2028\u2029]/);
        expect(JSON.parse(line)).toMatchObject({ type: "user", message: { role: "user", content: text } });
      }),
      { numRuns: roundsOf(300) },
    );
    expect(JSON.parse(encodeLine(userMessage("\ud800 lone")))).toMatchObject({ message: { content: "\ud800 lone" } });
  });

  it("refuse an empty prompt and an answer of the wrong form", () => {
    expect(code(() => userMessage("  \n"))).toBe("empty-content");
    expect(code(() => userMessage([]))).toBe("empty-content");
    expect(code(() => userMessage(123 as never))).toBe("invalid-message");
    expect(code(() => mcpAnswer("1", {}))).toBe("invalid-answer");
    expect(code(() => mcpAnswer("1", null as never))).toBe("invalid-answer");
    expect(code(() => hookAnswer("1", { continue: "yes" } as never))).toBe("invalid-answer");
    expect(code(() => allow("1", {}, { updatedPermissions: [{ type: "setMode" }] as never }))).toBe("invalid-answer");
  });

  it("repeat the input in an allow, because older CLIs require it", () => {
    expect(allow("1", { command: "ls" }).response).toEqual({
      subtype: "success",
      request_id: "1",
      response: { behavior: "allow", updatedInput: { command: "ls" } },
    });
  });
});

describe("encodeLine", () => {
  it("refuses lines that would end the CLI or be ignored", () => {
    const bad: readonly [unknown, string][] = [
      [{ type: "user" }, "invalid-message"],
      [{ type: "user", message: { role: "assistant", content: "x" } }, "invalid-message"],
      [{ type: "user", message: { role: "user", content: 7 } }, "invalid-message"],
      [{ type: "frobnicate" }, "invalid-message"],
      [{ type: "control_request", request_id: "", request: { subtype: "interrupt" } }, "invalid-message"],
      [{ type: "control_request", request_id: "1", request: { subtype: "interupt" } }, "invalid-message"],
      [{ type: "control_request", request_id: "1" }, "invalid-message"],
      [{ type: "control_request", request_id: "1", request: null }, "invalid-message"],
      [{ type: "control_response", response: { subtype: "maybe", request_id: "1" } }, "invalid-message"],
      [{ type: "control_cancel_request" }, "invalid-message"],
      [null, "invalid-message"],
      [undefined, "invalid-message"],
      ["text", "invalid-message"],
      [{ type: "user", message: { role: "user", content: "x", toJSON: () => ({ role: "bad" }) } }, "invalid-message"],
      [
        { type: "control_request", request_id: "1", request: { subtype: "mcp_set_servers", servers: { b: null } } },
        "invalid-message",
      ],
      [{ type: "user", message: { role: "user", content: "x" }, extra: 1n }, "not-serialisable"],
    ];
    for (const [message, expected] of bad)
      expect(
        code(() => encodeLine(message as StdinMessage)),
        JSON.stringify(expected),
      ).toBe(expected);
  });

  it("refuses a cancel for a version that would end, and for an unknown version", () => {
    expect(code(() => encodeLine(cancelRequest("1")))).toBe("invalid-message");
    for (const version of ["2.1.22", "2.1.29", "2.1.37", "2.1.38", "2.1.38 (Claude Code)", "", "latest", "2.1"]) {
      expect(
        code(() => encodeLine(cancelRequest("1"), { version })),
        version,
      ).toBe("invalid-message");
    }
    for (const version of ["2.1.325", "2.1.325 (Claude Code)", "2.1.400", "2.2.0", "3.0.0"]) {
      expect(encodeLine(cancelRequest("1"), { version }), version).toContain("control_cancel_request");
    }
  });

  it("accepts every recorded line that the CLI understood", () => {
    const sent = recordedLines().filter((line) => line.dir === "in" && line.msg !== undefined);
    const messages = sent.flatMap((line) => {
      const decoded = decodeLine(JSON.stringify(line.msg), "host");
      return decoded.kind === "message" && decoded.message.type !== "assistant" ? [decoded.message] : [];
    });
    expect(messages.length).toBeGreaterThan(500);
    for (const message of messages)
      expect(JSON.parse(encodeLine(message as StdinMessage, { version: "2.1.325" }))).toEqual(message);
  });
});
