// What `quarterdeck run` was asked to do, here or on a server.

import type { ClaudeOptions } from "@quarterdeck/protocol";
import type { Paint } from "../terminal/terminal.ts";

export interface RunOptions {
  readonly prompt: string;
  readonly version: string;
  readonly cwd: string;
  readonly resume?: string;
  readonly json: boolean;
  readonly trust: boolean;
  readonly dataDir?: string;
  readonly claude?: string;
  readonly cli: ClaudeOptions;
  readonly write: (text: string) => void;
  readonly say: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  /** Where the screen breaks lines by itself. Default: nowhere. */
  readonly columns?: number;
  /** Somebody is there to be asked. */
  readonly interactive: boolean;
  /** Other clients of the server answer what is asked. */
  readonly leavesQuestions?: boolean;
  readonly signal: AbortSignal;
}
