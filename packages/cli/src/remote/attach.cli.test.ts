// `quarterdeck attach` with a person at the keyboard, against a running server.

import { existsSync, mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Client } from "@quarterdeck/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startScripted } from "../serve/serve.fixture.ts";
import type { Scratch } from "../serve/serve.fixture.ts";
import { attach } from "./attach.ts";
import { respond } from "./bridge-answer.ts";
import { ready } from "./find-session.ts";

const SCRIPTS = [
  { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
  {
    when: "touch",
    steps: [{ say: [{ tool: "Bash", input: { command: "touch made.txt" } }] }, { say: [{ text: "As you wish." }] }],
  },
];

let scripted: Awaited<ReturnType<typeof startScripted>>;
let scratch: Scratch;
let client: Client;
let work: string;

beforeAll(async () => {
  scripted = await startScripted(SCRIPTS);
  ({ scratch, client, work } = scripted);
});
afterAll(() => scripted.end());

let id: string;
beforeEach(async () => {
  rmSync(join(work, "made.txt"), { force: true });
  ({ id } = (await client.command("sessions/start", { cwd: work })).session);
});
afterEach(async () => {
  await client.command("sessions/close", { session: id });
});

/** A person at a terminal: what is shown, and what is typed. */
const sitDown = (more: Partial<Parameters<typeof attach>[0]> = {}) => {
  const input = new PassThrough();
  const screen = new PassThrough();
  let shown = "";
  const looks = new Set<() => void>();
  const show = (text: string): void => {
    shown += text;
    for (const look of looks) look();
  };
  screen.on("data", (chunk: Buffer) => show(chunk.toString()));
  const stop = new AbortController();
  const exit = attach({
    dataDir: scratch.dataDir,
    version: "0",
    env: {},
    session: id.slice(0, 8),
    last: 1,
    follows: true,
    json: false,
    write: show,
    say: show,
    paint: (_, text) => text,
    width: 100,
    interactive: true,
    streams: { input, output: screen },
    signal: stop.signal,
    ...more,
  });
  const sees = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(shown)) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      exit.catch(reject);
      look();
    });
  return { exit, sees, stop, shown: () => shown, types: (line: string) => input.write(`${line}\n`), input };
};

describe("attach", () => {
  it("sends what is typed and shows the result", async () => {
    const seat = sitDown();
    await seat.sees(/Each line you type is sent/u);
    seat.types("hello");
    await seat.sees(/> hello[^]*Hello there\.[^]*✓/u);
    expect(seat.shown().match(/Hello there\./gu)).toHaveLength(1);
    seat.input.end();
    expect(await seat.exit).toBe(0);
    const { sessions } = await client.call("sessions/list", { state: "live" });
    expect(sessions.map((session) => session.id)).toContain(id);
  });

  it("asks what the session asks, and reads y as an answer, not as a prompt", async () => {
    const seat = sitDown();
    await seat.sees(/Each line/u);
    seat.types("touch");
    await seat.sees(/y = allow/u);
    seat.types("y");
    await seat.sees(/→ allow[^]*As you wish\./u);
    expect(existsSync(join(work, "made.txt"))).toBe(true);
    expect(seat.shown()).not.toContain("> y");
    seat.stop.abort();
    expect(await seat.exit).toBe(0);
  });

  it("withdraws a question that another client has answered", async () => {
    const seat = sitDown();
    await seat.sees(/Each line/u);
    seat.types("touch");
    await seat.sees(/y = allow/u);
    const view = client.session(id);
    await ready(view);
    await respond(client, id, view.snapshot.head.requests[0]!, { kind: "deny", message: "not now" });
    view.close();
    await seat.sees(new RegExp(`→ deny: not now \\(${hostname()}\\)`, "u"));
    await seat.sees(/As you wish\./u);
    seat.types("hello");
    await seat.sees(/Hello there\./u);
    seat.stop.abort();
    expect(await seat.exit).toBe(0);
  });

  it("says why a prompt cannot be sent, and continues", async () => {
    const folder = join(scratch.folder, "passing");
    mkdirSync(folder);
    const { session: other } = await client.command("sessions/start", { cwd: folder });
    await client.command("sessions/close", { session: other.id });
    const seat = sitDown({ session: other.id });
    await seat.sees(/Each line/u);
    rmSync(folder, { recursive: true });
    seat.types("hello");
    await seat.sees(/could not be resumed: The folder .*passing.* does not exist/u);
    seat.stop.abort();
    expect(await seat.exit).toBe(0);
  });

  it("ends when the session is deleted, and says so", async () => {
    const { session: other } = await client.command("sessions/start", { cwd: work });
    const seat = sitDown({ session: other.id });
    await seat.sees(/Each line/u);
    const why = seat.exit.then(String, String);
    await client.command("sessions/delete", { session: other.id });
    expect(await why).toContain("The session does not exist.");
  });
});
