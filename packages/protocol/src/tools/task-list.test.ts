import { describe, expect, it } from "vitest";
import { fc } from "../property.fixture.ts";
import { TASK_TEXTS } from "./task-list.ts";

describe("the texts of the task tools", () => {
  it("reads a list", () => {
    expect(TASK_TEXTS.TaskList("#1 [in_progress] Fix bug (ann)\n#2 [pending] Test [x] [blocked by #1, #3]")).toEqual({
      tasks: [
        { id: "1", subject: "Fix bug (ann)", status: "in_progress", blockedBy: [] },
        { id: "2", subject: "Test [x]", status: "pending", blockedBy: ["1", "3"] },
      ],
    });
    expect(TASK_TEXTS.TaskList("No tasks found")).toEqual({ tasks: [] });
    expect(TASK_TEXTS.TaskList("#1 [pending] a\nand more")).toBeUndefined();
  });

  it("reads one task, with a description of many lines", () => {
    expect(
      TASK_TEXTS.TaskGet(
        "Task #2: Test\nStatus: pending\nDescription: one\nBlocks: two\nBlocked by: #1\nBlocks: #3, #4",
      ),
    ).toEqual({
      task: {
        id: "2",
        subject: "Test",
        description: "one\nBlocks: two",
        status: "pending",
        blockedBy: ["1"],
        blocks: ["3", "4"],
      },
    });
    expect(TASK_TEXTS.TaskGet("Task not found")).toEqual({ task: null });
  });

  it("reads created and updated tasks", () => {
    expect(TASK_TEXTS.TaskCreate("Task #1 created successfully: Fix: the bug")).toEqual({
      task: { id: "1", subject: "Fix: the bug" },
    });
    expect(TASK_TEXTS.TaskUpdate("Updated task #1 status, blockedBy\n\nTask completed. Call TaskList now.")).toEqual({
      success: true,
      taskId: "1",
      updatedFields: ["status", "blockedBy"],
    });
    expect(TASK_TEXTS.TaskUpdate("Task #9 not found")).toEqual({
      success: false,
      taskId: "9",
      updatedFields: [],
      error: "Task #9 not found",
    });
  });

  it.each(Object.entries(TASK_TEXTS))("%s returns nothing for other text", (_, read) => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(read(text)).toBeUndefined();
      }),
    );
  });
});
