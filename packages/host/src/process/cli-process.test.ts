import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keepAlive, userMessage } from "@quarterdeck/protocol";
import type { StdinMessage } from "@quarterdeck/protocol";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { newMarker, runScript, valueOf, watch } from "./child-script.fixture.ts";
import { CliProcessError } from "./cli-process-error.ts";
import { findByMarker } from "./descendants.ts";

const STAYS = `setInterval(() => {}, 1000);`;
const READS = `process.stdin.resume();`;
/** The process may take as long as it needs to end by itself. */
const PATIENT = { wait: () => new Promise<void>(() => {}) };

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (error as { code?: unknown }).code,
  );

describe("reading", () => {
  test("lines arrive decoded and raw, including an unterminated last line, and then the exit", async () => {
    const { process, lines, order, exits } = runScript(
      `process.stdout.write('{"type":"keep_alive"}\\n\\u00e9\\n{"a":1}')`,
    );
    await process.ended;
    expect(lines).toEqual([
      { decoded: { kind: "message", message: { type: "keep_alive" } }, line: '{"type":"keep_alive"}' },
      { decoded: expect.objectContaining({ kind: "noise", reason: "not-json" }), line: "é" },
      { decoded: { kind: "unknown", value: { a: 1 }, reason: "has no type" }, line: '{"a":1}' },
    ]);
    expect(order).toEqual(["line", "line", "line", "exit"]);
    expect(exits).toEqual([{ code: 0, signal: null }]);
  });

  test("a line above the limit is reported by its size", async () => {
    const { process, lines } = runScript(`process.stdout.write("x".repeat(5000) + "\\n")`, { maxLineBytes: 1000 });
    await process.ended;
    expect(lines.map(({ decoded }) => decoded)).toEqual([
      expect.objectContaining({ kind: "noise", reason: "oversized", size: 5000 }),
    ]);
  });

  test("100 MB on stderr do not delay stdout, and 256 KB of them are kept", async () => {
    const { process, lines, stderr } = await flooded();
    expect(lines.map(({ decoded }) => valueOf(decoded)?.["n"])).toEqual(Array.from({ length: 101 }, (_, n) => n));
    expect(process.stderr.length).toBe(256 * 1024);
    expect(process.stderr.endsWith("the end of it")).toBe(true);
    expect(stderr).toMatch(/\[\d+ bytes of stderr left out\]/);
    expect(stderr.endsWith("the end of it")).toBe(true);
    expect(stderr.length).toBeLessThan(50_000_000);
  }, 60_000);

  const flooded = async (): Promise<ReturnType<typeof runScript>> => {
    const watched = runScript(`
      const megabyte = "e".repeat(1024 * 1024);
      (async () => {
        for (let n = 0; n < 100; n++) {
          say({ type: "x", n });
          if (!process.stderr.write(megabyte)) await new Promise((done) => process.stderr.once("drain", done));
        }
        say({ type: "x", n: 100 });
        process.stderr.write("the end of it");
      })();`);
    await watched.process.ended;
    return watched;
  };

  test("while paused nothing is delivered; afterwards everything is, even after the process ended", async () => {
    const watched = runScript(
      `for (let n = 0; n < 100; n++) say({ type: "x", n, filler: "x".repeat(100) });
       process.stderr.write("late"); process.exitCode = 3;`,
      { onLine: () => watched.lines.length === 10 && watched.process.pause() },
    );
    await watched.saw("x");
    await gone(watched.process.pid!);
    expect(watched.lines).toHaveLength(10);
    expect(watched.exits).toEqual([]);
    watched.process.resume();
    expect(await watched.process.ended).toEqual({ code: 3, signal: null });
    expect(watched.lines.map(({ decoded }) => valueOf(decoded)?.["n"])).toEqual(
      Array.from({ length: 100 }, (_, n) => n),
    );
    expect(watched.stderr).toBe("late");
    expect(watched.order.at(-1)).toBe("exit");
  });

  test("a line whose receiver throws does not block later lines", async () => {
    const watched = runScript(
      String.raw`process.stdout.write('{"type":"x","n":0}\n{"type":"x","n":1}\n');
        process.stdin.once("data", () => { say({ type: "x", n: 2 }); process.stdin.destroy(); });`,
      {
        onLine: () => {
          if (watched.lines.length === 1) watched.process.pause();
          if (watched.lines.length === 2) throw new Error("a bug of the receiver");
        },
      },
    );
    await watched.saw("x");
    expect(() => watched.process.resume()).toThrow("a bug of the receiver");
    await watched.process.send(keepAlive());
    await watched.process.ended;
    expect(watched.lines.map(({ decoded }) => valueOf(decoded)?.["n"])).toEqual([0, 1, 2]);
  });

  test("pausing and resuming at every line loses no line and keeps the order", async () => {
    const watched = runScript(`for (let n = 0; n < 20000; n++) say({ type: "x", n });`, {
      onLine: () => {
        watched.process.pause();
        if (watched.lines.length % 3 === 0) watched.process.resume();
        else setImmediate(() => watched.process.resume());
      },
    });
    await watched.process.ended;
    expect(watched.lines.map(({ decoded }) => valueOf(decoded)?.["n"])).toEqual(
      Array.from({ length: 20000 }, (_, n) => n),
    );
  });
});

/** Waits until no live process has the pid. The test must see the exit without the events that it tests. */
const gone = async (pid: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    try {
      process.kill(pid, 0);
      setTimeout(look, 5);
    } catch {
      resolve();
    }
  };
  look();
  await promise;
};

test("arguments arrive unchanged: no shell reads them", async () => {
  const argv = ["$(touch x)", "a b", "; exit 3", "*", "'\"", "--", "-x", "é\n", ""];
  const { process, saw } = runScript(`say({ type: "argv", argv: process.argv.slice(1) })`, { argv });
  expect(await saw("argv")).toEqual({ type: "argv", argv });
  await process.ended;
});

describe("writing", () => {
  const RECORDER = `
    let text = "";
    process.stdin.setEncoding("utf8").on("data", (chunk) => (text += chunk)).on("end", () => {
      const lines = text.split("\\n");
      const last = lines.pop();
      const read = lines.map((line) => JSON.parse(line));
      say({ type: "read", last, uuids: read.map((each) => each.uuid), sizes: read.map((each) => each.message.content.length) });
    });`;

  test("1,000 concurrent sends, one of 5 MB, arrive whole and in order", async () => {
    const watched = runScript(RECORDER, PATIENT);
    const contents = Array.from({ length: 1000 }, (_, n) =>
      n === 500 ? "é\u2028".repeat(2.5 * 1024 * 1024) : `prompt ${n}`,
    );
    const sent = contents.map((content, n) => watched.process.send(userMessage(content, { uuid: `uuid-${n}` })));
    await Promise.all(sent);
    await watched.process.close();
    const read = await watched.saw("read");
    expect(read).toEqual({
      type: "read",
      last: "",
      uuids: contents.map((_, n) => `uuid-${n}`),
      sizes: contents.map((content) => content.length),
    });
    expect(watched.exits).toEqual([{ code: 0, signal: null }]);
  });

  test("a process that does not read blocks the sender, and its end settles every send", async () => {
    const watched = runScript(`say({ type: "ready" }); ${STAYS}`);
    await watched.saw("ready");
    const sends = Array.from({ length: 20 }, () => codeOf(watched.process.send(userMessage("x".repeat(1024 * 1024)))));
    await watched.process.kill();
    expect(await Promise.all(sends)).toEqual(sends.map(() => "process-ended"));
  });

  test("a closed stdin fails the send, not the process", async () => {
    const watched = runScript(`require("node:fs").closeSync(0); say({ type: "closed" }); ${STAYS}`);
    await watched.saw("closed");
    expect(await codeOf(watched.process.send(keepAlive()))).toBe("stdin-closed");
    expect(await codeOf(watched.process.send(keepAlive()))).toBe("stdin-closed");
    expect(watched.exits).toEqual([]);
    await watched.process.kill();
    expect(await codeOf(watched.process.send(keepAlive()))).toBe("process-ended");
  });

  test("nothing is sent after the end of input", async () => {
    const watched = runScript(`process.stdin.resume().on("end", () => say({ type: "end" }));`, PATIENT);
    const closed = watched.process.close();
    expect(await codeOf(watched.process.send(keepAlive()))).toBe("stdin-closed");
    await closed;
  });

  test("a message that would kill the CLI is refused, and the next one is sent", async () => {
    const watched = runScript(RECORDER, PATIENT);
    const wrong = { type: "user", message: { role: "pirate", content: "hi" } } as unknown as StdinMessage;
    expect(await codeOf(watched.process.send(wrong))).toBe("invalid-message");
    await watched.process.send(userMessage("hello", { uuid: "u" }));
    await watched.process.close();
    expect(await watched.saw("read")).toMatchObject({ uuids: ["u"] });
  });
});

describe("ending", () => {
  /** The times of a close. `over` ends the time that runs now. */
  const waits = () => {
    let over = (): void => {};
    const wait = (): Promise<void> => new Promise((resolve) => (over = resolve));
    return { wait, over: () => over() };
  };

  test("an idle process ends when its input ends", async () => {
    const asked: string[] = [];
    const watched = runScript(READS, PATIENT);
    const exit = await watched.process.close({ interrupt: () => Promise.resolve(asked.push("interrupt")) });
    expect(asked).toEqual(["interrupt"]);
    expect(exit).toEqual({ code: 0, signal: null });
    expect(watched.exits).toEqual([exit]);
  });

  test.each([
    ["fails", () => Promise.reject(new Error("no"))],
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["never answers", () => new Promise(() => {})],
  ])("an interrupt that %s does not stop the next steps", async (_, interrupt) => {
    const { wait, over } = waits();
    const watched = runScript(`${READS} say({ type: "ready" });`, { wait });
    await watched.saw("ready");
    const closed = watched.process.close({ interrupt });
    over();
    expect(await closed).toEqual({ code: 0, signal: null });
  });

  test("a process that ignores the end of input gets SIGTERM", async () => {
    const { wait, over } = waits();
    const code = `process.on("SIGTERM", () => process.exit(143)); say({ type: "ready" }); ${STAYS}`;
    const watched = runScript(code, { wait });
    await watched.saw("ready");
    const closed = watched.process.close();
    over();
    expect(await closed).toEqual({ code: 143, signal: null });
  });

  test("a process that ignores both is killed", async () => {
    const { wait, over } = waits();
    const watched = runScript(
      `process.on("SIGTERM", () => say({ type: "ignored" })); say({ type: "ready" }); ${READS} ${STAYS}`,
      { wait },
    );
    await watched.saw("ready");
    const closed = Promise.all([watched.process.close(), watched.process.close()]);
    over();
    await watched.saw("ignored");
    over();
    const [first, second] = await closed;
    expect(first).toEqual({ code: null, signal: "SIGKILL" });
    expect(second).toBe(first);
    expect(watched.exits).toHaveLength(1);
  });

  test("a kill during a close ends the process at once", async () => {
    const watched = runScript(`process.on("SIGTERM", () => {}); say({ type: "ready" }); ${STAYS}`);
    await watched.saw("ready");
    const closed = watched.process.close({ graceMs: 600_000, interrupt: () => new Promise(() => {}) });
    expect(await watched.process.kill()).toEqual({ code: null, signal: "SIGKILL" });
    expect(await closed).toEqual({ code: null, signal: "SIGKILL" });
  });

  const ORPHAN = (options: string): string =>
    `const orphan = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"],
       { detached: true, stdio: "inherit", ...${options} });
     say({ type: "orphan", pid: orphan.pid });
     ${STAYS}`;

  test("if the process is killed from outside, a descendant outside its group that holds the pipes ends too", async () => {
    const marker = newMarker();
    const watched = runScript(ORPHAN("{}"), { marker });
    const orphan = Number((await watched.saw("orphan"))["pid"]);
    expect(new Set((await findByMarker(marker)).map(({ pid }) => pid))).toEqual(new Set([watched.process.pid, orphan]));
    process.kill(watched.process.pid!, "SIGKILL");
    expect(await watched.process.ended).toEqual({ code: null, signal: "SIGKILL" });
    expect(await findByMarker(marker)).toEqual([]);
    expect(watched.order).toEqual(["line", "exit"]);
  });

  test("an unmarked process that holds the pipes does not delay the exit", async () => {
    const watched = runScript(ORPHAN("{ env: {} }"));
    const orphan = Number((await watched.saw("orphan"))["pid"]);
    process.kill(watched.process.pid!, "SIGKILL");
    try {
      expect(await watched.process.ended).toEqual({ code: null, signal: "SIGKILL" });
      expect(watched.exits).toHaveLength(1);
    } finally {
      process.kill(orphan, "SIGKILL");
    }
  });
});

describe("a process that cannot be started", () => {
  const folderOfMistakes = (): string => {
    const path = scratchFolder();
    writeFileSync(join(path, "text"), "not a program");
    chmodSync(join(path, "text"), 0o644);
    writeFileSync(join(path, "lost"), "#!/no/such/interpreter\n");
    chmodSync(join(path, "lost"), 0o755);
    return path;
  };

  test.each([
    ["no program", (path: string) => ({ command: join(path, "claude") }), "program-missing", /install Claude Code/i],
    ["no program on the PATH", () => ({ command: "no-such-claude" }), "program-missing", /install Claude Code/i],
    ["no interpreter", (path: string) => ({ command: join(path, "lost") }), "program-missing", /interpreter/],
    ["not executable", (path: string) => ({ command: join(path, "text") }), "not-executable", /chmod \+x/],
    ["no folder", (path: string) => ({ command: "node", cwd: join(path, "gone") }), "folder-missing", /create it/i],
    [
      "a file as folder",
      (path: string) => ({ command: "node", cwd: join(path, "text") }),
      "folder-missing",
      /not a folder/,
    ],
    ["too long", () => ({ command: "node", argv: ["x".repeat(4_000_000)] }), "spawn-failed", /too long/],
    ["a NUL", () => ({ command: "node", argv: ["\0"] }), "spawn-failed", /could not be started/],
  ] as const)("%s", async (_, options, code, message) => {
    const watched = watch(options(folderOfMistakes()));
    const error = await watched.process.started.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CliProcessError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as unknown });
    expect(await codeOf(watched.process.send(keepAlive()))).toBe(code);
    expect(await watched.process.close()).toEqual({ code: null, signal: null });
    expect(await watched.process.kill()).toEqual({ code: null, signal: null });
    expect(watched.order).toEqual(["exit"]);
  });
});
