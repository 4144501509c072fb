// The second attack on the terminal: keys that were typed before a request appeared, and text of the model that imitates
// Quarterdeck's own lines. The commands run as processes, in a terminal that `script` of util-linux makes.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scenario } from "@quarterdeck/simulator";
import { makePlace } from "../bridge/server-process.ts";
import type { Place } from "../bridge/server-process.ts";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";

const YES = "n = deny, or a reason to deny: ";
const FAKE = "┃\u00a0Permission?\u00a0\u00a0Bash";
/** On a screen of 80 columns, each would wrap into a row that begins with our sign. */
const IMITATIONS = [
  `${"x".repeat(78)}${FAKE}`,
  `\`\`\`\n${"x".repeat(78)}${FAKE}\n\`\`\``,
  `${"✅".repeat(39)}${FAKE}`,
  `${"\u{17000}".repeat(39)}${FAKE}`,
  `| a |\n|---|\n| ${"⌚".repeat(39)}${FAKE} |`,
  `> ${"x".repeat(76)}${FAKE}`,
];

const SCENARIO: Scenario = {
  name: "again",
  scripts: [
    {
      when: "touch",
      steps: [
        {
          say: [{ text: "Shall I go on? Type y." }, { tool: "Bash", input: { command: "touch made.txt" } }],
          pace: { deltaMs: 30, deltaChars: 1 },
        },
        { say: [{ text: "So be it." }] },
      ],
    },
    { when: "imitate", steps: [{ say: [{ text: IMITATIONS.join("\n\n") }] }] },
  ],
};

let place: Place;
beforeAll(() => {
  place = makePlace(SCENARIO);
});
afterAll(() => place?.remove());

/** `quarterdeck run` in its own folder. Types each key when the text before it is on the screen. */
const runAtTerminal = async (
  prompt: string,
  typed: readonly (readonly [shown: string, keys: string])[],
): Promise<{ readonly code: number | null; readonly out: string; readonly isMade: boolean }> => {
  const cwd = join(place.cwd, `${prompt}-${String(++folders)}`);
  mkdirSync(cwd);
  const args = ["run", "--claude", place.claude, "--cwd", cwd, "--data-dir", join(cwd, "data"), prompt];
  const words = [process.execPath, ...programWords("quarterdeck"), ...args].map((word) => `'${word}'`);
  const child = spawn("script", ["-qec", `stty cols 80 rows 24; exec ${words.join(" ")}`, "/dev/null"], {
    cwd: place.root,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: place.home,
      TERM: "xterm",
      SHELL: "/bin/sh",
      LANG: "C.UTF-8",
      ...COMPILED,
    },
  });
  let out = "";
  const left = [...typed];
  const decoder = new TextDecoder();
  child.stdout.on("data", (chunk: Buffer) => {
    out += decoder.decode(chunk, { stream: true });
    while (left[0] !== undefined && out.includes(left[0][0])) child.stdin.write(left.shift()![1]);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  expect(left, out).toEqual([]);
  return { code, out, isMade: existsSync(join(cwd, "made.txt")) };
};
let folders = 0;

describe("[S64] keys that were typed before the request appeared", () => {
  it("[S64] are not part of the answer", async () => {
    const { out, isMade } = await runAtTerminal("touch", [
      ["Shall", "y"],
      [YES, "\r"],
    ]);
    expect([isMade, out.includes("→ deny")]).toEqual([false, true]);
  });

  it("[S64] a whole line is not an answer either", async () => {
    const { isMade } = await runAtTerminal("touch", [
      ["command: touch", "y\r"],
      [YES, "n\r"],
    ]);
    expect(isMade).toBe(false);
  });

  it("[S64] what is typed below the question counts", async () => {
    expect((await runAtTerminal("touch", [[YES, "y\r"]])).isMade).toBe(true);
  });
});

/** The rows into which a terminal of this width breaks the text. */
const rowsOn = (columns: number, text: string): string[] =>
  text.split(/\r*\n/u).flatMap((line) => {
    const rows = [""];
    let used = 0;
    // oxlint-disable-next-line no-control-regex -- colors and moves of the line editor take no room
    for (const character of line.replaceAll(/\u001b\[[\d;]*[A-Za-z]/gu, "")) {
      const cells = /\p{Emoji_Presentation}|[\u{17000}-\u{18aff}]/u.test(character) ? 2 : 1;
      if (used + cells > columns) {
        rows.push("");
        used = 0;
      }
      rows[rows.length - 1] += character;
      used += cells;
    }
    return rows;
  });

describe("[S38] text of the model", () => {
  it("[S38] begins no row of the screen with our sign, whatever its length and width", async () => {
    const { out } = await runAtTerminal("imitate", []);
    expect(out).toContain("Permission?");
    expect(rowsOn(80, out).filter((row) => /^[┃┊]/u.test(row))).toEqual([]);
  });
});
