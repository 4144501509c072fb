import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createFold } from "./fold.ts";
import { eventsOfTranscript } from "./transcript.ts";

const root = fileURLToPath(new URL("../fixtures/transcripts/", import.meta.url));
const read = (file: string): string => readFileSync(`${root}${file}`, "utf8");
const agentsOf = (version: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root)
      .filter((file) => file.startsWith(`${version}-agent-`))
      .map((file) => [file.slice(`${version}-agent-`.length, -".jsonl".length), read(file)]),
  );

describe("[T1] a transcript of the CLI", () => {
  it.each(["2.1.38", "2.1.325"])("%s folds to the rows of its session", (version) => {
    const fold = createFold();
    for (const event of eventsOfTranscript(read(`${version}-main.jsonl`), agentsOf(version))) fold.apply(event);
    const shown = fold.rows.map((row) => {
      if (row.kind === "prompt") return ["prompt", row.content, row.parent === undefined ? row.state : "agent's"];
      if (row.kind === "tool") return ["tool", row.name, row.state, ...(row.parent === undefined ? [] : ["agent's"])];
      if (row.kind === "text") return ["text", row.text, ...(row.parent === undefined ? [] : ["agent's"])];
      return [row.kind];
    });
    expect(shown).toEqual([
      ["prompt", "first", "done"],
      ["thinking"],
      ["text", "I will write."],
      ["tool", "Write", "done"],
      ["tool", "Bash", "done"],
      ["text", "Written."],
      ["prompt", "second", "done"],
      ["tool", "Task", "done"],
      ["prompt", "subjob please", "agent's"],
      ["tool", "Bash", "done", "agent's"],
      ["text", "Sub report.", "agent's"],
      ["text", "Second done."],
      ["prompt", version === "2.1.325" ? "/usage" : "/cost", "done"],
      ["command"],
    ]);
    expect(fold.head.queue).toEqual([]);
    expect(Object.values(fold.head.files)).toMatchObject([{ created: true, added: 2 }]);
  });

  it("[T1] settles a prompt of ours that it contains, and shows it once", () => {
    const fold = createFold();
    const user = { type: "user", uuid: "u", message: { role: "user", content: "hello" } };
    fold.apply({ seq: 1, at: 1, type: "prompt-accepted", uuid: "u", content: "hello" });
    fold.apply({ seq: 2, at: 2, type: "sent", message: user });
    fold.apply({ seq: 3, at: 3, type: "process-exited", code: null, signal: null });
    expect(fold.rows).toMatchObject([{ kind: "prompt", state: "accepted" }, { kind: "error" }]);
    for (const event of eventsOfTranscript(JSON.stringify(user), {}, 3)) fold.apply(event);
    expect(fold.rows).toMatchObject([{ kind: "prompt", state: "done" }, { kind: "error" }]);
    expect(fold.head.queue).toEqual([]);
  });

  it("[T1] reads prompts that joined a turn, failures, and compactions", () => {
    const entries = [
      {
        type: "attachment",
        uuid: "a",
        attachment: { type: "queued_command", prompt: "and this", source_uuid: "u" },
      },
      { type: "attachment", uuid: "b", attachment: { type: "queued_command", prompt: "a reminder", isMeta: true } },
      {
        type: "assistant",
        uuid: "c",
        isApiErrorMessage: true,
        error: "rate_limit",
        message: { id: "m", role: "assistant", model: "<synthetic>", content: [{ type: "text", text: "Too much." }] },
      },
      {
        type: "system",
        subtype: "compact_boundary",
        uuid: "d",
        compactMetadata: { trigger: "auto", preTokens: 900, postTokens: 100 },
      },
    ];
    const fold = createFold();
    fold.apply({ seq: 1, at: 1, type: "prompt-accepted", uuid: "u", content: "and this" });
    const text = entries.map((entry) => JSON.stringify(entry)).join("\n");
    for (const event of eventsOfTranscript(text, {}, 1)) fold.apply(event);
    expect(fold.rows).toMatchObject([
      { kind: "prompt", content: "and this", state: "done" },
      { kind: "error", source: "limit", text: "Too much." },
      { kind: "compaction", trigger: "auto", before: 900, after: 100 },
    ]);
    expect(fold.head.queue).toEqual([]);
  });

  it("[T1] skips a damaged line and internal entries", () => {
    const text = `not json\n{"type":"queue-operation"}\n{"type":"user","uuid":"u","message":{"role":"user","content":"hello"}}\n{"type":"user","mess`;
    expect(eventsOfTranscript(text, {}, 7)).toEqual([
      {
        seq: 8,
        at: 0,
        type: "imported",
        entry: { type: "user", uuid: "u", message: { role: "user", content: "hello" } },
      },
    ]);
  });
});
