// An overview of the session: tasks, context, background work, changed files and servers, from the head.

import type { Head } from "@quarterdeck/client";
import { toolTitle } from "@quarterdeck/client/content";
import { Dot } from "../parts/badge.tsx";
import { LineCounts } from "../parts/line-counts.tsx";
import { useNow } from "../store/now.ts";
import { useHead } from "../store/session.ts";
import { showInBench } from "../store/workbench.ts";
import { baseName, formatCount, formatSpan } from "../words/format.ts";
import { byKey } from "../words/by-key.ts";
import { WORDS as PART_WORDS } from "./context/words.ts";
import { partKindOf } from "./context/context-model.ts";
import type { TabProps } from "./tab.ts";
import { WORDS } from "./words.ts";
import "./panel.css";
import "./overview.css";

export const OverviewTab = ({ view }: TabProps) => {
  const head = useHead(view);
  const files = Object.values(head.files);
  const nothing =
    head.todos.length === 0 &&
    head.tasks.length === 0 &&
    files.length === 0 &&
    head.gauges.context === undefined &&
    head.servers.length === 0;
  return (
    <div className="bench-scroll" tabIndex={0} role="region" aria-label={WORDS.overview}>
      {nothing && <p className="bench-empty">{WORDS.nothing}</p>}
      {head.todos.length > 0 && <Todos todos={head.todos} />}
      {head.gauges.context !== undefined && <Context context={head.gauges.context} />}
      {head.tasks.length > 0 && <Background tasks={head.tasks} />}
      {files.length > 0 && <Files files={files} cwd={head.cwd} />}
      {head.servers.length > 0 && <Servers servers={head.servers} />}
    </div>
  );
};

const MARKS: Readonly<Record<string, string>> = { completed: "✓", in_progress: "◐", pending: "○" };

const Todos = ({ todos }: { readonly todos: Head["todos"] }) => {
  const done = todos.filter(({ status }) => status === "completed").length;
  const open = new Map(todos.filter(({ status }) => status !== "completed").map(({ id, subject }) => [id, subject]));
  return (
    <section className="section">
      <h3>
        {WORDS.tasks} <span className="num">{WORDS.ofAll(done, todos.length)}</span>
      </h3>
      <ul className="todos">
        {todos.map(({ id, subject, activeForm, status, blockedBy, owner }) => {
          const word = byKey(WORDS.states, status);
          const blocker = blockedBy.find((other) => open.has(other));
          return (
            <li key={id} className={`todo todo-${status}`}>
              <span className="todo-mark" role="img" aria-label={word}>
                {MARKS[status] ?? "·"}
              </span>
              <span>
                {status === "in_progress" ? (activeForm ?? subject) : subject}
                {blocker !== undefined && <small>{WORDS.blockedBy(open.get(blocker) ?? "")}</small>}
                {owner !== undefined && <small>{owner}</small>}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
};

const CHART_COLORS = 6;

const Context = ({ context }: { readonly context: NonNullable<Head["gauges"]["context"]> }) => {
  const { used, window, categories = [] } = context;
  const parts = categories.filter((part) => part.tokens > 0 && partKindOf(part) === "used");
  return (
    <section className="section">
      <h3>
        {WORDS.context}{" "}
        <span className="num">
          {window === undefined ? formatCount(used) : WORDS.ofAll(formatCount(used), formatCount(window))}
        </span>
      </h3>
      {window !== undefined && (
        <div className="bar" role="img" aria-label={WORDS.contextUsed(Math.round((used / window) * 100))}>
          {(parts.length === 0 ? [{ name: "used", tokens: used }] : parts).map(({ name, tokens }, at) => (
            <i key={name} className={`chart-${at % CHART_COLORS}`} style={{ width: `${(tokens / window) * 100}%` }} />
          ))}
        </div>
      )}
      <ul className="legend">
        {parts.map(({ name, tokens }, at) => (
          <li key={name}>
            <u className={`chart-${at % CHART_COLORS}`} />
            {byKey(PART_WORDS.names, name)}
            <span className="num">{formatCount(tokens)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Background = ({ tasks }: { readonly tasks: Head["tasks"] }) => {
  const now = useNow();
  const running = tasks.filter(({ endedAt }) => endedAt === undefined);
  return (
    <section className="section">
      <h3>
        {WORDS.backgroundTasks} <span>{running.length > 0 && WORDS.running(running.length)}</span>
      </h3>
      <ul className="jobs">
        {tasks.toReversed().map((task) => (
          <li key={task.id}>
            <Dot tone={task.endedAt === undefined ? "sea" : task.status === "failed" ? "stop" : "go"} />
            <span>
              {task.agentType !== undefined && `${task.agentType}: `}
              {task.description}
              <small>
                {task.endedAt === undefined && task.lastTool !== undefined
                  ? toolTitle(task.lastTool)
                  : byKey(WORDS.taskStates, task.status)}
              </small>
            </span>
            <span className="num jobs-end">
              {formatSpan((task.endedAt ?? now) - task.startedAt)}
              {task.tokens !== undefined && <small>{WORDS.tokens(formatCount(task.tokens))}</small>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Files = ({
  files,
  cwd,
}: {
  readonly files: readonly Head["files"][string][];
  readonly cwd: string | undefined;
}) => (
  <section className="section">
    <h3>
      {WORDS.changedFiles} <span>{files.length}</span>
    </h3>
    <ul className="files">
      {files.map(({ path, created, added, removed }) => (
        <li key={path} title={path}>
          <button type="button" className="files-name" onClick={() => showInBench({ tab: "changes", path })}>
            {baseName(path)}
            <small>{cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path}</small>
          </button>
          <span className="num">
            {created && <span className="badge badge-go">{WORDS.newFile}</span>} <LineCounts {...{ added, removed }} />
          </span>
        </li>
      ))}
    </ul>
  </section>
);

const Servers = ({ servers }: { readonly servers: Head["servers"] }) => (
  <section className="section">
    <h3>
      {WORDS.servers} <span>{servers.length}</span>
    </h3>
    <ul className="jobs">
      {servers.map(({ name, status }) => (
        <li key={name}>
          <Dot tone={status === "connected" ? "go" : status === "failed" ? "stop" : "plain"} />
          <span>{name}</span>
          <span className="jobs-end">{byKey(WORDS.serverStates, status)}</span>
        </li>
      ))}
    </ul>
  </section>
);
