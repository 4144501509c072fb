import { expect, it } from "vitest";
import { blockersOf, lanesOf, waitingFor } from "./tasks-model.ts";

const task = (id: string, status: string, blocks: readonly string[] = [], blockedBy: readonly string[] = []) => ({
  id,
  subject: `Task ${id}`,
  status,
  blocks,
  blockedBy,
});

it("has a lane for each state, also for one that it does not know", () => {
  const lanes = lanesOf([task("1", "pending"), task("2", "on_hold"), task("3", "completed")]);
  expect(lanes.map(({ title, tasks }) => [title, tasks.map(({ id }) => id)])).toEqual([
    ["In progress", []],
    ["To do", ["1"]],
    ["Done", ["3"]],
    ["on hold", ["2"]],
  ]);
});

it("finds a dependency from either side, until the first task is done", () => {
  const [first, second] = [task("1", "in_progress", ["2"]), task("2", "pending")];
  expect(blockersOf(second, [first, second])).toEqual([first]);
  expect(waitingFor(first, [first, second])).toEqual([second]);
  const [done, next] = [task("1", "completed"), task("2", "pending", [], ["1"])];
  expect(blockersOf(next, [done, next])).toEqual([]);
  expect(waitingFor(done, [done, next])).toEqual([next]);
});
