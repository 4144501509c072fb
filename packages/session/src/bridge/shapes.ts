// Shapes that several methods of the bridge share.

import { z } from "zod";

export const Id = z.string().min(1).max(200);
export const Time = z.number();
export const Phase = z.enum([
  "starting",
  "ready",
  "thinking",
  "streaming",
  "tool",
  "awaiting",
  "compacting",
  "retrying",
  "idle",
  "error",
  "ended",
  "died",
]);
export const RequestKind = z.enum(["permission", "question", "plan", "elicitation", "dialog", "hook", "mcp"]);
export const Path = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes("\0"), "A path must not contain NUL.");
const CommandId = z
  .uuid()
  .describe(
    "A UUID that the client makes for each command. If it is sent again, the server returns the recorded result.",
  );

export const Hunk = z.object({
  oldStart: z.number(),
  oldLines: z.number(),
  newStart: z.number(),
  newLines: z.number(),
  lines: z.array(z.string()).describe("As in a `structuredPatch`: each line starts with a space, `+` or `-`."),
});

export const method = <P extends z.ZodType, R extends z.ZodType>(about: string, params: P, result: R) => ({
  about,
  params,
  result,
});
export const Done = z.object({});
export const ofSession = { session: Id };
export const command = { commandId: CommandId };
