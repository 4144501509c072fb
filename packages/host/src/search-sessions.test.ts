import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFold } from "@quarterdeck/session";
import type { Fact, Fold } from "@quarterdeck/session";
import { afterAll, describe, expect, it } from "vitest";
import { searchSessions } from "./search-sessions.ts";
import type { ReadableSession } from "./session/readable-session.ts";
import type { EventStore } from "./store/event-store.ts";
import { createMemoryStore } from "./store/memory-store.ts";
import { openSqliteStore } from "./store/sqlite-store.ts";
import { facts, recordOf, said, typed } from "./store/store-facts.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "quarterdeck-search-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const memoryOf = (id: string, fold: Fold): ReadableSession =>
  ({
    id,
    get rev() {
      return fold.rev;
    },
    changesSince: (since: number) => ({ ...fold.changes(since), more: false }),
  }) as unknown as ReadableSession;

const called = (id: string, name: string, command: string): Fact => ({
  type: "received",
  message: {
    type: "assistant",
    uuid: `u-${id}`,
    session_id: "s",
    parent_tool_use_id: null,
    message: { id, role: "assistant", model: "m", content: [{ type: "tool_use", id, name, input: { command } }] },
  },
});

describe.each([
  ["memory", async () => createMemoryStore()],
  ["SQLite", () => openSqliteStore(folder)],
] as const)("a search with the %s store", (_, open) => {
  it("finds the same rows, in the same order, whether they are saved or not", async () => {
    const store: EventStore = await open();
    const folds = new Map<string, Fold>();
    const add = async (id: string, ...added: Fact[]): Promise<void> => {
      const fold = folds.get(id) ?? createFold();
      folds.set(id, fold);
      await store.putSession(recordOf(id));
      const from = store.lastSeq(id) * 10;
      const timed = facts(...added).map(({ fact }, at) => ({ at: from + at, fact }));
      for (const event of await store.append(id, timed)) fold.apply(event);
    };
    const save = async (id: string): Promise<void> => {
      const fold = folds.get(id)!;
      await store.saveFold(id, { seq: fold.seq, fold: fold.save() });
    };
    const found = (...filter: Parameters<EventStore["search"]>) =>
      searchSessions(
        store,
        [...folds].map(([id, fold]) => memoryOf(id, fold)),
        ...filter,
      );
    await add("a", typed("p1", "Hoist the mainsail"), said("m1", "The mainsail is up."));
    await add("b", typed("p2", "mainsail?"), called("t1", "Bash", "ls mainsail"), said("m2", "Nothing here."));
    await save("a");
    await add("a", called("t2", "Bash", "rm mainsail"), said("m3", "No more mainsail."));
    const queries: readonly Parameters<EventStore["search"]>[] = [
      ["mainsail", 50],
      ["mainsail", 2],
      ["mains", 50, { kinds: new Set(["command"]) }],
      ["mainsail", 50, { sessions: new Set(["b"]), kinds: new Set(["prompt", "answer"]) }],
      ["mainsail", 50, { since: 5 }],
      ["nothing", 50],
      ["absent", 50],
    ];
    const before = queries.map((query) => found(...query));
    expect(before.map(({ hits }) => hits.length)).toEqual([6, 2, 2, 1, 2, 1, 0]);
    expect(before.map(({ complete }) => complete)).toEqual([true, false, true, true, true, true, true]);
    await save("a");
    await save("b");
    expect(queries.map((query) => found(...query))).toEqual(before);
    // Without what is in memory: the index alone.
    expect(queries.map((query) => store.search(...query))).toEqual(before);
    await store.close();
  });
});
