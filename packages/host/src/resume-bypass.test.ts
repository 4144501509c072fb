import { programWords } from "@quarterdeck/test-kit/programs";
import { expect, it } from "vitest";
import { bench } from "./host-bench.fixture.ts";

/** As the CLI does for root: it ends at once if it may bypass. */
const REFUSES = `case " $* " in *" --allow-dangerously-skip-permissions "*) echo "not as root" >&2; exit 1;; esac; exec "$0" "$@"`;

it("[H39] a session whose CLI refuses bypass resumes without it", async () => {
  const prefixArgs = ["-c", REFUSES, process.execPath, ...programWords("quarterdeck-sim")];
  const { host, cwd } = await bench([], { claude: { command: "/bin/sh", prefixArgs, version: "2.1.325" } });
  const session = await host.start({ cwd });
  await session.close();
  await expect(host.resume(session.id, { allowBypass: true })).rejects.toThrow(/not as root/u);
  const again = await host.resume(session.id);
  expect(again.isLive).toBe(true);
  expect(again.head.process?.canBypass).toBeUndefined();
});
