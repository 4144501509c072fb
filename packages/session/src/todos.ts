// The model's own task list. A change is shown as soon as the model writes it, and confirmed by the result of the call. The
// confirmed list is in the memory of the fold; the head shows it with the changes that still wait.

import type { ToolResult } from "@quarterdeck/protocol";
import type { Folding } from "./folding.ts";
import type { Todo, TodoChange } from "./head.ts";
import type { ToolRow } from "./row.ts";

type Input = Readonly<Record<string, unknown>>;

const CHANGES: ReadonlySet<string> = new Set(["TodoWrite", "TaskCreate", "TaskUpdate"]);

/** A call that will change the list. */
export const awaitTodos = (folding: Folding, row: ToolRow): void => {
  if (!CHANGES.has(row.name) || row.parent !== undefined) return;
  folding.memory.awaitedTodos[row.toolUseId] = row.id;
  showTodos(folding);
};

/** The call has a result, which `foldTodos` has taken, or none will come. */
export const settleTodos = (folding: Folding, toolUseId: string): void => {
  if (!Object.hasOwn(folding.memory.awaitedTodos, toolUseId)) return;
  delete folding.memory.awaitedTodos[toolUseId];
  showTodos(folding);
};

/** Calls that were left without a result change nothing. */
export const leaveTodos = (folding: Folding): void => {
  const { awaitedTodos, openTools } = folding.memory;
  for (const id of Object.keys(awaitedTodos)) if (!Object.hasOwn(openTools, id)) settleTodos(folding, id);
};

export const forgetTodos = (folding: Folding): void => {
  folding.memory.todos = [];
  folding.memory.awaitedTodos = {};
  showTodos(folding);
};

const showTodos = (folding: Folding): void => {
  const { memory, timeline } = folding;
  let shown: readonly Todo[] = memory.todos;
  for (const rowId of Object.values(memory.awaitedTodos)) {
    const row = timeline.row(rowId);
    if (row?.kind === "tool") shown = awaited(shown, row, inputOf(row));
  }
  timeline.setHead({ todos: shown });
};

const inputOf = (row: ToolRow): Input => row.decision?.updatedInput ?? row.input;

/** The list as it will be, with a mark on what nobody has confirmed. */
const awaited = (todos: readonly Todo[], row: ToolRow, input: Input): readonly Todo[] => {
  if (row.name === "TodoWrite") return writtenTodos(input).map((todo) => ({ ...todo, unconfirmed: true }));
  if (row.name === "TaskCreate")
    return [...todos, { ...newTodo(`new/${row.toolUseId}`), ...fieldsOf(input), unconfirmed: true }];
  const id = wordOf(input["taskId"], "");
  return updated(todos, id, input).map((todo, at) => (todo === todos[at] ? todo : { ...todo, unconfirmed: true }));
};

/** What the result of a call says. */
export const foldTodos = (folding: Folding, row: ToolRow, result: ToolResult): void => {
  const { memory } = folding;
  const { todos } = memory;
  const input = inputOf(row);
  const keep = (after: readonly Todo[]): void => {
    memory.todos = after.map((todo) => withHistory(todo, todos, folding, row));
  };
  if (result.tool === "TodoWrite") keep(writtenTodos(input));
  else if (result.tool === "TaskCreate" && result.structured !== undefined)
    keep(put(todos, { ...newTodo(result.structured.task.id), ...fieldsOf(input) }));
  else if (result.tool === "TaskUpdate" && result.structured?.success !== false)
    keep(updated(todos, wordOf(input["taskId"], ""), input));
  else if (result.tool === "TaskList" && result.structured !== undefined)
    keep(
      result.structured.tasks.map((task) => ({
        ...(todos.find((todo) => todo.id === task.id) ?? newTodo(task.id)),
        subject: task.subject,
        status: task.status,
        ...(task.owner !== undefined && { owner: task.owner }),
        ...(task.blockedBy !== undefined && { blockedBy: task.blockedBy }),
      })),
    );
  else if (result.tool === "TaskGet" && result.structured?.task != null) {
    const { task } = result.structured;
    const before = todos.find((todo) => todo.id === task.id) ?? newTodo(task.id);
    keep(
      put(todos, {
        ...before,
        subject: task.subject,
        status: task.status,
        ...fieldsOf({ ...task }),
        ...(Array.isArray(task["blocks"]) && { blocks: strings(task["blocks"]) }),
        ...(Array.isArray(task["blockedBy"]) && { blockedBy: strings(task["blockedBy"]) }),
      }),
    );
  }
  showTodos(folding);
};

const writtenTodos = (input: Input): readonly Todo[] =>
  (Array.isArray(input["todos"]) ? (input["todos"] as Record<string, unknown>[]) : []).map((todo, index) => ({
    ...newTodo(String(index + 1)),
    subject: wordOf(todo["content"], ""),
    status: wordOf(todo["status"], "pending"),
    ...(typeof todo["activeForm"] === "string" && { activeForm: todo["activeForm"] }),
  }));

/** A dependency is marked at both of its tasks, whichever of them names it. */
const updated = (todos: readonly Todo[], id: string, input: Input): readonly Todo[] => {
  if (input["status"] === "deleted") return todos.filter((todo) => todo.id !== id).map((todo) => without(todo, id));
  const before = todos.find((todo) => todo.id === id) ?? newTodo(id);
  const blocks = union(before.blocks, strings(input["addBlocks"]));
  const blockedBy = union(before.blockedBy, strings(input["addBlockedBy"]));
  return put(todos, { ...before, ...fieldsOf(input), blocks, blockedBy }).map((todo) => {
    if (todo.id === id) return todo;
    const both = {
      blocks: blockedBy.includes(todo.id) ? union(todo.blocks, [id]) : todo.blocks,
      blockedBy: blocks.includes(todo.id) ? union(todo.blockedBy, [id]) : todo.blockedBy,
    };
    return both.blocks === todo.blocks && both.blockedBy === todo.blockedBy ? todo : { ...todo, ...both };
  });
};

const without = (todo: Todo, id: string): Todo =>
  todo.blocks.includes(id) || todo.blockedBy.includes(id)
    ? {
        ...todo,
        blocks: todo.blocks.filter((other) => other !== id),
        blockedBy: todo.blockedBy.filter((other) => other !== id),
      }
    : todo;

const newTodo = (id: string): Todo => ({ id, subject: "", status: "pending", blocks: [], blockedBy: [] });
const put = (todos: readonly Todo[], todo: Todo): readonly Todo[] => {
  const at = todos.findIndex((entry) => entry.id === todo.id);
  return at === -1 ? [...todos, todo] : todos.with(at, todo);
};
/** The same list if nothing is new. */
const union = (list: readonly string[], more: readonly string[]): readonly string[] => {
  const news = [...new Set(more)].filter((one) => !list.includes(one));
  return news.length === 0 ? list : [...list, ...news];
};
const wordOf = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise);
const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const FIELDS = ["subject", "status", "activeForm", "description", "owner"] as const;
const fieldsOf = (input: Input): Partial<Todo> =>
  Object.fromEntries(FIELDS.flatMap((name) => (typeof input[name] === "string" ? [[name, input[name]]] : [])));

// History.

const CHANGES_KEPT = 20;

/** TodoWrite numbers its entries again each time. The same words are the same task. */
const withHistory = (todo: Todo, before: readonly Todo[], { at }: Folding, row: ToolRow): Todo => {
  const isWritten = row.name === "TodoWrite";
  const old = before.find((other) => (isWritten ? other.subject === todo.subject : other.id === todo.id));
  const changes = changedTodo(old, todo, isWritten).map((change) => ({ at, rowId: row.id, ...change }));
  const history = [...(old?.history ?? []), ...changes].slice(-CHANGES_KEPT);
  return history.length === 0 ? todo : { ...todo, history };
};

const changedTodo = (old: Todo | undefined, todo: Todo, isWritten: boolean): Omit<TodoChange, "at" | "rowId">[] => {
  if (old === undefined) return [{ what: "created", to: todo.status }];
  const fields = (isWritten ? (["status"] as const) : (["status", "subject", "description", "owner"] as const)).flatMap(
    (what) => {
      const [from, to] = [old[what], todo[what]];
      return from === to || to === undefined ? [] : [{ what, ...(from !== undefined && { from }), to }];
    },
  );
  const added = (what: "blocks" | "blockedBy") =>
    todo[what].filter((id) => !old[what].includes(id)).map((to) => ({ what, to }));
  return [...fields, ...added("blocks"), ...added("blockedBy")];
};
