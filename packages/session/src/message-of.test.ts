import { describe, expect, it } from "vitest";
import type { Event, Fact } from "./event.ts";
import { createFold } from "./fold.ts";
import { messageOf } from "./message-of.ts";

const received = (message: object): Fact => ({ type: "received", message: message as never });
const eventsOf = (...facts: readonly Fact[]): Event[] =>
  facts.map((fact, index) => ({ seq: index + 1, at: index, ...fact }));
const foldOf = (...facts: readonly Fact[]) => {
  const fold = createFold();
  for (const event of eventsOf(...facts)) fold.apply(event);
  return fold;
};
const user = (uuid: string, content: string) => ({
  type: "user",
  uuid,
  session_id: "s",
  message: { role: "user", content },
});
const died = { type: "process-exited", code: 1, signal: null } as const;

describe("what a program reads of a session", () => {
  it("is typed: messages of events, and what the CLI says about itself", () => {
    const init = { type: "system", subtype: "init", session_id: "s", tools: ["Bash"], model: "m" };
    const message = messageOf({ seq: 1, at: 0, ...received(init) });
    // Each access compiles without a cast.
    expect(message?.type === "system" && message.subtype === "init" && message.tools[0]).toBe("Bash");
    expect(messageOf({ seq: 1, at: 0, type: "stderr", text: "x" })).toBeUndefined();
    expect(messageOf({ seq: 1, at: 0, ...received({ type: "of tomorrow" }) })).toBeUndefined();
    expect(foldOf(received(init)).head.about.tools?.[0]).toBe("Bash");
  });

  it("has the sources that the model cites, and why it stopped", () => {
    const citations = [{ type: "web_search_result_location", url: "https://example.com", cited_text: "water" }];
    const content = [
      { type: "text", text: "Water is wet.", citations },
      { type: "text", text: "So it is.", citations: null },
    ];
    const { rows } = foldOf(
      received({
        type: "assistant",
        uuid: "a",
        session_id: "s",
        message: { id: "m", role: "assistant", model: "m", content },
      }),
      received({
        type: "result",
        subtype: "success",
        is_error: false,
        result: "",
        session_id: "s",
        stop_reason: "refusal",
      }),
    );
    expect(rows).toMatchObject([
      { kind: "text", citations },
      { kind: "text" },
      { kind: "turn", stopReason: "refusal" },
    ]);
    expect(rows[1]).not.toHaveProperty("citations");
  });

  it("has a prompt of the CLI once, even if the CLI repeats it", () => {
    const again = received(user("u1", "<task-notification>done</task-notification>"));
    const rows = foldOf(again, again, received(user("u2", "another"))).rows.filter(({ kind }) => kind === "prompt");
    expect(rows).toMatchObject([
      { uuid: "u1", origin: "cli" },
      { uuid: "u2", origin: "cli" },
    ]);
  });

  it("says the last lines of stderr of the process that died, without secrets, and of no other", () => {
    const key = `sk-ant-api03-${"a".repeat(60)}`;
    const lines = ["1", "2", "3", "4", "5", `6 ${key}`, "7"].map((line) => `${line}\n`).join("");
    const { rows } = foldOf(
      { type: "process-started" },
      { type: "stderr", text: lines },
      died,
      { type: "process-started" },
      died,
    );
    const texts = rows.flatMap((row) => (row.kind === "error" ? [row.text] : []));
    expect(texts).toEqual([
      expect.stringMatching(/^The CLI ended with code 1\.\n3\n4\n5\n6 .+\n7$/u),
      "The CLI ended with code 1.",
    ]);
    expect(texts[0]).not.toContain(key);
  });
});
