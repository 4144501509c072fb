import type { PromptRow } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { NONE, pendingPrompts } from "./queue.ts";

const prompt = (id: string, state: PromptRow["state"]): PromptRow => ({
  id,
  kind: "prompt",
  order: 1,
  rev: 1,
  at: 0,
  seqs: [],
  uuid: id,
  content: id,
  state,
});

describe("prompts that have not started", () => {
  it("come in queue order, not in timeline order", () => {
    const rows = [prompt("a", "queued"), prompt("b", "accepted"), prompt("c", "started")];
    const queue = [
      { rowId: "b", state: "accepted" as const },
      { rowId: "a", state: "queued" as const },
    ];
    expect(pendingPrompts(rows, queue).waiting.map(({ id }) => id)).toEqual(["b", "a"]);
  });
  it("leave out prompts that were sent to the process or are not loaded", () => {
    const queue = [
      { rowId: "a", state: "sent" as const },
      { rowId: "gone", state: "queued" as const },
    ];
    expect(pendingPrompts([prompt("a", "sent")], queue)).toBe(NONE);
  });
  it("include the held ones separately", () =>
    expect(pendingPrompts([prompt("a", "held"), prompt("b", "done")], []).held.map(({ id }) => id)).toEqual(["a"]));
});
