// Small programs that stand in for `claude` in tests, written to the test's scratch folder.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export const scratchFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

export const program = (folder: string, name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
};

export const nodeProgram = (folder: string, name: string, code: string): string =>
  program(folder, name, `#!${process.execPath}\n${code}\n`);
