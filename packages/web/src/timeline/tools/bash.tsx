import { useEffect, useState } from "react";
import { isRecord } from "@quarterdeck/client/content";
import { formatBytes } from "../../words/format.ts";
import { CopyButton, TextButton } from "../../parts/text-button.tsx";
import { Elapsed } from "../parts.tsx";
import { useScopeHead, useScope } from "../scope.tsx";
import { Output } from "../../content/text/output.tsx";
import { Pictures } from "../../content/text/picture.tsx";
import { visible } from "../../content/text/visible.ts";
import { ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, resultOf, type ToolCall } from "./tool-call.ts";
import { WORDS } from "./words.ts";
import { WORDS as ROWS } from "../words.ts";
import { fill } from "../../parts/fill.tsx";

/** A shell command. The model's description may be false, so it is never the title. */
export const BashCard = ({ call }: CallCardProps) => {
  const tool = call.name === "PowerShell" ? "PowerShell" : "Bash";
  const { command = "", description, run_in_background: background, timeout } = inputOf(call, tool);
  const result = resultOf(call, tool);
  const output = call.result === undefined ? "" : outputOf(call);
  const exit =
    call.result?.exitCode ?? (call.state === "done" && result?.backgroundTaskId === undefined ? 0 : undefined);
  const images = call.result?.images ?? [];
  const isEmpty = output === "" && images.length === 0;
  const isBig = command.includes("\n") || command.length > 90;
  const inBackground = result?.backgroundTaskId !== undefined || background === true;
  const taskId = call.result?.background?.taskId ?? result?.backgroundTaskId;
  return (
    <ToolCard
      call={call}
      title={tool}
      about={<span className="mono">{visible(firstLine(command))}</span>}
      marks={inBackground && <span className="tool-mark">{WORDS.inBackground}</span>}
      outcome={exit !== undefined && <span className={exit === 0 ? "good" : "bad"}>{WORDS.exit(exit)}</span>}
      opens={call.state === "running" || call.state === "asking" || isBig || !isEmpty || inBackground}
      showsError
    >
      <div className="terminal">
        {(isBig || description !== undefined) && (
          <div className="terminal-command">
            {isBig && (
              <pre>
                <span className="prompt-sign" aria-hidden="true">
                  ${" "}
                </span>
                {visible(command)}
              </pre>
            )}
            {description !== undefined && (
              <p className="claim">
                <span>{WORDS.claim}</span> {description}
              </p>
            )}
          </div>
        )}
        {output !== "" && (
          <Output
            text={output}
            name={call.id}
            live={call.state === "running"}
            {...(call.state === "failed" && exit === undefined && { tone: "bad" as const })}
          />
        )}
        {isEmpty && call.state === "done" && !inBackground && <p className="faint terminal-empty">{ROWS.noOutput}</p>}
        <Pictures images={images} about={WORDS.output} />
        <Notes call={call} timeout={timeout} />
        {taskId !== undefined && <BackgroundOutput taskId={taskId} name={call.id} />}
      </div>
    </ToolCard>
  );
};

const firstLine = (command: string): string => {
  const end = command.indexOf("\n");
  return end === -1 ? command : `${command.slice(0, end)} …`;
};

const outputOf = (call: ToolCall): string => {
  const { result } = call;
  if (result === undefined || result.background !== undefined || call.state === "denied") return "";
  // Said to the model, not printed. "stopped" says it to a person.
  if (call.state === "interrupted" && result.text.startsWith("The user doesn't want to proceed")) return "";
  const printed = resultOf(call, call.name === "PowerShell" ? "PowerShell" : "Bash");
  if (result.persisted !== undefined || printed === undefined) return result.text;
  return [printed.stdout, printed.stderr].filter((text) => text !== "").join("\n") || result.text;
};

const Notes = ({ call, timeout }: { readonly call: ToolCall; readonly timeout: number | undefined }) => {
  const { result } = call;
  const shell = resultOf(call, call.name === "PowerShell" ? "PowerShell" : "Bash");
  return (
    <>
      {shell?.timedOutAfterMs !== undefined && (
        <p className="tool-note">{WORDS.timedOut(Math.round(shell.timedOutAfterMs / 1000))}</p>
      )}
      {shell?.returnCodeInterpretation !== undefined && <p className="tool-note">{shell.returnCodeInterpretation}</p>}
      {result?.persisted !== undefined && (
        <p className="tool-note">
          {fill(WORDS.saved(result.persisted.size === undefined ? undefined : formatBytes(result.persisted.size)), {
            path: <span className="mono">{result.persisted.path}</span>,
          })}{" "}
          <CopyButton text={result.persisted.path} label={WORDS.copyPath} />
        </p>
      )}
      {call.state === "running" && timeout !== undefined && (
        <p className="tool-note">{WORDS.timesOut(Math.round(timeout / 1000))}</p>
      )}
    </>
  );
};

interface TaskOutput {
  readonly output: string;
  readonly total?: number;
}

const POLL_MS = 2_000;
/** Each question and its answer stay in the log, so a silent command is asked less often. */
const SILENT_MS = 15_000;

/** Output of a background command. It is fetched while the command runs and its card is open, at its end, and on demand. */
const BackgroundOutput = ({ taskId, name }: { readonly taskId: string; readonly name: string }) => {
  const task = useScopeHead((head) => head.tasks.find((entry) => entry.id === taskId));
  const live = useScopeHead((head) => head.process?.running === true);
  const { actions } = useScope();
  const [printed, setPrinted] = useState<TaskOutput>();
  const [problem, setProblem] = useState<string>();
  const runs = task !== undefined && task.endedAt === undefined && live;
  const [asked, setAsked] = useState(false);
  const wanted = live && (runs || asked);
  useEffect(() => {
    if (runs) setAsked(true);
  }, [runs]);
  useEffect(() => {
    if (!wanted) return undefined;
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = POLL_MS;
    let seen: TaskOutput | undefined;
    const ask = () => {
      actions
        .request({ subtype: "get_task_output", task_id: taskId })
        .then(
          (answer) => {
            if (gone) return;
            const now = outputIn(answer);
            const isSame = seen !== undefined && now.output === seen.output && now.total === seen.total;
            pause = isSame ? Math.min(pause * 2, SILENT_MS) : POLL_MS;
            seen = now;
            setPrinted(now);
            setProblem(undefined);
          },
          (error: unknown) => {
            if (!gone) setProblem(error instanceof Error ? error.message : String(error));
          },
        )
        .finally(() => {
          if (runs && !gone) timer = setTimeout(ask, pause);
        });
    };
    ask();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [actions, taskId, wanted, runs]);
  return (
    <div className="background">
      <p className="tool-note">
        {runs ? (
          <>
            <span className="busy">{WORDS.runs}</span> <Elapsed since={task.startedAt} />
          </>
        ) : (
          WORDS.background(task === undefined ? WORDS.ended : (WORDS.statuses[task.status] ?? task.status))
        )}
        {task?.summary !== undefined && ` · ${task.summary}`}{" "}
        {live && !wanted && <TextButton onClick={() => setAsked(true)}>{WORDS.showOutput}</TextButton>}
      </p>
      {printed !== undefined && printed.output !== "" && (
        <>
          {printed.total !== undefined && <p className="tool-note">{WORDS.endOf(formatBytes(printed.total))}</p>}
          <Output text={printed.output} name={`${name}/background`} live={runs} />
        </>
      )}
      {printed?.output === "" && <p className="faint terminal-empty">{runs ? WORDS.noOutputYet : ROWS.noOutput}</p>}
      {problem !== undefined && !runs && printed === undefined && <p className="tool-note bad">{problem}</p>}
    </div>
  );
};

const outputIn = (answer: unknown): TaskOutput => {
  const { output, total_bytes: total, truncated } = isRecord(answer) ? answer : {};
  if (typeof output !== "string") return { output: "" };
  return { output, ...(truncated === true && typeof total === "number" && { total }) };
};
