import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { FAULTS, FaultPlan, parseFaults } from "./faults.ts";
import { ASKING, bash, Host, text } from "./host.fixture.ts";
import { recordAt } from "./json.ts";

const scripts = { hello: [text("hi")], run: [bash("echo x"), text("ran")] };
const start = (fault: string, args: readonly string[] = ASKING): Host =>
  new Host({ scripts, args, env: { QUARTERDECK_SIM_FAULT: fault } });

describe.concurrent("a plan", () => {
  it("has a fault, an argument, a point and a count", () => {
    expect(parseFaults("die-mid-line@assistant#2, flood:500@init,ignore-eof")).toEqual([
      { what: "die-mid-line", point: "assistant", nth: 2 },
      { what: "flood", arg: "500", point: "init", nth: 1 },
      { what: "ignore-eof", nth: 1 },
    ]);
    expect(parseFaults("")).toEqual([]);
  });

  it("refuses an unknown fault", () => {
    expect(() => parseFaults("explode@init")).toThrow(/Not a fault: explode@init/);
    expect(() => parseFaults("die@init#0")).toThrow(/Not a fault/);
  });

  it("refuses an argument that is not a number if the fault counts", () => {
    for (const plan of ["delay:soon", "delay:", "die:x@result", "flood:1e3", "flood:-5", "orphan:2.5"]) {
      expect(() => parseFaults(plan), plan).toThrow(/must be a whole number/);
    }
    expect(parseFaults("garbage:x,stderr:y,die:0")).toHaveLength(3);
  });

  it("triggers at its passage and at no other", () => {
    const plan = new FaultPlan("garbage@assistant#2,ignore-sigterm");
    expect(
      [plan.pass("assistant"), plan.pass("result"), plan.pass("assistant"), plan.pass("assistant")].map(
        ({ length }) => length,
      ),
    ).toEqual([0, 0, 1, 0]);
    expect([plan.holds("ignore-sigterm"), plan.holds("ignore-eof")]).toEqual([true, false]);
  });
});

describe.concurrent("on request it", () => {
  it("dies in the middle of a line", async () => {
    const host = start("die-mid-line@assistant");
    host.prompt("hello");
    expect(await host.exited).toEqual({ code: 1, signal: null });
    expect(host.words()).toEqual(["init"]);
    expect(host.noise).toHaveLength(1);
    expect(host.noise[0]).toMatch(/^\{"type":"assistant"/);
  });

  it("dies with a code", async () => {
    const host = start("die:7@result");
    host.prompt("hello");
    expect(await host.exited).toEqual({ code: 7, signal: null });
    expect(host.words()).toEqual(["init", "assistant text"]);
  });

  it("hangs at a point until a signal ends it", async () => {
    const host = start("hang@tool_result");
    host.prompt("run");
    await host.next(({ type }) => type === "assistant");
    host.prompt("hello");
    host.endInput();
    host.kill("SIGTERM");
    expect(await host.exited).toEqual({ code: 143, signal: null });
    expect(host.words()).toEqual(["init", "assistant tool_use"]);
  });

  it("floods with whole lines", async () => {
    const host = start("flood:20000@init");
    expect(await host.turn("hello")).toMatchObject({ result: "hi" });
    expect(host.messages.filter((message) => recordAt(message, "event").type === "content_block_delta")).toHaveLength(
      20_000,
    );
    expect(host.noise).toEqual([]);
  });

  it("writes garbage between its lines", async () => {
    const host = start("garbage@result,garbage:{oops@init");
    expect(await host.turn("hello")).toMatchObject({ result: "hi" });
    expect(host.noise).toEqual(["{oops", '\u0000\u001b[31mnot json {"type":']);
  });

  it("is slow and noisy at the given points", async () => {
    const host = start("delay:50@init,stderr:ouch@assistant");
    expect(await host.turn("hello")).toMatchObject({ result: "hi" });
    await host.end();
    expect(host.stderr).toBe("ouch\n");
  });

  it("ignores the end of stdin, but not SIGTERM", async () => {
    const host = start("ignore-eof");
    await host.turn("hello");
    host.endInput();
    host.kill("SIGTERM");
    expect(await host.exited).toEqual({ code: 143, signal: null });
  });

  it("ignores SIGTERM, but not the end of stdin", async () => {
    const host = start("ignore-sigterm");
    await host.turn("hello");
    host.kill("SIGTERM");
    expect(await host.turn("run")).toMatchObject({ result: "ran" });
    expect(await host.end()).toEqual({ code: 0, signal: null });
  });

  it("leaves an orphan that holds its stdout open", async () => {
    const host = start("orphan:600@result", []);
    await host.turn("hello");
    const children = readFileSync(`/proc/${String(host.pid)}/task/${String(host.pid)}/children`, "utf8").trim();
    expect(children).toMatch(/^\d+$/);
    host.endInput();
    await vi.waitFor(() => expect(existsSync(`/proc/${String(host.pid)}`)).toBe(false), { timeout: 120_000 });
    process.kill(Number(children), "SIGKILL");
    expect(await host.exited).toEqual({ code: 0, signal: null });
  });

  it("has no fault without a test here", () => {
    const tests = readFileSync(fileURLToPath(import.meta.url), "utf8");
    const tried = [...tests.matchAll(/start\("([^"]+)"/g)].flatMap(([, plan = ""]) =>
      parseFaults(plan).map(({ what }) => what),
    );
    expect(new Set(tried)).toEqual(new Set(FAULTS));
  });
});

it.concurrent("accepts faults as a flag too, at any point", async () => {
  const host = new Host({ scripts, args: ["--fault", "die:3@exit"] });
  await host.turn("hello");
  expect(await host.end()).toEqual({ code: 3, signal: null });
});
