import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openHost } from "./open-host.ts";
import { createMemoryStore } from "./store/memory-store.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "quarterdeck-open-"));
});
afterEach(() => rmSync(root, { recursive: true }));
const claude = { command: "none" };

it("opens with a store in memory, in a folder that does not exist yet", async () => {
  const dataDir = join(root, "new", "data");
  const host = await openHost({ dataDir, claude, store: createMemoryStore() });
  expect(host.list()).toEqual([]);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  await host.close();
});

it("says who holds the folder and what to do", async () => {
  const dataDir = join(root, "data");
  const first = await openHost({ dataDir, claude });
  await expect(openHost({ dataDir, claude })).rejects.toThrow(
    /is in use by process \d+, started .+ Use another `dataDir`\. .+ `@quarterdeck\/client`: .+ makes a token\.$/u,
  );
  await first.close();
  await (await openHost({ dataDir, claude })).close();
});
