// The CLI's own sessions on disk, read-only. Sessions of a terminal are listed, shown and followed with the same rows
// as ours. This file knows where the transcripts are. The fold knows what they mean.

import { existsSync, watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createTranscriptReader, eventsOfTranscript } from "@quarterdeck/session";
import type { Event } from "@quarterdeck/session";
import { openRegular, readRegular } from "../trust/contained-file.ts";
import { GrowingFile, MOST_TRANSCRIPT_BYTES } from "./growing-file.ts";

export interface Transcript {
  /** The CLI's session id. */
  readonly id: string;
  readonly path: string;
  readonly updatedAt: number;
  readonly size: number;
  readonly cwd?: string;
  readonly version?: string;
  readonly firstPrompt?: string;
}

/** `CLAUDE_CONFIG_DIR`, or `.claude` in the home folder. */
export const configFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? "", ".claude");

/** Newest first. Folders and files that cannot be read are left out: another tool owns them. */
export const listTranscripts = async (config: string): Promise<Transcript[]> => {
  const projects = join(config, "projects");
  const folders = await namesIn(projects);
  const found = await Promise.all(
    folders.map(async (folder) => {
      const files = await namesIn(join(projects, folder));
      const paths = files.filter((file) => file.endsWith(".jsonl")).map((file) => join(projects, folder, file));
      return Promise.all(paths.map(describe));
    }),
  );
  return found
    .flat()
    .filter((transcript) => transcript !== undefined)
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
};

/** The transcript of one session, whatever folder it belongs to. */
export const findTranscript = async (
  config: string,
  sessionId: string,
): Promise<{ readonly path: string; readonly updatedAt: number } | undefined> => {
  const projects = join(config, "projects");
  for (const folder of await namesIn(projects)) {
    const path = join(projects, folder, `${sessionId}.jsonl`);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile() === true) return { path, updatedAt: found.mtimeMs };
  }
  return undefined;
};

const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder);
  } catch {
    // The folder is missing, or we may not read it.
    return [];
  }
};

const HEAD_BYTES = 64 * 1024;

const describe = async (path: string): Promise<Transcript | undefined> => {
  try {
    const { handle, stats } = await openRegular(path);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      const about = aboutOf(buffer.toString("utf8", 0, bytesRead));
      if (about.isEmpty) return undefined;
      return { id: basename(path, ".jsonl"), path, updatedAt: stats.mtimeMs, size: stats.size, ...about.found };
    } finally {
      await handle.close();
    }
  } catch {
    // The file was deleted meanwhile, or it is not a regular file.
    return undefined;
  }
};

const aboutOf = (head: string): { isEmpty: boolean; found: Pick<Transcript, "cwd" | "version" | "firstPrompt"> } => {
  const found: { cwd?: string; version?: string; firstPrompt?: string } = {};
  let isEmpty = true;
  for (const line of head.split("\n")) {
    const entry = parse(line);
    if (entry === undefined) continue;
    const { type, cwd, version, message, isMeta } = entry as Record<string, unknown>;
    if (type === "user" || type === "assistant") isEmpty = false;
    if (typeof cwd === "string") found.cwd ??= cwd;
    if (typeof version === "string") found.version ??= version;
    const content = (message as { content?: unknown } | undefined)?.content;
    if (type === "user" && isMeta !== true && typeof content === "string" && !content.startsWith("<")) {
      found.firstPrompt ??= content.slice(0, 300);
    }
  }
  return { isEmpty, found };
};

const parse = (line: string): object | undefined => {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // The head of the file ends inside this line.
    return undefined;
  }
};

export const readTranscript = async (path: string, afterSeq = 0): Promise<Event[]> => {
  const folder = join(dirname(path), basename(path, ".jsonl"), "subagents");
  const files = (await namesIn(folder)).filter((file) => file.endsWith(".jsonl"));
  const agents = await Promise.all(
    files.map(
      async (file) => [file.slice("agent-".length, -".jsonl".length), await textOfAgent(join(folder, file))] as const,
    ),
  );
  const main = (await readRegular(path, MOST_TRANSCRIPT_BYTES)).toString("utf8");
  return eventsOfTranscript(main, Object.fromEntries(agents), afterSeq);
};

/** A link or a FIFO in the place of a subagent's file is ignored. The conversation is still shown. */
const textOfAgent = (path: string): Promise<string> =>
  readRegular(path, MOST_TRANSCRIPT_BYTES).then(
    (bytes) => bytes.toString("utf8"),
    () => "",
  );

/**
 * Reports the content of the transcript and its subagents' files, then what is added to them. Only additions are read.
 * A file that was cut or replaced is read again, and nothing is reported twice. Returns a function that stops.
 */
export const followTranscript = (
  path: string,
  onEvents: (events: readonly Event[]) => void,
  onError: (error: unknown) => void,
): (() => void) => {
  const reader = createTranscriptReader();
  const main = new GrowingFile(path);
  const agents = new Map<string, GrowingFile>();
  const id = basename(path, ".jsonl");
  const folders = [dirname(path), join(dirname(path), id), join(dirname(path), id, "subagents")];
  const watchers = new Map<string, FSWatcher>();
  let isFirst = true;
  let isReading = false;
  let isAgain = false;
  let isOver = false;

  /** Watches the subagents' folders, which appear with the first subagent. Returns whether one has appeared. */
  const watchFolders = (): boolean => {
    const before = watchers.size;
    for (const [index, folder] of folders.entries()) {
      if (watchers.has(folder) || (index > 0 && !existsSync(folder))) continue;
      const watcher = watch(folder, (_, name) => {
        if (index > 0 || name === null || name === id || name === basename(path)) again();
      });
      watcher.on("error", onError);
      watchers.set(folder, watcher);
    }
    return watchers.size > before;
  };
  const read = async (): Promise<void> => {
    const events = reader.main(await main.read());
    for (const file of (await namesIn(folders[2]!)).filter((name) => name.endsWith(".jsonl"))) {
      const agent = file.slice("agent-".length, -".jsonl".length);
      const growing = agents.get(agent) ?? new GrowingFile(join(folders[2]!, file));
      agents.set(agent, growing);
      // Another tool may delete the file. What was reported of it stays.
      events.push(...reader.agent(agent, await growing.read().catch(() => "")));
    }
    if (isOver || (events.length === 0 && !isFirst)) return;
    isFirst = false;
    onEvents(events);
  };
  const again = (): void => {
    if (isReading || isOver) {
      isAgain = true;
      return;
    }
    isReading = true;
    isAgain = false;
    read()
      .catch(onError)
      .finally(() => {
        isReading = false;
        // A change between the read and the start of the watch would be missed.
        if (!isOver && (watchFolders() || isAgain)) again();
      });
  };
  try {
    watchFolders();
  } catch (error) {
    onError(error);
  }
  again();
  return () => {
    isOver = true;
    for (const watcher of watchers.values()) watcher.close();
  };
};
