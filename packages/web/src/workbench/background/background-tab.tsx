// Shells, agents and workflows that run beside the conversation: their output as it grows, stop, and what waits for a time.

import type { Client, Head, SessionView, ToolRow } from "@quarterdeck/client";
import { alarmsIn, knownTool, setsAlarm, toolSubject, toolTitle } from "@quarterdeck/client/content";
import { useEffect, useState } from "react";
import { Dot } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { toastError } from "../../parts/toast.tsx";
import { Output } from "../../content/text/output.tsx";
import { useClient, useSnapshot } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { useHead } from "../../store/session.ts";
import { useNow } from "../../store/now.ts";
import { hrefOf } from "../../store/route.ts";
import { formatBytes, formatCount, formatSpan } from "../../words/format.ts";
import { byKey } from "../../words/by-key.ts";
import { locale } from "../../words/language.ts";
import type { TabProps } from "../tab.ts";
import { WORDS } from "./words.ts";
import "../panel.css";
import "./background.css";

type Task = Head["tasks"][number];

export const BackgroundTab = ({ view }: TabProps) => {
  const { tasks, process } = useHead(view);
  const isLive = process?.running === true;
  const movable = useMovable(view);
  const hasUntold = useSnapshot(view).rows.some(
    (row) => row.kind === "tool" && (row.input["run_in_background"] === true || setsAlarm(row.name)),
  );
  const running = tasks.filter(({ endedAt }) => endedAt === undefined);
  const ended = tasks.filter(({ endedAt }) => endedAt !== undefined);
  return (
    <div className="bench-scroll background" tabIndex={0} role="region" aria-label={WORDS.background}>
      <Movable view={view} calls={movable} />
      {tasks.length === 0 && movable.length === 0 && !hasUntold && <p className="bench-empty">{WORDS.nothing}</p>}
      <Group title={WORDS.running} tasks={running} view={view} isLive={isLive} />
      <Group title={WORDS.ended} tasks={ended.toReversed()} view={view} isLive={isLive} />
      <Untold view={view} />
      <Alarms view={view} isLive={isLive} />
    </div>
  );
};

const MOVABLE: ReadonlySet<string | undefined> = new Set(["Bash", "Agent"]);

/** Tool calls that block the conversation now, and that the CLI can move to the background. */
const useMovable = (view: SessionView): readonly ToolRow[] =>
  useSnapshot(view).rows.filter(
    (row): row is ToolRow =>
      row.kind === "tool" &&
      row.state === "running" &&
      row.input["run_in_background"] !== true &&
      MOVABLE.has(knownTool(row.name)),
  );

const ask = (client: Client, session: string, request: { subtype: string } & Readonly<Record<string, unknown>>) =>
  client.command("session/request", { session, request });

/** Each call that holds the conversation, to be moved by itself or with the others. */
const Movable = ({ view, calls }: { readonly view: SessionView; readonly calls: readonly ToolRow[] }) => {
  const client = useClient();
  if (calls.length === 0 || !may(client, "session/request", { request: { subtype: "background_tasks" } })) return null;
  const move = (fields: { readonly tool_use_id?: string }): void =>
    void ask(client, view.id, { subtype: "background_tasks", ...fields }).catch(toastError);
  return (
    <section className="section">
      <h3>
        {WORDS.holding} <span className="num">{calls.length}</span>
      </h3>
      <ul>
        {calls.map((row) => {
          const about = toolSubject(row.name, row.input);
          return (
            <li key={row.id} className="job">
              <Dot tone="sea" />
              <div>
                <p className="job-name">{about === "" ? toolTitle(row.name) : about}</p>
                <p className="job-actions">
                  <Button small onClick={() => move({ tool_use_id: row.toolUseId })}>
                    {WORDS.move}
                  </Button>
                  <a href={hrefOf(view.id, row.id)}>{WORDS.showInConversation}</a>
                </p>
              </div>
            </li>
          );
        })}
      </ul>
      {calls.length > 1 && (
        <Button small tone="quiet" onClick={() => move({})}>
          {WORDS.moveAll(calls.length)}
        </Button>
      )}
    </section>
  );
};

interface GroupProps {
  readonly title: string;
  readonly tasks: readonly Task[];
  readonly view: SessionView;
  readonly isLive: boolean;
}

const Group = ({ title, tasks, view, isLive }: GroupProps) =>
  tasks.length === 0 ? null : (
    <section className="section">
      <h3>
        {title} <span className="num">{tasks.length}</span>
      </h3>
      <ul>
        {tasks.map((task) => (
          <Entry key={task.id} task={task} view={view} isLive={isLive} />
        ))}
      </ul>
    </section>
  );

const Entry = ({
  task,
  view,
  isLive,
}: {
  readonly task: Task;
  readonly view: SessionView;
  readonly isLive: boolean;
}) => {
  const client = useClient();
  const now = useNow();
  const [isOpen, setOpen] = useState(false);
  const isRunning = task.endedAt === undefined;
  const { id, description, status, type, agentType, tokens, toolUses, lastTool, activity, summary, toolUseId } = task;
  const isShell = type === undefined || !/agent|workflow|teammate/u.test(type);
  const facts = [
    agentType ?? (isShell ? WORDS.shell : byKey(WORDS.types, type).replaceAll("_", " ")),
    isRunning ? (activity ?? (lastTool === undefined ? undefined : toolTitle(lastTool))) : byKey(WORDS.states, status),
    formatSpan((task.endedAt ?? now) - task.startedAt),
    tokens === undefined ? undefined : WORDS.tokens(formatCount(tokens)),
    toolUses === undefined ? undefined : WORDS.toolCalls(toolUses),
  ].filter((fact) => fact !== undefined && fact !== "");
  return (
    <li className="job">
      <Dot tone={isRunning ? "sea" : status === "failed" ? "stop" : "go"} />
      <div>
        <p className="job-name">{description}</p>
        <p className="job-facts num">{facts.join(" · ")}</p>
        {summary !== undefined && <p className="job-facts">{summary}</p>}
        <p className="job-actions">
          {isShell && isLive && (
            <Button small tone="quiet" onClick={() => setOpen(!isOpen)}>
              {isOpen ? WORDS.hideOutput : WORDS.showOutput}
            </Button>
          )}
          {toolUseId !== undefined && <a href={hrefOf(view.id, `tool/${toolUseId}`)}>{WORDS.showInConversation}</a>}
          {isRunning && isLive && may(client, "session/request", { request: { subtype: "stop_task" } }) && (
            <Button
              small
              tone="quiet"
              onClick={() => void ask(client, view.id, { subtype: "stop_task", task_id: id }).catch(toastError)}
            >
              {WORDS.stop}
            </Button>
          )}
        </p>
        {isOpen && isLive && <LiveOutput client={client} session={view.id} task={id} isRunning={isRunning} />}
      </div>
    </li>
  );
};

const OUTPUT_MS = 1000;
/** Each question and its answer stay in the log, so a silent task is asked less often. */
const SILENT_MS = 15_000;

interface LiveOutputProps {
  readonly client: Client;
  readonly session: string;
  readonly task: string;
  readonly isRunning: boolean;
}

/** Asks again while the task runs, each second while it writes, and once more when it has ended. */
const LiveOutput = ({ client, session, task, isRunning }: LiveOutputProps) => {
  const [answer, setAnswer] = useState<{ output: string; total_bytes: number; truncated: boolean }>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = OUTPUT_MS;
    let bytes: number | undefined;
    const read = async (): Promise<void> => {
      try {
        const { response } = await ask(client, session, { subtype: "get_task_output", task_id: task });
        const { total_bytes: now } = response as NonNullable<typeof answer>;
        pause = now === bytes ? Math.min(pause * 2, SILENT_MS) : OUTPUT_MS;
        bytes = now;
        if (!isGone) setAnswer(response as typeof answer);
      } catch (error) {
        if (!isGone) setProblem(error instanceof Error ? error.message : String(error));
        return;
      }
      if (isRunning && !isGone) timer = setTimeout(() => void read(), pause);
    };
    void read();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [client, session, task, isRunning]);
  if (problem !== undefined) return <p className="panel-note">{WORDS.noOutput(problem)}</p>;
  if (answer === undefined) return <p className="panel-note">{WORDS.loading}</p>;
  return (
    <div className="job-output">
      {answer.truncated && <p className="panel-note">{WORDS.endOf(formatBytes(answer.total_bytes))}</p>}
      {answer.output === "" ? (
        <p className="panel-note">{WORDS.nothingWritten}</p>
      ) : (
        <Output text={answer.output} name={task} />
      )}
    </div>
  );
};

/** Shells in the background that the CLI has not reported as tasks: older CLIs report none. */
const Untold = ({ view }: { readonly view: SessionView }) => {
  const { tasks } = useHead(view);
  const known = new Set(tasks.map(({ toolUseId }) => toolUseId));
  const shells = useSnapshot(view).rows.filter(
    (row): row is ToolRow =>
      row.kind === "tool" &&
      row.name === "Bash" &&
      row.input["run_in_background"] === true &&
      !known.has(row.toolUseId),
  );
  if (shells.length === 0) return null;
  return (
    <section className="section">
      <h3>
        {WORDS.started} <span className="num">{shells.length}</span>
      </h3>
      <p className="panel-note">{WORDS.notReported}</p>
      <ul>
        {shells.map((row) => (
          <li key={row.id} className="job">
            <Dot tone="plain" />
            <div>
              <p className="job-name mono">{String(row.input["command"])}</p>
              <a href={hrefOf(view.id, row.id)}>{WORDS.showInConversation}</a>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Alarms = ({ view, isLive }: { readonly view: SessionView; readonly isLive: boolean }) => {
  const now = useNow();
  const alarms = [...alarmsIn(useSnapshot(view).rows.toReversed(), now, isLive)];
  if (alarms.length === 0) return null;
  const waits = alarms.filter(({ state }) => state === "waits").length;
  return (
    <section className="section">
      <h3>
        {WORDS.alarms} <span className="num">{waits}</span>
      </h3>
      <p className="panel-note">{isLive ? WORDS.alarmsLive : WORDS.alarmsGone}</p>
      <ul>
        {alarms.map(({ row, what, when = "", delaySeconds, at, repeats, state }) => (
          <li key={row.id} className="job">
            <Dot tone={state === "waits" ? "sea" : "plain"} />
            <div>
              <p className="job-name">{what === "" ? toolTitle(row.name) : what}</p>
              <p className="job-facts num">
                {[
                  WORDS.alarmStates[state],
                  delaySeconds === undefined ? when : WORDS.after(delaySeconds),
                  repeats ? WORDS.repeats : WORDS.once,
                  at === undefined || state !== "waits" ? "" : WORDS.next(new Date(at).toLocaleString(locale)),
                ]
                  .filter((fact) => fact !== "")
                  .join(" · ")}
              </p>
              <p className="job-actions">
                <a href={hrefOf(view.id, row.id)}>{WORDS.showInConversation}</a>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
};
