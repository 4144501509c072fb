import { useScopeHead } from "../scope.tsx";
import { Checklist, doneOf, MARKS } from "./checklist.tsx";
import { ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, resultOf } from "./tool-call.ts";
import { WORDS } from "./rare-words.ts";
import { WORDS as TOOLS } from "./words.ts";

const idsOf = (ids: readonly string[]): string => ids.map((id) => `#${id}`).join(", ");

export const TaskCreateCard = ({ call }: CallCardProps) => {
  const { subject = "", description, activeForm } = inputOf(call, "TaskCreate");
  const id = resultOf(call, "TaskCreate")?.task.id;
  return (
    <ToolCard
      call={call}
      title={WORDS.newTask}
      about={subject}
      outcome={id !== undefined && <span className="num">#{id}</span>}
    >
      {description !== undefined && <p className="tool-note">{description}</p>}
      {activeForm !== undefined && <p className="tool-note faint">{WORDS.whileRunning(activeForm)}</p>}
    </ToolCard>
  );
};

export const TaskUpdateCard = ({ call }: CallCardProps) => {
  const input = inputOf(call, "TaskUpdate");
  const known = useScopeHead((head) => head.todos.find((todo) => todo.id === input.taskId)?.subject);
  const status = input.status === undefined ? undefined : MARKS[input.status];
  const changes = [
    input.owner !== undefined && WORDS.owner(input.owner),
    input.addBlockedBy !== undefined && input.addBlockedBy.length > 0 && WORDS.after(idsOf(input.addBlockedBy)),
    input.addBlocks !== undefined && input.addBlocks.length > 0 && WORDS.before(idsOf(input.addBlocks)),
    input.description !== undefined && WORDS.description,
  ].filter((word) => typeof word === "string");
  return (
    <ToolCard
      call={call}
      title={WORDS.task}
      about={
        <>
          {status !== undefined && <span className={`step-${input.status}`}>{status.sign} </span>}
          <span className="faint num">#{input.taskId}</span> {input.subject ?? known}
        </>
      }
      outcome={<span>{[status?.word, ...changes].filter((word) => word !== undefined).join(" · ")}</span>}
    >
      {input.description !== undefined && <p className="tool-note">{input.description}</p>}
    </ToolCard>
  );
};

export const TaskListCard = ({ call }: CallCardProps) => {
  const tasks = (resultOf(call, "TaskList")?.tasks ?? []).map((task) => ({
    id: task.id,
    subject: `#${task.id} ${task.subject}`,
    status: task.status,
    ...noteOf(task.owner, task.blockedBy),
  }));
  return (
    <ToolCard
      call={call}
      title={TOOLS.taskList}
      outcome={<span className="num">{tasks.length === 0 ? WORDS.noTasks : doneOf(tasks)}</span>}
    >
      {tasks.length > 0 && <Checklist items={tasks} />}
    </ToolCard>
  );
};
const noteOf = (owner: string | undefined, blockedBy: readonly string[]): { note?: string } => {
  const words = [owner, blockedBy.length === 0 ? undefined : WORDS.blockedBy(idsOf(blockedBy))];
  const note = words.filter((word) => word !== undefined).join(" · ");
  return note === "" ? {} : { note };
};

export const TaskGetCard = ({ call }: CallCardProps) => {
  const { taskId } = inputOf(call, "TaskGet");
  const task = resultOf(call, "TaskGet")?.task;
  return (
    <ToolCard
      call={call}
      title={WORDS.task}
      about={
        <>
          <span className="faint num">#{taskId}</span> {task?.subject}
        </>
      }
      outcome={<span>{task === null ? WORDS.notFound : task && (TOOLS.statuses[task.status] ?? task.status)}</span>}
    >
      {task != null && (
        <>
          <p className="tool-note">{task.description}</p>
          {task.blockedBy.length > 0 && (
            <p className="tool-note faint">{WORDS.blockedByTasks(task.blockedBy.length, idsOf(task.blockedBy))}</p>
          )}
        </>
      )}
    </ToolCard>
  );
};
