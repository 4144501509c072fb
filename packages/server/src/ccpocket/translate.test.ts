import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventsOfRecording } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { answersIn, commandIdOf, imagesOf, settingsOf } from "./requests.ts";
import { Translator } from "./translate.ts";

const recording = (name: string) => {
  const path = fileURLToPath(new URL(`../../../protocol/fixtures/recordings/${name}.ndjson`, import.meta.url));
  const translator = new Translator();
  return eventsOfRecording(readFileSync(path, "utf8")).flatMap((event) =>
    event.type === "streamed" ? [] : translator.messagesOf(event),
  );
};

describe("a recorded session in ccpocket's words", () => {
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

describe("an app's words in ours", () => {
  it("reads one text or answers by question", () => {
    const input = { questions: [{ question: "A?" }, { question: "B?" }] };
    expect(answersIn("yes", input)).toEqual({ "A?": "yes" });
    expect(answersIn('{"answers":{"A?":"1","B?":["2","3"],"C?":"4"}}', input)).toEqual({ "A?": "1", "B?": ["2", "3"] });
    expect(answersIn('{"B?":"2"}', input)).toEqual({ "B?": "2" });
    expect(answersIn("[1]", input)).toEqual({ "A?": "[1]" });
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
