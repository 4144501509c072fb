// The task list that the model keeps: as a list, or as a board by state.

import { useState } from "react";
import { Segments } from "../../parts/segments.tsx";
import { kept } from "../../store/kept.ts";
import { useHead } from "../../store/session.ts";
import type { TabProps } from "../tab.ts";
import { blockersOf, lanesOf, waitingFor } from "./tasks-model.ts";
import type { Task } from "./tasks-model.ts";
import "../panel.css";
import "./tasks.css";

const form = kept("tasks-form", (value): "list" | "board" => (value === "board" ? "board" : "list"));

export const Tasks = ({ view }: TabProps) => {
  const { todos, process } = useHead(view);
  const [shown, setShown] = useState(form.get);
  const done = todos.filter(({ status }) => status === "completed").length;
  if (todos.length === 0)
    return <p className="bench-empty">Claude has no task list here. For longer work it makes one by itself.</p>;
  const choose = (value: "list" | "board"): void => {
    form.set(value);
    setShown(value);
  };
  const lanes = lanesOf(todos);
  const isLive = process?.running === true;
  return (
    <div className="bench-scroll tasks" tabIndex={0} role="region" aria-label="Tasks">
      <div className="tasks-head">
        <p>
          <b className="num">
            {done} of {todos.length}
          </b>{" "}
          done
        </p>
        <Segments label="Form" value={shown} choices={{ list: "List", board: "Board" }} onChange={choose} />
      </div>
      <div className="tasks-progress" role="img" aria-label={`${done} of ${todos.length} tasks done`}>
        <i style={{ width: `${(done / todos.length) * 100}%` }} />
      </div>
      <div className={`tasks-${shown}`}>
        {lanes
          .filter(({ tasks }) => shown === "board" || tasks.length > 0)
          .map(({ status, title, tasks }) => (
            <section key={status} className="section">
              <h3>
                {title} <span className="num">{tasks.length}</span>
              </h3>
              <ul>
                {tasks.map((task) => (
                  <Entry key={task.id} task={task} tasks={todos} isLive={isLive} />
                ))}
              </ul>
            </section>
          ))}
      </div>
    </div>
  );
};

interface EntryProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
  readonly isLive: boolean;
}

const Entry = ({ task, tasks, isLive }: EntryProps) => {
  const { id, subject, activeForm, description, owner, status } = task;
  const isActive = status === "in_progress";
  const blockers = status === "completed" ? [] : blockersOf(task, tasks);
  const waiting = status === "completed" ? [] : waitingFor(task, tasks);
  return (
    <li className={`task task-${status}`}>
      <span className={`task-mark ${isActive && isLive ? "task-turns" : ""}`} aria-hidden="true" />
      <div>
        <p>
          <span className="task-id num">{id}</span> {isActive ? (activeForm ?? subject) : subject}
        </p>
        {description !== undefined && description !== subject && <p className="task-about">{description}</p>}
        <p className="task-facts">
          {owner !== undefined && <span>{owner}</span>}
          {blockers.length > 0 && <span className="task-blocked">waits for {namesOf(blockers)}</span>}
          {waiting.length > 0 && <span>then {namesOf(waiting)}</span>}
        </p>
      </div>
    </li>
  );
};

const namesOf = (tasks: readonly Task[]): string => tasks.map(({ id, subject }) => `${id} ${subject}`).join(", ");
