// Search over all sessions, and exports: what is included and which secrets are removed.

import { z } from "zod";
import { SEARCH_KINDS } from "../search-kind.ts";
import { Id, method, ofSession, Path, Time } from "./shapes.ts";

const EXPORT_PARTS = ["thinking", "tools", "results", "agents", "notes"] as const;

export const exportFields = {
  format: z.enum(["ndjson", "markdown", "html", "ccpocket"]),
  without: z
    .array(z.enum(EXPORT_PARTS))
    .max(EXPORT_PARTS.length)
    .optional()
    .describe("What `html` and `markdown` leave out. `results` are those of tools, `agents` the rows of subagents."),
  redact: z
    .object({
      keep: z.array(z.string().max(64)).max(1000).describe("Ids of findings that stay, of `session/secrets`."),
    })
    .optional()
    .describe("Removes everything that looks like a secret. Without it, nothing is removed."),
};

export const SEARCH_METHODS = {
  "sessions/search": method(
    "Searches the text of all sessions, newest first, saved or not. Every word of the query must begin a word of the row.",
    z.object({
      query: z.string().min(1).max(200),
      limit: z.number().int().min(1).max(200).optional(),
      project: Path.optional(),
      session: Id.optional(),
      kinds: z.array(z.enum(SEARCH_KINDS)).min(1).max(SEARCH_KINDS.length).optional(),
      since: z.number().optional().describe("Milliseconds. Rows that began at this time or later."),
      until: z.number().optional().describe("Rows that began before this time."),
    }),
    z.object({
      hits: z.array(
        z.object({
          session: z.string(),
          rowId: z.string(),
          excerpt: z.string(),
          at: Time,
          kind: z.enum(SEARCH_KINDS),
        }),
      ),
      complete: z.boolean().describe("False if there are more hits, or if older rows were not looked at."),
    }),
  ),
  "session/secrets": method(
    "What an export with `redact` would remove: text in the session that looks like a key, a token or a password.",
    z.object({ ...ofSession }),
    z.object({
      findings: z.array(
        z.object({
          id: z.string().describe("The same for the same value in any session of this server."),
          kind: z.string().describe("In words: `AWS key`, `password in a URL`."),
          shown: z.string().describe("The value without its middle."),
          excerpt: z.string().describe("Text around the first place, with the value as in `shown`."),
          count: z.number().describe("Rows that contain it."),
          rowId: z.string().describe("The first of them."),
        }),
      ),
      complete: z.boolean().describe("False if there are more findings than the list has. All are removed."),
    }),
  ),
} as const;
