// The journal of one session: which tree its folder had before and after each turn, who changed what, and what was restored. It is a file
// of lines in the data folder. The functions over its lines are pure.

import { appendFile, mkdir, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { TreeEntry } from "./tree-diff.ts";

/** `tool`: an edit tool of the session. `shell`: its commands. `outside`: a person, or another session. */
export type ChangeOrigin = "tool" | "shell" | "outside";

/** Paths are relative to the folder. */
export type Origins = { readonly [K in ChangeOrigin]?: readonly string[] };

interface LineBase extends Origins {
  readonly at: number;
  /** The real path. */
  readonly folder: string;
  readonly tree: string;
  /** The commits of repositories inside the folder. Absent if it has no repositories. */
  readonly heads?: Readonly<Record<string, string>>;
}

/** When a prompt went to the CLI. The origins are of what changed since the line before. */
export interface BeforeLine extends LineBase {
  readonly kind: "before";
  readonly prompt: string;
  /** False if the prompt was sent while a turn ran. */
  readonly opens: boolean;
  /** The prompt did not wait for it, and files may have changed meanwhile. These did. */
  readonly late?: true;
  readonly unsure?: readonly string[];
}

/** When a turn ended. The origins are of what changed in it. */
export interface AfterLine extends LineBase {
  readonly kind: "after";
  readonly prompts: readonly string[];
  readonly totals: Totals;
}

/** When files were restored by a revert, a rewind or an undo. Its origins say who made the other changes since the line before. */
export interface RestoredLine extends LineBase {
  readonly kind: "restored";
  readonly id: string;
  readonly what: "revert" | "rewind" | "undo";
  /** The restore that was undone. */
  readonly undoes?: string;
  /** The prompt that was rewound to. */
  readonly prompt?: string;
  /** The session that continues the conversation. */
  readonly session?: string;
  readonly entries: readonly RestoredEntry[];
}

/** What was there, and what was written. Absent: no file. */
export interface RestoredEntry {
  readonly path: string;
  readonly from?: TreeEntry;
  readonly to?: TreeEntry;
}

export interface ProblemLine {
  readonly kind: "problem";
  readonly at: number;
  readonly problem: string;
  readonly text: string;
}

export type TreeLine = BeforeLine | AfterLine | RestoredLine;
export type JournalLine = TreeLine | ProblemLine;

export interface Totals {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/** More paths of one line are not kept by name. */
export const MOST_PATHS = 10_000;

export class Journal {
  readonly #path: string;
  readonly #lines: JournalLine[];
  #writing: Promise<void> = Promise.resolve();
  #hasFolder = false;

  constructor(path: string) {
    this.#path = path;
    this.#lines = linesOf(path);
  }

  get lines(): readonly JournalLine[] {
    return this.#lines;
  }

  /** The lines of the folder that the newest line is of. */
  get trees(): readonly TreeLine[] {
    const trees = this.#lines.filter((line) => line.kind !== "problem");
    const folder = trees.at(-1)?.folder;
    return trees.filter((line) => line.folder === folder);
  }

  /** The newest problem, if no snapshot has worked since. */
  get problem(): ProblemLine | undefined {
    const last = this.#lines.at(-1);
    return last?.kind === "problem" ? last : undefined;
  }

  append(line: JournalLine): Promise<void> {
    this.#lines.push(line);
    return this.#write(() => appendFile(this.#path, `${JSON.stringify(line)}\n`, { mode: 0o600 }));
  }

  replace(lines: readonly JournalLine[]): Promise<void> {
    this.#lines.splice(0, Infinity, ...lines);
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    return this.#write(() => writeFile(this.#path, text, { mode: 0o600 }));
  }

  delete(): Promise<void> {
    return this.#write(() => rm(this.#path, { force: true }));
  }

  #write(work: () => Promise<unknown>): Promise<void> {
    this.#writing = this.#writing
      .catch(() => {})
      .then(async () => {
        if (!this.#hasFolder) await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
        this.#hasFolder = true;
        await work();
      });
    return this.#writing;
  }
}

/** A line that a killed host did not finish is left out. */
const linesOf = (path: string): JournalLine[] => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // A session without snapshots.
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as JournalLine];
    } catch {
      return [];
    }
  });
};

export interface Turn {
  readonly prompts: readonly string[];
  readonly at: number;
  /** The tree when it began. */
  readonly before: string;
  /** Absent while it runs. */
  readonly after?: string;
  readonly endedAt?: number;
  /** Trees at the time of prompts that were sent while it ran. */
  readonly between: ReadonlyMap<string, string>;
  /** The index of its first line. */
  readonly from: number;
  /** The index after its last line. */
  readonly to: number;
  readonly totals: Totals;
  readonly late: boolean;
  readonly unsure: readonly string[];
}

const NO_TOTALS: Totals = { files: 0, added: 0, removed: 0 };

export const turnsOf = (lines: readonly TreeLine[]): Turn[] => {
  const turns: Turn[] = [];
  let isOpen = false;
  let last: TreeLine | undefined;
  for (const [index, line] of lines.entries()) {
    const { at, tree } = line;
    const open = isOpen ? turns.at(-1) : undefined;
    if (line.kind === "before" && (line.opens || open === undefined)) {
      // The host died in the turn before: it ended at some time until now.
      if (open !== undefined) turns[turns.length - 1] = { ...open, after: tree, endedAt: at, to: index };
      const late = line.late === true;
      turns.push({
        prompts: [line.prompt],
        at,
        before: tree,
        between: new Map(),
        from: index,
        to: index + 1,
        totals: NO_TOTALS,
        late,
        unsure: line.unsure ?? [],
      });
      isOpen = true;
    } else if (line.kind === "before" && open !== undefined) {
      turns[turns.length - 1] = { ...open, between: new Map([...open.between, [line.prompt, tree]]), to: index + 1 };
    } else if (line.kind === "after") {
      const { prompts, totals } = line;
      const end = { after: tree, endedAt: at, to: index + 1, totals };
      if (open === undefined)
        turns.push({
          prompts,
          at: last?.at ?? at,
          before: last?.tree ?? tree,
          between: new Map(),
          from: index,
          late: false,
          unsure: [],
          ...end,
        });
      else turns[turns.length - 1] = { ...open, ...end, prompts: [...new Set([...open.prompts, ...prompts])] };
      isOpen = false;
    }
    last = line;
  }
  return turns;
};

/** Where a prompt's turn begins: the tree to rewind to, and the line from which on changes are taken back. */
export const turnStartOf = (
  lines: readonly TreeLine[],
  prompt: string,
): { readonly tree: string; readonly from: number; readonly turn: Turn } | undefined => {
  const turns = turnsOf(lines);
  const turn =
    turns.findLast(({ prompts }) => prompts.includes(prompt)) ?? turns.findLast(({ between }) => between.has(prompt));
  if (turn === undefined) return undefined;
  const sent = turn.prompts[0] === prompt ? undefined : turn.between.get(prompt);
  if (sent === undefined) return { tree: turn.before, from: turn.from, turn };
  const from = lines.findIndex(({ kind }, at) => at > turn.from && kind === "before" && isFor(lines[at]!, prompt));
  return { tree: sent, from: from === -1 ? turn.from : from, turn };
};

const isFor = (line: TreeLine, prompt: string): boolean => line.kind === "before" && line.prompt === prompt;

/**
 * Who changed each path from this line on. The origins of a `before` line do not count: they are from the time before
 * the prompt. A rewind takes back what came after its prompt, unless it was undone.
 */
export const originsSince = (lines: readonly TreeLine[], from: number): Map<string, Set<ChangeOrigin>> => {
  const undone = new Set(lines.flatMap((line) => (line.kind === "restored" && line.undoes ? [line.undoes] : [])));
  const marks = new Map<string, { readonly origin: ChangeOrigin; readonly index: number }[]>();
  for (const [index, line] of lines.entries()) {
    if (index < from || (index === from && line.kind === "before")) continue;
    for (const origin of ORIGINS)
      for (const path of line[origin] ?? []) {
        const known = marks.get(path);
        if (known === undefined) marks.set(path, [{ origin, index }]);
        else known.push({ origin, index });
      }
    if (line.kind !== "restored" || line.what !== "rewind" || undone.has(line.id) || line.prompt === undefined)
      continue;
    const place = turnStartOf(lines.slice(0, index), line.prompt);
    if (place === undefined) continue;
    for (const { path } of line.entries) {
      const kept = marks.get(path)?.filter((mark) => mark.index < place.from);
      if (kept !== undefined) marks.set(path, kept);
    }
  }
  const origins = new Map<string, Set<ChangeOrigin>>();
  for (const [path, list] of marks) if (list.length > 0) origins.set(path, new Set(list.map(({ origin }) => origin)));
  return origins;
};

const ORIGINS: readonly ChangeOrigin[] = ["tool", "shell", "outside"];

export interface TurnWork {
  /** Paths that the session's edit tools wrote, relative to the folder. */
  readonly tools: ReadonlySet<string>;
  /** The session ran something that can write files in other ways. */
  readonly shell: boolean;
}

/** Who changed these paths in a turn, where `beside` is what other sessions did in the folder at the same time. */
export const originsOfTurn = (paths: readonly string[], own: TurnWork, beside?: TurnWork): Required<Origins> => {
  const [tool, shell, outside]: string[][] = [[], [], []];
  for (const path of paths.slice(0, MOST_PATHS)) {
    const isOwn = own.tools.has(path);
    const isTheirs = beside?.tools.has(path) === true;
    if (isOwn) tool!.push(path);
    // Nobody knows which of the two commands wrote it.
    else if (own.shell && !isTheirs) shell!.push(path);
    if (isTheirs || (!isOwn && (!own.shell || beside?.shell === true))) outside!.push(path);
  }
  return { tool: tool!, shell: shell!, outside: outside! };
};

/** The lines that a fork inherits: up to the end of the last turn whose prompt it has. */
export const inheritedLines = (lines: readonly JournalLine[], has: (prompt: string) => boolean): JournalLine[] => {
  const trees = lines.filter((line) => line.kind !== "problem");
  let end = 0;
  for (const { prompts, to } of turnsOf(trees)) {
    if (!prompts.some(has)) break;
    end = to;
  }
  return trees.slice(0, end);
};
