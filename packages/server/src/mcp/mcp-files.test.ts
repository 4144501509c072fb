import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileTrustStore, readFolder, trust, trustIn } from "@quarterdeck/host";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { expect, it } from "vitest";
import { previewChange, readServers, saveChange, withKept } from "./mcp-files.ts";
import type { McpChange, McpPlace } from "./mcp-files.ts";

const TIDE = { type: "stdio", command: "tide", args: [], env: { API_TOKEN: "a-secret" } };

const setUp = () => {
  const root = scratchFolder();
  const cwd = join(root, "work");
  const configFolder = join(root, ".claude");
  for (const folder of [cwd, configFolder]) mkdirSync(folder);
  const place: McpPlace = { cwd, project: cwd, configFolder };
  const known = { trust: fileTrustStore(join(root, "trusted.json")), hidden: [] };
  const save = async (change: McpChange): Promise<void> =>
    saveChange(place, change, (await previewChange(place, change)).hash, known);
  return { root, cwd, place, known, save };
};

it("[A7] changes only the servers of a file, keeps hidden values, and refuses what changed meanwhile", async () => {
  const { root, place, known, save } = setUp();
  const path = join(root, ".claude.json");
  writeFileSync(
    path,
    JSON.stringify({ oauthAccount: { id: "me" }, projects: { "/other": { mcpServers: { x: TIDE } } } }),
  );
  await save({ scope: "local", name: "tide", config: TIDE });
  await save({ scope: "user", name: "all", config: TIDE });
  const { servers } = await readServers(place);
  expect(servers.map(({ scope, name }) => `${scope} ${name}`)).toEqual(["local tide", "user all"]);
  const edit = {
    scope: "user",
    name: "all",
    config: { ...TIDE, args: ["-v"], env: { API_TOKEN: "<hidden>" } },
  } as const;
  const seen = await previewChange(place, edit);
  expect(JSON.stringify(seen.hunks)).toContain("-v");
  expect(JSON.stringify(seen.hunks)).not.toContain("a-secret");
  await saveChange(place, edit, seen.hash, known);
  const written = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  expect(written).toMatchObject({
    oauthAccount: { id: "me" },
    mcpServers: { all: { args: ["-v"], env: { API_TOKEN: "a-secret" } } },
    projects: { "/other": { mcpServers: { x: TIDE } } },
  });
  await expect(saveChange(place, edit, seen.hash, known)).rejects.toMatchObject({ code: "changed" });
  await expect(save({ scope: "user", name: "none", config: null })).rejects.toMatchObject({ code: "not-found" });
  expect(() => withKept({ env: { A: "<hidden>" } }, undefined)).toThrow(/Type the value/u);
  writeFileSync(path, "{ not json");
  await expect(save({ scope: "user", name: "all", config: TIDE })).rejects.toMatchObject({ code: "unsupported" });
});

it("[A7] keeps a trusted folder trusted if only the servers changed that a person saw", async () => {
  const { cwd, place, known, save } = setUp();
  const state = async () => trustIn(await readFolder(cwd, { configDir: place.configFolder }), known.trust);
  await trust(cwd, known.trust, { configDir: place.configFolder });
  await save({ scope: "project", name: "tide", config: TIDE });
  expect(JSON.parse(readFileSync(join(cwd, ".mcp.json"), "utf8"))).toEqual({ mcpServers: { tide: TIDE } });
  expect(await state()).toBe("trusted");
  mkdirSync(join(cwd, ".claude"));
  writeFileSync(join(cwd, ".claude", "settings.json"), '{"hooks":{}}');
  await save({ scope: "project", name: "tide", config: null });
  expect(await state()).toBe("changed");
});
