// The options with which a client may start a session: some flags of the CLI, by their option names. An option that can run
// code, widen permissions or reach outside needs an admin (policy.ts). Flags that the host controls cannot be set.

import { z } from "zod";

const Word = z.string().min(1).max(200);
const Text = z.string().max(100_000);
const Paths = z.array(z.string().min(1).max(4096)).max(50);
const Tools = z.array(z.string().min(1).max(1000)).max(500);
const Json = z.record(z.string(), z.unknown());

export const StartSettings = z.object({
  model: Word.optional(),
  fallbackModel: Word.optional(),
  effort: Word.optional(),
  permissionMode: Word.optional(),
  maxTurns: z.number().int().min(1).optional(),
  maxBudgetUsd: z.number().positive().optional(),
  maxThinkingTokens: z.number().int().min(0).optional(),
  thinking: Word.optional(),
  autocompact: Word.optional(),
  betas: z.array(Word).max(20).optional(),
  fastMode: Word.optional(),
  agent: Word.optional(),
  worktree: Word.optional(),
  name: Word.optional(),
  appendSystemPrompt: Text.optional(),
  tools: Tools.optional(),
  disallowedTools: Tools.optional(),
  addDir: Paths.optional(),
  jsonSchema: Json.optional(),
  disableSlashCommands: z.boolean().optional(),
  noSessionPersistence: z.boolean().optional(),
  promptSuggestions: z.boolean().optional(),
  restricted: z.boolean().optional(),
  safeMode: z.boolean().optional(),
  strictMcpConfig: z.boolean().optional(),
  allowDangerouslySkipPermissions: z.boolean().optional(),
  allowedTools: Tools.optional(),
  systemPrompt: Text.optional(),
  agents: Json.optional(),
  settings: Json.optional(),
  settingSources: z.array(z.enum(["user", "project", "local"])).optional(),
  mcpConfig: z.array(Json).max(50).optional(),
  pluginDir: Paths.optional(),
  debug: z.union([z.literal(true), Word]).optional(),
  debugFile: z.string().min(1).max(4096).optional(),
});
