import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_PROMPTS } from "@quarterdeck/simulator";
import { expect, onTestFinished, test } from "vitest";
import { programWords } from "@quarterdeck/test-kit/programs";

/** The demo with its own temporary folder, so that a test sees what it leaves there. */
const startDemo = async (...args: string[]) => {
  const folder = await mkdtemp(join(tmpdir(), "quarterdeck-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [...programWords("quarterdeck"), "demo", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: folder, COLUMNS: "100" },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const closed = once(child, "close") as Promise<[number | null, string | null]>;
  return {
    child,
    folder,
    ended: async () => {
      const [code] = await closed;
      return { code, stdout, stderr };
    },
    sees: async (text: string) => {
      while (!stdout.includes(text)) await once(child.stdout, "data");
    },
    leftBehind: () => readdirSync(folder).filter((name) => name.startsWith("quarterdeck-demo-")),
  };
};

/** Processes whose environment names the folder: the simulator, and what it started. */
const processesIn = (folder: string): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandAndEnvironment(pid).includes(folder));

const commandAndEnvironment = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // The process ended meanwhile, or belongs to another user.
    return "";
  }
};

test("the tour shows every chapter, answers every request, and leaves nothing behind", { tags: "long" }, async () => {
  const demo = await startDemo("--speed", "50");
  const { code, stdout, stderr } = await demo.ended();
  expect([code, stderr]).toEqual([0, ""]);
  // No colors unless requested, and no unknown messages.
  expect(stdout).not.toContain("\u001b");
  expect(stdout).not.toContain("does not know");
  const headings = stdout.match(/^━━ \d+\/\d+ {2}.*?(?= ━*$)/gmu);
  expect(headings).toEqual(DEMO_PROMPTS.map(({ shows }, at) => `━━ ${at + 1}/${DEMO_PROMPTS.length}  ${shows}`));
  for (const { text } of DEMO_PROMPTS) expect(stdout).toContain(`\n> ${text}\n`);
  // The topic of each chapter.
  for (const part of [
    "chapter  │ what you will see",
    "2 - const PERIOD_MINUTES = 745;\n    2 + const MINUTES_BETWEEN_TIDES = 745;",
    "exit code 1",
    "┃ Permission?  Print the tide table",
    "a notebook of 2 cells",
    "API: 529, overloaded; retry 1/10",
    "☑ Write a README",
    "┃ → Brest, Times, Heights",
    "permission mode: plan",
    "┃ → approved",
    "◆ Agent Explore  Review the tide table\n    │ Read  tides.mjs",
    "background task completed",
    "┃ Hook PreToolUse",
    "High water at 18:40, 6.0 m.",
    "12. High water at",
    "sent while the answer above was being written:",
    "compacted: ",
    "API Error: 400 This error is part of the tour.",
    "Total cost:",
    "End of the tour.",
  ]) {
    expect(stdout).toContain(part);
  }
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  expect(demo.leftBehind()).toEqual([]);
});

test.each(["SIGINT", "SIGTERM"] as const)("%s in the middle ends it cleanly", async (signal) => {
  const demo = await startDemo();
  await demo.sees("> tour 1");
  demo.child.kill(signal);
  const { code, stderr } = await demo.ended();
  expect([code, stderr]).toEqual([130, ""]);
  expect(demo.leftBehind()).toEqual([]);
  expect(processesIn(demo.folder)).toEqual([]);
});

test("a reader that is gone ends it too", async () => {
  const demo = await startDemo("--speed", "20");
  await demo.sees("> tour 1");
  demo.child.stdout.destroy();
  await demo.ended();
  expect(demo.leftBehind()).toEqual([]);
  expect(processesIn(demo.folder)).toEqual([]);
});

test("an invalid speed is refused", async () => {
  const { code, stderr } = await (await startDemo("--speed", "fast")).ended();
  expect([code, stderr]).toEqual([2, "quarterdeck: --speed needs a number above 0. See `quarterdeck --help`.\n"]);
});
