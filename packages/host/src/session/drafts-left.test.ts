// Streamed text after an interrupted turn, a dead process or a dead host.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Script } from "@quarterdeck/simulator";
import { createFold } from "@quarterdeck/session";
import { expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { bench, HELLO, until } from "../host-bench.fixture.ts";
import { Host } from "../host.ts";
import { openSqliteStore } from "../store/sqlite-store.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

const pace = { deltaMs: 20, deltaChars: 4 };
const SLOW: Script = { when: "slow", steps: [{ say: [{ text: "A long story. ".repeat(200) }], pace }] };
const THINKS: Script = {
  when: "think",
  steps: [{ say: [{ thinking: "A long thought. ".repeat(100) }, { text: "Done." }], pace }],
};
const WRITES: Script = {
  when: "write",
  steps: [{ say: [{ tool: "Write", input: { file_path: "a.txt", content: "A line. ".repeat(200) } }], pace }],
};

it("[H29] stays when the process dies: the text as cut off, the call as unfinished, and the log says the same", async () => {
  const { host, store, cwd } = await bench([SLOW, WRITES, HELLO]);
  const session = await host.start({ cwd });
  for (const prompt of ["slow", "write"]) {
    const streaming = until(session, () => session.drafts.some(({ text }) => text.length > 60));
    await session.prompt(prompt);
    await streaming;
    const [seen] = session.drafts;
    process.kill(session.head.process!.pid!, "SIGKILL");
    await session.ended;
    expect(session.drafts).toEqual([]);
    const row = session.row(seen!.id);
    if (prompt === "slow") {
      expect(row).toMatchObject({ kind: "text", aborted: true });
      expect((row as { text: string }).text.startsWith(seen!.text)).toBe(true);
    } else {
      expect(row).toMatchObject({ kind: "tool", name: "Write", state: "unfinished", input: { file_path: "a.txt" } });
    }
    const fold = createFold();
    for (const event of store.read(session.id, 0, 10_000)) fold.apply(event);
    expect(fold.rows).toEqual(session.rows.map((each) => ({ ...each, rev: expect.any(Number) as unknown })));
    await host.resume(session.id);
  }
  expect((await session.ask("hello")).text).toBe("Hello there.");
});

it("[H29] stays when the host is killed: a client that comes back sees what was streamed", async () => {
  const folder = scratchFolder();
  writeFileSync(join(folder, "scenario.json"), JSON.stringify({ name: "test", scripts: [SLOW, HELLO] }));
  const child = spawn(process.execPath, [...programWords("streaming-host"), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const gone = new Promise((resolve) => child.once("exit", resolve));
  let seen = { id: "", text: "" };
  for await (const line of createInterface({ input: child.stdout })) {
    seen = JSON.parse(line) as typeof seen;
    if (seen.text.length > 400) child.kill("SIGKILL");
  }
  await gone;

  const host = await Host.open({
    store: await openSqliteStore(join(folder, "data")),
    claude: { command: process.execPath, prefixArgs: [...programWords("quarterdeck-sim")], version: "2.1.325" },
    environment: () => ({
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      QUARTERDECK_SCENARIO: join(folder, "scenario.json"),
    }),
    dataDirId: folder.replaceAll(/\W/g, ""),
  });
  onTestFinished(() => host.close());
  const { id } = host.list()[0]!;
  const cut = host.view(id);
  if (cut.head.process?.running === true) await until(host.get(id), ({ type }) => type === "process-exited");
  const row = host.view(id).row(seen.id) as { text: string };
  expect(row).toMatchObject({ kind: "text", aborted: true });
  expect(seen.text.startsWith(row.text)).toBe(true);
  expect(row.text.length).toBeGreaterThan(20);
  const session = await host.resume(id);
  expect((await session.ask("hello")).text).toBe("Hello there.");
  expect(session.row(seen.id)).toEqual(row);
});

it("[H29] stays when the turn is interrupted, before the row that says so, with thoughts and calls", async () => {
  const { host, store, cwd } = await bench([SLOW, THINKS, WRITES, HELLO]);
  const session = await host.start({ cwd });
  for (const [prompt, cut] of [
    ["slow", { kind: "text", aborted: true }],
    ["think", { kind: "thinking", aborted: true }],
    ["write", { kind: "tool", name: "Write", state: "unfinished", input: { file_path: "a.txt" } }],
  ] as const) {
    const streaming = until(session, () => session.drafts.some(({ text }) => text.length > 60));
    const done = session.ask(prompt);
    await streaming;
    const [seen] = session.drafts;
    await session.interrupt();
    await done;
    expect(session.drafts).toEqual([]);
    expect(session.rows.slice(-3)).toMatchObject([
      { id: seen!.id, ...cut },
      { kind: "mark", what: "interrupted" },
      { kind: "turn" },
    ]);
  }
  const fold = createFold();
  for (const event of store.read(session.id, 0, 10_000)) fold.apply(event);
  expect(fold.rows).toEqual(session.rows.map((each) => ({ ...each, rev: expect.any(Number) as unknown })));
  expect((await session.ask("hello")).text).toBe("Hello there.");
});

it("[H29] does not return after the end of its turn", async () => {
  const { host, options, store, cwd } = await bench([SLOW, HELLO]);
  const session = await host.start({ cwd });
  const streaming = until(session, () => Object.keys(store.loadDrafts(session.id)).length > 0);
  const slow = session.ask("slow");
  await streaming;
  await session.interrupt();
  await slow;
  expect(store.loadDrafts(session.id)).not.toEqual({});
  const rows = session.rows.length;
  // A host that opens the store while the first still seems to run, as after a crash.
  const later = await Host.open({ ...options, store });
  const again = later.get(session.id);
  if (again.head.process?.running === true) await until(again, ({ type }) => type === "process-exited");
  expect(again.rows.filter(({ kind }) => kind === "text")).toEqual(
    session.rows.slice(0, rows).filter(({ kind }) => kind === "text"),
  );
  expect(store.read(session.id, 0, 1000).some(({ type }) => type === "drafts-left")).toBe(false);
});
