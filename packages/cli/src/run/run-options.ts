// The options of `quarterdeck run`, here or on a server.

import type { ClaudeOptions } from "@quarterdeck/protocol";
import type { SessionOutput } from "../terminal/terminal.ts";

export interface RunOptions extends SessionOutput {
  readonly prompt: string;
  readonly version: string;
  readonly cwd: string;
  readonly resume?: string;
  readonly trust: boolean;
  readonly dataDir?: string;
  readonly claude?: string;
  readonly cli: ClaudeOptions;
  /** Other clients of the server answer requests. */
  readonly leavesQuestions?: boolean;
}
