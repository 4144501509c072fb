// The commands for a running server, with the simulator as its program.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Client } from "@quarterdeck/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import {
  removeScratch,
  runQuarterdeck,
  scratchHome,
  spawnQuarterdeck,
  startQuarterdeck,
  startScripted,
} from "../serve/serve.fixture.ts";
import type { Scratch, Server } from "../serve/serve.fixture.ts";
import { programWords } from "@quarterdeck/test-kit/programs";
import { ONE_COLOUR } from "@quarterdeck/test-kit/questions";

const SCRIPTS = [
  { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
  {
    when: "touch",
    steps: [{ say: [{ tool: "Bash", input: { command: "touch made.txt" } }] }, { say: [{ text: "As you wish." }] }],
  },
  {
    when: "which",
    steps: [
      {
        say: [
          {
            tool: "AskUserQuestion",
            input: {
              questions: [ONE_COLOUR],
            },
          },
        ],
      },
      { say: [{ text: "A fine colour." }] },
    ],
  },
  { when: "fail", steps: [{ fail: [{ status: 400, type: "invalid_request_error", message: "no", always: true }] }] },
];

let scripted: Awaited<ReturnType<typeof startScripted>>;
let scratch: Scratch;
let server: Server;
let client: Client;
let work: string;

beforeAll(async () => {
  scripted = await startScripted(SCRIPTS);
  ({ scratch, server, client, work } = scripted);
});
afterAll(() => scripted.end());

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const withInput = (input: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [...programWords("quarterdeck"), ...args],
      { cwd: scratch.folder, env: scratch.env },
      (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
    );
    child.stdin?.end(input);
  });

/** A session that has a process and is idle. */
const idleSession = async (): Promise<SessionSummary> => {
  const before = new Set((await sessions()).map(({ id }) => id));
  await runQuarterdeck(scratch, ["run", "--cwd", work, "hello"]);
  return (await sessions()).find(({ id }) => !before.has(id))!;
};
const waitingSession = async (prompt: string): Promise<SessionSummary> => {
  const session = await idleSession();
  await runQuarterdeck(scratch, ["send", session.id, prompt]);
  await expect.poll(async () => (await summary(session.id)).waiting.length).toBe(1);
  return session;
};
const summary = async (wanted: string): Promise<SessionSummary> => (await sessions()).find(({ id }) => id === wanted)!;
/** Uses a client, because starting a process for each check would be slow. */
const sessions = async (): Promise<readonly SessionSummary[]> =>
  (await client.call("sessions/list", { limit: 500 })).sessions;

describe("quarterdeck run, with a running server", () => {
  it("is its client: same output and exit codes, and the session belongs to the server", async () => {
    const done = await runQuarterdeck(scratch, ["run", "--cwd", work, "hello"]);
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining("quarterdeck run --resume")]);
    expect(done.stdout.match(/Hello there\./gu)).toHaveLength(1);
    await expect.poll(sessions).toMatchObject([{ cwd: work, live: false, origin: "quarterdeck" }]);
    const [session] = await sessions();
    const listed = await runQuarterdeck(scratch, ["ls", "--all", "--json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: session!.id, cwd: work, live: false }]);
    const again = await runQuarterdeck(scratch, ["run", "--resume", session!.id.slice(0, 8), "hello"]);
    expect([again.code, again.stdout.match(/Hello there\./gu)?.length]).toEqual([0, 1]);
    expect(await sessions()).toHaveLength(1);
  });

  it("reports by its exit code that a turn failed, or that nobody could answer", async () => {
    expect((await runQuarterdeck(scratch, ["run", "--cwd", work, "fail"])).code).toBe(1);
    expect((await runQuarterdeck(scratch, ["run", "--cwd", work, "touch"])).code).toBe(3);
    expect(existsSync(join(work, "made.txt"))).toBe(false);
  });

  it("writes events, one per line", async () => {
    const { code, stdout } = await runQuarterdeck(scratch, ["run", "--cwd", work, "--json", "hello"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(code).toBe(0);
    const facts = events.filter(({ type }) => type !== "draft");
    expect(facts.map(({ seq }) => seq)).toEqual(facts.map((_, at) => facts[0]!.seq + at));
    expect(facts[0]!.type).toBe("prompt-accepted");
  });

  it("leaves the choice of the program to the server", async () => {
    const { code, stderr } = await runQuarterdeck(scratch, ["run", "--claude", "/bin/true", "hello"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("A server uses this data directory")]);
  });
});

describe("ls, send, attach, approve and deny", () => {
  it("work on one session from several terminals", { tags: "long" }, async () => {
    await runQuarterdeck(scratch, ["run", "--cwd", work, "hello"]);
    const id = (await sessions())[0]!.id.slice(0, 8);
    const attached = spawnQuarterdeck(scratch, ["attach", id]);
    await attached.said(/Hello there\./u);
    const asks = async (): Promise<string> => {
      expect(await runQuarterdeck(scratch, ["send", id, "touch it"])).toMatchObject({
        code: 0,
        stdout: `Sent to ${id}.\n`,
      });
      await expect.poll(async () => (await sessions())[0]!.waiting.length).toBe(1);
      return (await sessions())[0]!.waiting[0]!.id;
    };

    const denied = await asks();
    const { stdout: table } = await runQuarterdeck(scratch, ["ls"]);
    expect(table).toContain(`${denied.slice(0, 8)}  Bash: touch made.txt`);
    expect(table).toMatch(/ {2}needs you /u);
    const unnamed = await runQuarterdeck(scratch, ["approve", id]);
    expect([unnamed.code, unnamed.stderr]).toEqual([1, expect.stringContaining("In a script, name the request too")]);
    const deny = await runQuarterdeck(scratch, ["deny", id, denied, "--message", "not today"]);
    expect([deny.code, deny.stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`touch made\\.txt[^]*Denied by ${hostname()}`, "u")),
    ]);
    await expect.poll(async () => (await sessions())[0]!.phase).toBe("idle");
    expect(existsSync(join(work, "made.txt"))).toBe(false);

    const allowed = await asks();
    expect(allowed).not.toBe(denied);
    expect((await runQuarterdeck(scratch, ["approve", id, denied])).code).toBe(1);
    expect((await runQuarterdeck(scratch, ["approve", id, allowed])).code).toBe(0);
    await expect.poll(() => existsSync(join(work, "made.txt"))).toBe(true);
    await attached.said(/As you wish\./u);
    attached.kill("SIGINT");
    expect(await attached.exit).toBe(0);
    expect(await runQuarterdeck(scratch, ["approve", id])).toMatchObject({
      code: 1,
      stderr: "quarterdeck: This session has no open request.\n",
    });
  });

  it("list open requests, and accept a request by its own id", { tags: "long" }, async () => {
    const { id } = await waitingSession("touch that");
    const request = (await summary(id)).waiting[0]!.id;
    const shown = await runQuarterdeck(scratch, ["approve"]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("touch made.txt") as unknown });
    expect(shown.stdout).toContain(`quarterdeck approve ${request.slice(0, 8)}`);
    const listed = JSON.parse((await runQuarterdeck(scratch, ["deny", "--json"])).stdout) as { session: string }[];
    expect(listed.map(({ session }) => session)).toContain(id);
    const waiting = JSON.parse((await runQuarterdeck(scratch, ["ls", "--waiting", "--json"])).stdout) as object[];
    expect(waiting).toMatchObject([{ id }]);
    const denied = await runQuarterdeck(scratch, ["deny", request.slice(0, 8), "--stop", "--json"]);
    expect(JSON.parse(denied.stdout)).toMatchObject({ session: id, request, answer: "deny", by: {} });
    await expect.poll(async () => (await summary(id)).phase).toBe("idle");
    expect((await runQuarterdeck(scratch, ["ls", "--waiting"])).stdout).toBe("No session needs you.\n");
  });

  it(
    "answer a question with the number of an option or with words, and reject anything else",
    { tags: "long" },
    async () => {
      const { id } = await waitingSession("which");
      const request = (await summary(id)).waiting[0]!.id;
      const approve = (...args: string[]) => runQuarterdeck(scratch, ["approve", request, ...args]);
      expect(await approve()).toMatchObject({ code: 1, stderr: expect.stringContaining("--answer") as unknown });
      expect(await approve("--answer", "2")).toMatchObject({ code: 0 });
      await expect.poll(async () => (await summary(id)).lastText).toBe("A fine colour.");
      const { stdout } = await runQuarterdeck(scratch, ["attach", id, "--no-follow", "--json"]);
      expect(stdout).toContain('"answers":{"Which colour?":"Blue"}');
    },
  );

  it("send from stdin and with files, and wait for the answer", { tags: "long" }, async () => {
    const { id } = await idleSession();
    const picture = join(scratch.folder, "dot.png");
    writeFileSync(picture, PNG);
    const sent = await withInput("hello you\n", ["send", id, "--json", "--file", picture, "-"]);
    const { session, uuid, rowId } = JSON.parse(sent) as Record<string, string>;
    expect({ session, rowId }).toEqual({ session: id, rowId: `prompt/${uuid!}` });
    const turns = async (): Promise<number> =>
      (await client.call("session/rows", { session: id, limit: 50 })).rows.filter(({ kind }) => kind === "turn").length;
    await expect.poll(turns).toBe(2);
    const events = await runQuarterdeck(scratch, ["attach", id, "--no-follow", "--json"]);
    expect(events.stdout).toContain('"text":"hello you"');
    expect(events.stdout).toContain('"media_type":"image/png"');

    const waited = await runQuarterdeck(scratch, ["send", id, "--wait", "hello"]);
    expect([waited.code, waited.stdout.match(/Hello there\./gu)?.length]).toEqual([0, 1]);
    expect((await runQuarterdeck(scratch, ["send", id, "--wait", "fail"])).code).toBe(1);
    const missing = await runQuarterdeck(scratch, ["send", id, "--file", "/nowhere/x.png", "hello"]);
    expect(missing).toMatchObject({ code: 1, stderr: "quarterdeck: /nowhere/x.png cannot be read (ENOENT).\n" });
  });

  it("send --wait does not wait for a process that cannot be started", async () => {
    const folder = join(scratch.folder, "passing");
    mkdirSync(folder);
    const { session } = await client.command("sessions/start", { cwd: folder });
    await client.command("sessions/close", { session: session.id });
    rmSync(folder, { recursive: true });
    expect(await runQuarterdeck(scratch, ["send", session.id, "--wait", "hello"])).toMatchObject({
      code: 1,
      stderr: `quarterdeck: The session could not be resumed: The folder ${folder} does not exist. Create it, or choose another.\n`,
    });
  });

  it("run --wait leaves requests to other clients", { tags: "long" }, async () => {
    rmSync(join(work, "made.txt"), { force: true });
    const running = spawnQuarterdeck(scratch, ["run", "--wait", "--cwd", work, "touch"]);
    await running.said(/Permission/u);
    const waiting = JSON.parse(
      (await runQuarterdeck(scratch, ["ls", "--waiting", "--json"])).stdout,
    ) as SessionSummary[];
    expect(await runQuarterdeck(scratch, ["approve", waiting[0]!.waiting[0]!.id])).toMatchObject({ code: 0 });
    expect(await running.exit).toBe(0);
    expect(running.stdout()).toMatch(new RegExp(`→ allow \\(${hostname()}\\)[^]*As you wish\\.`, "u"));
    expect(existsSync(join(work, "made.txt"))).toBe(true);
  });

  it("run reports that it waits for a place, and ends on request", { tags: "long" }, async () => {
    const full = scratchHome();
    const crowded = await startQuarterdeck(full, ["--claude", join(scratch.folder, "claude"), "--max-sessions", "1"]);
    const first = spawnQuarterdeck(full, ["run", "--wait", "--cwd", full.folder, "touch"]);
    await first.said(/Permission/u);
    for (const _ of [1, 2]) {
      const waiting = spawnQuarterdeck(full, ["run", "--cwd", full.folder, "hello"]);
      await expect.poll(() => waiting.stderr(), { timeout: 30_000 }).toContain("--max-sessions");
      waiting.kill("SIGTERM");
      expect(await waiting.exit).toBe(130);
    }
    first.kill("SIGTERM");
    await first.exit;
    crowded.kill("SIGTERM");
    await crowded.exit;
    removeScratch(full);
  });

  it("attach shows the requested part of the past", { tags: "long" }, async () => {
    const { id } = await idleSession();
    await runQuarterdeck(scratch, ["send", id, "--wait", "hello again"]);
    const past = async (last: string): Promise<string> =>
      (await runQuarterdeck(scratch, ["attach", id, "--no-follow", "--last", last])).stdout;
    expect((await past("0")).match(/Hello there\./gu)).toBeNull();
    expect((await past("1")).match(/Hello there\./gu)).toHaveLength(1);
    expect(await past("9")).toMatch(/> hello[^]*Hello there\.[^]*> hello again[^]*Hello there\./u);
    expect((await runQuarterdeck(scratch, ["attach", id, "--last", "x"])).code).toBe(2);
  });

  it("reach another server by its address and a token", { tags: "long" }, async () => {
    const token = (await runQuarterdeck(scratch, ["devices", "add", "ci", "--role", "view"])).stdout.split("\n")[0]!;
    const elsewhere = { env: { QUARTERDECK_URL: server.url, QUARTERDECK_TOKEN: token } };
    const other = ["--data-dir", join(scratch.folder, "none")];
    const { code, stdout } = await runQuarterdeck(scratch, ["ls", "--all", "--json", ...other], elsewhere);
    expect([code, (JSON.parse(stdout) as object[]).length]).toEqual([0, (await sessions()).length]);
    const [session] = await sessions();
    expect(await runQuarterdeck(scratch, ["send", session!.id, "hello"], elsewhere)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("needs the role operate") as unknown,
    });
    const wrong = { env: { ...elsewhere.env, QUARTERDECK_TOKEN: "wrong" } };
    expect(await runQuarterdeck(scratch, ["ls"], wrong)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Create a new token") as unknown,
    });
    const alias = { env: { ...elsewhere.env, QUARTERDECK_URL: server.url.replace("127.0.0.1", "localhost") } };
    expect(await runQuarterdeck(scratch, ["ls"], alias)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Allow it with --allow-host.") as unknown,
    });
    expect(await runQuarterdeck(scratch, ["ls"], { env: { QUARTERDECK_URL: server.url } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("QUARTERDECK_TOKEN is not") as unknown,
    });
  });

  it("report what they cannot find", async () => {
    expect(await runQuarterdeck(scratch, ["attach", "nothing"])).toMatchObject({
      code: 1,
      stderr: "quarterdeck: Session nothing does not exist. `quarterdeck ls --all` shows all sessions.\n",
    });
    const { code, stderr } = await runQuarterdeck(scratch, ["approve", "0123abcd"]);
    expect([code, stderr.includes("It may be answered already")]).toEqual([1, true]);
    expect((await runQuarterdeck(scratch, ["send", "x"])).code).toBe(2);
    const other = ["ls", "--data-dir", join(scratch.folder, "other")];
    expect((await runQuarterdeck(scratch, other)).stderr).toContain("No server is running.");
  });
});
