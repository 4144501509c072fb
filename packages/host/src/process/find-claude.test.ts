import { appendFileSync, chmodSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { findClaude } from "./find-claude.ts";

const PATH = process.env["PATH"] ?? "";
const LARGE = "# the whole CLI\n".repeat(5000);

/** A program that answers `--version` and counts its calls. */
const fakeClaude = (file: string, says = "9.8.7 (Claude Code)", rest = LARGE): string => {
  writeFileSync(file, `#!/bin/sh\necho asked >> ${file}.log\necho '${says}'\nexit 0\n${rest}`);
  chmodSync(file, 0o755);
  return file;
};
const timesAsked = (file: string): number => readFileSync(`${file}.log`, "utf8").split("\n").length - 1;
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("where it is", () => {
  test("finds the first executable of that name on the PATH, and the file behind its links", async () => {
    const folder = scratchFolder();
    for (const name of ["a", "b", "c"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "a", "claude"), "not executable");
    const file = fakeClaude(join(folder, "c", "cli.js"));
    symlinkSync("../c/cli.js", join(folder, "b", "claude"));
    const searchPath = ["relative", join(folder, "a"), join(folder, "b"), PATH].join(delimiter);
    expect(await findClaude({ env: { PATH: searchPath } })).toEqual({
      command: join(folder, "b", "claude"),
      prefixArgs: [],
      file,
      version: "9.8.7",
    });
  });

  test("follows an npm shim to the script that it starts", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "lib"));
    const file = fakeClaude(join(folder, "lib", "cli.js"), "2.1.38 (Claude Code)");
    const shim = join(folder, "claude");
    writeFileSync(shim, `#!/bin/sh\nbasedir=$(dirname "$0")\nexec "$basedir/lib/cli.js" "$@"\n`);
    chmodSync(shim, 0o755);
    expect(await findClaude({ program: shim, env: { PATH } })).toEqual({
      command: shim,
      prefixArgs: [],
      file,
      version: "2.1.38",
    });
  });

  test("if the npm install script did not run, finds the binary of this platform and runs it directly", async () => {
    const scope = join(scratchFolder(), "node_modules", "@anthropic-ai");
    const platform = join(scope, `claude-code-${process.platform}-${process.arch}`);
    for (const path of [join(scope, "claude-code", "bin"), platform]) mkdirSync(path, { recursive: true });
    const file = fakeClaude(join(platform, "claude"));
    const placeholder = join(scope, "claude-code", "bin", "claude.exe");
    writeFileSync(placeholder, "#!/bin/sh\necho 'the install script did not run' >&2\nexit 1\n");
    chmodSync(placeholder, 0o755);
    expect(await findClaude({ program: placeholder, env: { PATH } })).toMatchObject({ command: file, file });
  });

  test("runs a script that is not executable with our Node", async () => {
    const file = join(scratchFolder(), "cli.js");
    writeFileSync(file, `console.log("2.1.22 (Claude Code)");\n${LARGE.replaceAll("#", "//")}`);
    expect(await findClaude({ program: file, env: { PATH } })).toEqual({
      command: process.execPath,
      prefixArgs: [file],
      file,
      version: "2.1.22",
    });
  });

  test("accepts the simulator", async () => {
    const program = fileURLToPath(new URL("../../../simulator/src/quarterdeck-sim.ts", import.meta.url));
    expect(await findClaude({ program, env: { PATH } })).toMatchObject({ file: program, version: "2.1.325" });
  });
});

describe("its version", () => {
  test("is read once, and again after an update", async () => {
    const program = fakeClaude(join(scratchFolder(), "claude"));
    const env = { PATH };
    const found = await Promise.all([findClaude({ program, env }), findClaude({ program, env })]);
    await findClaude({ program, env });
    expect(found.map(({ version }) => version)).toEqual(["9.8.7", "9.8.7"]);
    expect(timesAsked(program)).toBe(1);

    fakeClaude(program, "9.8.8 (Claude Code)");
    utimesSync(program, new Date(0), new Date(1));
    expect(await findClaude({ program, env })).toMatchObject({ version: "9.8.8" });
    appendFileSync(program, "# one more line\n");
    expect(await findClaude({ program, env })).toMatchObject({ version: "9.8.8" });
    expect(timesAsked(program)).toBe(3);
  });

  test("is read again after a failure", async () => {
    const folder = scratchFolder();
    const program = join(folder, "claude");
    writeFileSync(
      program,
      `#!/bin/sh\ntest -e ${folder}/ok && echo '1.2.3 (Claude Code)' && exit 0\necho 'no luck.' >&2; exit 3\n`,
    );
    chmodSync(program, 0o755);
    expect(await failureOf(findClaude({ program, env: { PATH } }))).toMatchObject({
      code: "does-not-run",
      message: expect.stringContaining("no luck. Run") as unknown,
    });
    writeFileSync(join(folder, "ok"), "");
    expect(await findClaude({ program, env: { PATH } })).toMatchObject({ version: "1.2.3" });
  });
});

describe("errors say what to do", () => {
  test.each([
    [
      "nothing on the PATH",
      () => ({ env: { PATH: scratchFolder() } }),
      "not-found",
      /No `claude` on the PATH\. Install/,
    ],
    ["no PATH", () => ({ env: {} }), "not-found", /Install Claude Code/],
    [
      "a path that leads nowhere",
      () => ({ program: join(scratchFolder(), "x"), env: {} }),
      "not-found",
      /No program found at .*Install/,
    ],
    ["a folder", () => ({ program: scratchFolder(), env: {} }), "not-found", /No program found at/],
    [
      "a file that is not executable",
      () => {
        const program = fakeClaude(join(scratchFolder(), "claude"));
        chmodSync(program, 0o644);
        return { program, env: { PATH } };
      },
      "not-executable",
      /chmod \+x/,
    ],
    [
      "another program",
      () => ({ program: fakeClaude(join(scratchFolder(), "claude"), "GNU claude 1.0.0"), env: { PATH } }),
      "not-claude",
      /not Claude Code: its --version says GNU claude 1\.0\.0/,
    ],
    [
      "a script without its interpreter",
      () => {
        const program = join(scratchFolder(), "claude");
        writeFileSync(program, "#!/usr/bin/env no-such-node\n");
        chmodSync(program, 0o755);
        return { program, env: { PATH } };
      },
      "does-not-run",
      /no-such-node/,
    ],
  ])("%s", async (_, options, code, message) => {
    expect(await failureOf(findClaude(options()))).toMatchObject({
      name: "FindClaudeError",
      code,
      message: expect.stringMatching(message) as unknown,
    });
  });
});
