// Bash is the judge: every program that it starts for a line is among those that `programsOf` names, or the line is not understood.
import { programsOf } from "@quarterdeck/permissions";
import { commandLines } from "./command-lines.ts";
import { openTracer } from "./stand-ins.ts";

export interface Missed {
  readonly line: string;
  readonly started: readonly string[];
  readonly seen: readonly string[];
  readonly missed: readonly string[];
}

export interface Compared {
  readonly lines: number;
  readonly understood: number;
  /** Programs that bash started, over all lines. */
  readonly started: number;
  readonly missed: readonly Missed[];
}

export const compareWithBash = (count: number, seed: number): Compared => {
  const tracer = openTracer();
  const missed: Missed[] = [];
  let understood = 0;
  let started = 0;
  try {
    for (const line of commandLines(count, seed)) {
      const names = [...tracer.startedBy(line)];
      const { programs, understood: isUnderstood } = programsOf(line);
      started += names.length;
      if (!isUnderstood) continue;
      understood++;
      const seen = new Set(programs.map(({ name }) => name.slice(name.lastIndexOf("/") + 1)));
      const unseen = names.filter((name) => !seen.has(name));
      if (unseen.length > 0) missed.push({ line, started: names, seen: [...seen], missed: unseen });
    }
  } finally {
    tracer.close();
  }
  return { lines: count, understood, started, missed };
};
