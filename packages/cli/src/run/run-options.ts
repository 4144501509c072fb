// The options of `quarterdeck run`, here or on a server.

import type { ClaudeOptions } from "@quarterdeck/protocol";
import type { ServeSettings } from "../serve/settings.ts";
import type { SessionOutput } from "../terminal/terminal.ts";

export interface RunOptions extends SessionOutput {
  readonly prompt: string;
  readonly version: string;
  readonly cwd: string;
  readonly resume?: string;
  /** The latest conversation of the folder. */
  readonly continues?: boolean;
  /** The id of the new session. */
  readonly sessionId?: string;
  readonly trust: boolean;
  /** Another machine of the fleet. */
  readonly on?: string;
  readonly dataDir?: string;
  /** Named for this run. */
  readonly claude?: string;
  /** Those of the server, for a run without one. */
  readonly settings?: Pick<ServeSettings, "claude" | "cleanEnv">;
  readonly cli: ClaudeOptions;
  /** Other clients of the server answer requests. */
  readonly leavesQuestions?: boolean;
}
