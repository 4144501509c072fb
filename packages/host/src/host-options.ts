// Options of a host and of its calls.

import type { ClaudeOptions } from "@quarterdeck/protocol";
import type { CheckpointsOptions } from "./checkpoints/checkpoints.ts";
import type { BudgetStore } from "./budgets/budget-store.ts";
import type { PolicyStore } from "./policies/policy-store.ts";
import type { EventStore } from "./store/event-store.ts";
import type { TrustStore } from "./trust/folder-trust.ts";
import type { MemoryLimit } from "./live/live-watch.ts";
import type { Relay } from "./relay/relay.ts";
import type { OutputSchema } from "./session/output-schema.ts";
import type { InProcess } from "./session/session-process.ts";
import type { TimeLimits } from "./session/time-limits.ts";

/** The result of `findClaude`, or another program. */
export interface CliProgram {
  readonly command: string;
  /** Arguments before the CLI's own: a script that the command runs. */
  readonly prefixArgs?: readonly string[];
  /** Flags that this version lacks are left out. Without a version, the newest one is assumed. */
  readonly version?: string;
}

export type Environment = Readonly<Record<string, string>>;

export interface HostOptions {
  readonly store: EventStore;
  readonly claude: CliProgram;
  /**
   * The complete environment of a process with this marker, in this folder if one is given. Nothing else is inherited. A program
   * that drives the CLI brings its own environment.
   */
  readonly environment: (marker: string, cwd?: string, caller?: Environment) => Readonly<Record<string, string>>;
  /**
   * Which folders are trusted. An untrusted folder runs none of its own hooks and servers. Without this option, all
   * folders are trusted.
   */
  readonly trust?: TrustStore;
  /**
   * Folder for files with options that other users of the machine must not read. Only this host may use it, and it is
   * emptied at the start. Without it, the files are in the temporary folder, and a killed host leaves them there.
   */
  readonly privateFolder?: string;
  /** Names the data directory in the marker of its processes. */
  readonly dataDirId?: string;
  /**
   * Absolute paths that the CLI's file tools may not read or write. Without this, a mention (`@path`) reads any file
   * without asking, and the model reads any file in its folder.
   */
  readonly closedPaths?: readonly string[];
  /**
   * Ends a process that has been idle for this long. The session stays and can be resumed. A process with open
   * requests, queued prompts or background work is never ended. Without this option, nothing ends on a timer.
   */
  readonly releaseIdleAfterMs?: number;
  /** Max number of live processes. More starts wait. */
  readonly maxLive?: number;
  /** If all places are taken, the process that has been idle longest is ended, under the same conditions. */
  readonly makesRoom?: boolean;
  /**
   * Memory limit for the processes of one session together, and what happens above it. Without this option, memory is
   * not checked.
   */
  readonly memory?: MemoryLimit;
  /** Time limits for calls that set none. */
  readonly limits?: TimeLimits;
  /** Takes snapshots of the sessions' folders. Without it there are no reviews and no rewinds. */
  readonly snapshots?: Omit<CheckpointsOptions, "onError">;
  /** Policies that decide about calls without a person. Default: no policies. */
  readonly policies?: PolicyStore;
  /** Budgets of the day and of sessions. Default: no budgets. */
  readonly budgets?: BudgetStore;
  /** Looks up why the CLI decided about a call without asking, and keeps that in the log. */
  readonly explainsCalls?: boolean;
  readonly onError?: (error: unknown) => void;
}

export interface LaunchOptions {
  /** A program that drives the CLI of this process itself. */
  readonly relay?: Relay;
  /** Ignore the folder's own hooks, servers and settings, even if it is trusted. */
  readonly withoutFolderSettings?: boolean;
  /** Gives up the start: leaves the queue, or ends a process that has not answered `initialize` yet. */
  readonly signal?: AbortSignal;
  /** How long the CLI may take to answer `initialize`. Default: two minutes. */
  readonly timeoutMs?: number;
}

export interface StartOptions extends InProcess, LaunchOptions {
  readonly cwd: string;
  /** A UUID that the caller made. It is also the CLI's id of the session. */
  readonly id?: string;
  /** Flags of the CLI, in addition to those that a host needs. */
  readonly cli?: ClaudeOptions;
  readonly title?: string;
  /** Schema of the session's answers: zod or JSON Schema. `session.askFor` returns them typed. */
  readonly output?: OutputSchema;
  /** Whether permissions of the session survive a resume. The CLI itself forgets them. */
  readonly keepPermissions?: boolean;
}

export interface ResumeOptions extends InProcess, LaunchOptions {
  /** Replaces the flags of the session. */
  readonly cli?: ClaudeOptions;
  /** Added to the flags of the session, for this process only. */
  readonly flags?: ClaudeOptions;
  /** Where this process continues. */
  readonly place?: Pick<ClaudeOptions, "resumeSessionAt" | "resumeDropsTurn">;
  /** Like at the start. Default: the value of the start. */
  readonly keepPermissions?: boolean;
  readonly output?: OutputSchema;
  /**
   * If another process has the session open (`session-held`), end that process first. A process that only runs in the
   * same folder, and may have the session open, is not ended.
   */
  readonly takeOver?: boolean;
  /** Lets this and later processes of the session switch to the mode `bypassPermissions`, or takes that back. */
  readonly allowBypass?: boolean;
  /** This and later processes write the CLI's debug log here. Null ends that. */
  readonly debugFile?: string | null;
}

/** Hooks and servers. Default: those of the forked session. */
export interface ForkOptions extends InProcess, LaunchOptions {
  readonly id?: string;
  /** Default: the flags of the forked session. */
  readonly cli?: ClaudeOptions;
  readonly title?: string;
  /** The past up to this message (uuid), to the message of this row, or to the last message before this row. */
  readonly at?: string;
  /** With `at`: the prompt of the turn that is dropped. The CLI refuses if it would drop more. */
  readonly place?: Pick<ClaudeOptions, "resumeDropsTurn">;
  readonly atRow?: string;
  readonly beforeRow?: string;
}
