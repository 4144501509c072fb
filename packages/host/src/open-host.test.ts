import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
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
  const words = (advice: string) => new RegExp(`is in use by process \\d+, started [^ ]+Z?\\. ${advice}$`, "u");
  await expect(openHost({ dataDir, claude })).rejects.toThrow(words("Use another `dataDir`\\."));
  const url = "http://127.0.0.1:7433";
  const server = join(dataDir, "server.json");
  writeFileSync(server, JSON.stringify({ pid: process.pid, url }));
  await expect(openHost({ dataDir, claude })).rejects.toThrow(
    words(`It is the Quarterdeck server at ${url}\\. Connect .+ makes a token\\. Or use another \`dataDir\`\\.`),
  );
  // The file of a server that was killed.
  writeFileSync(server, JSON.stringify({ pid: process.pid + 1, url }));
  await expect(openHost({ dataDir, claude })).rejects.toThrow(words("Use another `dataDir`\\."));
  await first.close();
  await (await openHost({ dataDir, claude })).close();
});
