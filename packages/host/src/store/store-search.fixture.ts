// The part of the store contract about search: which words of which rows every store finds, and in which order.

import { createFold, SEARCH_KINDS } from "@quarterdeck/session";
import type { Row } from "@quarterdeck/session";
import { beforeEach, expect, it } from "vitest";
import type { EventStore, FoundAnywhere, SearchFilter } from "./event-store.ts";
import { rowMatcher } from "./search-words.ts";
import { converse, facts, said, typed } from "./store-facts.fixture.ts";

/** A row of each kind, and the words in it that a search finds. Add an example for a new kind. */
const SEARCHED = {
  prompt: [
    { kind: "prompt", content: [{ type: "text", text: "hoist" }], state: "blocked", reason: "wind" },
    "hoist wind",
  ],
  text: [{ kind: "text", messageId: "m", text: "anchor" }, "anchor"],
  thinking: [{ kind: "thinking", messageId: "m", text: "ponder" }, "ponder"],
  tool: [
    {
      kind: "tool",
      messageId: "m",
      toolUseId: "t",
      name: "Bash",
      input: { command: "ls", deep: [{ more: "keel" }] },
      state: "done",
      result: { tool: "other", name: "Bash", ok: true, text: "hull" },
    },
    "bash ls keel hull",
  ],
  block: [{ kind: "block", messageId: "m", block: { type: "image", about: "gull" } }, "gull"],
  turn: [
    {
      ...{ kind: "turn", prompts: [], ok: false, subtype: "s", reason: "storm", errors: ["leak"], denials: [] },
      ...{ costUsd: 0, durationMs: 0, steps: 0, inputTokens: 0, outputTokens: 0, structuredOutput: { found: "pearl" } },
      ...{ cacheReadTokens: 0, cacheWriteTokens: 0, apiMs: 0, byModel: {} },
    },
    "storm leak pearl",
  ],
  error: [{ kind: "error", source: "api", text: "wreck" }, "wreck"],
  command: [{ kind: "command", name: "compass", text: "north", failed: false }, "compass north"],
  compaction: [{ kind: "compaction", summary: "logbook", failed: "torn" }, "logbook torn"],
  mark: [{ kind: "mark", what: "model", text: "course" }, "course"],
  hook: [{ kind: "hook", hookId: "h", event: "Stop", name: "bosun", output: "whistle" }, "bosun whistle"],
  request: [{ kind: "request", requestId: "r", subtype: "s", text: "harbor", fate: "open" }, "harbor"],
  notice: [{ kind: "notice", level: "info", topic: "tide", text: "ebb" }, "tide ebb"],
  retry: [
    { kind: "retry", attempt: 1, of: 2, delayMs: 1, status: null, error: "overloaded", until: 2, over: false },
    "overloaded",
  ],
  unknown: [{ kind: "unknown", reason: "shape", value: { flotsam: "crate" } }, "crate"],
  noise: [{ kind: "noise", reason: "static", size: 1 }, ""],
} satisfies { readonly [K in Row["kind"]]?: readonly [Omit<Extract<Row, { kind: K }>, keyof Base>, string] };
type Base = Pick<Row, "id" | "order" | "rev" | "at" | "seqs">;

/** Words that two search implementations easily treat differently: a text, then queries that find it. */
const HARD_WORDS: readonly (readonly [text: string, ...queries: string[]])[] = [
  ["Überlauf naïve", "uberl", "NAIVE", "u\u0308berlauf"],
  ["район Ёлка", "район", "РАЙ", "ёлка"],
  ["한국어 검색", "한국", "한국어"],
  ["हिन्दी में", "हिन्दी"],
  ["ΟΔΟΣ οδός", "οδος", "οδοσ", "ὁδός"],
  ["İstanbul ﬁn", "istanbul", "ﬁn"],
  ["Straße", "straße", "STRAß"],
  ["日本語 の", "日本語", "日本"],
  ["done🙃then 🦑squid", "then", "squid", "done then"],
  ["snake_case-and.dots", "case-and.do", "snake dots"],
  ["e\u0301\u20ddtude", "etude"],
  ["5µm ½", "5μm", "½"],
];

/** `opened` returns the store of the test that runs. */
export const searchContract = (opened: () => EventStore): void => {
  let store: EventStore;

  beforeEach(() => {
    store = opened();
  });

  it("finds rows by prefixes of their words, newest first", async () => {
    const fold = createFold();
    await converse(store, "a", fold, typed("p1", "Fix the Überlauf in src/line-splitter.ts"), said("m1", "Fixed it."));
    await converse(store, "b", createFold(), typed("p2", "What does “fix” mean?"), said("m2", 'a "quoted" AND b*'));
    const found = (query: string): string[] => store.search(query, 9).hits.map(({ rowId }) => rowId);
    expect(found("fix").toSorted()).toEqual(["m1/0", "prompt/p1", "prompt/p2"]);
    expect(found("fix uberl")).toEqual(["prompt/p1"]);
    expect(found("line-splitter.ts")).toEqual(["prompt/p1"]);
    expect(found("splitter-line")).toEqual([]);
    expect(found('"quoted" AND b*')).toEqual(["m2/0"]);
    expect(found("xfix")).toEqual([]);
    expect(found(' "* ')).toEqual([]);
    const [quoted] = store.search("quoted", 9).hits;
    const kept = store.row("b", "m2/0")!;
    expect(quoted).toEqual({
      session: "b",
      rowId: "m2/0",
      order: kept.order,
      at: kept.at,
      kind: "answer",
      excerpt: 'a "quoted" AND b*',
    });
    expect(store.search("fix", 1)).toMatchObject({ hits: [expect.anything()], complete: false });
    const [newest] = await store.append("a", [{ at: 9e12, fact: said("m9", "fix ".repeat(100)) }]);
    fold.apply(newest!);
    await store.saveFold("a", { seq: fold.seq, fold: fold.save() });
    expect(found("fix")[0]).toBe("m9/0");
    expect(store.search("fix", 1).hits[0]?.excerpt).toMatch(/^fix fix .*…$/);
  });

  it("searches the same words of every row kind", async () => {
    const fold = createFold();
    for (const event of await store.append("a", facts(typed("p1", "first")))) fold.apply(event);
    const rows = Object.values(SEARCHED).map(([row], at): Row => ({
      ...row,
      id: row.kind,
      order: at + 1,
      rev: 1,
      at,
      seqs: [],
    }));
    const saved = fold.save();
    await store.saveFold("a", { seq: fold.seq, fold: { ...saved, timeline: { ...saved.timeline, rows } } });
    for (const [{ kind }, words] of Object.values(SEARCHED)) {
      for (const word of words.split(" ").filter(Boolean)) {
        expect([word, ...store.findRows("a", word, 99).map(({ rowId }) => rowId)]).toEqual([word, kind]);
      }
    }
    // Field names, ids, states and numbers are not searched.
    for (const word of ["command", "flotsam", "blocked", "static", "shape"]) {
      expect([word, ...store.findRows("a", word, 99)]).toEqual([word]);
    }
  });

  it("limits a search to sessions, times and kinds, each row having one kind", async () => {
    const tools = ["Bash", "Read", "Task"].map((name) => ({ ...SEARCHED.tool[0], name }));
    for (const [number, session] of ["a", "b"].entries()) {
      const fold = createFold();
      for (const event of await store.append(session, facts(typed("p1", "first")))) fold.apply(event);
      const kinds = [...Object.values(SEARCHED).map(([row]) => row), ...tools];
      const rows = kinds.map((row, at): Row => {
        const base = { ...row, id: `${row.kind}/${at}`, order: at + 1, rev: 1, at: number * 100 + at, seqs: [] };
        const word = SEARCHED[row.kind][1].split(" ").at(-1)!;
        return JSON.parse(word === "" ? JSON.stringify(base) : JSON.stringify(base).replace(word, "anchorage")) as Row;
      });
      const saved = fold.save();
      await store.saveFold(session, { seq: fold.seq, fold: { ...saved, timeline: { ...saved.timeline, rows } } });
    }
    const all = store.search("anchorage", 999).hits;
    expect(all.length).toBeGreaterThan(30);
    const found = (filter: SearchFilter): string[] =>
      store.search("anchorage", 999, filter).hits.map(({ session, rowId }) => `${session} ${rowId}`);
    const wanted = (passes: (hit: FoundAnywhere) => boolean): string[] =>
      all.filter(passes).map(({ session, rowId }) => `${session} ${rowId}`);
    for (const kind of SEARCH_KINDS) {
      const ofKind = wanted((hit) => hit.kind === kind);
      expect([kind, ofKind.length > 0]).toEqual([kind, true]);
      expect([kind, ...found({ kinds: new Set([kind]) })]).toEqual([kind, ...ofKind]);
    }
    expect(found({ sessions: new Set(["b", "nobody"]) })).toEqual(wanted(({ session }) => session === "b"));
    expect(found({ sessions: new Set() })).toEqual([]);
    expect(found({ since: 5, until: 103 })).toEqual(wanted(({ at }) => at >= 5 && at < 103));
    expect(found({ kinds: new Set(["prompt", "file"]), sessions: new Set(["a"]), until: 100 })).toEqual(
      wanted(({ session, kind }) => session === "a" && (kind === "prompt" || kind === "file")),
    );
  });

  it("finds words of every script, like a search in memory", async () => {
    const fold = createFold();
    await converse(store, "a", fold, ...HARD_WORDS.map(([text], at) => said(`m${at}`, text)));
    for (const [at, [, ...queries]] of HARD_WORDS.entries()) {
      for (const query of queries) {
        expect([query, ...store.findRows("a", query, 99)]).toEqual([
          query,
          expect.objectContaining({ rowId: `m${at}/0` }),
        ]);
        const match = rowMatcher(query);
        expect(store.findRows("a", query, 99)).toEqual(fold.rows.flatMap((row) => match(row) ?? []));
      }
    }
  });

  it("finds rows within one session, in row order", async () => {
    const fold = createFold();
    await converse(store, "a", fold, typed("p1", "Fix it"), said("m1", "Not yet."), said("m2", "Now it is fixed."));
    await converse(store, "b", createFold(), typed("p1", "Fix it too"));
    expect(store.findRows("a", "fix", 9)).toEqual([
      { rowId: "prompt/p1", order: fold.rows[0]!.order, excerpt: "Fix it" },
      { rowId: "m2/0", order: fold.rows[2]!.order, excerpt: "Now it is fixed." },
    ]);
    expect(store.findRows("a", "fix", 1)).toHaveLength(1);
    expect(store.findRows("a", "  ", 9)).toEqual([]);
    expect(store.findRows("nobody", "fix", 9)).toEqual([]);
  });
};
