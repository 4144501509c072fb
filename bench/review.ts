// Reviews in a large folder: a snapshot where nothing changed, the list of changes, and what snapshots add to a turn. `git status` of the
// same folder runs right after each snapshot, as the peer. Then a diff of 20,000 lines in the page (web/long-diff.ts).
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { createMemoryStore, Host } from "@quarterdeck/host";
import type { Session } from "@quarterdeck/host";
import { simulatorPath } from "@quarterdeck/simulator";

import { medianOf, medianRatio, rounded } from "./figure.ts";
import type { Report } from "./figure.ts";
import { measureLongDiff } from "./web/long-diff.ts";
import type { LongDiff } from "./web/long-diff.ts";

export interface ReviewOptions {
  readonly files: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

const run = promisify(execFile);
const PER_FOLDER = 50;
/** Time that the model takes for each of two answers. A real model takes longer. */
const ANSWER_MS = 1500;

const SCRIPTS = [
  {
    when: "work",
    steps: [
      { say: [{ tool: "Bash", input: { command: "echo more >> d0/f0.ts" } }], pace: { firstMs: ANSWER_MS } },
      { say: [{ text: "Done." }], pace: { firstMs: ANSWER_MS } },
    ],
  },
];

export const benchReview = async ({ files, rounds, say }: ReviewOptions): Promise<Report> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "quarterdeck-bench-review-")));
  try {
    const cwd = join(root, "work");
    say(`review: makes ${String(files)} files`);
    makeFiles(cwd, files);
    await git(cwd, ["init", "-q"]);
    await git(cwd, ["add", "-A"]);
    await git(cwd, ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "-m", "first"]);
    const scenario = join(root, "scenario.json");
    writeFileSync(scenario, JSON.stringify({ name: "review", scripts: SCRIPTS }));
    const withIt = await open(root, scenario, join(root, "data", "snapshots"));
    const without = await open(root, scenario);
    try {
      const folder = await measure({ cwd, files, rounds, say, withIt, without });
      return withDiff(folder, await measureLongDiff(rounds, say));
    } finally {
      await withIt.close();
      await without.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
};

interface Place {
  readonly cwd: string;
  readonly withIt: Host;
  readonly without: Host;
}

const measure = async (options: ReviewOptions & Place): Promise<Report> => {
  const { cwd, files, rounds, say, withIt, without } = options;
  const cli = { permissionMode: "acceptEdits", allowedTools: ["Bash"] } as const;
  const start = (host: Host): Promise<Session> =>
    host.start({ cwd, cli: { ...cli, allowedTools: [...cli.allowedTools] } });
  const [ours, bare] = [await start(withIt), await start(without)];
  const reviews = withIt.reviews!;
  say("review: first turn, with the first snapshot");
  const first = await timed(() => turn(ours));
  await reviews.changes(ours);
  await turn(bare);
  await reviews.changes(ours);
  const times = {
    snapshot: [] as number[],
    status: [] as number[],
    list: [] as number[],
    ours: [] as number[],
    bare: [] as number[],
  };
  for (let round = 0; round < rounds; round++) {
    say(`review: round ${String(round + 1)} of ${String(rounds)}`);
    // `warmed` is what a turn waits for: one snapshot of a folder in which nothing changed.
    times.snapshot.push(await timed(() => reviews.warmed(ours)));
    times.status.push(await timed(() => git(cwd, ["status", "--porcelain", "-uall"])));
    times.list.push(await timed(() => reviews.changes(ours)));
    for (const who of round % 2 === 0 ? (["ours", "bare"] as const) : (["bare", "ours"] as const))
      times[who].push(await timed(() => turn(who === "ours" ? ours : bare)));
    await reviews.changes(ours);
  }
  const row = (title: string, list: readonly number[]): string[] => [
    title,
    medianOf(list).toFixed(1),
    Math.min(...list).toFixed(1),
  ];
  return {
    title: `review: a folder of ${String(files)} files, ${String(rounds)} rounds`,
    table: [
      ["what", "p50 ms", "best ms"],
      row("snapshot, nothing changed", times.snapshot),
      row("git status -uall of the same folder", times.status),
      row("list of changes since the start", times.list),
      row("turn with snapshots", times.ours),
      row("turn without", times.bare),
      ["first turn, with the first snapshot", first.toFixed(1), ""],
    ],
    details: {
      files,
      rounds,
      milliseconds: Object.fromEntries(
        Object.entries(times).map(([name, list]) => [name, list.map((time) => rounded(time, 1))]),
      ),
    },
    figures: [
      {
        name: "reviewSnapshotMs",
        value: medianOf(times.snapshot),
        target: { atMost: 50 },
        says: "snapshot of a folder in which nothing changed",
      },
      {
        name: "reviewSnapshotToStatus",
        value: medianRatio(times.snapshot, times.status),
        target: { atMost: 1.5 },
        says: "the same as a share of `git status`",
      },
      {
        name: "reviewListMs",
        value: medianOf(times.list),
        target: { atMost: 500 },
        says: "list of changes, not the first",
      },
      {
        name: "reviewTurnShare",
        value: medianRatio(times.ours, times.bare) - 1,
        target: { atMost: 0.05 },
        says: `what snapshots add to a turn with two answers of ${String(ANSWER_MS)} ms`,
      },
    ],
  };
};

const withDiff = (report: Report, diff: LongDiff): Report => {
  const { openMs, allMs, reachedMs, openCpuMs, scrollLongestMs, scrollCpuMs, mostElements, changedLines } = diff;
  const row = (title: string, list: readonly number[]): string[] => [
    title,
    medianOf(list).toFixed(1),
    Math.min(...list).toFixed(1),
  ];
  return {
    ...report,
    table: [
      ...report.table,
      row(`a diff of ${String(changedLines)} changed lines opens`, openMs),
      row("until all lines are in the page, scrolled meanwhile", allMs),
      row("the same if the pointer came to the button first", reachedMs),
      row("CPU time of the page's main thread meanwhile", openCpuMs),
      row("longest task while it is scrolled to its end", scrollLongestMs),
      row("most CPU time of a task meanwhile", scrollCpuMs),
      ["most elements in the scroll", String(mostElements), ""],
    ],
    details: { ...report.details, diff },
    figures: [
      ...report.figures,
      {
        name: "diffOpenMs",
        value: medianOf(openMs),
        target: { atMost: 300 },
        says: `a diff of ${String(changedLines)} changed lines opens in the page`,
      },
      {
        name: "diffAllMs",
        value: medianOf(allMs),
        says: "until all of its lines are in the page, scrolled meanwhile",
      },
      {
        name: "diffOpenReachedMs",
        value: medianOf(reachedMs),
        says: "the same if the pointer came to the button first",
      },
      {
        name: "diffScrollLongestTaskMs",
        value: medianOf(scrollLongestMs),
        target: { atMost: 100 },
        says: "longest task of the main thread while it is scrolled",
      },
    ],
  };
};

const makeFiles = (cwd: string, files: number): void => {
  for (let at = 0; at < files; at++) {
    const folder = join(cwd, `d${String(Math.floor(at / PER_FOLDER))}`);
    if (at % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `f${String(at % PER_FOLDER)}.ts`),
      `export const value${String(at)} = ${String(at)};\n`.repeat(20),
    );
  }
};

const git = (cwd: string, args: readonly string[]): Promise<unknown> =>
  run("git", [...args], {
    cwd,
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });

const open = (root: string, scenario: string, snapshots?: string): Promise<Host> =>
  Host.open({
    store: createMemoryStore(),
    claude: { command: process.execPath, prefixArgs: ["--conditions=source", simulatorPath], version: "2.1.325" },
    environment: () => ({ PATH: process.env["PATH"] ?? "", HOME: root, QUARTERDECK_SCENARIO: scenario }),
    // Long enough for the first snapshot: a turn that does not wait would be no measurement.
    ...(snapshots !== undefined && { snapshots: { folder: snapshots, waitMs: 600_000 } }),
  });

const turn = async (session: Session): Promise<void> => {
  const { uuid } = await session.prompt("work");
  await session.reply(uuid);
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};
