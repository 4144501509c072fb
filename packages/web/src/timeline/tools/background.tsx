import { useScopeHead } from "../scope.tsx";
import { Output } from "../../content/text/output.tsx";
import { ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, resultOf } from "./tool-call.ts";
import { WORDS } from "./rare-words.ts";
import { WORDS as TOOLS } from "./words.ts";

export const TaskOutputCard = ({ call }: CallCardProps) => {
  const { task_id: id, block } = inputOf(call, "TaskOutput");
  const task = resultOf(call, "TaskOutput")?.task;
  const known = useScopeHead((head) => head.tasks.find((entry) => entry.id === id)?.description);
  const text = task?.output ?? (call.result?.ok === true ? call.result.text : "");
  return (
    <ToolCard
      call={call}
      title={WORDS.outputTitle}
      about={
        <>
          {task?.description ?? known ?? <span className="mono">{id}</span>}
          {block === true && <span className="faint">{WORDS.waits}</span>}
        </>
      }
      outcome={
        task != null && (
          <span>
            {task.exitCode == null ? (TOOLS.statuses[task.status] ?? task.status) : TOOLS.exit(task.exitCode)}
          </span>
        )
      }
    >
      {text !== "" && <Output text={text} name={call.id} />}
      {task?.error !== undefined && <p className="tool-note bad">{task.error}</p>}
    </ToolCard>
  );
};

export const TaskStopCard = ({ call }: CallCardProps) => {
  const { task_id: id, shell_id: shell } = inputOf(call, "TaskStop");
  const result = resultOf(call, "TaskStop");
  const known = useScopeHead((head) => head.tasks.find((entry) => entry.id === (id ?? shell))?.description);
  return (
    <ToolCard
      call={call}
      title={WORDS.stop}
      about={result?.command ?? known ?? <span className="mono">{id ?? shell}</span>}
      outcome={<span>{WORDS.stopped}</span>}
    >
      {result !== undefined && <p className="tool-note">{result.message}</p>}
    </ToolCard>
  );
};

export const MonitorCard = ({ call }: CallCardProps) => {
  const { description, command, ws } = inputOf(call, "Monitor");
  return (
    <ToolCard
      call={call}
      title="Monitor"
      about={<span className="mono">{command ?? ws?.url}</span>}
      outcome={<span>{WORDS.watching}</span>}
    >
      {description !== undefined && (
        <p className="claim">
          <span>{TOOLS.claim}</span> {description}
        </p>
      )}
    </ToolCard>
  );
};
