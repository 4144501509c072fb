import { expect, it } from "vitest";
import type { Event } from "./event.ts";
import { createFold } from "./fold.ts";
import type { Fold } from "./fold.ts";

/** A fold with calls of the model and their results. */
const list = () => {
  const fold = createFold();
  let seq = 0;
  const receive = (message: object): void => {
    seq += 1;
    fold.apply({ type: "received", message, seq, at: seq * 10 } as unknown as Event);
  };
  let calls = 0;
  const call = (name: string, input: object): string => {
    calls += 1;
    const id = `t${calls}`;
    receive({ type: "assistant", message: { role: "assistant", content: [{ type: "tool_use", id, name, input }] } });
    return id;
  };
  const end = (id: string, structured: object, isError = false): void =>
    receive({
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x", is_error: isError }] },
      tool_use_result: structured,
    });
  const create = (id: string, subject: string): void =>
    end(call("TaskCreate", { subject, description: "d" }), { task: { id, subject } });
  const update = (input: { taskId: string } & Record<string, unknown>): void =>
    end(call("TaskUpdate", input), { success: true, taskId: input.taskId, updatedFields: [] });
  return { fold, receive, call, end, create, update };
};
const shown = ({ head }: Fold) =>
  head.todos.map(({ id, subject, status, unconfirmed }) => [id, subject, status, unconfirmed]);

it("[W3] shows a task when the model writes it, and confirms it by the result", () => {
  const { fold, call, end } = list();
  const id = call("TaskCreate", { subject: "Build", description: "Of oak", activeForm: "Building" });
  expect(shown(fold)).toEqual([["new/t1", "Build", "pending", true]]);
  end(id, { task: { id: "1", subject: "Build" } });
  expect(shown(fold)).toEqual([["1", "Build", "pending", undefined]]);
  const next = call("TaskUpdate", { taskId: "1", status: "in_progress" });
  expect(shown(fold)).toEqual([["1", "Build", "in_progress", true]]);
  end(next, { success: true, taskId: "1", updatedFields: ["status"] });
  expect(shown(fold)).toEqual([["1", "Build", "in_progress", undefined]]);
});

it("[W3] takes back a change that failed, and one whose turn or process ended first", () => {
  const { fold, receive, call, end, create } = list();
  create("1", "Build");
  end(call("TaskUpdate", { taskId: "1", status: "completed" }), { success: false, taskId: "1", updatedFields: [] });
  expect(shown(fold)).toEqual([["1", "Build", "pending", undefined]]);
  end(call("TaskCreate", { subject: "Paint", description: "d" }), {}, true);
  expect(shown(fold)).toEqual([["1", "Build", "pending", undefined]]);
  call("TaskUpdate", { taskId: "1", status: "completed" });
  receive({ type: "result", subtype: "error_during_execution", is_error: true, errors: [] });
  expect(shown(fold)).toEqual([["1", "Build", "pending", undefined]]);
});

it("[W3] shows several calls of one message together, and results in any order", () => {
  const { fold, call, end } = list();
  const [first, second] = [
    call("TaskCreate", { subject: "Build", description: "d" }),
    call("TaskCreate", { subject: "Paint", description: "d" }),
  ];
  end(second, { task: { id: "2", subject: "Paint" } });
  expect(shown(fold)).toEqual([
    ["2", "Paint", "pending", undefined],
    ["new/t1", "Build", "pending", true],
  ]);
  end(first, { task: { id: "1", subject: "Build" } });
  expect(fold.head.todos.every(({ unconfirmed }) => unconfirmed === undefined)).toBe(true);
});

it("[W3] keeps the last changes of each task, with the call that made them", () => {
  const { fold, create, update, call, end } = list();
  create("1", "Build");
  update({ taskId: "1", status: "in_progress", owner: "ann" });
  end(call("TaskList", {}), { tasks: [{ id: "1", subject: "Build", status: "in_progress", blockedBy: [] }] });
  update({ taskId: "1", status: "completed" });
  expect(fold.head.todos[0]?.history).toEqual([
    { at: 20, rowId: "tool/t1", what: "created", to: "pending" },
    { at: 40, rowId: "tool/t2", what: "status", from: "pending", to: "in_progress" },
    { at: 40, rowId: "tool/t2", what: "owner", to: "ann" },
    { at: 80, rowId: "tool/t4", what: "status", from: "in_progress", to: "completed" },
  ]);
  for (let at = 0; at < 15; at++) {
    update({ taskId: "1", status: "pending" });
    update({ taskId: "1", status: "completed" });
  }
  expect(fold.head.todos[0]?.history).toHaveLength(20);
});

it("[W3] follows a task of TodoWrite by its words", () => {
  const { fold, call, end } = list();
  const write = (...todos: readonly (readonly [string, string])[]): void =>
    end(call("TodoWrite", { todos: todos.map(([content, status]) => ({ content, status, activeForm: content })) }), {});
  write(["Build", "pending"], ["Paint", "pending"]);
  write(["Plan", "completed"], ["Build", "in_progress"]);
  const build = fold.head.todos.find(({ subject }) => subject === "Build");
  expect(build?.history?.map(({ what, to }) => [what, to])).toEqual([
    ["created", "pending"],
    ["status", "in_progress"],
  ]);
});

it("[W4] marks a dependency at both tasks, and forgets it with a deleted one", () => {
  const { fold, create, update } = list();
  for (const id of ["1", "2", "3"]) create(id, `Task ${id}`);
  update({ taskId: "1", addBlocks: ["2"] });
  update({ taskId: "3", addBlockedBy: ["2"] });
  const links = () => fold.head.todos.map(({ id, blocks, blockedBy }) => [id, blocks, blockedBy]);
  expect(links()).toEqual([
    ["1", ["2"], []],
    ["2", ["3"], ["1"]],
    ["3", [], ["2"]],
  ]);
  const second = fold.head.todos[1]?.history?.map(({ what, to }) => [what, to]);
  expect(second).toEqual([
    ["created", "pending"],
    ["blockedBy", "1"],
    ["blocks", "3"],
  ]);
  update({ taskId: "2", status: "deleted" });
  expect(links()).toEqual([
    ["1", [], []],
    ["3", [], []],
  ]);
});
