// A tool that lives in this process, and a hook that allows it without a permission request.
// node --conditions=source examples/own-tool.ts

import { defineTool, listen, openHost } from "@quarterdeck/host";
import { z } from "zod";

const tide = defineTool(
  "high_water",
  "When high water is.",
  z.object({ harbour: z.string() }),
  ({ harbour }) => `${harbour}: 06:15, 18:40`,
);

const host = await openHost({ claude: process.env["CLAUDE"] ?? "claude" });
const session = await host.start({
  cwd: process.cwd(),
  servers: [{ name: "tides", tools: [tide] }],
  hooks: [
    {
      event: "PreToolUse",
      matcher: "mcp__tides__.*",
      run: () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } }),
    },
  ],
});
const done = Promise.withResolvers<void>();
listen(session, {
  onText: (text) => process.stdout.write(text),
  onComplete: () => done.resolve(),
  onError: (error) => done.reject(error),
});
await session.prompt("When is high water in Dover?");
try {
  await done.promise;
} finally {
  await host.close();
}
console.log();
