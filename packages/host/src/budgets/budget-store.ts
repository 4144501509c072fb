// Which budgets people have set: for a day, for each session, for one session. One private file of the data folder, always replaced as
// a whole. A file that cannot be read stops the start, because a limit must not be lost in silence.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "@quarterdeck/protocol";
import { HostError } from "../host-error.ts";
import { FileError, readRegularSync } from "../trust/contained-file.ts";

export interface BudgetLimits {
  /** For all sessions together, from midnight to midnight on the host's clock. */
  readonly dayUsd?: number;
  /** For each session that has no budget of its own. */
  readonly eachUsd?: number;
  /** By session. Null: this session has no limit, whatever `eachUsd` says. */
  readonly sessions: Readonly<Record<string, number | null>>;
}

export interface BudgetStore {
  readonly limits: () => BudgetLimits;
  readonly set: (limits: BudgetLimits) => void;
}

const MOST_BYTES = 16 * 1024 * 1024;

/** Without a path, in memory. */
export const openBudgets = ({ path }: { readonly path?: string } = {}): BudgetStore => {
  let limits = path === undefined ? { sessions: {} } : readLimits(path);
  return {
    limits: () => limits,
    set: (next) => {
      mustBeLimits(next);
      limits = next;
      if (path === undefined) return;
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${String(process.pid)}.new`;
      writeFileSync(draft, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600, flush: true });
      renameSync(draft, path);
    },
  };
};

const readLimits = (path: string): BudgetLimits => {
  let text: string;
  try {
    text = readRegularSync(path, MOST_BYTES).toString("utf8");
  } catch (error) {
    if (error instanceof FileError && error.problem === "missing") return { sessions: {} };
    throw error;
  }
  try {
    const read: unknown = JSON.parse(text);
    mustBeLimits(read);
    return read;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HostError(
      "invalid-options",
      `${path} cannot be read, so nobody knows your budgets. Repair the file, or delete it to start without budgets. ${why}`,
      { path },
      { cause: error },
    );
  }
};

const isAmount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value > 0;

function mustBeLimits(value: unknown): asserts value is BudgetLimits {
  const isOne =
    isRecord(value) &&
    (value["dayUsd"] === undefined || isAmount(value["dayUsd"])) &&
    (value["eachUsd"] === undefined || isAmount(value["eachUsd"])) &&
    isRecord(value["sessions"]) &&
    Object.values(value["sessions"]).every((limit) => limit === null || isAmount(limit));
  if (!isOne) throw new HostError("invalid-options", "A budget must be an amount above zero.");
}
