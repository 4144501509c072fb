// The task list of a session, kept from the calls that change it: TodoWrite of older versions, Task* of newer ones.

import { knownTool, readToolInput, readToolResult } from "@quarterdeck/protocol";
import { clip } from "./terminal.ts";
import { oneLine } from "./tool-lines.ts";
import type { GivenResult, Looks } from "./tool-lines.ts";

interface Task {
  readonly subject: string;
  readonly status: string;
}

const TOOLS: ReadonlySet<string | undefined> = new Set([
  "TodoWrite",
  "TaskCreate",
  "TaskUpdate",
  "TaskList",
  "TaskGet",
]);
export const isTaskTool = (name: string): boolean => TOOLS.has(knownTool(name));

export class Checklist {
  readonly #tasks = new Map<string, Task>();
  #shown = "";

  apply({ name, input, structured, block }: GivenResult): void {
    const call = readToolInput(name, input);
    const result = readToolResult(name, structured, block, input);
    if (call.tool === "TodoWrite") {
      this.#tasks.clear();
      call.input.todos.forEach(({ content, status }, at) => this.#tasks.set(String(at), { subject: content, status }));
    } else if (result.tool === "TaskCreate" && result.structured !== undefined) {
      const { id, subject } = result.structured.task;
      this.#tasks.set(id, { subject, status: "pending" });
    } else if (call.tool === "TaskUpdate") {
      const { taskId, status, subject } = call.input;
      const task = this.#tasks.get(taskId) ?? { subject: `task ${taskId}`, status: "pending" };
      if (status === "deleted") this.#tasks.delete(taskId);
      else this.#tasks.set(taskId, { subject: subject ?? task.subject, status: status ?? task.status });
    } else if (result.tool === "TaskList" && result.structured !== undefined) {
      for (const { id, subject, status } of result.structured.tasks) this.#tasks.set(id, { subject, status });
    }
  }

  /** The list, if it has changed since it was last asked for. */
  news({ paint, width }: Looks): string[] {
    const tasks = [...this.#tasks.values()];
    const now = JSON.stringify(tasks);
    if (tasks.length === 0 || now === this.#shown) return [];
    this.#shown = now;
    const done = tasks.filter(({ status }) => status === "completed").length;
    return [
      paint("bold", `Tasks  ${done}/${tasks.length}`),
      ...tasks.map(({ subject, status }) => {
        const text = clip(oneLine(subject), width - 2);
        if (status === "completed") return `${paint("green", "☑")} ${paint("dim", text)}`;
        return status === "in_progress" ? `${paint("yellow", "▶")} ${paint("bold", text)}` : `☐ ${text}`;
      }),
    ];
  }
}
