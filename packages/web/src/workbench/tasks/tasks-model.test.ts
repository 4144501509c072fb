import { expect, it } from "vitest";
import { dependenciesOf, dependencyLines, orderedTasks } from "./task-order.ts";
import { blockersOf, changeWords, taskLanes, waitingFor } from "./tasks-model.ts";

const task = (id: string, status: string, blocks: readonly string[] = [], blockedBy: readonly string[] = []) => ({
  id,
  subject: `Task ${id}`,
  status,
  blocks,
  blockedBy,
});

it("has a lane for each state, also for an unknown state", () => {
  const lanes = taskLanes([task("1", "pending"), task("2", "on_hold"), task("3", "completed")]);
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

it("orders tasks by what must be done first, and draws lines that pass each other apart", () => {
  const tasks = [
    task("1", "pending", [], ["3"]),
    task("2", "pending"),
    task("3", "pending", ["2"]),
    task("4", "pending"),
  ];
  expect(dependenciesOf(tasks)).toEqual([
    { from: "3", to: "1" },
    { from: "3", to: "2" },
  ]);
  const ordered = orderedTasks(tasks);
  expect(ordered.map(({ id }) => id)).toEqual(["3", "1", "2", "4"]);
  expect(dependencyLines(ordered).map(({ from, to, start, end, lane }) => [from, to, start, end, lane])).toEqual([
    ["3", "1", 0, 1, 0],
    ["3", "2", 0, 2, 1],
  ]);
});

it("keeps tasks in a circle, and ignores tasks that do not exist", () => {
  const circle = [task("1", "pending", ["2"], ["9"]), task("2", "pending", ["1"]), task("3", "pending")];
  expect(orderedTasks(circle).map(({ id }) => id)).toEqual(["3", "1", "2"]);
  expect(dependencyLines(orderedTasks(circle)).map(({ lane }) => lane)).toEqual([0, 1]);
});

it("says in words what changed", () => {
  const words = (what: "created" | "status" | "blockedBy", to: string, from?: string): string =>
    changeWords({ at: 0, rowId: "r", what, to, ...(from !== undefined && { from }) }, [task("1", "pending")]);
  expect(words("created", "pending")).toBe("created");
  expect(words("status", "in_progress", "pending")).toBe("to do → in progress");
  expect(words("blockedBy", "1")).toBe("waits for 1 Task 1");
});
