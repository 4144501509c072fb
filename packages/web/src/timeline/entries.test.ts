import { describe, expect, it } from "vitest";
import type { Row } from "@quarterdeck/client";
import { EntryBook, tailOf } from "./entries.ts";
import { FlowingText } from "../content/markdown/flowing-text.ts";

const base = (id: string, order: number, at = 1_700_000_000_000) => ({ id, order, rev: order, at, seqs: [order] });
const text = (id: string, order: number, words: string): Row => ({
  ...base(id, order),
  kind: "text",
  messageId: "m",
  text: words,
});
const prompt = (id: string, order: number, state: "queued" | "done", at?: number): Row => ({
  ...base(id, order, at),
  kind: "prompt",
  content: "hi",
  state,
});
const long = Array.from({ length: 30 }, (_, index) => `Paragraph ${index}. ${"more words ".repeat(30)}`).join("\n\n");

describe("EntryBook", () => {
  it("gives the same objects for what has not changed, and the same list where nothing has", () => {
    const book = new EntryBook();
    const rows = [prompt("p", 1, "done"), text("t", 2, long), text("u", 3, "short")];
    const first = book.entries(rows, []);
    expect(book.entries([...rows], [])).toBe(first);
    const next = book.entries([...rows.slice(0, 2), text("u", 3, "longer now")], []);
    expect(next.slice(0, -1)).toEqual(first.slice(0, -1));
    for (const [index, entry] of next.slice(0, -1).entries()) expect(entry).toBe(first[index]);
    expect(next.at(-1)).not.toBe(first.at(-1));
  });

  it("cuts a long text into parts, the first under the row's own id", () => {
    const keys = new EntryBook().entries([text("t", 1, long)], []).map((entry) => entry.key);
    expect(keys.length).toBeGreaterThan(3);
    expect(keys.slice(0, 3)).toEqual(["t", "t~1", "t~2"]);
  });

  it("keeps the keys of a text when its draft becomes a row", () => {
    const book = new EntryBook();
    const flowing = new FlowingText({ id: "t", text: long });
    const drafted = book.entries([], [flowing]).map((entry) => entry.key);
    expect(book.entries([text("t", 1, long)], []).map((entry) => entry.key)).toEqual(drafted);
  });

  it("puts drafts behind the rows and what waits behind the drafts", () => {
    const rows = [prompt("a", 1, "done"), prompt("q", 2, "queued"), text("t", 3, "said")];
    const flowing = new FlowingText({ id: "d", text: "half" });
    expect(new EntryBook().entries(rows, [flowing]).map((entry) => entry.key)).toEqual(["a", "t", "d", "q"]);
  });

  it("says where a day begins, also after rows were added before", () => {
    const day = 86_400_000;
    const noon = new Date(2026, 1, 3, 12).getTime();
    const rows = [prompt("a", 1, "done", noon), prompt("b", 2, "done", noon + day), prompt("c", 3, "done", noon + day)];
    const book = new EntryBook();
    expect(book.entries(rows.slice(1), []).map((entry) => entry.key)).toEqual(["b", "c"]);
    expect(book.entries(rows, []).map((entry) => entry.key)).toEqual(["a", "day/b", "b", "c"]);
  });

  it("leaves out what stands elsewhere", () => {
    const rows: Row[] = [prompt("a", 1, "done"), { ...text("t", 2, "inside"), parent: "call" }];
    expect(new EntryBook((row) => row.parent === undefined).entries(rows, []).map((entry) => entry.key)).toEqual(["a"]);
  });
});

it("says what is happening while nothing has come yet: above waiting prompts during a turn, below them before a turn", () => {
  const keys = (entries: readonly { key: string }[]) => entries.map(({ key }) => key);
  const rows = [prompt("p", 1, "done"), prompt("q", 2, "queued")];
  const [first, second] = keys(new EntryBook().entries(rows, []));
  expect(keys(new EntryBook().entries(rows, [], "turn"))).toEqual([first, "tail", second]);
  expect(keys(new EntryBook().entries(rows, [], "start"))).toEqual([first, second, "tail"]);
  const queued = { rowId: "p", state: "sent" } as const;
  expect(tailOf({ phase: "thinking", queue: [] }, 0)).toBe("turn");
  expect(tailOf({ phase: "thinking", queue: [queued] }, 1)).toBeUndefined();
  expect(tailOf({ phase: "tool", queue: [queued] }, 0)).toBeUndefined();
  expect(tailOf({ phase: "idle", queue: [queued] }, 0)).toBe("start");
  expect(tailOf({ phase: "idle", queue: [] }, 0)).toBeUndefined();
  expect(tailOf({ phase: "died", queue: [queued] }, 0)).toBeUndefined();
});
