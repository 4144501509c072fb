import { createFold } from "@quarterdeck/session";
import type { Fact } from "@quarterdeck/session";
import { expect, it } from "vitest";
import { bench, oldCli, turn } from "../host-bench.fixture.ts";
import { hasSchedule } from "./schedules.ts";

const called = (id: string, name: string, input: object, structured: object): readonly Fact[] => [
  {
    type: "received",
    message: {
      type: "assistant",
      parent_tool_use_id: null,
      session_id: "s",
      message: { id: `m${id}`, role: "assistant", content: [{ type: "tool_use", id, name, input: { ...input } }] },
    },
  },
  {
    type: "received",
    message: {
      type: "user",
      parent_tool_use_id: null,
      session_id: "s",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done" }] },
      tool_use_result: { ...structured },
    },
  },
];
const isSet = (facts: readonly Fact[], now = 2000): boolean => {
  const fold = createFold();
  for (const [index, fact] of facts.entries()) fold.apply({ seq: index + 1, at: 1000, ...fact });
  return hasSchedule({ rowsBefore: (order, limit) => ({ rows: fold.rowsBefore(order, limit) }) }, now);
};
const DAY = 24 * 3600 * 1000;

it("[H13] counts a job until it is deleted, has run, or the CLI drops it", () => {
  const job = called("1", "CronCreate", { cron: "* * * * *" }, { id: "a", humanSchedule: "x", recurring: true });
  const once = called("1", "CronCreate", {}, { id: "a", humanSchedule: "x", recurring: false, nextFireAt: 3000 });
  expect(isSet([])).toBe(false);
  expect([isSet(job), isSet(job, 8 * DAY)]).toEqual([true, false]);
  expect([isSet(once), isSet(once, 3000)]).toEqual([true, false]);
  expect(isSet([...job, ...called("2", "CronDelete", { id: "a" }, { id: "a" })])).toBe(false);
  expect(isSet([...job, ...called("2", "CronDelete", { id: "b" }, { id: "b" })])).toBe(true);
  const next: Fact = { type: "process-started" };
  expect([isSet([next, ...job]), isSet([next, ...job, next])]).toEqual([true, false]);
});

it("[H13] counts only the newest wakeup", () => {
  const wakeup = (id: string, more: object) => called(id, "ScheduleWakeup", {}, { scheduledFor: 3000, ...more });
  expect([isSet(wakeup("1", {})), isSet(wakeup("1", {}), 3000)]).toEqual([true, false]);
  expect(isSet([...wakeup("1", {}), ...wakeup("2", { stopped: true })])).toBe(false);
});

it("[H13] does not release a process that has set an alarm", async () => {
  const sets = called("t1", "CronCreate", {}, { id: "a", humanSchedule: "x", recurring: true });
  const says = sets.map((fact) => `say(${JSON.stringify((fact as { message: unknown }).message)})`).join(";");
  const { host, cwd } = await bench([], { claude: oldCli(says), releaseIdleAfterMs: 50 });
  const session = await host.start({ cwd });
  await turn(session, "set it");
  const other = await host.start({ cwd });
  await other.ended;
  expect(session.isLive).toBe(true);
});
