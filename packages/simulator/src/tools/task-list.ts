// The model's task list: TaskCreate and related tools, and the older TodoWrite.
import { listAt, textAt, textsIn } from "../json.ts";
import { ToolFailure } from "./tool.ts";
import type { Tool } from "../session-contract.ts";

export const taskCreate: Tool = {
  params: { subject: "string", description: "string", activeForm: "string?", metadata: "object?" },
  harmless: true,
  run: (input, { session }) => {
    const { id, subject, description } = session.taskList.create(
      textAt(input, "subject") ?? "",
      textAt(input, "description") ?? "",
    );
    return {
      content: `Task #${id} created successfully: ${subject}`,
      result: { task: { id, subject, description } },
    };
  },
};

export const taskUpdate: Tool = {
  params: {
    taskId: "string",
    subject: "string?",
    description: "string?",
    activeForm: "string?",
    status: "string?",
    owner: "string?",
    addBlocks: "array?",
    addBlockedBy: "array?",
    metadata: "object?",
  },
  harmless: true,
  run: (input, { session }) => {
    const { tasks } = session.taskList;
    const id = textAt(input, "taskId") ?? "";
    const task = tasks.get(id);
    if (task === undefined) throw new ToolFailure(`Task #${id} not found`);
    const updatedFields: string[] = [];
    let statusChange: { readonly from: string; readonly to: string } | undefined;
    for (const key of ["subject", "description", "owner"] as const) {
      const value = textAt(input, key);
      if (value === undefined) continue;
      task[key] = value;
      updatedFields.push(key);
    }
    const status = textAt(input, "status");
    if (status !== undefined && status !== task.status) {
      statusChange = { from: task.status, to: status };
      task.status = status;
      updatedFields.push(status === "deleted" ? "deleted" : "status");
      if (status === "deleted") tasks.delete(id);
    }
    for (const other of textsIn(listAt(input, "addBlocks"))) {
      task.blocks.push(other);
      tasks.get(other)?.blockedBy.push(id);
    }
    if (listAt(input, "addBlocks").length > 0) updatedFields.push("blocks");
    for (const other of textsIn(listAt(input, "addBlockedBy"))) {
      task.blockedBy.push(other);
      tasks.get(other)?.blocks.push(id);
    }
    if (listAt(input, "addBlockedBy").length > 0) updatedFields.push("blockedBy");
    return {
      content: `Updated task #${id} ${updatedFields.join(", ")}`,
      result: { success: true, taskId: id, updatedFields, ...(statusChange === undefined ? {} : { statusChange }) },
    };
  },
};

export const taskListTool: Tool = {
  params: {},
  harmless: true,
  isParallel: () => true,
  run: (_, { session }) => {
    const tasks = [...session.taskList.tasks.values()].map(({ id, subject, status, owner, blockedBy }) => ({
      id,
      subject,
      status,
      ...(owner === undefined ? {} : { owner }),
      blockedBy: blockedBy.filter((other) => session.taskList.tasks.get(other)?.status !== "completed"),
    }));
    const lines = tasks.map(
      ({ id, subject, status, blockedBy }) =>
        `#${id} [${status}] ${subject}${blockedBy.length === 0 ? "" : ` [blocked by ${blockedBy.map((other) => `#${other}`).join(", ")}]`}`,
    );
    return { content: lines.length === 0 ? "No tasks found" : lines.join("\n"), result: { tasks } };
  },
};

export const taskGet: Tool = {
  params: { taskId: "string" },
  harmless: true,
  isParallel: () => true,
  run: (input, { session }) => {
    const task = session.taskList.tasks.get(textAt(input, "taskId") ?? "");
    if (task === undefined) return { content: "Task not found", result: { task: null } };
    const { id, subject, description, status, blocks, blockedBy } = task;
    const lines = [`Task #${id}: ${subject}`, `Status: ${status}`, `Description: ${description}`];
    if (blockedBy.length > 0) lines.push(`Blocked by: ${blockedBy.map((other) => `#${other}`).join(", ")}`);
    if (blocks.length > 0) lines.push(`Blocks: ${blocks.map((other) => `#${other}`).join(", ")}`);
    return { content: lines.join("\n"), result: { task: { id, subject, description, status, blocks, blockedBy } } };
  },
};

export const todoWrite: Tool = {
  params: { todos: "array" },
  harmless: true,
  run: (input, { session }) => {
    const oldTodos = session.taskList.todos;
    const newTodos = listAt(input, "todos");
    session.taskList.todos = newTodos;
    return {
      content:
        "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable",
      result: { oldTodos, newTodos },
    };
  },
};
