// The command line of a caller that talks to the CLI over pipes: the flags of its session, which past it wants, and which
// lines it asked for.

import { parseArgv } from "@quarterdeck/protocol";
import type { ClaudeOptions } from "@quarterdeck/protocol";

export interface RelayedCall {
  /** Flags of the session, without those that choose its past. */
  readonly cli: ClaudeOptions;
  /** Flags that we do not know. The CLI gets them as they are. */
  readonly extra: readonly string[];
  readonly resume?: string;
  readonly continues: boolean;
  readonly fork: boolean;
  /** For this start only. */
  readonly place: Pick<ClaudeOptions, "resumeSessionAt" | "resumeDropsTurn">;
  readonly sessionId?: string;
  /** Lines that the host needs, and that the caller may not have asked for. */
  readonly wantsPartial: boolean;
  readonly wantsReplay: boolean;
}

/** Undefined unless input and output are stream-json. Such a call is for the real program and its terminal. */
export const relayedCall = (argv: readonly string[]): RelayedCall | undefined => {
  const { options, unknown, invalid, positional } = parseArgv(argv);
  const { inputFormat, outputFormat, resume, resumeSessionAt, resumeDropsTurn, sessionId } = options;
  if (inputFormat !== "stream-json" || outputFormat !== "stream-json") return undefined;
  // The CLI says best what is wrong with a value. It ignores a prompt here, and we do not judge a command.
  if (invalid.length > 0 || positional.length > 0 || resume === true) return undefined;
  const { includePartialMessages, replayUserMessages, ...rest } = options;
  const cli = without(rest, [
    "resume",
    "continue",
    "forkSession",
    "resumeSessionAt",
    "resumeDropsTurn",
    "sessionId",
    "print",
  ]);
  return {
    cli,
    extra: unknown,
    ...(typeof resume === "string" && { resume }),
    continues: options.continue === true,
    fork: options.forkSession === true,
    place: {
      ...(resumeSessionAt !== undefined && { resumeSessionAt }),
      ...(resumeDropsTurn !== undefined && { resumeDropsTurn }),
    },
    ...(sessionId !== undefined && { sessionId }),
    wantsPartial: includePartialMessages === true,
    wantsReplay: replayUserMessages === true,
  };
};

const without = (options: ClaudeOptions, names: readonly string[]): ClaudeOptions =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
