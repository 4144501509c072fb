// What a host and its calls are given.

import type { ClaudeOptions } from "@quarterdeck/protocol";
import type { CheckpointsOptions } from "./checkpoints/checkpoints.ts";
import type { EventStore } from "./store/event-store.ts";
import type { TrustStore } from "./trust/folder-trust.ts";
import type { MemoryLimit } from "./live/live-watch.ts";
import type { OutputSchema } from "./session/output-schema.ts";
import type { InProcess } from "./session/session-process.ts";
import type { TimeLimits } from "./session/time-limits.ts";

/** What `findClaude` gives, or a program of one's own. */
export interface CliProgram {
  readonly command: string;
  /** Before the CLI's own arguments: a script that the command runs. */
  readonly prefixArgs?: readonly string[];
  /** Flags that this version lacks are left out. Without it the newest one is assumed. */
  readonly version?: string;
}

export interface HostOptions {
  readonly store: EventStore;
  readonly claude: CliProgram;
  /** The environment of a process with this marker; nothing is inherited beside it. */
  readonly environment: (marker: string) => Readonly<Record<string, string>>;
  /** Which folders are trusted. One that is not runs none of its own hooks and servers. Without it, all are. */
  readonly trust?: TrustStore;
  /**
   * For files with options that other users of the machine must not read; this host's alone, emptied at its start. Without it
   * they lie among the temporary files, and stay there when the host is killed.
   */
  readonly privateFolder?: string;
  /** Names the data directory in the marker of its processes. */
  readonly dataDirId?: string;
  /**
   * Absolute paths that file tools of the CLI may neither read nor write. A mention (`@path`) reads a file anywhere without asking,
   * and so does the model inside of its folder.
   */
  readonly closedPaths?: readonly string[];
  /**
   * Ends a process that has been idle for so long; the session stays and can be resumed. Never one with open requests,
   * queued prompts or background work. Without it nothing ends on a timer.
   */
  readonly releaseIdleAfterMs?: number;
  /** How many processes may live at once; further starts wait. */
  readonly maxLive?: number;
  /** Where all places are taken, the process that has rested longest makes room, under the same conditions. */
  readonly makesRoom?: boolean;
  /** What the processes of one session may hold together, and what happens beyond it. Without it nobody looks. */
  readonly memory?: MemoryLimit;
  /** How long is waited where a call does not say it. */
  readonly limits?: TimeLimits;
  /** Takes snapshots of the sessions' folders. Without it there are no reviews and no rewinds. */
  readonly snapshots?: Omit<CheckpointsOptions, "onError">;
  readonly onError?: (error: unknown) => void;
}

export interface LaunchOptions {
  /** Whatever the folder has been trusted with: none of its own hooks, servers and settings. */
  readonly withoutFolderSettings?: boolean;
  /** Gives the start up: the place in the queue, and the process where it has not answered `initialize` yet. */
  readonly signal?: AbortSignal;
  /** How long the CLI may take to answer `initialize`: two minutes, unless told otherwise. */
  readonly timeoutMs?: number;
}

export interface StartOptions extends InProcess, LaunchOptions {
  readonly cwd: string;
  /** A UUID of the caller's making; it is the CLI's id of the session too. */
  readonly id?: string;
  /** Flags of the CLI, beside those that a host needs. */
  readonly cli?: ClaudeOptions;
  readonly title?: string;
  /** What the session answers with: zod or JSON Schema. `session.askFor` gives it typed. */
  readonly output?: OutputSchema;
  /** Whether what is allowed for the session holds after a resume as well; the CLI itself forgets it. */
  readonly keepPermissions?: boolean;
}

export interface ResumeOptions extends InProcess, LaunchOptions {
  /** As at the start; absent: as it was then. */
  readonly keepPermissions?: boolean;
  readonly output?: OutputSchema;
  /**
   * Where another process has the session open (`session-held`): ends that one first. One that only may have it, because it
   * runs in the same folder and does not say more, is left alone.
   */
  readonly takeOver?: boolean;
}

/** Hooks and servers: those of the session that is forked, unless others are given. */
export interface ForkOptions extends InProcess, LaunchOptions {
  readonly id?: string;
  readonly title?: string;
  /** The past up to this message (uuid), to the message of this row, or to the last message before this row. */
  readonly at?: string;
  readonly atRow?: string;
  readonly beforeRow?: string;
}
