import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { PrivateFiles } from "./private-files.ts";

describe("options that may hold secrets", () => {
  it("are stored in files that only this user can read, or sent over the pipe, and are deleted afterwards (S47)", () => {
    const folder = join(scratchFolder(), "launch");
    const schema = { type: "object" };
    const agents = { helper: { description: "d", prompt: "p" } };
    const { flags, initialize, remove } = new PrivateFiles(folder).keep({
      model: "opus",
      systemPrompt: "- system",
      appendSystemPrompt: "more",
      appendSubagentSystemPrompt: "for them",
      settings: { env: { A: "b" } },
      mcpConfig: [{ mcpServers: {} }, "/a/file.json"],
      agents,
      jsonSchema: schema,
      planModeInstructions: "plan",
    });
    const { mcpConfig, settings, ...rest } = flags;
    expect(rest).toEqual({
      model: "opus",
      systemPromptFile: expect.any(String) as unknown,
      appendSystemPromptFile: expect.any(String) as unknown,
      appendSubagentSystemPromptFile: expect.any(String) as unknown,
    });
    expect(initialize).toEqual({ agents, jsonSchema: schema, planModeInstructions: "plan" });
    expect(mcpConfig?.[1]).toBe("/a/file.json");
    const paths = [mcpConfig?.[0], settings, ...Object.values(rest).slice(1)] as string[];
    expect(paths.map((path) => readFileSync(path, "utf8"))).toEqual([
      '{"mcpServers":{}}',
      '{"env":{"A":"b"}}',
      "- system",
      "more",
      "for them",
    ]);
    for (const path of paths) expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const path of [folder, dirname(paths[0]!)]) expect(statSync(path).mode & 0o777).toBe(0o700);
    remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("write no files without secret options, and keep paths that the user gave (S47)", () => {
    const folder = join(scratchFolder(), "launch");
    const given = { model: "opus", systemPrompt: "", settings: "/their/settings.json", agents: "/their/agents.json" };
    const { flags, initialize } = new PrivateFiles(folder).keep(given);
    expect([flags, initialize]).toEqual([given, {}]);
    expect(() => statSync(folder)).toThrow("ENOENT");
  });

  it("that are JSON in a string are treated like objects (S47)", () => {
    const folder = join(scratchFolder(), "launch");
    const { flags, initialize, remove } = new PrivateFiles(folder).keep({
      settings: ' {"env":{"A":"secret"}}',
      mcpConfig: ['{"mcpServers":{}}'],
      agents: '{"helper":{"prompt":"secret"}}',
    });
    expect(JSON.stringify(flags)).not.toContain("secret");
    expect([flags.settings, flags.mcpConfig?.[0]].map((path) => readFileSync(path as string, "utf8"))).toEqual([
      '{"env":{"A":"secret"}}',
      '{"mcpServers":{}}',
    ]);
    expect(initialize).toEqual({ agents: { helper: { prompt: "secret" } } });
    remove();
  });

  it("left by a killed host are removed at the next start (S47)", () => {
    const folder = join(scratchFolder(), "launch");
    mkdirSync(join(folder, "launch-x"), { recursive: true });
    writeFileSync(join(folder, "launch-x", "settings.json"), "{}");
    expect(new PrivateFiles(folder)).toBeDefined();
    expect(existsSync(folder)).toBe(false);
  });

  it("[S68] are never looked for behind a link in the place of their folder", () => {
    const victim = scratchFolder();
    writeFileSync(join(victim, "thesis.txt"), "years of work");
    const folder = join(scratchFolder(), "launch");
    symlinkSync(victim, folder);
    const kept = new PrivateFiles(folder).keep({ appendSystemPrompt: "secret" });
    expect(readdirSync(victim)).toEqual(["thesis.txt"]);
    expect(lstatSync(folder).isDirectory()).toBe(true);
    kept.remove();
  });

  it("[S68] left by a killed host in the temporary folder are removed by the next host", () => {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = scratchFolder();
    onTestFinished(() => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    });
    const { pid } = spawnSync("true");
    const [gone, living] = [pid, process.pid].map((each) => join(tmpdir(), `quarterdeck-launch-${String(each)}-abc`));
    for (const each of [gone!, living!]) mkdirSync(each);
    expect(new PrivateFiles()).toBeDefined();
    expect(readdirSync(tmpdir())).toEqual([basename(living!)]);
  });
});
