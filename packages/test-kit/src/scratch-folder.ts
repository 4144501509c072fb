// A folder that is removed after the test.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export const scratchFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "quarterdeck-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
};
