// Orders tasks by their dependencies. Each dependency is a line beside the list, from a task down to the task that
// waits for it.

import type { Todo } from "@quarterdeck/client";

export interface Dependency {
  readonly from: string;
  readonly to: string;
}

/** Either side may name a dependency. Tasks that do not exist have none. */
export const dependenciesOf = (tasks: readonly Todo[]): readonly Dependency[] => {
  const ids = new Set(tasks.map(({ id }) => id));
  const pairs = tasks.flatMap(({ id, blocks, blockedBy }) => [
    ...blocks.map((to) => ({ from: id, to })),
    ...blockedBy.map((from) => ({ from, to: id })),
  ]);
  const known = new Map(pairs.map((pair) => [JSON.stringify([pair.from, pair.to]), pair]));
  return [...known.values()].filter(({ from, to }) => from !== to && ids.has(from) && ids.has(to));
};

/** What must be done first comes first. Otherwise the order stays. Tasks in a circle come last. */
export const orderedTasks = (tasks: readonly Todo[]): readonly Todo[] => {
  const dependencies = dependenciesOf(tasks);
  const placed = new Set<string>();
  const ordered: Todo[] = [];
  let waiting = [...tasks];
  while (waiting.length > 0) {
    const next = waiting.find(({ id }) => dependencies.every(({ from, to }) => to !== id || placed.has(from)));
    if (next === undefined) break;
    placed.add(next.id);
    ordered.push(next);
    waiting = waiting.filter((task) => task !== next);
  }
  return [...ordered, ...waiting];
};

export interface DependencyLine extends Dependency {
  /** Places of both tasks in the list. */
  readonly start: number;
  readonly end: number;
  /** How far from the list it is drawn. Lines that pass each other have different lanes. */
  readonly lane: number;
}

export const dependencyLines = (ordered: readonly Todo[]): readonly DependencyLine[] => {
  const places = new Map(ordered.map(({ id }, at) => [id, at]));
  const spans = dependenciesOf(ordered)
    .map((pair) => ({ ...pair, start: places.get(pair.from)!, end: places.get(pair.to)! }))
    .toSorted((a, b) => Math.abs(a.end - a.start) - Math.abs(b.end - b.start) || a.start - b.start);
  const lines: DependencyLine[] = [];
  for (const span of spans) {
    const taken = new Set(lines.filter((line) => doOverlap(line, span)).map(({ lane }) => lane));
    let lane = 0;
    while (taken.has(lane)) lane += 1;
    lines.push({ ...span, lane });
  }
  return lines;
};

const doOverlap = (a: Omit<DependencyLine, "lane">, b: Omit<DependencyLine, "lane">): boolean =>
  Math.max(Math.min(a.start, a.end), Math.min(b.start, b.end)) <=
  Math.min(Math.max(a.start, a.end), Math.max(b.start, b.end));
