// Every promise settles, and every failure is a HostError: with a CLI that never answers, that dies, or that never
// reads.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HostSubtype } from "@quarterdeck/protocol";
import type { Script } from "@quarterdeck/simulator";
import { asked, bench, codeOf, HELLO, oldCli, prompts, SLOW, TOUCH, turn, until, when } from "../host-bench.fixture.ts";
import { HostError } from "../host-error.ts";
import * as surface from "../index.ts";

/** Answers `initialize` and nothing else. */
const SILENT = oldCli("", "initialize", "true");
const limits = { requestMs: 60, interruptMs: 60, silenceMs: 60 };

const failureOf = (promise: Promise<unknown>): Promise<HostError> =>
  promise.then(
    () => Promise.reject(new Error("It was resolved.")),
    (error: unknown) => (error instanceof HostError ? error : Promise.reject(error as Error)),
  );

describe("a CLI that never answers", () => {
  it("[H30] never blocks: every control request, interrupt, stop and ask ends with an error that says what to do", async () => {
    const { host, cwd } = await bench([], { claude: SILENT, limits });
    const session = await host.start({ cwd });
    const names = (Object.keys(session.control) as HostSubtype[]).filter((name) => name !== "initialize");
    expect(names.length).toBeGreaterThan(30);
    const ask = session.control as unknown as Record<string, (fields: object) => Promise<unknown>>;
    const failures = await Promise.all(names.map((name) => failureOf(ask[name]!({}))));
    const codes = new Set(failures.map(({ code }) => code));
    // An invalid request is refused before it is sent.
    expect(codes).toEqual(new Set(["request-timeout", "invalid-message"]));
    for (const { code, message } of failures) if (code === "request-timeout") expect(message).toMatch(/`\w+.*`/);

    const { uuid } = await session.prompt("work");
    while (session.head.queue.some(({ state }) => state === "accepted")) await new Promise(setImmediate);
    for (const given of [session.interrupt(), session.stop(), session.setModel("opus"), session.reply(uuid)]) {
      expect((await failureOf(given)).code).toBe("request-timeout");
    }
    const silence = await failureOf(session.ask("more"));
    expect(silence).toMatchObject({ code: "request-timeout" });
    expect(silence.message).toContain("was silent for 60 ms");
    expect(silence.message).toContain("reply(uuid)");
    expect((await failureOf(session.interrupt())).message).toContain("orEnd");
    expect(await session.interrupt({ orEnd: true })).toBe(null);
    expect(session.isLive).toBe(false);
  });

  it("[H30] can be left at once, or awaited without a limit", async () => {
    const { host, cwd } = await bench([], { claude: SILENT, limits });
    const session = await host.start({ cwd });
    const abort = new AbortController();
    const { signal } = abort;
    const waiting = [
      session.control.mcp_status({}, { signal, timeoutMs: Infinity }),
      session.interrupt({ signal, timeoutMs: Infinity }),
      session.stop({ signal, timeoutMs: Infinity }),
      session.ask("work", { signal, timeoutMs: Infinity }),
    ];
    const codes = Promise.all(waiting.map((each) => codeOf(each)));
    // Longer than any limit of this host.
    await codeOf(session.control.mcp_status());
    abort.abort();
    expect(await codes).toEqual(waiting.map(() => "request-aborted"));
  });

  it("[H30] settles everything when it dies", async () => {
    const { host, cwd } = await bench([], { claude: SILENT });
    const session = await host.start({ cwd });
    const waiting = [
      session.control.mcp_status(),
      session.control.get_context_usage(),
      session.interrupt(),
      session.stop(),
      session.ask("work"),
      session.ask("more"),
    ];
    const codes = Promise.all(waiting.map((each) => codeOf(each)));
    await when(session, () => session.head.queue.length > 0);
    process.kill(session.head.process!.pid!, "SIGKILL");
    const ended = ["process-ended", "process-ended", "process-ended", "process-ended"];
    // Prompts that `stop` held did not run, and their state says so.
    expect((await codes).slice(0, 4)).toEqual(ended);
    expect((await codes).slice(4)).toEqual(
      (await codes).slice(4).map(() => expect.stringMatching(/process-ended|not-run/) as unknown),
    );
  });

  it("[H30] and never reads does not block the sender", async () => {
    const stuck = {
      command: process.execPath,
      prefixArgs: [
        "-e",
        `process.stdin.once("data", (chunk) => {
           process.stdin.pause();
           const { request_id } = JSON.parse(String(chunk).split("\\n")[0]);
           console.log(JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response: { commands: [] } } }));
           console.log(JSON.stringify({ type: "control_request", request_id: "r", request: { subtype: "can_use_tool", tool_name: "Write", tool_use_id: "t", input: {} } }));
           setInterval(() => {}, 1000);
         });`,
        "--",
      ],
      version: "2.1.325",
    };
    const { host, cwd } = await bench([], { claude: stuck, limits });
    const session = await host.start({ cwd });
    if (session.head.requests.length === 0) await asked(session);
    const updatedInput = { content: "x".repeat(3_000_000) };
    const failure = await failureOf(session.respond("r", { behavior: "allow", updatedInput }));
    expect(failure).toMatchObject({ code: "request-timeout" });
    expect(failure.message).toContain("close()");
    await session.close({ graceMs: 50 });
    expect(session.isLive).toBe(false);
  });
});

describe("a long turn", () => {
  const WAITS = "touch ran; while [ ! -e go ]; do sleep 0.02; done";
  const LONG: Script = {
    when: "long",
    steps: [{ say: [{ tool: "Bash", input: { command: WAITS } }] }, { say: [{ text: "At last." }] }],
  };

  it("[H30] is awaited while a person is asked and while a tool runs, however long that takes", async () => {
    const { host, cwd } = await bench([LONG], { limits: { silenceMs: 250 } });
    const session = await host.start({ cwd });
    const request = asked(session);
    const { uuid } = await session.prompt("long");
    await request;
    const settled: unknown[] = [];
    void codeOf(session.reply(uuid)).then((how) => settled.push(how));
    /** Several times the limit. A limit of the caller applies in any phase. */
    const waitLong = async () => expect(await codeOf(session.reply(uuid, { timeoutMs: 1000 }))).toBe("request-timeout");
    await waitLong();
    expect([session.head.phase, settled]).toEqual(["awaiting", []]);
    const running = until(session, () => session.head.phase === "tool");
    await session.respond(session.head.requests[0]!.id, { behavior: "allow" });
    if (session.head.phase !== "tool") await running;
    await waitLong();
    expect([session.head.phase, settled]).toEqual(["tool", []]);
    writeFileSync(join(cwd, "go"), "");
    expect((await session.reply(uuid, { timeoutMs: Infinity })).text).toBe("At last.");
  });
});

describe("a session without a process", () => {
  it("[H31] refuses ask and keeps nothing of it, and keeps a prompt for the next process", async () => {
    const { host, store, cwd } = await bench([HELLO, SLOW]);
    const session = await host.start({ cwd });
    await turn(session, "hello");
    const closing = session.close();
    expect(await codeOf(session.ask("hello, are you leaving?"))).toBe("no-process");
    await closing;
    const { seq } = session;
    const refused = await failureOf(session.ask("hello, anybody?"));
    expect(refused).toMatchObject({ code: "no-process" });
    expect(refused.message).toContain("host.resume(id)");
    expect([store.lastSeq(session.id), session.head.queue]).toEqual([seq, []]);
    await session.prompt("hello, later");
    expect(prompts(session)).toEqual([
      ["hello", "done"],
      ["hello, later", "accepted"],
    ]);
  });
});

describe("an error", () => {
  it("[H32] is a HostError with a code, whichever part it comes from", async () => {
    const { host, cwd } = await bench([HELLO, TOUCH]);
    const session = await host.start({ cwd });
    const missing = { command: "/nowhere/claude" };
    const { host: without } = await bench([HELLO], { claude: missing });
    const store = surface.createMemoryStore();
    await store.close();
    const failures = await Promise.all([
      failureOf(host.start({ cwd, cli: { nonsense: true } as never })),
      failureOf(host.start({ cwd, cli: { maxTurns: "many" } as never })),
      failureOf(session.prompt([])),
      failureOf(session.request({ subtype: "set_permission_mode", mode: 7 } as never)),
      failureOf(without.start({ cwd })),
      failureOf(surface.findClaude({ program: "/nowhere/claude", env: {} })),
      failureOf(Promise.resolve().then(() => store.append("s", [{ at: 0, fact: { type: "stdin-closed" } }]))),
      failureOf(session.respond("nothing", { behavior: "allow" })),
    ]);
    expect(failures.map(({ name, code }) => `${name} ${code}`)).toEqual([
      "HostError invalid-options",
      "HostError invalid-options",
      "HostError invalid-message",
      "HostError invalid-message",
      "CliProcessError program-missing",
      "FindClaudeError not-found",
      "StoreError closed",
      "HostError unknown-request",
    ]);
    expect(host.list()).toHaveLength(1);
  });

  it("[H32] of a CLI that ends before it is ready contains how it ended and what it printed", async () => {
    const broken = (script: string) => ({ command: process.execPath, prefixArgs: ["-e", script, "--"] });
    const failed = async (script: string): Promise<HostError> => {
      const { host, cwd } = await bench([], { claude: broken(script) });
      return failureOf(host.start({ cwd }));
    };
    expect(await failed('console.error("error: no such thing"); process.exit(3)')).toMatchObject({
      code: "process-ended",
      message: expect.stringMatching(/code 3 before it was ready: error: no such thing/) as unknown,
      details: { code: 3, signal: null, stderr: "error: no such thing" },
    });
    expect(await failed('process.stdin.once("data", () => process.kill(process.pid, "SIGKILL"))')).toMatchObject({
      code: "process-ended",
      message: expect.stringMatching(/by SIGKILL before it was ready and wrote nothing/) as unknown,
    });
  });

  it("[H33] of an answer says whether the request is unknown, who answered it and when, or how it ended", async () => {
    const { host, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    const wait = async (): Promise<string> => {
      const request = asked(session);
      await session.prompt("touch");
      await request;
      return session.head.requests[0]!.id;
    };
    const allow = { behavior: "allow" } as const;
    const first = await wait();
    const done = until(session, () => session.head.phase === "idle");
    const { at } = await session.respond(first, allow, { id: "phone", name: "Ann's phone" });
    await done;
    const second = await wait();
    await session.close();
    const never = await failureOf(session.respond("r-77", allow));
    expect(never).toMatchObject({ code: "unknown-request", message: expect.stringContaining("r-77") as unknown });
    const late = await failureOf(session.respond(first, allow));
    expect(late).toMatchObject({ code: "already-answered", details: { at, by: { id: "phone" } } });
    expect(late.message).toContain("Ann's phone");
    expect(late.message).toContain(new Date(at).toISOString());
    expect(await failureOf(session.respond(second, allow))).toMatchObject({
      code: "not-open",
      details: { fate: expect.stringMatching(/ended|cancelled/) as unknown },
    });
  });
});

describe("the public surface", () => {
  it("[H34] has what a program with its own host needs, and no internals", async () => {
    const { host, store, cwd } = await bench([HELLO]);
    const session: surface.Session = await host.start({ cwd });
    await session.ask("hello");
    const fold: surface.Fold = surface.createFold();
    for (const event of store.read(session.id, 0, 1000)) fold.apply(event);
    const said: readonly surface.Row[] = fold.rows.filter(({ kind }) => kind === "text");
    expect(said).toMatchObject([{ text: "Hello there." }]);
    const head: surface.Head = fold.head;
    expect(head.phase).toBe("idle");
    for (const own of ["start", "note", "noteLostProcess"]) expect(own in session).toBe(false);
  });
});
