import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { newMarker, runScript } from "./child-script.fixture.ts";
import { endDescendants, endOrphans, findByMarker, markerValue, sessionMarker, signalProcess } from "./descendants.ts";

const STAYS = `setInterval(() => {}, 1000);`;
const READY = `say({ type: "ready", pid: process.pid }); ${STAYS}`;
/** Starts a program in its own session with these options, and reports when it runs. */
const starts = (code: string, options = "{}"): string => `
  const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(code)}],
    { detached: true, stdio: ["ignore", "pipe", "ignore"], ...${options} });
  child.stdout.once("data", () => say({ type: "child", pid: child.pid }));
  ${STAYS}`;
const UP = `console.log("up"); ${STAYS}`;

const pidsOf = (found: readonly { readonly pid: number }[]): Set<number> => new Set(found.map(({ pid }) => pid));

describe("a marker", () => {
  test("names the data directory, the session and the process", () => {
    expect(sessionMarker({ dataDirId: "d1", sessionId: "1b4e-28ba", incarnation: 3 })).toBe("d1:1b4e-28ba:3");
  });

  test.each(["", "a b", "a:b", "a\nb", "a=b;c"])("rejects %j, which could be mistaken for another marker", (part) => {
    expect(() => sessionMarker({ dataDirId: part, sessionId: "s", incarnation: 1 })).toThrow(RangeError);
  });

  test("is added once to the markers that the host inherited", () => {
    expect(markerValue("d:s:2", undefined)).toBe("d:s:2");
    expect(markerValue("d:s:2", "outer:s:1")).toBe("outer:s:1 d:s:2");
    expect(markerValue("d:s:2", "outer:s:1 d:s:2")).toBe("outer:s:1 d:s:2");
  });
});

describe("finding", () => {
  test("finds a process, children outside its group, and children without its environment", async () => {
    const marker = newMarker();
    const watched = runScript(starts(UP), { marker });
    const bare = runScript(starts(UP, "{ env: {} }"), { marker });
    const [inherits, lost] = await Promise.all([watched.saw("child"), bare.saw("child")]);
    expect(pidsOf(await findByMarker(marker))).toEqual(
      new Set([watched.process.pid, bare.process.pid, inherits["pid"], lost["pid"]]),
    );
  });

  test("matches whole markers, also among several", async () => {
    const outer = newMarker();
    const inner = newMarker();
    const { saw, process } = runScript(starts(UP, `{ env: { QUARTERDECK_SESSION: "${outer} ${inner}" } }`));
    const { pid } = await saw("child");
    expect(pidsOf(await findByMarker(outer))).toEqual(new Set([pid]));
    expect(pidsOf(await findByMarker(inner))).toEqual(new Set([pid]));
    expect(await findByMarker(inner.slice(0, -1))).toEqual([]);
    expect(await findByMarker("")).toEqual([]);
    await process.kill();
  });

  test("a zombie counts as gone", async () => {
    const marker = newMarker();
    const watched = runScript("", {
      marker,
      command: "/bin/sh",
      // The shell is replaced by a program that never reaps the child that the shell started.
      prefixArgs: ["-c", `(exit 0) & echo '{"type":"ready"}'; exec sleep 1000`],
    });
    await watched.saw("ready");
    await expect.poll(() => findByMarker(marker).then(pidsOf)).toEqual(new Set([watched.process.pid]));
  });

  test("processes that start and end meanwhile cause no error", async () => {
    const marker = newMarker();
    const busy = runScript(
      `const { spawn } = require("node:child_process");
       const again = () => spawn("/bin/true", { stdio: "ignore" }).once("close", again);
       for (let n = 0; n < 8; n++) again();
       say({ type: "ready" });`,
      { marker },
    );
    await busy.saw("ready");
    for (let n = 0; n < 20; n++) expect(pidsOf(await findByMarker(marker))).toContain(busy.process.pid);
    await busy.process.kill();
    expect(await findByMarker(marker)).toEqual([]);
  });
});

describe("ending", () => {
  test("asks first, and kills processes that ignore it", async () => {
    const marker = newMarker();
    // Each has its own marker too: a process that ends ends the others with its marker.
    const env = { PATH: process.env["PATH"] ?? "", QUARTERDECK_SESSION: marker };
    const polite = runScript(`process.on("SIGTERM", () => process.exit(7)); ${READY}`, { env });
    const stubborn = runScript(`process.on("SIGTERM", () => say({ type: "asked" })); ${READY}`, { env });
    await Promise.all([polite.saw("ready"), stubborn.saw("ready")]);
    let now = 0;
    const done = endDescendants(marker, { graceMs: 300, now: () => now });
    expect(await polite.process.ended).toEqual({ code: 7, signal: null });
    await stubborn.saw("asked");
    now = 300;
    const { ended, left } = await done;
    expect(pidsOf(ended)).toEqual(new Set([polite.process.pid, stubborn.process.pid]));
    expect(left).toEqual([]);
    expect(await stubborn.process.ended).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("ends processes that are started meanwhile", async () => {
    const marker = newMarker();
    const watched = runScript(
      `process.once("SIGTERM", () => {
         const heir = require("node:child_process").spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
         say({ type: "heir", pid: heir.pid });
       });
       ${READY}`,
      { marker },
    );
    await watched.saw("ready");
    let now = 0;
    const done = endDescendants(marker, { graceMs: 500, now: () => now });
    const { pid } = await watched.saw("heir");
    // The heir was found and has ended. The end of the first process would end it too.
    await expect.poll(() => findByMarker(marker).then(pidsOf)).toEqual(new Set([watched.process.pid]));
    now = 500;
    const { ended, left } = await done;
    expect(pidsOf(ended)).toEqual(new Set([watched.process.pid, pid]));
    expect(left).toEqual([]);
    expect(await findByMarker(marker)).toEqual([]);
  });

  test("leaves alone a process that reused the pid", async () => {
    const marker = newMarker();
    const watched = runScript(READY, { marker });
    await watched.saw("ready");
    const [found] = await findByMarker(marker);
    expect(await signalProcess({ ...found!, startTime: "1" }, "SIGKILL")).toBe(false);
    expect(await findByMarker(marker)).toEqual([found]);
    expect(await signalProcess(found!, "SIGKILL")).toBe(true);
    await watched.process.ended;
    expect(await signalProcess(found!, "SIGKILL")).toBe(false);
  });

  test("ends orphans of one data directory, but not those of another or those to keep", async () => {
    const [first, second, other] = [newMarker("mine"), newMarker("mine"), newMarker("mine2")];
    const running = [first, second, other].map((marker) => runScript(READY, { marker }));
    await Promise.all(running.map(({ saw }) => saw("ready")));
    const dataDirId = first.slice(0, first.indexOf(":"));
    const { ended, left } = await endOrphans(dataDirId, { keep: (marker) => marker === second });
    expect(pidsOf(ended)).toEqual(new Set([running[0]!.process.pid]));
    expect(left).toEqual([]);
    expect(pidsOf(await findByMarker(second))).toEqual(new Set([running[1]!.process.pid]));
    expect(pidsOf(await findByMarker(other))).toEqual(new Set([running[2]!.process.pid]));
  });

  test("a host that an orphan started ends the other orphans, not itself", async () => {
    const marker = newMarker();
    const source = fileURLToPath(new URL("./descendants.ts", import.meta.url));
    const host = `import(${JSON.stringify(source)}).then(async ({ endOrphans }) => {
      const { ended, left } = await endOrphans(${JSON.stringify(marker.slice(0, marker.indexOf(":")))});
      console.log(JSON.stringify({ type: "done", ended: ended.map(({ pid }) => pid), left }));
    });`;
    const orphan = runScript(
      `${starts(UP)}
       child.stdout.once("data", () => require("node:child_process")
         .spawn(process.execPath, ["-e", ${JSON.stringify(host)}], { stdio: "inherit" })
         .once("exit", (code) => say({ type: "host-exited", code })));`,
      { marker },
    );
    const { pid } = await orphan.saw("child");
    expect(await orphan.saw("done")).toEqual({ type: "done", ended: [pid], left: [] });
    expect(await orphan.saw("host-exited")).toEqual({ type: "host-exited", code: 0 });
  });
});
