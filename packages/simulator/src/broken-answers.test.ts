import { describe, expect, it } from "vitest";
import { bash, Host, PARTIAL, text, use } from "./host.fixture.ts";
import { isRecord } from "./json.ts";
import type { Json } from "./json.ts";

const RETRIES = { CLAUDE_CODE_MAX_RETRIES: "1" };
const abandoned = (messages: readonly Json[]): readonly unknown[] =>
  messages.flatMap(({ abandoned_blocks: blocks }) => (isRecord(blocks) ? [blocks.from_block_index] : []));
const synthetic = (messages: readonly Json[]): readonly Json[] =>
  messages.filter(({ isSynthetic, is_api_error_message: isError }) => isSynthetic === true || isError === true);

describe.concurrent("an answer that breaks off", () => {
  it("in its first block is requested again", async () => {
    const host = new Host({
      args: PARTIAL,
      env: RETRIES,
      scripts: { go: [{ ...text("The whole of the answer."), cut: { afterEvents: 4 } }] },
    });
    expect(await host.turn("go")).toMatchObject({ result: "The whole of the answer.", num_turns: 1 });
    expect(abandoned(host.messages)).toEqual([0]);
    expect(host.messages.filter(({ subtype }) => subtype === "api_retry")).toMatchObject([{ attempt: 1 }]);
  });

  it("too often is requested without a stream, which nothing cuts", async () => {
    const host = new Host({
      args: PARTIAL,
      env: RETRIES,
      scripts: { go: [{ ...text("The whole of the answer."), cut: { afterEvents: 4, times: 9 } }] },
    });
    expect(await host.turn("go")).toMatchObject({ result: "The whole of the answer." });
    expect(abandoned(host.messages)).toEqual([0, 0]);
  });

  it("after a complete block keeps the block, and the model is asked to continue", async () => {
    const host = new Host({
      args: PARTIAL,
      scripts: { go: [{ ...text("First.", "Second, and more."), cut: { afterEvents: 7 } }, text("The rest.")] },
    });
    expect(await host.turn("go")).toMatchObject({ result: "The rest.", num_turns: 2 });
    expect(abandoned(host.messages)).toEqual([1]);
    expect(JSON.stringify(synthetic(host.messages))).toContain("was cut off mid-stream. Resume directly");
  });

  it("four times in a turn ends the turn", async () => {
    const cut = { ...text("A part.", "And the other part."), cut: { afterEvents: 7 } };
    const host = new Host({ scripts: { go: [cut, cut, cut, cut] } });
    expect(await host.turn("go")).toMatchObject({
      is_error: true,
      api_error: "connection_failed",
      result: "API Error: Connection lost mid-response. The response above may be incomplete.",
    });
    expect(synthetic(host.messages).map(({ type }) => type)).toEqual(["user", "user", "user", "assistant"]);
  });

  it("after a complete tool call runs it, and says that more is missing", async () => {
    const say = [use("Bash", { command: "echo a", description: "b" }), { text: "and then some" }];
    const host = new Host({ scripts: { go: [{ say, cut: { afterEvents: 12 } }, text("Went on.")] } });
    expect(await host.turn("go")).toMatchObject({ result: "Went on.", is_error: false });
    expect(host.toolResult("toolu_sim_0001_1")).toBeDefined();
    expect(synthetic(host.messages)).toMatchObject([{ type: "assistant", error: "server_error" }]);
  });
});

describe.concurrent("without the server's classifier", () => {
  const refusals = (messages: readonly Json[]): readonly unknown[] =>
    messages.filter(({ subtype }) => subtype === "permission_denied").map(({ decision_reason_code: code }) => code);

  it("mode auto runs edits in the folder and refuses the rest, and says why once", async () => {
    const host = new Host({
      args: ["--permission-mode", "auto"],
      scripts: { go: [bash("touch a.txt"), bash("node b.js"), bash("node c.js"), text("Done it.")] },
    });
    expect(await host.turn("go")).toMatchObject({ is_error: false, permission_denials: [{}, {}] });
    expect(refusals(host.messages)).toEqual(["auto_mode_no_check_in_session", "auto_mode_no_check_in_session"]);
    expect(host.messages.filter(({ tag }) => tag === "auto_mode_no_server_check")).toHaveLength(1);
  });

  it("ten answers that cannot be checked end the turn, and the next turn counts from zero", async () => {
    const host = new Host({
      args: ["--permission-mode", "auto"],
      scripts: {
        "go on": Array.from({ length: 12 }, () => bash("node b.js")),
        again: [bash("node c.js"), text("Said.")],
      },
    });
    expect(await host.turn("go on")).toMatchObject({
      subtype: "error_during_execution",
      stopped_by_permission_check: true,
    });
    expect(refusals(host.messages)).toHaveLength(10);
    expect(refusals(host.messages).at(-1)).toBe("auto_mode_stop_no_check_in_session");
    expect(await host.turn("again")).toMatchObject({ result: "Said.", is_error: false });
  });
});
