// The commands of docs/claude.md and docs/scripts.md, as printed, in an empty home. The simulator is Claude Code.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SIMULATED_VERSION } from "@quarterdeck/simulator";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { writeScriptedClaude } from "@quarterdeck/test-kit/programs";
import { agentSdkFolder } from "../../bench/agent-sdk.ts";
import { endServer, runWith } from "./callers.ts";

const page = readFileSync(new URL("../../docs/claude.md", import.meta.url), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gmu"))].map((match) => match[1]!);
const bins = fileURLToPath(new URL("../../packages/cli/bin/", import.meta.url));

let root: string;
let env: Readonly<Record<string, string>>;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "quarterdeck-document-")));
  const touch = { tool: "Bash", input: { command: "touch made.txt" } };
  const scripts = [
    { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
    { when: "touch", steps: [{ say: [touch] }, { say: [{ text: "Touched." }] }] },
  ];
  for (const folder of ["bin", "real", ".config/quarterdeck"]) mkdirSync(join(root, folder), { recursive: true });
  for (const name of ["quarterdeck", "quarterdeck-claude"]) symlinkSync(`${bins}${name}.js`, join(root, "bin", name));
  writeScriptedClaude(join(root, "real", "claude"), scripts);
  writeFileSync(join(root, ".config", "quarterdeck", "config.json"), JSON.stringify({ port: 0 }));
  const path = [join(root, "bin"), join(root, "real"), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  env = { HOME: root, PATH: path, TMPDIR: root, LANG: "C.UTF-8", ...COMPILED };
});
afterAll(async () => {
  await endServer(join(root, ".local", "share", "quarterdeck"));
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

test("[E224] every command of docs/claude.md works as printed", { timeout: 180_000 }, async () => {
  const run = (command: string, ...args: string[]) => runWith({ cwd: root, env }, command, args);
  const [version, piped, link, ...more] = blocks("sh");
  expect(more).toEqual([]);
  const stdout = expect.stringContaining(`${SIMULATED_VERSION} (Claude Code`) as unknown;
  const real = { code: 0, stdout, stderr: "" };
  expect(await run("/bin/sh", "-c", version!)).toEqual(real);
  const answered = await run("/bin/sh", "-c", piped!);
  expect(answered).toMatchObject({ code: 0, stderr: "" });
  const lines = answered.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; result?: string });
  expect(lines.at(-1)).toMatchObject({ type: "result", result: "Hello there." });
  // The link is first on the PATH, and is not taken for the real program.
  expect(await run("/bin/sh", "-c", link!)).toEqual(real);
  const [example, ...others] = blocks("js");
  expect(others).toEqual([]);
  symlinkSync(join(await agentSdkFolder(() => {}), "node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "example.mjs"), example!);
  expect(await run(process.execPath, join(root, "example.mjs"))).toEqual({
    code: 0,
    stdout: "Hello there.\n",
    stderr: "",
  });
});

test("[E293] every command of docs/scripts.md works as printed", { timeout: 180_000 }, async () => {
  const cwd = join(root, "code");
  mkdirSync(cwd);
  const shell = (command: string) => runWith({ cwd, env }, "/bin/sh", ["-c", command]);
  const author = "-c user.name=A -c user.email=a@example.org";
  expect((await shell(`git init -q && git ${author} commit -q --allow-empty -m first`)).code).toBe(0);
  const [commands = ""] = [
    ...readFileSync(new URL("../../docs/scripts.md", import.meta.url), "utf8").matchAll(BLOCK),
  ].map((match) => match[1]!);
  const [first, again, piped, json, events, ...more] = commands.trim().split("\n");
  expect(more).toEqual([]);
  const spoken = expect.stringContaining("Hello there.") as unknown;
  expect(await shell(first!)).toMatchObject({ code: 0, stdout: spoken });
  expect(await shell(again!)).toMatchObject({ code: 0, stdout: spoken });
  expect(await shell(piped!)).toEqual({ code: 0, stdout: "Hello there.\n", stderr: "" });
  expect(await shell(json!)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(JSON.parse(readFileSync(join(cwd, "result.json"), "utf8"))).toMatchObject({ result: "Touched." });
  expect(existsSync(join(cwd, "made.txt"))).toBe(true);
  expect(await shell(events!)).toMatchObject({ code: 0, stdout: "" });
  const facts = readFileSync(join(cwd, "events.ndjson"), "utf8").trim().split("\n");
  expect(facts.map((line) => (JSON.parse(line) as { type: string }).type)).toContain("prompt-accepted");
});
const BLOCK = /^```sh\n([^]*?)^```$/gmu;
