// The methods that add, edit and remove MCP servers: for one session, or in the files of Claude Code.

import { z } from "zod";
import { command, Hunk, method, ofSession, Time } from "./shapes.ts";

const Name = z.string().regex(/^[\w-]{1,64}$/u, "A name has letters, digits, - and _.");
const McpScope = z
  .enum(["session", "local", "project", "user"])
  .describe(
    "`session`: until its process ends. `local`: this project, only you. `project`: `.mcp.json`, shared. `user`: all projects.",
  );
const Text = z.string().max(10_000);
const Values = z.record(z.string().min(1).max(200), Text).describe("A value `<hidden>` keeps the value of the file.");

const Config = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("stdio"),
    command: z.string().min(1).max(4096),
    args: z.array(Text).max(200),
    env: Values.optional(),
  }),
  z.object({
    type: z.enum(["http", "sse"]),
    url: z.url({ protocol: /^https?$/u }).max(4096),
    headers: Values.optional(),
  }),
]);

const change = { scope: McpScope, name: Name, config: Config.nullable().describe("Null removes the server.") };

export const MCP_METHODS = {
  "mcp/servers": method(
    "The servers that files and this session name, with their configuration. Secrets are hidden.",
    z.object(ofSession),
    z.object({
      servers: z.array(
        z.object({
          name: z.string(),
          scope: McpScope,
          path: z.string().optional(),
          config: z.record(z.string(), z.unknown()),
        }),
      ),
      problems: z.array(z.string()),
    }),
  ),
  "mcp/preview": method(
    "What a change of a server would write. Secrets are hidden.",
    z.object({ ...ofSession, ...change }),
    z.object({
      path: z.string().optional().describe("Absent for `session`: nothing is written."),
      hash: z.string().describe("Names what the change was made from."),
      creates: z.boolean(),
      hunks: z.array(Hunk).describe("Changes of the file, or of its list of servers if the file has much else."),
    }),
  ),
  "mcp/save": method(
    "Adds, changes or removes a server. Files are read when a process starts. For `session` it holds at once.",
    z.object({ ...command, ...ofSession, ...change, hash: z.string().max(100) }),
    z.object({
      holdsAfterRestart: z.boolean(),
      errors: z.record(z.string(), z.string()).describe("What Claude Code says about servers that do not start."),
    }),
  ),
  "mcp/log": method(
    "The last lines that Claude Code logged about a server of the session. Secrets are hidden.",
    z.object({ ...ofSession, server: Name }),
    z.object({
      path: z.string().optional().describe("Absent: there is no log."),
      lines: z.array(z.object({ at: Time.optional(), level: z.enum(["error", "debug"]), text: z.string() })),
    }),
  ),
} as const;
