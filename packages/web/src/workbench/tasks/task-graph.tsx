// Tasks in the order that their dependencies ask for, with a line for each dependency.

import { dependencyLines, orderedTasks } from "./task-order.ts";
import type { DependencyLine } from "./task-order.ts";
import type { Todo } from "@quarterdeck/client";
import { stateTitle } from "./tasks-model.ts";
import { WORDS } from "./words.ts";

const ROW = 34;
const LANE = 9;
const EDGE = 6;
const MOST_LANES = 10;

export const TaskGraph = ({ tasks }: { readonly tasks: readonly Todo[] }) => {
  const ordered = orderedTasks(tasks);
  const lines = dependencyLines(ordered);
  const lanes = Math.min(MOST_LANES, Math.max(0, ...lines.map(({ lane }) => lane + 1)));
  const width = EDGE + lanes * LANE + 8;
  if (lines.length === 0) return <p className="panel-note tasks-note">{WORDS.noneWaits}</p>;
  return (
    <div className="task-graph">
      <svg
        width={width}
        height={ordered.length * ROW}
        role="img"
        aria-label={WORDS.dependencies(
          lines.length,
          lines.map((line) => sentenceOf(line, ordered)),
        )}
      >
        {lines.map((line) => (
          <g key={`${line.from} ${line.to}`} className={isDone(line, ordered) ? "task-link-done" : "task-link"}>
            <path d={pathOf(line, width)} />
            <path className="task-arrow" d={arrowOf(line, width)} />
          </g>
        ))}
      </svg>
      <ol>
        {ordered.map(({ id, subject, status }) => (
          <li key={id} className={`task-${status}`}>
            <span className="task-mark" aria-hidden="true" />
            <span className="task-line">
              <span className="task-id num">{numberOf(id)}</span> {subject}
            </span>
            <span className="task-state">{stateTitle(status)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
};

/** A task without a result has no number yet. */
export const numberOf = (id: string): string => (id.startsWith("new/") ? WORDS.isNew : id);

const middle = (place: number): number => place * ROW + ROW / 2;
const xOf = ({ lane }: DependencyLine, width: number): number =>
  width - 8 - (Math.min(lane, MOST_LANES - 1) + 1) * LANE;

const pathOf = (line: DependencyLine, width: number): string => {
  const [x, y1, y2] = [xOf(line, width), middle(line.start) + 4, middle(line.end) - 4];
  return `M${width} ${y1}H${x}V${y2}H${width - 4}`;
};
const arrowOf = (line: DependencyLine, width: number): string => {
  const y = middle(line.end) - 4;
  return `M${width - 5} ${y - 3.5}L${width} ${y}L${width - 5} ${y + 3.5}Z`;
};

const isDone = ({ start }: DependencyLine, ordered: readonly Todo[]): boolean => ordered[start]?.status === "completed";
const sentenceOf = ({ from, to }: DependencyLine, tasks: readonly Todo[]): string => {
  const nameOf = (id: string): string => `${numberOf(id)} ${tasks.find((task) => task.id === id)?.subject ?? ""}`;
  return WORDS.dependency(nameOf(to), nameOf(from));
};
