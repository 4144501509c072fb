// A host that streams a long text until a test kills it. Each line on stdout is what a person has read by then. Run it
// with a folder that contains a scenario.

import { writeSync } from "node:fs";
import { join } from "node:path";
import { Host } from "./host.ts";
import { openSqliteStore } from "./store/sqlite-store.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

const [, , folder = ""] = process.argv;
const host = await Host.open({
  store: await openSqliteStore(join(folder, "data")),
  claude: { command: process.execPath, prefixArgs: [...programWords("quarterdeck-sim")], version: "2.1.325" },
  environment: () => ({
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    QUARTERDECK_SCENARIO: join(folder, "scenario.json"),
  }),
  dataDirId: folder.replaceAll(/\W/g, ""),
});
const session = await host.start({ cwd: folder, id: "7f9c24e8-3b12-4fef-91e0-3b5b2b1f9b5a" });
session.subscribe(() => {
  for (const { id, kind, text } of session.drafts) writeSync(1, `${JSON.stringify({ id, kind, text })}\n`);
});
await session.prompt("slow");
