// Finds out who else has a session of the CLI open: a terminal, an editor, another host. Two processes that write one
// transcript would corrupt it, so the host checks this before it resumes a session.
//
// Measured: 2.1.325 keeps a file for each of its processes, `sessions/<pid>.json`, with the session's id and the start
// time of the process. A killed process leaves the file behind. 2.1.38 keeps no such file. Neither version holds its
// transcript open. So older CLIs are found by their arguments. 2.1.38 overwrites its arguments, so it is found by the
// folder that it runs in.

import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { isRecord } from "@quarterdeck/protocol";
import { cleanPath } from "../trust/clean-path.ts";
import { readRegular } from "../trust/contained-file.ts";
import { signalProcess } from "../process/descendants.ts";
import { HostError } from "../host-error.ts";

export interface SessionHolder {
  readonly pid: number;
  /** When the process started, in milliseconds. */
  readonly since: number;
  /** `folder`: a CLI runs in the folder and may have this session open, but nothing says which session it has. */
  readonly how: "registered" | "arguments" | "folder";
  /** Identifies the process together with the pid. */
  readonly startTime: string;
}

export interface HeldQuestion {
  /** The CLI's id of the session. */
  readonly sessionId: string;
  readonly cwd: string;
  /** The CLI's own folder. */
  readonly config: string;
  /** When another program last wrote the transcript. Without it, a CLI in the folder does not count. */
  readonly writtenAt?: number;
  /** Pids of our own processes, whose sessions are known. */
  readonly ours?: ReadonlySet<number>;
}

export const findHolder = async (question: HeldQuestion): Promise<SessionHolder | undefined> => {
  const registered = await listHolders(question.config);
  const own = registered.get(question.sessionId);
  if (own !== undefined) return own;
  const known = new Set([...registered.values()].map(({ pid }) => pid));
  const others = (await claudeProcesses()).filter(({ pid }) => !known.has(pid) && question.ours?.has(pid) !== true);
  const named = others.find(({ argv }) => idIn(argv) === question.sessionId);
  if (named !== undefined) return { ...holderOf(named), how: "arguments" };
  const { writtenAt } = question;
  if (writtenAt === undefined) return undefined;
  const folder = await realpath(question.cwd).catch(() => question.cwd);
  for (const one of others) {
    if (idIn(one.argv) !== undefined || one.since > writtenAt) continue;
    if ((await cwdOf(one.pid)) === folder) return { ...holderOf(one), how: "folder" };
  }
  return undefined;
};

/** By the CLI's session id: what running newer CLIs have registered. */
export const listHolders = async (config: string): Promise<ReadonlyMap<string, SessionHolder>> => {
  const folder = join(config, "sessions");
  const files = (await readdir(folder).catch(() => [])).filter((name) => /^\d+\.json$/.test(name));
  const holders = await Promise.all(files.map((name) => registeredIn(join(folder, name))));
  return new Map(holders.flatMap((holder) => (holder === undefined ? [] : [holder])));
};

const MOST_ENTRY_BYTES = 64 * 1024;

const registeredIn = async (path: string): Promise<[string, SessionHolder] | undefined> => {
  let entry: unknown;
  try {
    entry = JSON.parse((await readRegular(path, MOST_ENTRY_BYTES)).toString("utf8"));
  } catch {
    // The file was deleted meanwhile or is half written. The next call reads it again.
    return undefined;
  }
  if (!isRecord(entry)) return undefined;
  const { pid, sessionId, startedAt, procStart } = entry;
  if (typeof pid !== "number" || typeof sessionId !== "string") return undefined;
  const now = await startTimeOf(pid);
  // The file of a killed process stays, and another process may have its pid now.
  if (now === undefined || (typeof procStart === "string" && procStart !== now.asRegistered)) return undefined;
  const since = typeof startedAt === "number" ? startedAt : now.since;
  return [sessionId, { pid, since, how: "registered", startTime: now.startTime }];
};

/** With `takeOver`, ends the holder. Otherwise throws an error that names the holder. */
export const mustGiveUp = async (holder: SessionHolder, id: string, takeOver: boolean): Promise<void> => {
  const { pid, since, how } = holder;
  // A CLI that only runs in the same folder may have another session open, so we must not end it.
  if (takeOver && (how === "folder" || (await endHolder(holder)))) return;
  const who = `process ${String(pid)}, since ${new Date(since).toISOString()}`;
  const message = `Another Claude Code ${how === "folder" ? "may have" : "has"} this session open (${who}). End it, take it over, or fork the session.`;
  throw new HostError("session-held", message, { id, pid, since, how });
};

/** Asks the holder to end. Returns whether it did. */
export const endHolder = async (holder: SessionHolder, graceMs = 5000): Promise<boolean> => {
  await signalProcess(holder, "SIGTERM");
  const until = performance.now() + graceMs;
  for (;;) {
    if ((await startTimeOf(holder.pid))?.startTime !== holder.startTime) return true;
    if (performance.now() > until) return false;
    await delay(20);
  }
};

interface ClaudeProcess {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly since: number;
  readonly startTime: string;
}

const holderOf = ({ pid, since, startTime }: ClaudeProcess): Omit<SessionHolder, "how"> => ({ pid, since, startTime });

/** `quarterdeck claude` holds no session. It asks a server for one, maybe under the name `claude`. */
const isOurs = (word: string): boolean => {
  if (!/^(?:quarterdeck|claude)/u.test(basename(word))) return false;
  try {
    return /^quarterdeck(?:-claude)?(?:\.[jt]s)?$/u.test(basename(realpathSync(word)));
  } catch {
    // A word that is not a path.
    return false;
  }
};

/** Matches the program itself, or a script that an interpreter runs. */
const isClaude = (argv: readonly string[]): boolean =>
  !argv.slice(0, 3).some(isOurs) &&
  argv
    .slice(0, 3)
    .some((word) => /^claude(?:\.exe)?$/.test(basename(word)) || /[\\/]claude-code[\\/](?:cli|bin)/.test(word));

/** The session that the arguments name. A process that forks does not write to the session that it names. */
const idIn = (argv: readonly string[]): string | undefined => {
  if (argv.includes("--fork-session")) return valueOf(argv, ["--session-id"]) ?? "";
  return valueOf(argv, ["--session-id", "--resume", "-r"]);
};

const valueOf = (argv: readonly string[], flags: readonly string[]): string | undefined => {
  for (const [at, word] of argv.entries()) {
    const flag = flags.find((each) => word === each || word.startsWith(`${each}=`));
    if (flag === undefined) continue;
    const value = word === flag ? argv[at + 1] : word.slice(flag.length + 1);
    if (value !== undefined && UUID.test(value)) return value;
  }
  return undefined;
};
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isLinux = process.platform === "linux";
const claudeProcesses = (): Promise<ClaudeProcess[]> => (isLinux ? linuxClaudes() : macClaudes());
const cwdOf = (pid: number): Promise<string | undefined> =>
  isLinux ? readlink(`/proc/${String(pid)}/cwd`).catch(() => undefined) : macCwd(pid);

interface StartTime {
  readonly startTime: string;
  /** In the form that the CLI writes. */
  readonly asRegistered: string;
  readonly since: number;
}
const startTimeOf = (pid: number): Promise<StartTime | undefined> => (isLinux ? linuxStart(pid) : macStart(pid));

// Linux: /proc. A process that cannot be read belongs to another user, or is gone.

const linuxClaudes = async (): Promise<ClaudeProcess[]> => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: ClaudeProcess[] = [];
  for (const pid of pids) {
    const line = await readFile(`/proc/${String(pid)}/cmdline`, "utf8").catch(() => "");
    const argv = line.split("\0");
    if (!isClaude(argv)) continue;
    const start = await linuxStart(pid);
    if (start !== undefined) found.push({ pid, argv, since: start.since, startTime: start.startTime });
  }
  return found;
};

/** The kernel reports ticks to programs at this rate, whatever its own rate is. */
const TICKS_A_SECOND = 100;

const linuxStart = async (pid: number): Promise<StartTime | undefined> => {
  const stat = await readFile(`/proc/${String(pid)}/stat`, "latin1").catch(() => undefined);
  // The name is in parentheses and may contain spaces and parentheses, so fields are counted from its end.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  const startTime = fields[18];
  if (startTime === undefined || state === "Z" || state === "X") return undefined;
  const boot = /^btime (\d+)$/m.exec(await readFile("/proc/stat", "latin1"))?.[1];
  const since = (Number(boot ?? 0) + Number(startTime) / TICKS_A_SECOND) * 1000;
  return { startTime, asRegistered: startTime, since };
};

// macOS: written from the manual, not tested on a Mac.

const run = promisify(execFile);
const psEnv = (zone?: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: cleanPath(process.env["PATH"]),
  LC_ALL: "C",
  ...(zone !== undefined && { TZ: zone }),
});

const macClaudes = async (): Promise<ClaudeProcess[]> => {
  const args = ["-axww", "-o", "pid=,lstart=,command="];
  const { stdout } = await run("ps", args, { env: psEnv(), maxBuffer: 64 * 1024 * 1024 });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, startTime, command] = /^\s*(\d+)\s+(\w{3} +\w{3} +\d+ [\d:]+ \d{4})\s+(.*)$/.exec(line) ?? [];
    const argv = command?.split(" ") ?? [];
    if (startTime === undefined || !isClaude(argv)) return [];
    return [{ pid: Number(pid), argv, since: Date.parse(startTime), startTime }];
  });
};

const macStart = async (pid: number): Promise<StartTime | undefined> => {
  try {
    const ask = ["-o", "lstart=", "-p", String(pid)];
    const [here, utc] = await Promise.all([
      run("ps", ask, { env: psEnv() }),
      // The CLI asks in UTC too.
      run("ps", ask, { env: psEnv("UTC") }),
    ]);
    const startTime = here.stdout.trim();
    return { startTime, asRegistered: utc.stdout.trim(), since: Date.parse(startTime) };
  } catch {
    return undefined;
  }
};

const macCwd = async (pid: number): Promise<string | undefined> => {
  try {
    const { stdout } = await run("lsof", ["-a", "-d", "cwd", "-p", String(pid), "-Fn"], { env: psEnv() });
    return /^n(.*)$/m.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
};
