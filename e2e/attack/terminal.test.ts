// A model, a folder and a title attack the terminal. The commands of `quarterdeck` run as processes, with pipes and in a terminal
// that `script` of util-linux makes.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@quarterdeck/client";
import type { Client } from "@quarterdeck/client";
import { textBehind } from "@quarterdeck/session";
import type { Scenario } from "@quarterdeck/simulator";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { Place, ServerProcess } from "../bridge/server-process.ts";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";

/** Sets the title of the terminal, fills its clipboard and clears its screen, once without an ESC. */
const CONTROLS = "\u001b]0;pwned\u0007\u001b]52;c;cHduZWQ=\u0007\u001b[2J\u009b2J\u001bP+q\u001b\\\r";
const HIDDEN = "\u202egpj.exe\u202c\u200b\u00a0\u2800\u{1d159}\u{13441}\u{16fe4}\u{e0041}";
const LINES = Array.from({ length: 300 }, (_, at) => `echo line ${String(at)}`);
const COMMAND = [
  `npm test ${" ".repeat(300)}┃ Permission?  Bash`,
  `# ${CONTROLS}`,
  `# ${HIDDEN} ‹U+202E› `,
  ...LINES,
  "touch made.txt",
].join("\n");
const CONTENT = `first\n${CONTROLS}\n\tthird ${HIDDEN}\n`;
const LABEL = `Red${CONTROLS}`;
const PROMPT = {
  bash: { tool: "Bash", input: { command: COMMAND, description: `Lists${CONTROLS}`, timeout: 61_000 } },
  short: { tool: "Bash", input: { command: "touch made.txt" } },
  write: { tool: "Write", input: { file_path: "", content: CONTENT } },
  edit: { tool: "Edit", input: { file_path: "", old_string: "two", new_string: `zwei${HIDDEN}\ndrei` } },
  ask: {
    tool: "AskUserQuestion",
    input: {
      questions: [
        {
          question: `Which colour?${CONTROLS}`,
          header: `Colour${CONTROLS}`,
          multiSelect: false,
          options: [
            { label: LABEL, description: `warm${CONTROLS}` },
            { label: "Blue", description: "cold" },
          ],
        },
      ],
    },
  },
} as const;

let place: Place;
let server: ServerProcess;
let client: Client;
let cwd: string;

beforeAll(async () => {
  const scripts: unknown[] = Object.entries(PROMPT).map(([when, call]) => ({
    when,
    steps: [{ say: [{ text: `Now${CONTROLS} this.` }, call] }, { say: [{ text: `Done${CONTROLS}.` }] }],
  }));
  // The calls need absolute paths, which are known only now.
  const scenario = { name: "terminal", scripts } as unknown as Scenario;
  place = makePlace(scenario);
  cwd = join(place.cwd, `fol\u001b]0;pwned\u0007der`);
  mkdirSync(cwd);
  const file = join(place.root, "scenario.json");
  const named = JSON.parse(readFileSync(file, "utf8")) as { scripts: { steps: { say: { input?: object }[] }[] }[] };
  for (const { steps } of named.scripts)
    for (const { say } of steps)
      for (const { input } of say)
        if (input !== undefined && "file_path" in input) Object.assign(input, { file_path: join(cwd, "file.txt") });
  writeFileSync(file, JSON.stringify(named));
  server = await startServer(place);
  client = connect({
    url: server.url,
    credentials: { kind: "token", token: server.token },
    client: { name: "test", version: "0" },
  });
});
afterAll(async () => {
  client?.close();
  await server?.stop();
  place?.remove();
});

let id: string;
beforeEach(async () => {
  writeFileSync(join(cwd, "file.txt"), "one\ntwo\nthree\n");
  rmSync(join(cwd, "made.txt"), { force: true });
  ({ id } = (await client.command("sessions/start", { cwd })).session);
  await client.command("sessions/rename", { session: id, title: `Title${CONTROLS}` });
});
afterEach(async () => {
  await client.command("sessions/delete", { session: id });
});

/** Sends the prompt and returns the id of the request that follows. */
const asked = async (prompt: keyof typeof PROMPT): Promise<string> => {
  await client.command("session/prompt", { session: id, content: prompt });
  return waitingFor();
};
const waitingFor = async (): Promise<string> => {
  const waiting = async () =>
    (await client.call("sessions/list", { state: "waiting" })).sessions.find((one) => one.id === id)?.waiting[0]?.id;
  await expect.poll(waiting).toBeDefined();
  return (await waiting())!;
};

/** The behavior of each answer that the CLI got. */
const answers = (): unknown[] =>
  place.linesToCli().flatMap((line) => {
    const { response } = line as { response?: { response?: { behavior?: unknown } } };
    return response?.response?.behavior === undefined ? [] : [response.response.behavior];
  });

const wordsOf = (args: readonly string[]): string[] => [process.execPath, ...programWords("quarterdeck"), ...args];
const environment = () => ({
  PATH: process.env["PATH"] ?? "",
  HOME: place.home,
  TERM: "xterm",
  SHELL: "/bin/sh",
  LANG: "C.UTF-8",
  FORCE_COLOR: "1",
  ...COMPILED,
});

const piped = async (...args: string[]): Promise<{ readonly code: number | null; readonly out: string }> => {
  const [program, ...rest] = wordsOf([...args, "--data-dir", place.dataDir]);
  const child = spawn(program!, rest, { cwd: place.root, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, out };
};

/** Types each answer after its question was shown. Turns pages as they come. */
const atTerminal = async (
  args: readonly string[],
  typed: readonly (readonly [shown: string, keys: string])[],
  dataDir = place.dataDir,
): Promise<{ readonly code: number | null; readonly out: string }> => {
  const words = wordsOf([...args, "--data-dir", dataDir]).map((word) => `'${word}'`);
  const child = spawn("script", ["-qec", `stty cols 80 rows 24; exec ${words.join(" ")}`, "/dev/null"], {
    cwd: place.root,
    env: environment(),
  });
  let out = "";
  let seen = 0;
  const left = [...typed];
  const decoder = new TextDecoder();
  const look = (): void => {
    const fresh = out.slice(seen);
    const next = left[0];
    if (next !== undefined && fresh.includes(next[0])) {
      left.shift();
      seen = out.length;
      child.stdin.write(next[1]);
    } else if (fresh.includes("q: stop: ")) {
      seen = out.length;
      child.stdin.write("\r");
    }
  };
  child.stdout.on("data", (chunk: Buffer) => {
    out += decoder.decode(chunk, { stream: true });
    look();
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  expect(left, out).toEqual([]);
  // Our own marks of pastes.
  // oxlint-disable-next-line no-control-regex
  return { code, out: out.replaceAll(/\u001b\[\?2004[hl]/gu, "") };
};

/** Expects only text, our colors, and the cursor moves of the line editor and of lists. */
// oxlint-disable no-control-regex -- the test looks for control characters
const expectTame = (out: string): void => {
  const text = out.replaceAll(/\u001b\[(?:[\d;]*m|\d*[AGJK])/gu, "").replaceAll("\r\n", "\n");
  // The line editor uses it to move the cursor to the start of the line.
  const found = text.replaceAll("\r", "").match(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\t]]/gv) ?? [];
  expect(found.map((character) => JSON.stringify(character))).toEqual([]);
  expect(text).not.toMatch(/\u001b|\u009b|\]0;pwned\u0007/u);
};

/** The shown lines of a request, joined from the rows of the screen. */
const shownLines = (out: string): string[] => {
  const rows = out.replaceAll(/\u001b\[[\d;]*[mGJK]/gu, "").split(/\r*\n/u);
  const lines: string[] = [];
  for (const row of rows) {
    if (row.startsWith("┃ ")) lines.push(row.slice(2));
    else if (row.startsWith("┊ ")) lines[lines.length - 1] += row.slice(2);
  }
  return lines;
};
const fieldIn = (out: string, name: string): string => {
  const lines = shownLines(out);
  const start = lines.lastIndexOf(`${name}:`) + 1;
  const length = lines.slice(start).findIndex((line) => !line.startsWith("  "));
  return textBehind(
    lines
      .slice(start, length === -1 ? lines.length : start + length)
      .map((line) => line.slice(2))
      .join("\n"),
  );
};

const ALLOW = "Allow this? y or n: ";
const YES = "n = deny, or a reason to deny: ";

describe("[S38] on pipes", () => {
  it("[S38] lists, errors and answers contain no control sequence of a title, a folder or a label", async () => {
    await asked("ask");
    for (const args of [["ls"], ["ls", "--json"], ["approve"], ["approve", "--json"], ["attach", id, "--no-follow"]])
      expectTame((await piped(...args)).out);
    const { out } = await piped("ls", "--waiting");
    expect(out).toContain("Title‹U+001B›]0;");
    expect(out).toContain("ol‹U+001B›]0;pwned‹U+0007›der");
    const error = await piped("attach", `nobody${CONTROLS}`);
    expect([error.code, error.out]).toEqual([1, expect.stringContaining("nobody‹U+001B›") as unknown]);
    expectTame(error.out);
    const listed = JSON.parse((await piped("approve", "--json")).out) as { request: { input: unknown } }[];
    expect(listed.map(({ request }) => request.input)).toEqual([PROMPT.ask.input]);
  });

  it("[S38] approve by id prints every field to its last byte, and then answers", async () => {
    const request = await asked("bash");
    const { code, out } = await piped("approve", request);
    expectTame(out);
    expect(code).toBe(0);
    expect(fieldIn(out, "command")).toBe(COMMAND);
    expect(shownLines(out).map(textBehind)).toEqual(
      expect.arrayContaining([`description: Lists${CONTROLS}`, "timeout: 61000"]),
    );
    expect(out.indexOf("touch made.txt")).toBeLessThan(out.indexOf("Allowed by"));
    await expect.poll(() => existsSync(join(cwd, "made.txt"))).toBe(true);
  });

  it("[S38] approve --json gives the whole request, and deny too", { tags: "long" }, async () => {
    const request = await asked("bash");
    const { out } = await piped("deny", request, "--json");
    expectTame(out);
    expect(JSON.parse(out)).toMatchObject({
      session: id,
      request,
      asked: { tool_name: "Bash", input: PROMPT.bash.input },
      answer: "deny",
    });
  });

  it("[S38] a new file is shown with all of its content, an edit as a diff", async () => {
    const edit = await asked("edit");
    const edited = await piped("approve", edit);
    expectTame(edited.out);
    const lines = shownLines(edited.out).map(textBehind);
    expect(lines).toEqual(expect.arrayContaining(["  2 - two", `  2 + zwei${HIDDEN}`, "  3 + drei"]));
    await expect.poll(() => readFileSync(join(cwd, "file.txt"), "utf8")).toContain("zwei");
    rmSync(join(cwd, "file.txt"));
    const written = await piped("approve", await asked("write"));
    expectTame(written.out);
    const added = shownLines(written.out)
      .map(textBehind)
      .flatMap((line) => /^ {2}\d+ \+ (.*)$/su.exec(line)?.[1] ?? []);
    expect(added.map((line) => `${line}\n`).join("")).toBe(CONTENT);
  });
});

describe("[S38] at a terminal", () => {
  it("[S38] approve shows the whole request, page by page, before it accepts a yes", async () => {
    const request = await asked("bash");
    const before = answers().length;
    const stopped = await atTerminal(["approve", request], [["q: stop: ", "q\r"]]);
    expect(stopped.code).toBe(1);
    expect(stopped.out).toContain("Nothing was allowed");
    expect(stopped.out).not.toContain(ALLOW);
    expect(answers()).toHaveLength(before);

    const { code, out } = await atTerminal(["approve", request], [[ALLOW, "y\r"]]);
    expectTame(out);
    expect(code).toBe(0);
    expect(fieldIn(out.slice(0, out.indexOf(ALLOW)), "command")).toBe(COMMAND);
    await expect.poll(answers).toHaveLength(before + 1);
    // No row of wrapped text begins with our sign.
    expect(out.split(/\r*\n/u).filter((row) => row.includes("Permission?"))).toHaveLength(2);
    expect(shownLines(out).filter((line) => line.startsWith("Permission?"))).toHaveLength(1);
  });

  it("[S38] attach asks only below the whole request, and accepts no yes from a person who stopped reading", async () => {
    const before = answers().length;
    const request = asked("bash");
    const { out } = await atTerminal(
      ["attach", id, "--last", "9"],
      [
        ["q: stop: ", "q\r"],
        ["Not shown to its end", "y\r"],
        [YES, "n\r"],
        ["→ deny", "\u0003"],
      ],
    );
    await request;
    expectTame(out);
    expect(fieldIn(out.slice(0, out.indexOf(YES)), "command")).toBe(COMMAND);
    expect(answers().slice(before)).toEqual(["deny"]);
  });

  it("[S38] run shows questions and their labels as text, and the whole command", async () => {
    const own = join(place.root, "own-data");
    const args = ["run", "--claude", place.claude, "--cwd", cwd];
    const chosen = await atTerminal([...args, "ask"], [["or your own words: ", "1\r"]], own);
    expectTame(chosen.out);
    expect(chosen.code).toBe(0);
    expect(shownLines(chosen.out).map(textBehind)).toContain(`  1 = ${LABEL}`);
    const before = answers().length;
    const { code, out } = await atTerminal([...args, "bash"], [[YES, "y\r"]], own);
    expectTame(out);
    expect([code, answers().slice(before)]).toEqual([0, ["allow"]]);
    expect(fieldIn(out.slice(0, out.indexOf(YES)), "command")).toBe(COMMAND);
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
  });

  it("[S38] send --wait shows text of the model as text", async () => {
    const sent = atTerminal(["send", id, "--wait", "short"], [["Done", ""]]);
    expectTame((await piped("deny", await waitingFor(), "--message", `no${CONTROLS}`)).out);
    expectTame((await sent).out);
  });
});
