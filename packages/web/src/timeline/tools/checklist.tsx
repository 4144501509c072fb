// A list of tasks with the state of each, and the card of the tool that writes it whole.

import { ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf } from "./tool-call.ts";
import { WORDS } from "./words.ts";

interface Item {
  readonly id?: string;
  readonly subject: string;
  readonly status: string;
  readonly note?: string;
}

export const MARKS: Readonly<Record<string, { readonly sign: string; readonly word: string }>> = {
  completed: { sign: "✓", word: WORDS.tasks.completed },
  in_progress: { sign: "◐", word: WORDS.tasks.in_progress },
  pending: { sign: "○", word: WORDS.tasks.pending },
  deleted: { sign: "×", word: WORDS.tasks.deleted },
};

export const Checklist = ({ items }: { readonly items: readonly Item[] }) => (
  <ul className="checklist">
    {items.map((item, index) => {
      const mark = MARKS[item.status] ?? { sign: "·", word: item.status };
      return (
        <li key={item.id ?? index} className={`step step-${item.status}`}>
          <span aria-hidden="true">{mark.sign}</span>
          <span>
            <span className="sr-only">{mark.word}: </span>
            {item.subject}
            {item.note !== undefined && <small>{item.note}</small>}
          </span>
        </li>
      );
    })}
  </ul>
);

export const doneOf = (items: readonly Item[]): string =>
  WORDS.doneOf(items.filter((item) => item.status === "completed").length, items.length);

export const TodoWriteCard = ({ call }: CallCardProps) => {
  const todos = (inputOf(call, "TodoWrite").todos ?? []).map((todo) => ({
    subject: todo.status === "in_progress" ? (todo.activeForm ?? todo.content) : todo.content,
    status: todo.status,
  }));
  const now = todos.find((todo) => todo.status === "in_progress");
  return (
    <ToolCard
      call={call}
      title={WORDS.taskList}
      about={now?.subject}
      outcome={<span className="num">{doneOf(todos)}</span>}
      opens
    >
      {todos.length > 0 && <Checklist items={todos} />}
    </ToolCard>
  );
};
