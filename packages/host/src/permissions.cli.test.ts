// Modes, bypass and policies with the real CLI, newest and 2.1.38.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "@quarterdeck/simulator";
import { describe, expect, it } from "vitest";
import { bench, tool, turn } from "@quarterdeck/test-kit/real-host";

const calls = (when: string, name: string, input: Record<string, unknown>): Script => ({
  when,
  steps: [{ say: [{ tool: name, input }] }, { say: [{ text: "Done." }] }],
});
const SCRIPTS: readonly Script[] = [
  calls("[[write]]", "Write", { file_path: "written.txt", content: "x" }),
  calls("[[list]]", "Bash", { command: "ls -a" }),
  calls("[[hidden]]", "Bash", { command: "eval 'touch hidden.txt'" }),
  calls("[[ruled]]", "Bash", { command: "touch ruled.txt" }),
];

/** The CLI refuses to bypass for root, unless it is told that it runs in a sandbox. */
const SANDBOX = { IS_SANDBOX: "1" };

describe.each(["2.1.325", "2.1.38"])("permissions of the real CLI %s through the host", (version) => {
  const open = async (settings?: object, over = {}) => {
    const opened = await bench(version, over, SCRIPTS);
    if (settings !== undefined) {
      mkdirSync(join(opened.root, ".claude"), { recursive: true });
      writeFileSync(join(opened.root, ".claude", "settings.json"), JSON.stringify(settings));
    }
    return opened;
  };

  it("[H38] starts in the user's defaultMode, and in another one if that was chosen", async () => {
    const { root, start } = await open({ permissions: { defaultMode: "acceptEdits" } });
    const session = await start();
    expect(session.head.mode).toBe("acceptEdits");
    await turn(session, "[[write]]");
    expect(existsSync(join(root, "written.txt"))).toBe(true);
    expect(tool(session)?.requestId).toBeUndefined();
    // As the process reports it.
    expect(session.head.mode).toBe("acceptEdits");
    await session.close();
    const planned = await start({ cli: { permissionMode: "plan" } });
    await turn(planned, "hello");
    expect(planned.head.mode).toBe("plan");
  });

  it("[H39] switches to bypass only if that was allowed at the start, and says what to do", async () => {
    const { host, options, start } = await open(undefined, {});
    const environment = options.environment;
    Object.assign(options, { environment: (marker: string) => ({ ...environment(marker), ...SANDBOX }) });
    const session = await start();
    await expect(session.setPermissionMode("bypassPermissions")).rejects.toMatchObject({
      code: "bypass-unavailable",
      message: expect.stringMatching(/resume the session with bypass allowed/u) as string,
    });
    await turn(session, "hello");
    expect(session.head).toMatchObject({ mode: "default" });
    await session.close();
    const again = await host.resume(session.id, { allowBypass: true });
    expect(again.head.process).toMatchObject({ canBypass: true });
    await again.setPermissionMode("bypassPermissions");
    await turn(again, "[[ruled]]");
    expect(tool(again)).toMatchObject({ state: "done" });
    expect(tool(again)?.requestId).toBeUndefined();
    expect(again.head.mode).toBe("bypassPermissions");
  });
});
