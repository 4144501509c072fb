// Kills `host-child.fixture.ts` again and again at random points, and compares what is left with what it had
// acknowledged. It checks the log, its numbers, the database, and the processes with the marker of its data directory.

import { spawn, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { createFold } from "@quarterdeck/session";
import type { Event } from "@quarterdeck/session";
import { MARKER_VARIABLE } from "./process/descendants.ts";
import { Host } from "./host.ts";
import { openSqliteStore } from "./store/sqlite-store.ts";
import type { SqliteStore } from "./store/sqlite-store.ts";
import { seeded } from "@quarterdeck/test-kit/seeded";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";

export interface HostKillTotals {
  rounds: number;
  /** Facts that a listener got, and prompts and answers that were acknowledged. */
  acknowledged: number;
  prompts: number;
  answers: number;
  /** Processes that survived the host, counted before the next host started. */
  orphans: number;
  /** Processes that survived the cleanup too. */
  left: number;
  /** Sessions that the next host could not resume, and why. Their log is still complete. */
  readonly refused: string[];
  /** Differences, as text. Must be empty. */
  readonly wrong: string[];
}

/** The whole log is read after each kill. A new folder now and then keeps it short. */
const ROUNDS_A_FOLDER = 25;
/**
 * The host dies after a random one of its first acknowledgements. A short delay lets the kill hit the work that
 * follows.
 */
const MOST_ACKNOWLEDGED = 120;
const MOST_DELAY_MS = 20;
/** All sessions wait for a slow tool: what they still write comes soon, and after that nothing more. */
const STUCK_QUIET_MS = 1500;
/** Otherwise the host writes, or its CLIs start. That takes long on a busy machine. */
const QUIET_MS = 60_000;

const bash = (command: string, more: object = {}) => ({
  tool: "Bash",
  input: { command, description: "Wait", ...more },
});
export const KILL_SCENARIO = {
  name: "kill",
  scripts: [
    { when: "some words", steps: [{ say: [{ text: "One word after the other. ".repeat(8) }], pace: { deltaMs: 1 } }] },
    { when: "a tool", steps: [{ say: [bash("touch made; sleep 0.01")] }, { say: [{ text: "Done." }] }] },
    { when: "a slow tool", steps: [{ say: [{ text: "Wait." }, bash("sleep 300")] }, { say: [{ text: "Over." }] }] },
    {
      when: "a task",
      steps: [{ say: [bash("sleep 300", { run_in_background: true })] }, { say: [{ text: "It runs." }] }],
    },
  ],
};

/** The program that plays the sessions. */
export interface KillAgent {
  readonly command: string;
  readonly prefixArgs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const theSimulator = (folder: string): KillAgent => ({
  command: process.execPath,
  prefixArgs: [...programWords("quarterdeck-sim")],
  env: { PATH: process.env["PATH"] ?? "", QUARTERDECK_SCENARIO: join(folder, "scenario.json"), ...COMPILED },
});

/** By session, by seq: the hash of the event. */
type Expected = Map<string, Map<number, string>>;

export const hostKillRounds = async (
  root: string,
  rounds: number,
  seed: number,
  onRound: (totals: HostKillTotals) => void = () => {},
  agent?: KillAgent,
): Promise<HostKillTotals> => {
  const random = seeded(seed);
  const totals: HostKillTotals = {
    rounds: 0,
    acknowledged: 0,
    prompts: 0,
    answers: 0,
    orphans: 0,
    left: 0,
    refused: [],
    wrong: [],
  };
  let folder = "";
  let dataDirId = "";
  let expected: Expected = new Map();
  for (; totals.rounds < rounds; totals.rounds++) {
    if (totals.rounds % ROUNDS_A_FOLDER === 0) {
      if (folder !== "") rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      folder = join(root, `folder-${totals.rounds}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "scenario.json"), JSON.stringify(KILL_SCENARIO));
      writeFileSync(join(folder, "agent.json"), JSON.stringify(agent ?? theSimulator(folder)));
      dataDirId = `kill-${process.pid}-${seed}-${totals.rounds}`;
      expected = new Map();
    }
    const lines = await linesUntilKilled(folder, dataDirId, `${seed}${totals.rounds}`, random);
    const said = takeLines(lines, expected, totals);
    totals.orphans += marked(dataDirId).length;
    const wrong = await recover(folder, dataDirId, expected, said);
    const left = marked(dataDirId);
    totals.left += left.length;
    if (left.length > 0) wrong.push(`processes are left: ${left.join(", ")}`);
    totals.wrong.push(...wrong.map((what) => `round ${totals.rounds}: ${what}`));
    onRound({ ...totals, rounds: totals.rounds + 1 });
  }
  return totals;
};

interface Said {
  readonly prompts: readonly (readonly [session: string, uuid: string])[];
  readonly answers: readonly (readonly [session: string, requestId: string])[];
}

const takeLines = (lines: readonly string[], expected: Expected, totals: HostKillTotals): Said => {
  const prompts: [string, string][] = [];
  const answers: [string, string][] = [];
  for (const line of lines) {
    const [verb, session = "", third = "", hash = ""] = line.split(" ");
    if (verb === "ready") continue;
    if (verb === "refused") {
      totals.refused.push(`round ${totals.rounds}: ${session} ${third}`);
      continue;
    }
    totals.acknowledged++;
    if (verb === "prompt") prompts.push([session, third]);
    else if (verb === "answer") answers.push([session, third]);
    else {
      const facts = expected.get(session) ?? new Map<number, string>();
      expected.set(session, facts.set(Number(third), hash));
    }
  }
  totals.prompts += prompts.length;
  totals.answers += answers.length;
  return { prompts, answers };
};

const linesUntilKilled = async (
  folder: string,
  dataDirId: string,
  seed: string,
  random: () => number,
): Promise<string[]> => {
  const child = spawn(process.execPath, [...programWords("host-child"), folder, dataDirId, seed], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stopAt = Math.floor(random() * MOST_ACKNOWLEDGED);
  const delay = random() * MOST_DELAY_MS;
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  // Processes that the host leaves may hold its stderr open, so this waits only for the host itself.
  const exited = once(child, "exit");
  let killed = false;
  const kill = (): void => {
    killed = true;
    child.kill("SIGKILL");
  };
  const lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let quietMs = QUIET_MS;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "stuck") quietMs = STUCK_QUIET_MS;
    else lines.push(line);
    clearTimeoutOf(timer);
    if (line !== "stuck" && lines.length === stopAt + 1) void setTimeout(delay).then(kill);
    else if (lines.length <= stopAt) timer = globalThis.setTimeout(kill, quietMs);
  }
  clearTimeoutOf(timer);
  await exited;
  if (!killed) throw new Error(`The host ended by itself: ${complaints}`);
  return lines;
};

const clearTimeoutOf = (timer: NodeJS.Timeout | undefined): void => globalThis.clearTimeout(timer);

/**
 * Like the next host: open the store, end leftover processes, compare. What the store has now counts as acknowledged in
 * later rounds.
 */
const recover = async (folder: string, dataDirId: string, expected: Expected, said: Said): Promise<string[]> => {
  const store = await openSqliteStore(join(folder, "data"));
  const host = await Host.open({
    store,
    claude: { command: process.execPath },
    environment: () => ({}),
    dataDirId,
  });
  try {
    const wrong = [...store.damage, ...store.check()];
    for (const { id } of host.list()) wrong.push(...compare(store, id, expected, said));
    for (const id of expected.keys()) if (store.session(id) === undefined) wrong.push(`session ${id} is gone`);
    return wrong;
  } finally {
    await host.close();
  }
};

const compare = (store: SqliteStore, id: string, expected: Expected, said: Said): string[] => {
  const wrong: string[] = [];
  const events = store.read(id, 0, Number.MAX_SAFE_INTEGER);
  for (const [index, { seq }] of events.entries())
    if (seq !== index + 1) wrong.push(`${id} has ${seq} at ${index + 1}`);
  const found = new Map(events.map((event) => [event.seq, hashOf(event)]));
  for (const [seq, hash] of expected.get(id) ?? []) {
    if (found.get(seq) !== hash) wrong.push(`${id} ${seq} is not what a listener saw`);
  }
  const accepted = events.flatMap((event) => (event.type === "prompt-accepted" ? event.uuid : []));
  const sent = new Set(events.map((event) => (event.type === "sent" ? responseIdOf(event) : undefined)));
  for (const [session, uuid] of said.prompts) {
    if (session === id && accepted.filter((one) => one === uuid).length !== 1) wrong.push(`${id} lost prompt ${uuid}`);
  }
  for (const [session, request] of said.answers) {
    if (session === id && !sent.has(request)) wrong.push(`${id} lost the answer to ${request}`);
  }
  const fold = createFold();
  for (const event of events) fold.apply(event);
  if (fold.seq !== events.length) wrong.push(`${id} folds to ${fold.seq} of ${events.length}`);
  expected.set(id, found);
  return wrong;
};

const hashOf = (event: Event): string => createHash("sha1").update(JSON.stringify(event)).digest("hex");

const responseIdOf = (event: Extract<Event, { type: "sent" }>): string | undefined =>
  (event.message as { response?: { request_id?: string } }).response?.request_id;

/** Pids of processes with the data directory's marker. This search does not use the code under test. */
const marked = (dataDirId: string): readonly number[] => {
  const wanted = new RegExp(`(^|[\\s\\0])${MARKER_VARIABLE}=[^\\0\\n]*${dataDirId}:`);
  if (process.platform !== "linux") {
    const listed = execFileSync("ps", ["-Eww", "-ax", "-o", "pid=,command="], { encoding: "utf8" });
    return listed.split("\n").flatMap((line) => (wanted.test(line) ? Number.parseInt(line, 10) : []));
  }
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return wanted.test(readFileSync(`/proc/${name}/environ`, "latin1")) ? Number(name) : [];
    } catch {
      // The process ended meanwhile, or belongs to another user.
      return [];
    }
  });
};
