// Methods of a program that drives the CLI of a session with its own lines, as if it had started the CLI (docs/claude.md).

import { z } from "zod";
import { Done, Id, method, Path } from "./shapes.ts";

const Name = z
  .string()
  .min(1)
  .max(1000)
  .refine((name) => !/[=\0]/u.test(name), "A name of a variable has no = and no NUL.");
const Value = z.string().refine((text) => !text.includes("\0"), "A value must not contain NUL.");
const ofRelay = { relay: Id };

export const RELAY_METHODS = {
  "relay/open": method(
    "Starts Claude Code for a program that drives it with its own lines. Only for programs on this machine that use the token of the data directory.",
    z.object({
      cwd: Path,
      argv: z.array(Value).max(2000).describe("The command line of Claude Code. Input and output are `stream-json`."),
      env: z
        .record(Name, Value)
        .describe("The environment of the program. Variables of Quarterdeck and of an outer Claude Code are left out."),
      bytes: z
        .boolean()
        .optional()
        .describe(
          "Output comes in binary frames instead of `relay/output`: the relay, a space, the number of characters, LF, then the characters in UTF-8.",
        ),
    }),
    z.object({
      relay: z.string(),
      notice: z.string().optional().describe("Files of an untrusted folder that the session ignores, in words."),
    }),
  ),
  "relay/input": method(
    "A piece of the program's input. The answer comes when its whole lines are handled.",
    z.object({ ...ofRelay, text: z.string().max(1_000_000) }),
    Done,
  ),
  "relay/endInput": method(
    "The end of the program's input. Claude Code ends after its turn.",
    z.object({ ...ofRelay }),
    Done,
  ),
  "relay/signal": method(
    "Passes a signal on to Claude Code.",
    z.object({ ...ofRelay, signal: z.enum(["SIGINT", "SIGTERM"]) }),
    Done,
  ),
  "relay/ack": method(
    "How much of the output the program has taken since the last call. Without it, Claude Code waits after 4 MB.",
    z.object({ ...ofRelay, characters: z.number().int().min(0) }),
    Done,
  ),
} as const;

export const RELAY_NOTIFICATIONS = {
  "relay/output": z.object({ relay: z.string(), text: z.string().describe("Whole or cut lines, in order.") }),
  "relay/stderr": z.object({ relay: z.string(), text: z.string() }),
  "relay/exited": z.object({ relay: z.string(), code: z.number().nullable(), signal: z.string().nullable() }),
} as const;
