// The commands that steer a running server, with the simulator as its program.

import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { simulatorPath } from "@quarterdeck/simulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import {
  removeScratch,
  runQuarterdeck,
  scratchHome,
  spawnQuarterdeck,
  startQuarterdeck,
} from "../serve/serve.fixture.ts";
import type { Scratch, Server } from "../serve/serve.fixture.ts";

const SCENARIO = {
  name: "steer",
  scripts: [
    { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
    {
      when: "touch",
      steps: [{ say: [{ tool: "Bash", input: { command: "touch made.txt" } }] }, { say: [{ text: "As you wish." }] }],
    },
    { when: "fail", steps: [{ fail: [{ status: 400, type: "invalid_request_error", message: "no", always: true }] }] },
  ],
};

let scratch: Scratch;
let server: Server;
let work: string;

beforeAll(async () => {
  scratch = scratchHome();
  work = join(scratch.folder, "work");
  mkdirSync(work);
  const [scenario, program] = [join(scratch.folder, "scenario.json"), join(scratch.folder, "claude")];
  writeFileSync(scenario, JSON.stringify(SCENARIO));
  writeFileSync(
    program,
    `#!/bin/sh\nQUARTERDECK_SCENARIO=${scenario} exec ${process.execPath} --conditions=source ${simulatorPath} "$@"\n`,
  );
  chmodSync(program, 0o755);
  server = await startQuarterdeck(scratch, ["--claude", program]);
});
afterAll(async () => {
  server.kill("SIGTERM");
  await server.exit;
  removeScratch(scratch);
});

const sessions = async (): Promise<SessionSummary[]> =>
  JSON.parse((await runQuarterdeck(scratch, ["ls", "--all", "--json"])).stdout) as SessionSummary[];

describe("quarterdeck run, beside a running server", () => {
  it("is its client: the same output and exit codes, and the session is the server's", async () => {
    const done = await runQuarterdeck(scratch, ["run", "--cwd", work, "hello"]);
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining("quarterdeck run --resume")]);
    expect(done.stdout.match(/Hello there\./gu)).toHaveLength(1);
    const [session] = await sessions();
    expect(session).toMatchObject({ cwd: work, live: false, origin: "quarterdeck" });
    const again = await runQuarterdeck(scratch, ["run", "--resume", session!.id.slice(0, 8), "hello"]);
    expect([again.code, again.stdout.match(/Hello there\./gu)?.length]).toEqual([0, 1]);
    expect(await sessions()).toHaveLength(1);
  });

  it("says by its exit code that a turn failed, or that nobody was there to ask", async () => {
    expect((await runQuarterdeck(scratch, ["run", "--cwd", work, "fail"])).code).toBe(1);
    expect((await runQuarterdeck(scratch, ["run", "--cwd", work, "touch"])).code).toBe(3);
    expect(existsSync(join(work, "made.txt"))).toBe(false);
  });

  it("writes events, one a line", async () => {
    const { code, stdout } = await runQuarterdeck(scratch, ["run", "--cwd", work, "--json", "hello"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(code).toBe(0);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => events[0]!.seq + at));
    expect(events[0]!.type).toBe("prompt-accepted");
  });

  it("leaves the choice of the program to the server", async () => {
    const { code, stderr } = await runQuarterdeck(scratch, ["run", "--claude", "/bin/true", "hello"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("A server has this data directory")]);
  });
});

describe("ls, send, attach, approve and deny", () => {
  it("work on one session from several terminals", async () => {
    await runQuarterdeck(scratch, ["run", "--cwd", work, "hello"]);
    const id = (await sessions())[0]!.id.slice(0, 8);
    const attached = spawnQuarterdeck(scratch, ["attach", id]);
    await attached.said(/Hello there\./u);
    const asks = async (): Promise<string> => {
      expect(await runQuarterdeck(scratch, ["send", id, "touch it"])).toMatchObject({
        code: 0,
        stdout: `Sent to ${id}.\n`,
      });
      await expect.poll(async () => (await sessions())[0]!.waiting.length, { timeout: 30_000 }).toBe(1);
      return (await sessions())[0]!.waiting[0]!.id;
    };

    const denied = await asks();
    expect((await runQuarterdeck(scratch, ["ls"])).stdout).toContain(`${denied.slice(0, 8)}  Bash: touch made.txt`);
    const unnamed = await runQuarterdeck(scratch, ["approve", id]);
    expect([unnamed.code, unnamed.stderr]).toEqual([1, expect.stringContaining("In a script, name the request too")]);
    const deny = await runQuarterdeck(scratch, ["deny", id, denied, "--message", "not today"]);
    expect([deny.code, deny.stdout]).toEqual([0, expect.stringMatching(/touch made\.txt[^]*Denied by This computer/u)]);
    await expect.poll(async () => (await sessions())[0]!.phase, { timeout: 30_000 }).toBe("idle");
    expect(existsSync(join(work, "made.txt"))).toBe(false);

    const allowed = await asks();
    expect(allowed).not.toBe(denied);
    expect((await runQuarterdeck(scratch, ["approve", id, denied])).code).toBe(1);
    expect((await runQuarterdeck(scratch, ["approve", id, allowed])).code).toBe(0);
    await expect.poll(() => existsSync(join(work, "made.txt")), { timeout: 30_000 }).toBe(true);
    await attached.said(/As you wish\./u);
    attached.kill("SIGINT");
    expect(await attached.exit).toBe(0);
    expect(await runQuarterdeck(scratch, ["approve", id])).toMatchObject({
      code: 1,
      stderr: "quarterdeck: Nothing waits for an answer in this session.\n",
    });
  });

  it("say what they cannot find", async () => {
    expect(await runQuarterdeck(scratch, ["attach", "nothing"])).toMatchObject({
      code: 1,
      stderr: "quarterdeck: There is no session nothing here. `quarterdeck ls --all` shows every one.\n",
    });
    expect((await runQuarterdeck(scratch, ["send", "x"])).code).toBe(2);
    const other = ["ls", "--data-dir", join(scratch.folder, "other")];
    expect((await runQuarterdeck(scratch, other)).stderr).toContain("No server runs here.");
  });
});
