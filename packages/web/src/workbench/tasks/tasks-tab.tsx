// The task list that the model keeps: as a list, as a board by state, or in the order of its dependencies.

import { useState } from "react";
import { Segments } from "../../parts/segments.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { kept } from "../../store/kept.ts";
import { hrefOf } from "../../store/route.ts";
import { useHead } from "../../store/session.ts";
import { formatTime } from "../../words/format.ts";
import type { TabProps } from "../tab.ts";
import { numberOf, TaskGraph } from "./task-graph.tsx";
import { blockersOf, changeWords, taskLanes, waitingFor } from "./tasks-model.ts";
import type { Todo } from "@quarterdeck/client";
import { WORDS } from "./words.ts";
import { fill } from "../../parts/fill.tsx";
import "../panel.css";
import "./tasks.css";

type Form = "list" | "board" | "graph";
const form = kept("tasks-form", (value): Form => (value === "board" || value === "graph" ? value : "list"));

export const TasksTab = ({ view }: TabProps) => {
  const { todos, process } = useHead(view);
  const [shown, setShown] = useState(form.get);
  const done = todos.filter(({ status }) => status === "completed").length;
  if (todos.length === 0) return <p className="bench-empty">{WORDS.none}</p>;
  const choose = (value: Form): void => {
    form.set(value);
    setShown(value);
  };
  const lanes = taskLanes(todos);
  const isLive = process?.running === true;
  return (
    <div className="bench-scroll tasks" tabIndex={0} role="region" aria-label={WORDS.tasks}>
      <div className="tasks-head">
        <p>{fill(WORDS.done, { count: <b className="num">{WORDS.ofAll(done, todos.length)}</b> })}</p>
        <Segments label={WORDS.form} value={shown} choices={WORDS.forms} onChange={choose} />
      </div>
      <div className="tasks-progress" role="img" aria-label={WORDS.tasksDone(done, todos.length)}>
        <i style={{ width: `${(done / todos.length) * 100}%` }} />
      </div>
      {shown === "graph" && <TaskGraph tasks={todos} />}
      <div className={`tasks-${shown}`} hidden={shown === "graph"}>
        {lanes
          .filter(({ tasks }) => shown === "board" || tasks.length > 0)
          .map(({ status, title, tasks }) => (
            <section key={status} className="section">
              <h3>
                {title} <span className="num">{tasks.length}</span>
              </h3>
              <ul>
                {tasks.map((task) => (
                  <Entry key={task.id} session={view.id} task={task} tasks={todos} isLive={isLive} />
                ))}
              </ul>
            </section>
          ))}
      </div>
    </div>
  );
};

interface EntryProps {
  readonly session: string;
  readonly task: Todo;
  readonly tasks: readonly Todo[];
  readonly isLive: boolean;
}

const Entry = ({ session, task, tasks, isLive }: EntryProps) => {
  const { id, subject, activeForm, description, owner, status, unconfirmed, history = [] } = task;
  const [isOpen, setOpen] = useState(false);
  const isActive = status === "in_progress";
  const blockers = status === "completed" ? [] : blockersOf(task, tasks);
  const waiting = status === "completed" ? [] : waitingFor(task, tasks);
  return (
    <li className={`task task-${status}`}>
      <span className={`task-mark ${isActive && isLive ? "task-turns" : ""}`} aria-hidden="true" />
      <div>
        <p>
          <span className="task-id num">{numberOf(id)}</span> {isActive ? (activeForm ?? subject) : subject}
        </p>
        {description !== undefined && description !== subject && <p className="task-about">{description}</p>}
        <p className="task-facts">
          {unconfirmed === true && <span className="task-unconfirmed">{WORDS.notConfirmed}</span>}
          {owner !== undefined && <span>{owner}</span>}
          {blockers.length > 0 && <span className="task-blocked">{WORDS.waitsFor(namesOf(blockers))}</span>}
          {waiting.length > 0 && <span>{WORDS.then(namesOf(waiting))}</span>}
          {history.length > 1 && (
            <TextButton
              expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
              label={WORDS.changesOf(history.length, subject)}
            >
              {WORDS.changes(history.length)}
            </TextButton>
          )}
        </p>
        {isOpen && (
          <ol className="task-history">
            {history.map((change, at) => (
              <li key={at}>
                <span className="num">{formatTime(change.at)}</span>{" "}
                <a href={hrefOf(session, change.rowId)}>{changeWords(change, tasks)}</a>
              </li>
            ))}
          </ol>
        )}
      </div>
    </li>
  );
};

const namesOf = (tasks: readonly Todo[]): string =>
  tasks.map(({ id, subject }) => `${numberOf(id)} ${subject}`).join(", ");
