// Tasks that outlive a tool call: background shells and subagents, and foreground ones that can be seen and moved. This
// file owns their events (`task_*`, `background_tasks_changed`). Other files run the tasks.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "./emit.ts";
import type { Json } from "./json.ts";

interface TaskBase {
  readonly id: string;
  readonly toolUseId: string;
  readonly description: string;
  readonly outputFile: string;
  readonly background: boolean;
  readonly stop: () => void;
  /** Set while it blocks a turn. */
  readonly toBackground?: () => void;
}
export interface ShellTask extends TaskBase {
  readonly kind: "local_bash";
}
export interface AgentTask extends TaskBase {
  readonly kind: "local_agent";
  readonly subagentType: string;
  readonly prompt: string;
  readonly depth: number;
}
export type Task = ShellTask | AgentTask;

export interface TaskEnd {
  readonly status: "completed" | "failed" | "stopped";
  readonly summary: string;
  readonly usage?: Json;
}

/** What the model is told about a finished task. */
export interface TaskNotice {
  readonly text: string;
  readonly runId: string;
}

type Live = Task & { readonly runId: string; readonly background: boolean };

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
export const shortId = (length: number): string =>
  [...randomBytes(length)].map((byte) => LETTERS[byte % LETTERS.length]!).join("");
export const agentId = (): string => `a${randomBytes(8).toString("hex")}`;
const newRunId = (): string => `0${Date.now().toString(36)}-${randomBytes(4).toString("hex")}`;

export class Tasks {
  readonly #emit: (message: Message) => void;
  readonly #notify: (notice: TaskNotice) => void;
  readonly #folder: string;
  readonly #live = new Map<string, Live>();
  readonly #ended = new Map<string, Live>();

  constructor(folder: string, emit: (message: Message) => void, notify: (notice: TaskNotice) => void) {
    this.#folder = folder;
    this.#emit = emit;
    this.#notify = notify;
  }

  outputFileOf(id: string): string {
    return join(this.#folder, "tasks", `${id}.output`);
  }

  get background(): readonly Live[] {
    return [...this.#live.values()].filter(({ background }) => background);
  }

  get(id: string): Live | undefined {
    return this.#live.get(id);
  }

  add(task: Task, background: boolean): string {
    const runId = newRunId();
    this.#live.set(task.id, { ...task, runId, background });
    if (background) this.announce();
    this.#emit({
      type: "system",
      subtype: "task_started",
      task_id: task.id,
      run_id: runId,
      tool_use_id: task.toolUseId,
      description: task.description,
      ...(task.kind === "local_agent" ? { subagent_type: task.subagentType } : {}),
      is_backgrounded: background,
      ...(task.kind === "local_agent" ? { spawn_depth: task.depth } : {}),
      task_type: task.kind,
      ...(task.kind === "local_agent" ? { prompt: task.prompt } : {}),
    });
    return runId;
  }

  progress(id: string, description: string, toolName: string, usage: Json): void {
    const task = this.#live.get(id);
    if (task?.kind !== "local_agent") return;
    this.#emit({
      type: "system",
      subtype: "task_progress",
      task_id: id,
      run_id: task.runId,
      tool_use_id: task.toolUseId,
      description,
      subagent_type: task.subagentType,
      usage,
      last_tool_name: toolName,
    });
  }

  /** Sends the complete list each time. */
  announce(): void {
    this.#emit({
      type: "system",
      subtype: "background_tasks_changed",
      tasks: this.background.map((task) => ({
        task_id: task.id,
        run_id: task.runId,
        task_type: task.kind,
        ...(task.kind === "local_agent" ? { subagent_type: task.subagentType } : {}),
        description: task.description,
      })),
    });
  }

  /** Returns false if there is no such foreground task. */
  toBackground(id: string): boolean {
    const task = this.#live.get(id);
    if (task === undefined || task.background) return false;
    this.#live.set(id, { ...task, background: true });
    this.announce();
    this.#emit({
      type: "system",
      subtype: "task_updated",
      task_id: id,
      run_id: task.runId,
      patch: { is_backgrounded: true },
    });
    task.toBackground?.();
    return true;
  }

  allToBackground(toolUseId: string | undefined): void {
    for (const task of this.#live.values()) {
      if (!task.background && (toolUseId === undefined || task.toolUseId === toolUseId)) this.toBackground(task.id);
    }
  }

  /** A foreground shell ended. Its tool result has the rest. */
  endForeground(id: string, status: "completed" | "stopped", summary: string): void {
    const task = this.#take(id);
    if (task !== undefined) this.#notification(task, "", { status, summary });
  }

  settleShell(id: string, code: number, description: string): void {
    const summary =
      code === 0
        ? `Background command "${description}" completed (exit code 0)`
        : `Background command "${description}" failed with exit code ${String(code)}`;
    this.end(id, { status: code === 0 ? "completed" : "failed", summary }, true);
  }

  /** `tells`: the model gets a notice, in its own turn if necessary. */
  end(id: string, end: TaskEnd, tells: boolean): void {
    const task = this.#take(id);
    if (task === undefined) return;
    this.#emit({
      type: "system",
      subtype: "task_updated",
      task_id: id,
      run_id: task.runId,
      patch: { status: end.status === "stopped" ? "killed" : end.status, end_time: Date.now() },
    });
    this.#notification(task, task.outputFile, end);
    if (task.background) this.announce();
    if (tells && task.background) this.#notify({ text: noticeText(task, end), runId: task.runId });
  }

  /** Does nothing for an id that is not live. */
  stop(id: string): void {
    const task = this.#live.get(id);
    if (task === undefined) return;
    this.end(id, { status: "stopped", summary: task.description }, task.kind === "local_agent");
    task.stop();
  }

  stopAll(): void {
    for (const task of this.#live.values()) task.stop();
  }

  /** The last 8 KiB of what a shell printed. */
  outputOf(id: string): Json | undefined {
    const task = this.#live.get(id) ?? this.#ended.get(id);
    if (task?.kind !== "local_bash") return undefined;
    const bytes = readFileSync(task.outputFile);
    const limit = 8192;
    return {
      output: bytes.subarray(Math.max(0, bytes.length - limit)).toString("utf8"),
      total_bytes: bytes.length,
      truncated: bytes.length > limit,
    };
  }

  #take(id: string): Live | undefined {
    const task = this.#live.get(id);
    if (task === undefined) return undefined;
    this.#live.delete(id);
    this.#ended.set(id, task);
    return task;
  }

  #notification(task: Live, outputFile: string, end: TaskEnd): void {
    this.#emit({
      type: "system",
      subtype: "task_notification",
      task_id: task.id,
      run_id: task.runId,
      tool_use_id: task.toolUseId,
      status: end.status,
      output_file: outputFile,
      summary: end.summary,
      ...(end.usage === undefined ? {} : { usage: end.usage }),
    });
  }
}

const noticeText = (task: Live, end: TaskEnd): string =>
  `<system-reminder>\n<task-notification>\n<task-id>${task.id}</task-id>\n<status>${end.status}</status>\n<summary>${end.summary}</summary>\n</task-notification>\n</system-reminder>`;
