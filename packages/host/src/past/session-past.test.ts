import { expect, it } from "vitest";
import { createMemoryStore } from "../store/memory-store.ts";
import { newsOf, uuidsOf } from "./session-past.ts";

it("[H24] finds the last message behind thousands of other facts, so that nothing is imported twice", async () => {
  const store = createMemoryStore();
  const entry = (uuid: string) => ({ type: "assistant", uuid, message: { role: "assistant", content: [] } });
  const quiet = Array.from({ length: 12_000 }, () => ({ at: 0, fact: { type: "stderr", text: "." } as const }));
  await store.append("s", [{ at: 0, fact: { type: "received", message: entry("one") } }, ...quiet]);
  const known = uuidsOf(store, "s");
  expect([...known]).toEqual(["one"]);
  const transcript = ["one", "two"].map((uuid, index) => {
    return { seq: index + 1, at: 0, type: "imported", entry: entry(uuid) } as const;
  });
  expect(newsOf(transcript, known)).toEqual([{ type: "imported", entry: entry("two") }]);
  await store.close();
});
