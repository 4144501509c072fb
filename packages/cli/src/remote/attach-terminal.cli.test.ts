// `quarterdeck attach` at a real terminal, made by `script` of util-linux: lists by keys, a paste, a diff, another size.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Client } from "@quarterdeck/client";
import { writeProgram } from "@quarterdeck/test-kit/programs";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startScripted } from "../serve/serve.fixture.ts";
import type { Scratch } from "../serve/serve.fixture.ts";
import { ready } from "./find-session.ts";

const DOWN = "\u001b[B";
const [PASTE, PASTED, CTRL_D, CTRL_U] = ["\u001b[200~", "\u001b[201~", "\u0004", "\u0015"];
const question = (text: string, multiSelect: boolean) => ({
  question: text,
  header: "Pick",
  multiSelect,
  options: ["Red", "Blue", "Evil\u001b]52;c;AAAA\u0007"].map((label) => ({ label, description: "" })),
});
const SCRIPTS = [
  {
    when: "colour",
    steps: [
      {
        say: [
          {
            tool: "AskUserQuestion",
            input: { questions: [question("Which one?", false), question("Which?", true)] },
          },
        ],
      },
      { say: [{ text: "Thanks." }] },
    ],
  },
  {
    when: "write",
    steps: [
      { say: [{ tool: "Write", input: { file_path: "{{cwd}}/note.txt", content: "old words\nnew words\n" } }] },
      { say: [{ text: "Written." }] },
    ],
  },
  {
    when: "picture",
    steps: [{ say: [{ tool: "Read", input: { file_path: "{{cwd}}/shot.png" } }] }, { say: [{ text: "Seen." }] }],
  },
  { when: "wide", steps: [{ say: [{ text: `${"wide words ".repeat(20)}end.` }] }] },
  {
    when: "slow",
    steps: [
      {
        say: [{ text: Array.from({ length: 60 }, (_, at) => `tick ${String(at + 1)}`).join(" ") }],
        pace: { deltaMs: 20, deltaChars: 8 },
      },
    ],
  },
  { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
];

let scripted: Awaited<ReturnType<typeof startScripted>>;
let scratch: Scratch;
let client: Client;
let work: string;

beforeAll(async () => {
  scripted = await startScripted(SCRIPTS);
  ({ scratch, client, work } = scripted);
  mkdirSync(join(scratch.folder, "bin"));
  writeProgram(join(scratch.folder, "bin", "quarterdeck"), "quarterdeck");
});
afterAll(() => scripted.end());

/** A terminal of 100 columns. `sees` waits for a text after the last one that was seen. */
const sitDown = (words: string) => {
  const name = join(scratch.folder, "tty");
  const env = {
    PATH: `${join(scratch.folder, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: scratch.folder,
    TERM: "xterm",
    SHELL: "/bin/sh",
    QUARTERDECK_DATA_DIR: scratch.dataDir,
  };
  const command = `cd '${work}'; tty > '${name}'; stty cols 100 rows 40; exec ${words}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let raw = "";
  let seen = 0;
  const shown = (): string => stripVTControlCharacters(raw).replaceAll("\r", "");
  const looks = new Set<() => void>();
  child.stdout.on("data", (chunk: Buffer) => {
    raw += chunk.toString("utf8");
    for (const look of looks) look();
  });
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const sees = (text: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const all = shown();
        const found = text.exec(all.slice(seen));
        if (found === null) return;
        looks.delete(look);
        seen += found.index + found[0].length;
        resolve(found[0]);
      };
      looks.add(look);
      void exit.then(() => reject(new Error(`It ended before ${String(text)}:\n${shown()}`)));
      look();
    });
  const resize = (columns: number): void => {
    execFileSync("stty", ["-F", readFileSync(name, "utf8").trim(), "cols", String(columns)]);
  };
  return { exit, sees, resize, shown, raw: () => raw, types: (keys: string) => void child.stdin.write(keys) };
};

it("picks sessions and answers with keys, pastes one prompt, shows the diff, and follows the size", async () => {
  await client.command("sessions/start", { cwd: work, title: "The other one" });
  const { id } = (await client.command("sessions/start", { cwd: work, title: "The one" })).session;
  writeFileSync(join(work, "note.txt"), "old words\n");
  writeFileSync(join(work, "shot.png"), Buffer.from("89504e470d0a1a0a0000000d4948445200000001", "hex"));
  const seat = sitDown("quarterdeck attach");
  const line = await seat.sees(/\d [0-9a-f]{8} {2}\w+ {2}The one /u);
  seat.types(`${line[0]!}\r`);
  await seat.sees(/a pasted text is one prompt/u);

  seat.types(`${PASTE}hello\nand a second line\n\u001b[31mred${PASTED}`);
  await seat.sees(/\[Pasted 3 lines, 1\]/u);
  seat.types("\r");
  await seat.sees(/> hello\n +and a second line[^]*Hello there\.[^]*✓/u);
  const view = client.session(id);
  onTestFinished(() => view.close());
  await ready(view);
  const prompts = () => view.snapshot.rows.flatMap((row) => (row.kind === "prompt" ? [row.content] : []));
  expect(prompts()).toEqual(["hello\nand a second line\n[31mred"]);

  seat.types("colour\r");
  await seat.sees(/Pick: Which one\?\n +Arrows or digits, Enter answers, or your own words: \n› 1 Red/u);
  seat.types(DOWN);
  await seat.sees(/› 2 Blue/u);
  // The terminal marks a paste, so it answers nothing.
  seat.types(`${PASTE}y\n${PASTED}`);
  await seat.sees(/> y/u);
  seat.types("\u007f\u007f\r");
  await seat.sees(/several[^]*› 1 \[ \] Red/u);
  seat.types(" 2");
  await seat.sees(/1 \[x\] Red\n› 2 \[x\] Blue/u);
  seat.types("\r");
  await seat.sees(new RegExp(`→ Blue; Red, Blue \\(${hostname()}\\)[^]*Thanks\\.[^]*✓`, "u"));
  const answer = () => view.snapshot.rows.findLast((row) => row.kind === "tool")?.result?.text;
  await expect.poll(answer).toMatch(/"Which one\?"="Blue"[^]*"Which\?"="Red, ?Blue"/u);
  expect(seat.raw()).not.toContain("\u001b]52");

  seat.types("write\r");
  await seat.sees(/the change:[^]*old words\n[^]*\+ new words[^]*or a reason to deny: /u);
  seat.types("y\r");
  await seat.sees(/Written\.[^]*✓/u);
  // The session shows the prompt, so the typed line is removed.
  expect(seat.raw().replaceAll(/\s+/gu, "")).toContain("write\u001b[1A\u001b[J");
  expect(readFileSync(join(work, "note.txt"), "utf8")).toBe("old words\nnew words\n");
  seat.types("picture\r");
  await seat.sees(/an image, image\/png[^]*Seen\.[^]*✓/u);

  // What arrives while a person types waits, and the line is whole.
  seat.types("slow\r");
  await seat.sees(/ tick 5 /u);
  seat.types("not sent");
  await seat.sees(/\n> not sent/u);
  expect(seat.shown().endsWith("> not sent")).toBe(true);
  seat.types(CTRL_U);
  await seat.sees(/tick 60[^]*✓/u);

  seat.resize(50);
  // The line is drawn again, so the new size is known.
  await seat.sees(/> /u);
  const before = seat.shown().length;
  seat.types("wide\r");
  await seat.sees(/end\.[^]*✓/u);
  const rows = seat.shown().slice(before).split("\n");
  expect(rows.filter((row) => row.includes("wide words")).length).toBeGreaterThan(3);
  expect(rows.filter((row) => row.length > 50)).toEqual([]);
  seat.types(CTRL_D);
  expect(await seat.exit).toBe(0);
  expect(seat.raw().lastIndexOf("\u001b[?2004l")).toBeGreaterThan(seat.raw().lastIndexOf("\u001b[?2004h"));

  const again = sitDown("quarterdeck attach --last --no-follow");
  await again.sees(/The one, \w+, in [^]*> wide/u);
  expect(await again.exit).toBe(0);
});

it("the commands of docs/terminal.md work as printed", async () => {
  await client.command("sessions/start", { cwd: work, title: "Printed" });
  const page = readFileSync(new URL("../../../../docs/terminal.md", import.meta.url), "utf8");
  const commands = [...page.matchAll(/```sh\n([^]*?)```/gu)].flatMap(([, block]) => block!.trim().split("\n"));
  expect(commands).toHaveLength(6);
  for (const command of commands) {
    const seat = sitDown(command);
    if (command === "quarterdeck attach") {
      await seat.sees(/Which session\?[^]*Printed/u);
      seat.types("\r");
    }
    if (/attach(?: --last)?$/u.test(command)) {
      await seat.sees(/Press Ctrl-D to leave/u);
      seat.types(CTRL_D);
    }
    expect([command, await seat.exit], seat.shown()).toEqual([command, 0]);
  }
});
