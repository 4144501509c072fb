// The CLI's answers to the larger control requests of a host. Loose: of the published fields, only those that every CLI
// sends and that are needed are required.

import { ModelUsage } from "./content.ts";
import { PermissionMode } from "./permission.ts";
import {
  anything,
  array,
  boolean,
  dictionary,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
} from "./schema.ts";
import type { Infer } from "./schema.ts";
import { SlashCommand } from "./system.ts";

const AgentInfo = object({ name: string, description: optional(string), model: optional(string) });

export const ModelInfo = object({
  value: string,
  displayName: optional(string),
  description: optional(string),
  resolvedModel: optional(string),
  supportsEffort: optional(boolean),
  supportedEffortLevels: optional(array(string)),
  supportsAdaptiveThinking: optional(boolean),
  supportsFastMode: optional(boolean),
  supportsAutoMode: optional(boolean),
});

export const McpServerStatus = object({
  name: string,
  status: oneOf("connected", "failed", "needs-auth", "pending", "disabled"),
  serverInfo: optional(nullable(record)),
  error: optional(string),
  config: optional(nullable(record)),
  scope: optional(string),
  source: optional(string),
  transport: optional(string),
  tools: optional(
    array(
      object({
        name: string,
        description: optional(string),
        annotations: optional(record),
        _meta: optional(record),
      }),
    ),
  ),
});
export type McpServerStatus = Infer<typeof McpServerStatus>;

const fastMode = { fast_mode_state: optional(string), fast_mode_disabled_reason: optional(string) };

export const InitializeResponse = object({
  commands: array(SlashCommand),
  agents: optional(array(AgentInfo)),
  models: optional(array(ModelInfo)),
  unavailable_models: optional(array(anything)),
  account: optional(nullable(record)),
  output_style: optional(string),
  available_output_styles: optional(array(string)),
  user_output_styles_dir: optional(string),
  pid: optional(number),
  claude_code_version: optional(string),
  current_model: optional(nullable(string)),
  current_permission_mode: optional(PermissionMode),
  session_state: optional(string),
  capabilities: optional(array(string)),
  hooks_applied: optional(boolean),
  hook_on_failure_supported: optional(boolean),
  plugins_applied: optional(boolean),
  sdk_mcp_manifests_parked: optional(
    dictionary(oneOf("parked", "already_connected", "protocol_version_mismatch", "malformed", "not_honoured")),
  ),
  ...fastMode,
});
export type InitializeResponse = Infer<typeof InitializeResponse>;

const named = object({ name: string, tokens: number });
export const ContextUsage = object({
  categories: array(
    object({
      name: string,
      tokens: number,
      id: optional(string),
      kind: optional(oneOf("used", "free", "buffer", "deferred")),
      color: optional(string),
      isDeferred: optional(boolean),
    }),
  ),
  totalTokens: number,
  maxTokens: number,
  rawMaxTokens: optional(number),
  percentage: number,
  gridRows: optional(array(array(record))),
  model: optional(string),
  memoryFiles: optional(array(record)),
  mcpTools: optional(array(record)),
  mcpInstructions: optional(array(object({ serverName: string, tokens: number }))),
  deferredBuiltinTools: optional(array(named)),
  systemTools: optional(array(named)),
  systemPromptSections: optional(array(named)),
  agents: optional(array(record)),
  slashCommands: optional(object({ totalCommands: number, includedCommands: number, tokens: number })),
  skills: optional(
    object({ totalSkills: number, includedSkills: number, tokens: number, skillFrontmatter: optional(array(named)) }),
  ),
  autoCompactThreshold: optional(number),
  isAutoCompactEnabled: optional(boolean),
  autocompactSource: optional(string),
  messageBreakdown: optional(record),
  apiUsage: optional(nullable(record)),
});

export const UsageReport = object({
  session: object({
    total_cost_usd: number,
    total_api_duration_ms: number,
    total_duration_ms: number,
    total_lines_added: number,
    total_lines_removed: number,
    model_usage: dictionary(ModelUsage),
  }),
  subscription_type: nullable(string),
  rate_limits_available: optional(boolean),
  rate_limits: optional(nullable(record)),
  behaviors: optional(nullable(record)),
});

const SettingsError = object({ path: string, message: string, file: optional(string) });

export const SettingsAnswer = object({
  effective: record,
  sources: optional(array(anything)),
  applied: optional(record),
  errors: optional(array(SettingsError)),
  withheld: optional(anything),
});

export const PermissionRules = object({
  state: object({
    rules: array(
      object({
        behavior: optional(oneOf("allow", "deny", "ask")),
        source: optional(string),
        rule: optional(anything),
        description: optional(anything),
        editability: optional(oneOf("persistent", "session", "readonly")),
        notInEffect: optional(boolean),
      }),
    ),
    workspaceDirectories: array(anything),
    originalCwd: optional(string),
    managedOnly: optional(boolean),
    errors: optional(array(SettingsError)),
    withheld: optional(boolean),
  }),
});

export const HooksListing = object({
  events: array(record),
  hooks: array(record),
  eventCatalog: array(record),
  policy: optional(record),
  safeMode: optional(record),
  bareMode: optional(record),
  errors: optional(array(SettingsError)),
});

export const ReloadedPlugins = object({
  commands: optional(array(SlashCommand)),
  agents: optional(array(AgentInfo)),
  plugins: optional(
    array(object({ name: string, path: optional(string), source: optional(string), version: optional(string) })),
  ),
  mcpServers: optional(array(McpServerStatus)),
  error_count: optional(number),
  held: optional(boolean),
  cache_impact: optional(
    object({
      mcp_servers_added: optional(array(string)),
      mcp_servers_removed: optional(array(string)),
      lsp_tool_change: optional(nullable(oneOf("adds", "may-add", "removes", "may-remove"))),
    }),
  ),
});

/** The content is the tool's output: a text or blocks. */
export const McpCallResult = object({
  content: optional(anything),
  structuredContent: optional(anything),
  _meta: optional(record),
  staging: optional(anything),
});

export const FileContents = object({
  contents: string,
  absPath: string,
  requested_path: optional(string),
  truncated: optional(boolean),
  encoding: optional(string),
  lossy: optional(boolean),
});
