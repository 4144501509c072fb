// The options of `quarterdeck run`, here or on a server.

import type { ClaudeOptions } from "@quarterdeck/protocol";
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
  readonly claude?: string;
  readonly cli: ClaudeOptions;
  /** Other clients of the server answer requests. */
  readonly leavesQuestions?: boolean;
}
