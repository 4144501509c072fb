import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { DEMO_CHAPTERS } from "@quarterdeck/simulator";
import { findAgent, isLoggedIn, watchLogin } from "./agent.ts";

let folder: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-agent-"));
  mkdirSync(join(folder, "bin"));
  env = { HOME: folder, PATH: `${join(folder, "bin")}:/usr/bin:/bin` };
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A `claude` on the PATH that runs these lines, and records how it was called. */
const claude = (...lines: readonly string[]): string => {
  const path = join(folder, "bin", "claude");
  writeFileSync(path, ["#!/bin/sh", `echo "$*" >> ${join(folder, "calls")}`, ...lines, ""].join("\n"));
  chmodSync(path, 0o755);
  return path;
};
const calls = (): string[] => readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
const find = (given: { claude?: string; demo?: boolean } = {}) =>
  findAgent({ claude: given.claude, demo: given.demo ?? false, dataDir: join(folder, "data"), env });

describe("[A3] the agent", () => {
  it("is the claude on the PATH, with its version", async () => {
    const path = claude('echo "2.1.325 (Claude Code)"');
    expect(await find()).toMatchObject({
      program: { command: path, version: "2.1.325" },
      info: { kind: "claude", version: "2.1.325", path },
      setEnvironment: {},
    });
    expect(existsSync(join(folder, "data-demo"))).toBe(false);
  });

  it("is the demo agent if no claude is found or it does not run, and says why", async () => {
    const missing = await find();
    expect(missing).toMatchObject({
      info: { kind: "demo", problem: expect.stringContaining("No `claude` on the PATH") as string },
    });
    expect(missing.folder).toBe(join(folder, "data-demo", "harbour"));
    // It has its own home, so it cannot see the user's transcripts.
    expect(missing.setEnvironment).toMatchObject({
      HOME: join(folder, "data-demo", "home"),
      CLAUDE_CONFIG_DIR: join(folder, "data-demo", "home", ".claude"),
    });
    claude("echo broken >&2", "exit 1");
    expect((await find()).info).toMatchObject({ kind: "demo", problem: expect.stringContaining("broken") as string });
  });

  it("is the demo agent if the user asked for it, without a problem", async () => {
    claude('echo "2.1.325 (Claude Code)"');
    expect((await find({ demo: true })).info).toEqual({ kind: "demo", chapters: DEMO_CHAPTERS });
  });

  it("is only the program that the user named", async () => {
    await expect(find({ claude: join(folder, "none") })).rejects.toThrow(/No program found at/u);
  });
});

describe("[A4] whether it is logged in", () => {
  const help = 'if [ "$2" = --help ]; then echo "Commands:"; echo "  status [options]  Show"; exit 0; fi';

  it("is read from CLIs that can report it, whatever their exit code", async () => {
    const command = claude(help, `echo '{"loggedIn": false, "authMethod": "none"}'`, "exit 1");
    expect(await isLoggedIn({ command }, env)).toBe(false);
    claude(help, `echo '{"loggedIn": true}'`);
    expect(await isLoggedIn({ command }, env)).toBe(true);
    claude(help, "echo something else");
    expect(await isLoggedIn({ command }, env)).toBeUndefined();
  });

  it("is not asked of an older CLI, which would send the words to a model", async () => {
    const command = claude("echo 'Usage: claude [options] [command] [prompt]'");
    expect(await isLoggedIn({ command }, env)).toBeUndefined();
    expect(calls()).toEqual(["auth --help"]);
  });

  it("is checked again until it is logged in, and only while a caller wants to know", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const watched = async (...answers: (boolean | undefined)[]) => {
      const told: boolean[] = [];
      const left = [...answers];
      const stop = watchLogin(
        async () => left.shift(),
        (loggedIn) => told.push(loggedIn),
      );
      for (let n = 0; n < answers.length; n++) await vi.advanceTimersToNextTimerAsync();
      stop();
      return { told, left };
    };
    expect(await watched(undefined, false)).toEqual({ told: [], left: [false] });
    expect(await watched(false, false, undefined, true, false)).toEqual({ told: [false, true], left: [false] });
    const told: boolean[] = [];
    watchLogin(
      async () => false,
      (loggedIn) => told.push(loggedIn),
    )();
    await vi.advanceTimersToNextTimerAsync();
    expect(told).toEqual([]);
  });
});
