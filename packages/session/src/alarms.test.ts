import { expect, it } from "vitest";
import { alarmsIn } from "./alarms.ts";
import type { Row } from "./row.ts";

let made = 0;
const call = (name: string, input: object, structured: object, ok = true): Row => {
  made += 1;
  return { id: `tool/${made}`, kind: "tool", name, input, state: "done", result: { ok, structured } } as unknown as Row;
};
const cron = (id: string, prompt: string, more: object = {}): Row =>
  call("CronCreate", { cron: "0 9 * * *", prompt }, { id, humanSchedule: "every day at 9", recurring: true, ...more });
const wakeup = (reason: string, scheduledFor: number): Row =>
  call("ScheduleWakeup", { delaySeconds: 60, reason }, { scheduledFor });
const RESUMED = { id: "m", kind: "mark", what: "resumed" } as unknown as Row;
const alarmsOf = (rows: readonly Row[], isLive = true) => [...alarmsIn(rows.toReversed(), 1000, isLive)];
const states = (rows: readonly Row[], isLive = true): string[][] =>
  alarmsOf(rows, isLive).map(({ what, state }) => [what, state]);

it("lists alarms with their time, and which of them still wait", () => {
  const rows = [
    cron("a", "water the plants"),
    cron("b", "feed the cat"),
    call("CronDelete", { id: "b" }, { id: "b" }),
    cron("c", "once, long ago", { recurring: false, nextFireAt: 900 }),
    cron("d", "failed", {}),
    wakeup("first", 2000),
    wakeup("second", 3000),
  ].with(4, call("CronCreate", { cron: "x", prompt: "failed" }, {}, false));
  expect(states(rows)).toEqual([
    ["second", "waits"],
    ["first", "replaced"],
    ["once, long ago", "over"],
    ["feed the cat", "deleted"],
    ["water the plants", "waits"],
  ]);
  expect(alarmsOf(rows)[0]).toMatchObject({ delaySeconds: 60, at: 3000, repeats: false });
  expect(alarmsOf(rows).at(-1)).toMatchObject({ when: "every day at 9", repeats: true });
});

it("knows that alarms end with their process", () => {
  expect(states([cron("a", "old"), RESUMED, cron("b", "new")])).toEqual([
    ["new", "waits"],
    ["old", "gone"],
  ]);
  expect(states([cron("a", "old")], false)).toEqual([["old", "gone"]]);
});

it("knows that a loop was stopped", () => {
  const stopped = call("ScheduleWakeup", { stop: true }, { scheduledFor: 0, stopped: true });
  expect(states([wakeup("loop", 2000), stopped])).toEqual([["loop", "replaced"]]);
});
