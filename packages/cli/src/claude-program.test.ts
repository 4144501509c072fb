import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findClaudeFile } from "./claude-program.ts";
import { program, scratchFolder } from "./fake-claude.fixture.ts";

const LARGE = `#!/usr/bin/env node\n${"// the whole CLI\n".repeat(5000)}`;

test("follows a link on the PATH to the script behind it", () => {
  const folder = realpathSync(scratchFolder());
  const script = program(folder, "cli.js", LARGE);
  mkdirSync(join(folder, "bin"));
  symlinkSync("../cli.js", join(folder, "bin", "claude"));
  expect(findClaudeFile(undefined, `/nowhere:${join(folder, "bin")}`)).toEqual({
    command: join(folder, "bin", "claude"),
    prefixArgs: [],
    file: script,
    size: LARGE.length,
    kind: "script",
  });
});

test("follows an npm shell shim to the script that it starts", () => {
  const folder = realpathSync(scratchFolder());
  mkdirSync(join(folder, "lib"));
  const script = program(join(folder, "lib"), "cli.js", LARGE);
  const shim = program(folder, "claude", `#!/bin/sh\nbasedir=$(dirname "$0")\nexec node  "$basedir/lib/cli.js" "$@"\n`);
  expect(findClaudeFile(shim)).toMatchObject({ command: shim, file: script });
});

test("if the npm install script did not run, finds the binary of this platform", () => {
  const scope = join(realpathSync(scratchFolder()), "node_modules", "@anthropic-ai");
  const platform = join(scope, `claude-code-${process.platform}-${process.arch}`);
  for (const path of [join(scope, "claude-code", "bin"), platform]) mkdirSync(path, { recursive: true });
  const placeholder = program(join(scope, "claude-code", "bin"), "claude.exe", "placeholder");
  const binary = program(platform, "claude", `\u007fELF\0${"x".repeat(100_000)}`);
  expect(findClaudeFile(placeholder)).toMatchObject({ command: binary, file: binary, kind: "binary" });
});

test("a shim that names itself does not cause a loop", () => {
  const folder = realpathSync(scratchFolder());
  const shim = program(folder, "claude", `#!/bin/sh\nexec "${join(folder, "claude")}"\n`);
  expect(findClaudeFile(shim)).toMatchObject({ file: shim });
});

test("a missing program is reported with how to get it", () => {
  const folder = scratchFolder();
  expect(() => findClaudeFile(undefined, folder)).toThrow(/No `claude` on the PATH\. Install Claude Code/);
  expect(() => findClaudeFile(join(folder, "claude"))).toThrow(/No program found at .*Install Claude Code/);
  writeFileSync(join(folder, "claude"), "text");
  chmodSync(join(folder, "claude"), 0o644);
  expect(() => findClaudeFile(join(folder, "claude"))).toThrow(/is not executable/);
});
