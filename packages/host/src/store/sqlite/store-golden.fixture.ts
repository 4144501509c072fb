// Writes a store with the current schema, so that later versions can prove that they still read it. Run this file to
// write the golden folder of a new schema. Folders of older schemas are never written again.

import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFold, FOLD_VERSION } from "@quarterdeck/session";
import type { EventStore } from "../event-store.ts";
import { openSqliteStore } from "../sqlite-store.ts";
import { MIGRATIONS } from "./volume.ts";

export const GOLDEN_ROOT = fileURLToPath(new URL("../../../fixtures/", import.meta.url));
const goldenName = (schema: number): string => `store-schema-${schema}`;
export const EXPECTED_FILE = "expected.json";

/** What every later schema and fold must still read. Long texts are hashed. */
export const contentOf = (store: EventStore, foldVersion: number): unknown => {
  const content = {
    foldVersion,
    records: store.sessions(),
    sessions: Object.keys(store.usage().sessions)
      .toSorted()
      .map((id) => ({
        id,
        events: store.read(id, 0, 1000),
        fold: store.loadFold(id, foldVersion) ?? null,
        drafts: store.loadDrafts(id),
        rows: store.rowsBefore(id, Number.MAX_SAFE_INTEGER, 1000).rows,
      })),
    found: store.search("golden", 10).hits.map(({ session, rowId, excerpt }) => ({ session, rowId, excerpt })),
  };
  const shortened = JSON.stringify(content, (_, value: unknown) =>
    typeof value === "string" && value.length > 1000 ? createHash("sha256").update(value).digest("hex") : value,
  );
  return JSON.parse(shortened);
};

const write = async (folder: string): Promise<unknown> => {
  const store = await openSqliteStore(folder, { volumeBytes: 1 });
  for (const [id, words] of [
    ["first", "a golden answer"],
    ["second", `a large golden answer ${"0123456789 ".repeat(25_000)}`],
  ] as const) {
    const fold = createFold();
    const message = {
      type: "assistant",
      uuid: "u1",
      session_id: "cli",
      parent_tool_use_id: null,
      message: { id: "m1", role: "assistant", model: "model", content: [{ type: "text", text: words }] },
    };
    const events = await store.append(id, [
      { at: 1.5, fact: { type: "process-started", pid: 1, version: "2.1.325", cwd: "/project" } },
      { at: 2, fact: { type: "prompt-accepted", uuid: "p1", content: "a golden question", by: { id: "laptop" } } },
      { at: 3, fact: { type: "received", message } },
    ]);
    for (const event of events) fold.apply(event);
    await store.saveFold(id, { seq: fold.seq, fold: fold.save() });
    await store.putSession({
      id,
      createdAt: 1,
      updatedAt: 3,
      cwd: "/project",
      title: `The ${id}`,
      archived: id === "second",
      cliSessionId: "cli",
      settings: { model: "opus", nested: { list: [1, null, "three"] } },
    });
    store.saveDrafts(id, { "m2/0": "an unfinished answer" });
  }
  const content = contentOf(store, FOLD_VERSION);
  await store.close();
  return content;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-golden-"));
  const content = await write(folder);
  rmSync(join(folder, "lock"));
  const golden = join(GOLDEN_ROOT, goldenName(MIGRATIONS.length));
  cpSync(folder, join(golden, "data"), { recursive: true, errorOnExist: true, force: false });
  writeFileSync(join(golden, EXPECTED_FILE), `${JSON.stringify(content, undefined, 2)}\n`);
  rmSync(folder, { recursive: true });
}
