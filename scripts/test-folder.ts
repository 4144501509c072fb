// One temporary folder and one set of bundled programs for a whole test run. Files that a test leaves in it after its own cleanup fail the run, and are
// removed.

import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testPrograms } from "./test-programs.ts";

/** Vitest calls it before it starts its workers, which inherit the environment. */
export const setup = async (): Promise<void> => {
  // A short name, because some tests create sockets inside, whose paths may have at most 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), "qd-"));
  // Some conformance cases run as another user, who must be able to reach the folders inside.
  chmodSync(folder, 0o711);
  process.env["TMPDIR"] = folder;
  // Any other value makes tests start programs from their sources.
  process.env["QUARTERDECK_TEST_PROGRAMS"] ??= await testPrograms();
};

export const teardown = (): void => {
  const folder = process.env["TMPDIR"]!;
  const left = leftIn(folder);
  if (left.length > 0) {
    process.exitCode = 1;
    console.error(`\nTests left files in the temporary folder. Each must remove its own:\n  ${left.join("\n  ")}`);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
};

/** Node and Chromium keep their own caches there. Each worker's Chromium ends with the worker, and leaves its profile. */
const OTHERS = /^(?:node-compile-cache|\.?org\.chromium\.|playwright[-_])/u;
const leftIn = (folder: string): readonly string[] => readdirSync(folder).filter((name) => !OTHERS.test(name));
