// Which processes belong to a session, and how they end. Every process of a session inherits one variable and is found
// by it. Process groups are not enough, because the CLI's Bash tool leaves the group and survives a SIGKILL of the CLI.
// A child of such a process counts too, because a few programs lose or overwrite their environment.
//
// A pid alone never identifies a process here. Its start time is compared before every signal.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { cleanPath } from "../trust/clean-path.ts";

/** The variable with the markers, newest last. A host inside a session adds its own marker to those it inherits. */
export const MARKER_VARIABLE = "QUARTERDECK_SESSION";

export interface MarkerParts {
  /** Id of the data directory, not its path. Two hosts with two directories must never end each other's processes. */
  readonly dataDirId: string;
  readonly sessionId: string;
  /** Different for each process of the session. */
  readonly incarnation: string | number;
}

const PART = /^[\w.-]+$/;

export const sessionMarker = ({ dataDirId, sessionId, incarnation }: MarkerParts): string => {
  const parts = [dataDirId, sessionId, String(incarnation)];
  const bad = parts.find((part) => !PART.test(part));
  if (bad !== undefined) throw new RangeError(`Not a part of a marker: ${JSON.stringify(bad)}`);
  return parts.join(":");
};

/** The variable's value for a child: the markers of the parent, and the new one. */
export const markerValue = (marker: string, inherited: string | undefined): string =>
  [...markersOf(inherited).filter((other) => other !== marker), marker].join(" ");

const markersOf = (value: string | undefined): string[] => (value ?? "").split(" ").filter((marker) => marker !== "");

export interface MarkedProcess {
  readonly pid: number;
  /** Start time as the system writes it. Identifies the process together with the pid. */
  readonly startTime: string;
  /** Empty for a process that was found through its parent. */
  readonly markers: readonly string[];
}

export interface EndOptions {
  /** Time between SIGTERM and SIGKILL. 0 kills at once. */
  readonly graceMs?: number;
  /** The time, in milliseconds. */
  readonly now?: () => number;
}

export interface EndedProcesses {
  readonly ended: readonly MarkedProcess[];
  /** Processes that survived SIGKILL: those of another user, or blocked in the kernel. */
  readonly left: readonly MarkedProcess[];
}

/**
 * Whether a process of the session has left the CLI's process group. Programs of the Bash tool do that, MCP servers do
 * not (measured on 2.1.38 and 2.1.325).
 */
export const hasWorkers = async (marker: string, cli: number): Promise<boolean> => {
  const found = (await findByMarker(marker)).filter(({ pid }) => pid !== cli);
  const groups = await Promise.all(found.map(({ pid }) => groupOf(pid)));
  return groups.some((group) => group !== undefined && group !== cli);
};

const groupOf = async (pid: number): Promise<number | undefined> =>
  process.platform === "linux" ? linuxProcess(pid)?.group : macGroup(pid);

/** Memory of all processes of the session together. */
export const memoryByMarker = async (marker: string): Promise<number> => {
  const sizes = await Promise.all((await findByMarker(marker)).map(({ pid }) => residentBytes(pid)));
  return sizes.reduce((sum, size) => sum + size, 0);
};

const residentBytes = async (pid: number): Promise<number> => {
  const text =
    process.platform === "linux"
      ? /^VmRSS:\s*(\d+) kB$/m.exec(await readFile(`/proc/${String(pid)}/status`, "latin1").catch(() => ""))?.[1]
      : await macColumn(pid, "rss=");
  return Number(text ?? 0) * 1024;
};

export const findByMarker = (marker: string): Promise<MarkedProcess[]> => findWhere((each) => each === marker);

/** Ends every process with this marker, and what they start meanwhile, until none is left. */
export const endDescendants = (marker: string, options: EndOptions = {}): Promise<EndedProcesses> =>
  endWhere((each) => each === marker, options);

/**
 * For a host that starts: ends processes that earlier hosts with this data directory left, including whole sessions.
 * Call it before the first spawn, or name the markers to keep.
 */
export const endOrphans = (
  dataDirId: string,
  options: EndOptions & { readonly keep?: (marker: string) => boolean } = {},
): Promise<EndedProcesses> => {
  const { keep = () => false } = options;
  return endWhere((marker) => marker.startsWith(`${dataDirId}:`) && !keep(marker), options);
};

const DEFAULT_GRACE_MS = 2000;
/** How long to wait after SIGKILL. Only a process that is blocked in the kernel takes longer. */
const KILL_MS = 5000;
const POLL_MS = 20;

const endWhere = async (
  wanted: (marker: string) => boolean,
  { graceMs: grace = DEFAULT_GRACE_MS, now = () => performance.now() }: EndOptions,
): Promise<EndedProcesses> => {
  const seen = new Map<string, MarkedProcess>();
  const began = now();
  // One scan can miss a process whose parent started it and ended during the scan. So two empty scans are needed.
  for (let emptyLooks = 0; ;) {
    const found = await findWhere(wanted);
    const elapsed = now() - began;
    emptyLooks = found.length === 0 ? emptyLooks + 1 : 0;
    if (emptyLooks === 2 || elapsed > grace + KILL_MS) {
      const left = new Set(found.map(keyOf));
      return { ended: [...seen.values()].filter((one) => !left.has(keyOf(one))), left: found };
    }
    for (const one of found) {
      const isNew = !seen.has(keyOf(one));
      seen.set(keyOf(one), one);
      if (elapsed >= grace) await signalProcess(one, "SIGKILL");
      else if (isNew) await signalProcess(one, "SIGTERM");
    }
    if (found.length > 0) await delay(POLL_MS);
  }
};

const keyOf = ({ pid, startTime }: MarkedProcess): string => `${String(pid)} ${startTime}`;

/**
 * Returns whether the signal was sent. It is not sent if the process is gone, even if another process has its pid now.
 */
export const signalProcess = async (
  { pid, startTime }: Pick<MarkedProcess, "pid" | "startTime">,
  signal: NodeJS.Signals,
): Promise<boolean> => {
  const now = process.platform === "linux" ? linuxProcess(pid)?.startTime : await macStartTime(pid);
  if (now !== startTime) return false;
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    // The process ended just now, or we may not signal it. `endWhere` scans again and reports what is left.
    return false;
  }
};

interface Row extends MarkedProcess {
  readonly parent: number;
}

const findWhere = async (wanted: (marker: string) => boolean): Promise<MarkedProcess[]> => {
  const rows = await allProcesses();
  const spared = withAncestors(rows, process.pid);
  const found = new Map<number, Row>();
  for (const row of rows) {
    if (!spared.has(row.pid) && row.markers.some(wanted)) found.set(row.pid, row);
  }
  // A map may grow during iteration, so children of children are found too.
  for (const { pid } of found.size === 0 ? [] : found.values()) {
    for (const row of rows) {
      if (row.parent === pid && !found.has(row.pid) && !spared.has(row.pid)) found.set(row.pid, row);
    }
  }
  return [...found.values()].map(({ pid, startTime, markers }) => ({ pid, startTime, markers }));
};

let running: Promise<Row[]> | undefined;
let waiting: Promise<Row[]> | undefined;

/**
 * A scan that starts after the call. Many sessions may end together: callers that come during a scan share the next
 * one.
 */
const allProcesses = (): Promise<Row[]> => {
  if (running === undefined) {
    running = (process.platform === "linux" ? linuxProcesses() : macProcesses()).finally(() => (running = undefined));
    return running;
  }
  waiting ??= running
    .catch(() => undefined)
    .then(() => {
      waiting = undefined;
      return allProcesses();
    });
  return waiting;
};

/** This process and its ancestors. A host that an orphan started must not end itself. */
const withAncestors = (rows: readonly Row[], pid: number): Set<number> => {
  const parents = new Map(rows.map((row) => [row.pid, row.parent]));
  const line = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && !line.has(at); at = parents.get(at)) line.add(at);
  return line;
};

// Linux: /proc. A process may disappear between two reads, and another user's environment cannot be read. Neither is an
// error. A zombie counts as gone, because its parent may never reap it.

const READS_AT_ONCE = 32;

const linuxProcesses = async (): Promise<Row[]> => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const rows: Row[] = [];
  for (let from = 0; from < pids.length; from += READS_AT_ONCE) {
    const batch = await Promise.all(pids.slice(from, from + READS_AT_ONCE).map(linuxRow));
    for (const row of batch) if (row !== undefined) rows.push(row);
  }
  return rows;
};

const linuxRow = async (pid: number): Promise<Row | undefined> => {
  const before = linuxProcess(pid);
  if (before === undefined) return undefined;
  let environment = await environmentOf(pid);
  // During `exec` a process has no environment for a moment (1 of 30 scans, measured). A kernel thread never has one.
  for (let again = 0; again < 3 && environment?.length === 0 && !before.isKernel; again++) {
    await delay(1);
    environment = await environmentOf(pid);
  }
  const markers = environment === undefined ? [] : markersIn(environment);
  // The environment may be that of another process that reused the pid.
  if (markers.length > 0 && linuxProcess(pid)?.startTime !== before.startTime) return undefined;
  return { pid, startTime: before.startTime, parent: before.parent, markers };
};

const environmentOf = (pid: number): Promise<Buffer | undefined> =>
  readFile(`/proc/${String(pid)}/environ`).catch(() => undefined);

interface LinuxProcess {
  readonly startTime: string;
  readonly parent: number;
  readonly group: number;
  readonly isKernel: boolean;
}
const KERNEL_THREAD = 0x200000;

const linuxProcess = (pid: number): LinuxProcess | undefined => {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${String(pid)}/stat`, "latin1");
  } catch {
    return undefined;
  }
  // The name is in parentheses and may contain spaces and parentheses, so fields are counted from its end.
  const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startTime = rest[17];
  if (startTime === undefined || state === "Z" || state === "X") return undefined;
  return {
    startTime,
    parent: Number(parent),
    group: Number(rest[0]),
    isKernel: (Number(rest[4]) & KERNEL_THREAD) !== 0,
  };
};

const ENTRY = `${MARKER_VARIABLE}=`;

const markersIn = (environment: Buffer): string[] => {
  if (!environment.includes(ENTRY)) return [];
  const entry = environment
    .toString("utf8")
    .split("\0")
    .find((each) => each.startsWith(ENTRY));
  return markersOf(entry?.slice(ENTRY.length));
};

// macOS: written from the manual, not tested on a Mac. `ps -E` shows the environment after the command of the user's
// own processes, except for programs signed by Apple. Those are found through their parents.

const run = promisify(execFile);
const psEnv = (): NodeJS.ProcessEnv => ({ ...process.env, PATH: cleanPath(process.env["PATH"]), LC_ALL: "C" });
const MAC_ROW = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w{3} +\w{3} +\d+ [\d:]+ \d{4})\s(.*)$/;

const macProcesses = async (): Promise<Row[]> => {
  const { stdout } = await run("ps", ["-axww", "-E", "-o", "pid=,ppid=,stat=,lstart=,command="], {
    maxBuffer: 256 * 1024 * 1024,
    env: psEnv(),
  });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, state, startTime, rest] = MAC_ROW.exec(line) ?? [];
    if (startTime === undefined || rest === undefined || state?.startsWith("Z") === true) return [];
    return [{ pid: Number(pid), parent: Number(parent), startTime, markers: macMarkers(rest) }];
  });
};

/** Spaces separate both variables and markers. Only markers contain colons. */
const macMarkers = (commandAndEnvironment: string): string[] => {
  const at = commandAndEnvironment.lastIndexOf(` ${ENTRY}`);
  if (at === -1) return [];
  const words = commandAndEnvironment.slice(at + 1 + ENTRY.length).split(" ");
  const end = words.findIndex((word) => !/^[\w.-]+:[\w.-]+:[\w.-]+$/.test(word));
  return words.slice(0, end === -1 ? words.length : end);
};

const macStartTime = (pid: number): Promise<string | undefined> => macColumn(pid, "lstart=");

const macGroup = async (pid: number): Promise<number | undefined> => {
  const group = await macColumn(pid, "pgid=");
  return group === undefined ? undefined : Number(group);
};

const macColumn = async (pid: number, column: string): Promise<string | undefined> => {
  try {
    const { stdout } = await run("ps", ["-o", column, "-p", String(pid)], { env: psEnv() });
    return stdout.trim();
  } catch {
    return undefined;
  }
};
