import { join } from "node:path";
import { fileTrustStore } from "@quarterdeck/host";
import { TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";
import { bench } from "@quarterdeck/test-kit/real-host";
import { expect, it } from "vitest";
import { previewChange, saveChange } from "./mcp-files.ts";
import type { McpScope } from "./mcp-files.ts";
import { readMcpLog } from "./mcp-log.ts";

/** Ends at once: what counts here is that the CLI reads the entry, tries it, and logs that. */
const BROKEN = { type: "stdio", command: process.execPath, args: ["-e", "process.exit(3)"] };

it.each(TRIED_VERSIONS)("[A7] Claude Code %s reads the written servers, and its log is found", async (version) => {
  const { root, start } = await bench(version);
  const place = { cwd: root, project: root, configFolder: join(root, ".claude") };
  const known = { trust: fileTrustStore(join(root, "trusted.json")), hidden: [] };
  for (const [scope, name] of [
    ["user", "beacon"],
    ["local", "pier"],
  ] as const satisfies readonly (readonly [McpScope, string])[]) {
    const change = { scope, name, config: BROKEN };
    await saveChange(place, change, (await previewChange(place, change)).hash, known);
  }
  const session = await start();
  await expect
    .poll(
      async () => {
        const { mcpServers } = await session.request({ subtype: "mcp_status" });
        return mcpServers.map(({ name, status, scope }) => `${name} ${status} ${scope ?? ""}`).toSorted();
      },
      { timeout: 60_000, interval: 200 },
    )
    .toEqual(["beacon failed user", "pier failed local"]);
  await expect
    .poll(async () => (await readMcpLog(join(root, ".cache"), root, "beacon")).lines.map(({ level }) => level), {
      timeout: 60_000,
    })
    .toContain("error");
});
