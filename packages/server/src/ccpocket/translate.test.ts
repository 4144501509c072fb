import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventsOfRecording } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { pocketElicitationAnswer } from "./elicitations.ts";
import { answersSoFar, commandIdOf, imagesOf, settingsOf } from "./requests.ts";
import { Translator } from "./translate.ts";

const recording = (name: string) => {
  const path = fileURLToPath(new URL(`../../../protocol/fixtures/recordings/${name}.ndjson`, import.meta.url));
  const translator = new Translator();
  return eventsOfRecording(readFileSync(path, "utf8")).flatMap((event) =>
    event.type === "streamed" ? [] : translator.messagesOf(event),
  );
};

describe("[Y3] a recorded session in ccpocket's words", () => {
  it("has a request, its resolution, the result of the tool by its name, and the end", () => {
    const messages = recording("2.1.325/03b_bash_allow_updated");
    expect(messages.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        "system",
        "assistant",
        "permission_request",
        "permission_resolved",
        "tool_result",
        "result",
      ]),
    );
    const asked = messages.find(({ type }) => type === "permission_request");
    expect(asked).toMatchObject({ toolName: "Bash", blockedPath: expect.any(String), suggestions: expect.any(Array) });
    expect(messages.filter(({ type }) => type === "permission_resolved")).toEqual([
      { type: "permission_resolved", toolUseId: asked?.["toolUseId"] },
    ]);
    expect(messages.find(({ type }) => type === "tool_result")).toMatchObject({ toolName: "Bash" });
  });

  it("keeps what agents say to themselves out of the conversation", () => {
    const messages = recording("2.1.325/06a_agent_fg");
    const results = messages.filter(({ type }) => type === "tool_result").map(({ toolName }) => toolName);
    expect(results).not.toContain("Bash");
    expect(messages.filter(({ type }) => type === "permission_request")).toHaveLength(1);
  });

  it("resolves what was open when the process ended", () => {
    const messages = recording("2.1.325/03f_unanswered_interrupt");
    const count = (type: string): number => messages.filter((message) => message.type === type).length;
    expect(count("permission_request")).toBeGreaterThan(0);
    expect(count("permission_resolved")).toBe(count("permission_request"));
  });
});

describe("what a session has beside its conversation", () => {
  const at = 0;
  const dead = { type: "process-exited", code: null, signal: "SIGKILL" } as const;

  it("[Y3] has the text that a dead process left, and says how it died, unless somebody wanted that", () => {
    const translator = new Translator();
    const drafts = [
      { id: "m/0", kind: "thinking", messageId: "m", index: 0, at, text: "Hm." },
      { id: "m/1", kind: "text", messageId: "m", index: 1, at, text: "Half a sen" },
      { id: "m/2", kind: "tool", messageId: "m", index: 2, at, text: '{"comm' },
    ] as const;
    const told = [
      { seq: 1, at, type: "process-started", pid: 1 } as const,
      { seq: 2, at, type: "stderr", text: "first\nout of memory\n" } as const,
      { seq: 3, at, type: "drafts-left", drafts } as const,
      { seq: 4, at, ...dead },
    ].flatMap((event) => translator.messagesOf(event));
    expect(told).toMatchObject([
      { type: "assistant", message: { content: [{ type: "thinking", thinking: "Hm." }] } },
      { type: "assistant", message: { content: [{ type: "text", text: "Half a sen" }] } },
      {
        type: "error",
        errorCode: "process_died",
        message: expect.stringMatching(/SIGKILL[^]*out of memory/u) as unknown,
      },
    ]);
    expect(translator.messagesOf({ seq: 5, at, type: "process-started", pid: 2 })).toEqual([]);
    expect(translator.messagesOf({ seq: 6, at, type: "signal-sent", signal: "SIGKILL" })).toEqual([]);
    expect(translator.messagesOf({ seq: 7, at, ...dead })).toEqual([]);
  });

  it("[Y4] asks what an MCP server asks, and reads the answers by field, by question, and as one text", () => {
    const request = {
      subtype: "elicitation" as const,
      mcp_server_name: "shop",
      message: "Your order",
      requested_schema: {
        properties: {
          size: { type: "string", title: "Size", enum: ["S", "L"] },
          count: { type: "integer", title: "Count" },
        },
        required: ["count"],
      },
    };
    const translator = new Translator();
    const message = { type: "control_request", request_id: "r1", request };
    expect(translator.messagesOf({ seq: 1, at, type: "received", message })).toMatchObject([
      {
        type: "permission_request",
        toolUseId: "r1",
        toolName: "McpElicitation",
        input: {
          serverName: "shop",
          questions: [
            { id: "size", question: "Size", options: [{ label: "S" }, { label: "L" }] },
            { id: "count", question: "Count (required)", options: [], isOther: true },
          ],
        },
      },
    ]);
    const closed = { type: "control_cancel_request", request_id: "r1" };
    expect(translator.messagesOf({ seq: 2, at, type: "received", message: closed })).toEqual([
      { type: "permission_resolved", toolUseId: "r1" },
    ]);
    const accepted = { kind: "elicitation", action: "accept" };
    expect(pocketElicitationAnswer(request, '{"answers":{"size":"L","Count (required)":"3"}}')).toEqual({
      ...accepted,
      content: { size: "L", count: 3 },
    });
    expect(pocketElicitationAnswer(request, '{"count":"three"}')).toBeUndefined();
    const one = { ...request, requested_schema: { properties: { agree: { type: "boolean" } } } };
    expect(pocketElicitationAnswer(one, "true")).toEqual({ ...accepted, content: { agree: true } });
    const link = { subtype: "elicitation" as const, mcp_server_name: "shop", message: "Log in", mode: "url" as const };
    expect(pocketElicitationAnswer(link, "Accept")).toEqual(accepted);
    expect(pocketElicitationAnswer(link, "whatever")).toEqual({ kind: "elicitation", action: "decline" });
  });
});

describe("[Y4] an app's words in ours", () => {
  it("reads one text or answers by question", () => {
    const input = { questions: [{ question: "A?" }, { question: "B?" }] };
    const all = (result: string) => answersSoFar(result, input, {});
    expect(all('{"answers":{"A?":"1","B?":["2","3"],"C?":"4"}}')).toEqual({
      answers: { "A?": "1", "B?": ["2", "3"] },
      isComplete: true,
    });
    expect(all('{"B?":"2"}')).toEqual({ answers: { "B?": "2" }, isComplete: true });
    expect(all("[1]")).toEqual({ answers: { "A?": "[1]" }, isComplete: false });
    expect(answersSoFar("no", input, { "A?": "yes" })).toEqual({
      answers: { "A?": "yes", "B?": "no" },
      isComplete: true,
    });
  });

  it("makes settings and prompts, and one command of one message", () => {
    expect(settingsOf({ type: "start", projectPath: "/", planMode: true, model: "default", maxBudgetUsd: 0 })).toEqual({
      permissionMode: "plan",
    });
    const images = [{ base64: "AA==", mimeType: "image/png" }];
    expect(imagesOf({ type: "input", text: "see", images, imageBase64: "AQ==" })).toEqual([
      Buffer.from([0]),
      Buffer.from([1]),
    ]);
    expect(commandIdOf("s", "one")).toBe(commandIdOf("s", "one"));
    expect(commandIdOf("s", "one")).not.toBe(commandIdOf("t", "one"));
    expect(commandIdOf("s", "one")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/u);
  });
});
