// The model's task list.

export interface ListedTask {
  readonly id: string;
  subject: string;
  description: string;
  status: string;
  owner?: string;
  readonly blocks: string[];
  readonly blockedBy: string[];
}

export class TaskList {
  readonly tasks = new Map<string, ListedTask>();
  todos: readonly unknown[] = [];
  #last = 0;

  create(subject: string, description: string): ListedTask {
    const task: ListedTask = {
      id: String(++this.#last),
      subject,
      description,
      status: "pending",
      blocks: [],
      blockedBy: [],
    };
    this.tasks.set(task.id, task);
    return task;
  }
}
