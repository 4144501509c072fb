// Kills `store-child.fixture.ts` again and again, and compares the store with what it had acknowledged.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { seeded } from "@quarterdeck/test-kit/seeded";
import { openSqliteStore } from "../sqlite-store.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

export interface KillTotals {
  rounds: number;
  acknowledged: number;
  deletes: number;
  /** Differences, as text. Must be empty. */
  readonly wrong: string[];
}

/** By session and seq: the uuid of the prompt. */
type Expected = Map<string, Map<number, string>>;

/**
 * The child dies after a random one of its first acknowledgements. A short delay lets the kill hit the work that
 * follows.
 */
const MOST_ACKNOWLEDGED = 100;
const MOST_DELAY_MS = 5;
/** Most facts of one call of the child. */
const MOST_AT_ONCE = 3;

/** How a round ends: a kill, a power cut or the like. Resolves when the folder can be opened again. */
export type Ending = (child: ChildProcess) => Promise<void>;

const kill: Ending = async (child) => {
  child.kill("SIGKILL");
};

export const killRounds = async (
  folder: string,
  rounds: number,
  seed: number,
  ending: Ending = kill,
): Promise<KillTotals> => {
  const random = seeded(seed);
  const totals: KillTotals = { rounds: 0, acknowledged: 0, deletes: 0, wrong: [] };
  const expected: Expected = new Map();
  for (; totals.rounds < rounds; totals.rounds++) {
    const lines = await linesUntilEnded(folder, `${seed}${totals.rounds}`, random, ending);
    const unsure = new Set<string>();
    for (const line of lines) {
      const [verb, session = "", seq, uuid = ""] = line.split(" ");
      const kept = expected.get(session) ?? new Map<number, string>();
      if (verb === "kept") {
        totals.acknowledged++;
        expected.set(session, kept.set(Number(seq), uuid));
        unsure.delete(session);
      } else if (verb === "deleting") {
        expected.delete(session);
        unsure.add(session);
      } else if (verb === "deleted") {
        totals.deletes++;
        unsure.delete(session);
      }
    }
    totals.wrong.push(...(await compare(folder, expected, unsure)).map((what) => `round ${totals.rounds}: ${what}`));
  }
  return totals;
};

const linesUntilEnded = async (
  folder: string,
  seed: string,
  random: () => number,
  ending: Ending,
): Promise<string[]> => {
  const child = spawn(process.execPath, [...programWords("store-child"), folder, seed], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stopAt = Math.floor(random() * MOST_ACKNOWLEDGED);
  const delay = random() * MOST_DELAY_MS;
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const closed = once(child, "close");
  let ended: Promise<void> | undefined;
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === stopAt + 1) ended = setTimeout(delay).then(() => ending(child));
  }
  await closed;
  if (ended === undefined) throw new Error(`The child ended by itself: ${complaints}`);
  await ended;
  return lines;
};

/** What the store has now counts as acknowledged in later rounds. */
const compare = async (folder: string, expected: Expected, unsure: ReadonlySet<string>): Promise<string[]> => {
  const store = await openSqliteStore(folder);
  try {
    const wrong = [...store.damage, ...store.check()];
    const sessions = new Set([...expected.keys(), ...Object.keys(store.usage().sessions)]);
    for (const session of sessions) {
      // The store returns no events unless `seq` is dense.
      const events = store.read(session, 0, Number.MAX_SAFE_INTEGER);
      const found = new Map(events.map((event) => [event.seq, event.type === "prompt-accepted" ? event.uuid : ""]));
      const acknowledged = expected.get(session) ?? new Map<number, string>();
      for (const [seq, uuid] of acknowledged) {
        if (found.get(seq) !== uuid) wrong.push(`${session} ${seq} should be ${uuid} and is ${found.get(seq)}`);
      }
      // The call that was running at the kill may have been committed.
      const surplus = found.size - acknowledged.size;
      if (surplus > MOST_AT_ONCE && !unsure.has(session)) wrong.push(`${session} has ${surplus} facts too many`);
      expected.set(session, found);
    }
    return wrong;
  } finally {
    await store.close();
  }
};
