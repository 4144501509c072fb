// The CLI's flags as one table: name, value, the measured versions that have it, and what it needs or forbids.
// `argv.ts` only applies the table. The tests compare it with the `--help` of each version and with hidden flags that
// we found by trying.
//
// "Only works with --print" is not a rule here. Every version uses print mode if stdout is not a terminal, and a host's
// stdout is a pipe.

import { PERMISSION_MODES } from "./permission.ts";

export const MEASURED_VERSIONS = ["2.1.22", "2.1.29", "2.1.37", "2.1.38", "2.1.325"] as const;
export type MeasuredVersion = (typeof MEASURED_VERSIONS)[number];
type Versions = readonly MeasuredVersion[];

const ALL: Versions = MEASURED_VERSIONS;
const OLD: Versions = ["2.1.22", "2.1.29", "2.1.37", "2.1.38"];
const NEW: Versions = ["2.1.325"];
const SINCE_29: Versions = ["2.1.29", "2.1.37", "2.1.38", "2.1.325"];
const SINCE_38: Versions = ["2.1.38", "2.1.325"];

/** An option that is set, `"resume"`, or has a value, `"inputFormat=stream-json"`. */
export type Term = string;

export interface FlagRule {
  /** The rule applies only if the flag has this value, */
  readonly when?: string | true;
  /** and only if one of these is true too. */
  readonly with?: readonly Term[];
  /** One of these must be true. */
  readonly needs?: readonly Term[];
  /** All of these must be false. */
  readonly excludes?: readonly Term[];
}

export interface Flag {
  readonly flag: `--${string}`;
  readonly aliases?: readonly `-${string}`[];
  /**
   * `text` may have line breaks, `word` and `path` may not; `tool` is a rule such as `Bash(git *)`; `switch` is spelled
   * `true` or `false`. With `list`, this is what one element takes.
   */
  readonly takes:
    | "nothing"
    | "switch"
    | "text"
    | "word"
    | "path"
    | "uuid"
    | "tool"
    | "integer"
    | "number"
    | "choice"
    | "json"
    | "json-or-path";
  /** How several values are written: `--f a b`, `--f a --f b`, `--f a,b`. */
  readonly list?: "variadic" | "repeated" | "comma";
  /** The value is optional. The option is then `true`. */
  readonly optional?: true;
  /** The value must be in the same token: `--debug=api`. */
  readonly joined?: true;
  /** An empty text or list is a valid value. */
  readonly empty?: true;
  readonly choices?: readonly string[];
  /** Choices that only some versions accept. */
  readonly choiceIn?: Readonly<Record<string, Versions>>;
  /** The form that the CLI asks for. */
  readonly pattern?: RegExp;
  /** The versions in which a `json-or-path` may be a path, if not all. */
  readonly pathIn?: Versions;
  /** The minimum; default 1. */
  readonly min?: number;
  readonly in: Versions;
  /** The versions that accept the flag but do not list it in `--help`. */
  readonly hidden?: Versions;
  readonly rules?: readonly FlagRule[];
}

const STREAM_INPUT: FlagRule = { needs: ["inputFormat=stream-json"] };
const STREAM_OUTPUT: FlagRule = { needs: ["outputFormat=stream-json"] };
const CLOUD: FlagRule = { needs: ["cloud", "environment"] };
const MODE_IN = { auto: NEW, manual: NEW, delegate: OLD };

export const FLAGS = {
  // What goes over the pipes

  /** Answer and exit. A host that speaks stream-json does not need it: a piped stdout counts as print mode. */
  print: { flag: "--print", aliases: ["-p"], takes: "nothing", in: ALL },
  /** Default `text`. */
  inputFormat: {
    flag: "--input-format",
    takes: "choice",
    choices: ["text", "stream-json"],
    in: ALL,
    rules: [{ when: "stream-json", needs: ["outputFormat=stream-json"] }],
  },
  /** Default `text`. */
  outputFormat: {
    flag: "--output-format",
    takes: "choice",
    choices: ["text", "json", "stream-json"],
    in: ALL,
    rules: [{ when: "stream-json", needs: ["verbose"] }],
  },
  /** Required for stream-json output. It adds nothing on stderr. */
  verbose: { flag: "--verbose", takes: "nothing", in: ALL },
  /** Emit `stream_event` for each delta. */
  includePartialMessages: { flag: "--include-partial-messages", takes: "nothing", in: ALL, rules: [STREAM_OUTPUT] },
  /** Echo each user message on stdout, and the host's own control responses too. */
  replayUserMessages: {
    flag: "--replay-user-messages",
    takes: "nothing",
    in: ALL,
    rules: [STREAM_INPUT, STREAM_OUTPUT],
  },
  /** Emit events for all hooks of the settings. Without stream-json output the CLI ignores this silently. */
  includeHookEvents: { flag: "--include-hook-events", takes: "nothing", in: NEW, rules: [STREAM_OUTPUT] },
  /** Also emit the text and thinking of subagents. */
  forwardSubagentText: { flag: "--forward-subagent-text", takes: "nothing", in: NEW, rules: [STREAM_OUTPUT] },
  /** Emit a suggestion for the next prompt after each turn. */
  promptSuggestions: {
    flag: "--prompt-suggestions",
    takes: "switch",
    optional: true,
    in: NEW,
    rules: [{ when: true, ...STREAM_OUTPUT }],
  },
  /** Force the answer into this JSON Schema. It is in `structured_output` of the result. */
  jsonSchema: { flag: "--json-schema", takes: "json", in: ALL },
  /** Read `initialize` during start-up. It must be the first line on stdin. */
  awaitInitialize: { flag: "--await-initialize", takes: "nothing", in: NEW, hidden: NEW, rules: [STREAM_INPUT] },
  /** Start as a spare process that waits for a `claim_session` request. */
  awaitClaim: {
    flag: "--await-claim",
    takes: "nothing",
    in: NEW,
    hidden: NEW,
    rules: [STREAM_INPUT, STREAM_OUTPUT, { excludes: ["continue", "resume", "forkSession", "sdkUrl"] }],
  },
  /** Emit `transcript_mirror` frames. */
  sessionMirror: { flag: "--session-mirror", takes: "nothing", in: NEW, hidden: NEW },
  /** Emit `auth_status`. */
  enableAuthStatus: { flag: "--enable-auth-status", takes: "nothing", in: ALL, hidden: ALL },
  /** Use a WebSocket instead of the pipes. 2.1.325 accepts only Anthropic's hosts. */
  sdkUrl: {
    flag: "--sdk-url",
    takes: "word",
    in: ALL,
    hidden: ALL,
    rules: [STREAM_INPUT, STREAM_OUTPUT, { excludes: ["awaitInitialize"] }],
  },

  // Which session

  /** The id of a new session. */
  sessionId: {
    flag: "--session-id",
    takes: "uuid",
    in: ALL,
    rules: [{ with: ["resume", "continue"], needs: ["forkSession"] }],
  },
  /** Resume by id (2.1.325: or by name). `true` opens a picker, which needs a terminal. */
  resume: {
    flag: "--resume",
    aliases: ["-r"],
    takes: "word",
    optional: true,
    in: ALL,
    rules: [
      { when: true, excludes: ["print", "outputFormat=stream-json", "outputFormat=json"] },
      { excludes: ["continue"] },
    ],
  },
  /** Resume the newest session of the working directory. */
  continue: { flag: "--continue", aliases: ["-c"], takes: "nothing", in: ALL },
  /** Give the resumed session a new id. The CLI ignores this silently if nothing is resumed. */
  forkSession: {
    flag: "--fork-session",
    takes: "nothing",
    in: ALL,
    rules: [{ needs: ["resume", "continue", "fromPr", "teleport"] }],
  },
  /** Resume the session of a pull request, by number or URL. `true` opens a picker. */
  fromPr: { flag: "--from-pr", takes: "word", optional: true, in: SINCE_29 },
  /** Resume up to and including this message. */
  resumeSessionAt: {
    flag: "--resume-session-at",
    takes: "word",
    in: ALL,
    hidden: ALL,
    rules: [{ needs: ["resume"] }],
  },
  /** The prompt of the turn that `resumeSessionAt` drops. The CLI refuses if it would drop more. */
  resumeDropsTurn: {
    flag: "--resume-drops-turn",
    takes: "word",
    in: NEW,
    hidden: NEW,
    rules: [{ needs: ["resumeSessionAt"] }],
  },
  /** If the resumed transcript ends with a prompt, answer it at once. */
  replyOnResume: { flag: "--reply-on-resume", takes: "nothing", in: NEW, hidden: NEW },
  /** Restore the files as they were at this user message, and exit. */
  rewindFiles: {
    flag: "--rewind-files",
    takes: "word",
    in: ALL,
    hidden: ALL,
    rules: [{ needs: ["resume"], excludes: ["prompt"] }],
  },
  /** Store no transcript on disk. */
  noSessionPersistence: { flag: "--no-session-persistence", takes: "nothing", in: ALL },
  /** A name to show for the session. */
  name: { flag: "--name", aliases: ["-n"], takes: "word", in: NEW },
  /** Run in a new git worktree, with this name or a generated one. */
  worktree: { flag: "--worktree", aliases: ["-w"], takes: "word", optional: true, in: NEW },
  /** Open the worktree in tmux. */
  tmux: {
    flag: "--tmux",
    takes: "choice",
    choices: ["classic"],
    optional: true,
    joined: true,
    in: NEW,
    rules: [{ needs: ["worktree"] }],
  },

  // The model and its limits

  /** An alias (`opus`) or a full name. */
  model: { flag: "--model", takes: "word", in: ALL },
  /** For an overloaded model. 2.1.325 accepts several, separated by commas. Never the main model itself. */
  fallbackModel: { flag: "--fallback-model", takes: "word", in: ALL },
  /** 2.1.325 ignores an unknown level with a warning. */
  effort: {
    flag: "--effort",
    takes: "choice",
    choices: ["low", "medium", "high", "xhigh", "max"],
    choiceIn: { xhigh: NEW },
    in: SINCE_38,
  },
  /** `enabled` means `adaptive`. */
  thinking: {
    flag: "--thinking",
    takes: "choice",
    choices: ["enabled", "adaptive", "disabled"],
    in: NEW,
    hidden: NEW,
  },
  /** How thinking appears in answers. */
  thinkingDisplay: {
    flag: "--thinking-display",
    takes: "choice",
    choices: ["summarized", "omitted", "highlights"],
    in: NEW,
    hidden: NEW,
  },
  /** 0 turns thinking off. 2.1.325 calls it deprecated; use `thinking`. */
  maxThinkingTokens: { flag: "--max-thinking-tokens", takes: "integer", min: 0, in: ALL, hidden: ALL },
  /** End a turn with `error_max_turns` after this many model calls. */
  maxTurns: { flag: "--max-turns", takes: "integer", in: ALL, hidden: ALL },
  /** End with `error_max_budget_usd` once this much is spent. Later turns fail too. */
  maxBudgetUsd: { flag: "--max-budget-usd", takes: "number", in: ALL },
  /** The API's own budget for a task, in tokens. */
  taskBudget: { flag: "--task-budget", takes: "integer", in: NEW, hidden: NEW },
  /** When to compact: `auto`, or 100k to 1M tokens (`500k`, `200000`, or `200` for 200k). */
  autocompact: { flag: "--autocompact", takes: "word", pattern: /^(auto|[0-9]+(\.[0-9]+)?[kKmM]?)$/, in: NEW },
  /** Beta headers for the API. */
  betas: { flag: "--betas", takes: "word", list: "variadic", in: ALL },
  fastMode: { flag: "--fast-mode", takes: "choice", choices: ["on", "off"], in: NEW, hidden: NEW },
  /** A model for the server's advisor tool. */
  advisor: { flag: "--advisor", takes: "word", in: NEW, hidden: NEW },
  proactivity: {
    flag: "--proactivity",
    takes: "choice",
    choices: ["ask", "default", "proactive"],
    in: NEW,
    hidden: NEW,
  },
  /** Offer models that this CLI does not know. */
  includeUnsupportedModels: { flag: "--include-unsupported-models", takes: "nothing", in: NEW, hidden: NEW },

  // Instructions for the model

  /** Replaces the default prompt. An empty text means no prompt. */
  systemPrompt: {
    flag: "--system-prompt",
    takes: "text",
    empty: true,
    in: ALL,
    rules: [{ excludes: ["systemPromptFile"] }],
  },
  systemPromptFile: { flag: "--system-prompt-file", takes: "path", in: ALL, hidden: ALL },
  appendSystemPrompt: {
    flag: "--append-system-prompt",
    takes: "text",
    in: ALL,
    rules: [{ excludes: ["appendSystemPromptFile"] }],
  },
  appendSystemPromptFile: { flag: "--append-system-prompt-file", takes: "path", in: ALL, hidden: ALL },
  /** Appended to the prompt of every subagent. */
  appendSubagentSystemPrompt: {
    flag: "--append-subagent-system-prompt",
    takes: "text",
    in: NEW,
    hidden: NEW,
    rules: [{ excludes: ["appendSubagentSystemPromptFile"] }],
  },
  appendSubagentSystemPromptFile: {
    flag: "--append-subagent-system-prompt-file",
    takes: "path",
    in: NEW,
    hidden: NEW,
  },
  /** `on` (the default) stores the prompt with the session and sends the stored prompt after a resume. */
  systemPromptSnapshot: { flag: "--system-prompt-snapshot", takes: "choice", choices: ["on", "off"], in: NEW },
  /** Move parts that differ between machines out of the system prompt, for the prompt cache. */
  excludeDynamicSystemPromptSections: {
    flag: "--exclude-dynamic-system-prompt-sections",
    takes: "nothing",
    in: NEW,
  },
  /** Replaces the workflow text of plan mode. */
  planModeInstructions: { flag: "--plan-mode-instructions", takes: "text", in: NEW, hidden: NEW },
  /** The agent that runs the session. */
  agent: { flag: "--agent", takes: "word", in: ALL },
  /** Agents by name. Only 2.1.325 accepts a path: older CLIs silently ignore a value that is not JSON. */
  agents: { flag: "--agents", takes: "json-or-path", pathIn: NEW, in: ALL },
  /** Files to download at the start, `file_id:relative_path`. The CLI needs a session token for this. */
  file: { flag: "--file", takes: "word", list: "variadic", in: ALL },

  // Tools and permissions

  /** The available built-in tools. An empty list means none, `["default"]` the usual set (it works only alone). */
  tools: { flag: "--tools", takes: "tool", list: "variadic", empty: true, in: ALL },
  /** Rules that allow without asking. */
  allowedTools: {
    flag: "--allowedTools",
    aliases: ["--allowed-tools"],
    takes: "tool",
    list: "variadic",
    in: ALL,
  },
  /** Rules that deny. */
  disallowedTools: {
    flag: "--disallowedTools",
    aliases: ["--disallowed-tools"],
    takes: "tool",
    list: "variadic",
    in: ALL,
  },
  /** 2.1.325 does not list `default` but accepts it as another name for `manual`. Root may not bypass. */
  permissionMode: {
    flag: "--permission-mode",
    takes: "choice",
    choices: PERMISSION_MODES,
    choiceIn: MODE_IN,
    in: ALL,
  },
  /** The mode of a parent session, if nothing else sets one. */
  inheritPermissionMode: {
    flag: "--inherit-permission-mode",
    takes: "choice",
    choices: PERMISSION_MODES,
    choiceIn: MODE_IN,
    in: NEW,
    hidden: NEW,
  },
  /** `stdio` asks the host by `can_use_tool`. Otherwise the name of an MCP tool. */
  permissionPromptTool: { flag: "--permission-prompt-tool", takes: "word", in: ALL, hidden: ALL },
  /** `none`: every permission request is denied. */
  permissionPrompts: { flag: "--permission-prompts", takes: "choice", choices: ["host", "none"], in: NEW },
  /** No checks at all. Every version refuses this for root: spawn as another user. */
  dangerouslySkipPermissions: { flag: "--dangerously-skip-permissions", takes: "nothing", in: ALL },
  /** Lets a later request switch to bypass. Also refused for root. */
  allowDangerouslySkipPermissions: { flag: "--allow-dangerously-skip-permissions", takes: "nothing", in: ALL },
  /** No tools that run code unless `tools` names them, no settings files of user, project or folder, no bypass. */
  restricted: {
    flag: "--restricted",
    takes: "nothing",
    in: NEW,
    rules: [
      {
        excludes: ["permissionMode=bypassPermissions", "dangerouslySkipPermissions", "allowDangerouslySkipPermissions"],
      },
    ],
  },
  /** Folders outside the working directory that tools may use. */
  addDir: { flag: "--add-dir", takes: "path", list: "variadic", in: ALL },
  /** Ignore trust that was given to a folder earlier. */
  ignorePersistedTrust: { flag: "--ignore-persisted-trust", takes: "nothing", in: NEW, hidden: NEW },
  enableAutoMode: { flag: "--enable-auto-mode", takes: "nothing", in: NEW, hidden: NEW },

  // Settings, servers, plugins

  /** Settings in addition to the files. On the command line they are visible in `ps`: put secrets in a file. */
  settings: { flag: "--settings", takes: "json-or-path", in: ALL },
  /** Which settings files are loaded. An empty list means none. */
  settingSources: {
    flag: "--setting-sources",
    takes: "choice",
    choices: ["user", "project", "local"],
    list: "comma",
    empty: true,
    in: ALL,
  },
  /** Policy settings of the spawning process. */
  managedSettings: { flag: "--managed-settings", takes: "json", in: NEW, hidden: NEW },
  /** Read the policy settings from `initialize`. */
  managedSettingsInInitialize: {
    flag: "--managed-settings-in-initialize",
    takes: "nothing",
    in: NEW,
    hidden: NEW,
    rules: [{ needs: ["awaitInitialize"], excludes: ["managedSettings"] }],
  },
  /** MCP servers, as `{ mcpServers }` or as paths. Objects are visible in `ps`: put secrets in a file. */
  mcpConfig: { flag: "--mcp-config", takes: "json-or-path", list: "variadic", in: ALL },
  /** Only the MCP servers of `mcpConfig`. */
  strictMcpConfig: { flag: "--strict-mcp-config", takes: "nothing", in: ALL },
  /** Folders (2.1.325: or zip files) with plugins. */
  pluginDir: { flag: "--plugin-dir", takes: "path", list: "repeated", in: ALL },
  /** The same without the plugin's own MCP servers. */
  pluginDirNoMcp: { flag: "--plugin-dir-no-mcp", takes: "path", list: "repeated", in: NEW, hidden: NEW },
  pluginUrl: { flag: "--plugin-url", takes: "word", list: "repeated", in: NEW },
  /** MCP servers whose channel messages reach this session. */
  channels: { flag: "--channels", takes: "word", list: "variadic", in: NEW, hidden: NEW },
  dangerouslyLoadDevelopmentChannels: {
    flag: "--dangerously-load-development-channels",
    takes: "word",
    list: "variadic",
    in: NEW,
    hidden: NEW,
  },
  disableSlashCommands: { flag: "--disable-slash-commands", takes: "nothing", in: ALL },
  /** No hooks, no memory, no discovery, no keychain. */
  bare: { flag: "--bare", takes: "nothing", in: NEW },
  /** No customizations. Permissions and login as usual. */
  safeMode: { flag: "--safe-mode", takes: "nothing", in: NEW },
  /** An absolute path to read the project's settings from, for a session in one of its worktrees. */
  projectConfigRoot: { flag: "--project-config-root", takes: "path", pattern: /^\//, in: NEW, hidden: NEW },
  clientDataUrl: { flag: "--client-data-url", takes: "word", in: NEW, hidden: NEW },
  allowOtherModels: { flag: "--allow-other-models", takes: "nothing", in: NEW, hidden: NEW },
  /** The SendUserMessage tool. */
  brief: { flag: "--brief", takes: "nothing", in: NEW },

  // Debugging and set-up

  /** `true`, or categories: `api,hooks`, `!file`. */
  debug: { flag: "--debug", aliases: ["-d"], takes: "word", optional: true, joined: true, in: ALL },
  debugToStderr: { flag: "--debug-to-stderr", aliases: ["-d2e"], takes: "nothing", in: ALL, hidden: ALL },
  debugFile: { flag: "--debug-file", takes: "path", in: ALL },
  mcpDebug: { flag: "--mcp-debug", takes: "nothing", in: OLD },
  /** Run the Setup hooks first. */
  init: { flag: "--init", takes: "nothing", in: ALL, hidden: ALL },
  /** Run the Setup and SessionStart hooks, then exit. */
  initOnly: { flag: "--init-only", takes: "nothing", in: ALL, hidden: ALL },
  maintenance: { flag: "--maintenance", takes: "nothing", in: ALL, hidden: ALL },
  help: { flag: "--help", aliases: ["-h"], takes: "nothing", in: ALL },
  version: { flag: "--version", aliases: ["-v"], takes: "nothing", in: ALL },

  // The terminal, other machines, other programs: of little use to a host, but listed so that any command line can be
  // read

  ide: { flag: "--ide", takes: "nothing", in: ALL },
  chrome: { flag: "--chrome", takes: "nothing", in: ALL, rules: [{ excludes: ["noChrome"] }] },
  noChrome: { flag: "--no-chrome", takes: "nothing", in: ALL },
  axScreenReader: { flag: "--ax-screen-reader", takes: "nothing", in: NEW },
  /** Start in the background and return at once. */
  bg: { flag: "--bg", aliases: ["--background"], takes: "nothing", in: NEW },
  /** Open the desktop program. It refuses without a terminal. */
  desktop: { flag: "--desktop", takes: "nothing", in: NEW },
  cloud: { flag: "--cloud", takes: "text", optional: true, in: NEW },
  environment: { flag: "--environment", takes: "word", in: NEW },
  /** Another name for `environment`. */
  pool: { flag: "--pool", takes: "word", in: NEW, hidden: NEW },
  ref: { flag: "--ref", takes: "word", in: NEW, hidden: NEW, rules: [CLOUD] },
  onBranch: { flag: "--on-branch", takes: "word", in: NEW, hidden: NEW, rules: [CLOUD, { excludes: ["ref"] }] },
  correlationId: {
    flag: "--correlation-id",
    takes: "word",
    in: NEW,
    hidden: NEW,
    rules: [{ needs: ["environment"] }],
  },
  forwardHomeSettings: { flag: "--forward-home-settings", takes: "switch", in: NEW, hidden: NEW },
  attachServe: { flag: "--attach-serve", takes: "word", in: NEW, hidden: NEW },
  /** 2.1.325: another name for `cloud`. */
  remote: { flag: "--remote", takes: "text", optional: true, in: ALL, hidden: ALL },
  teleport: { flag: "--teleport", takes: "word", optional: true, in: ALL, hidden: OLD },
  remoteControl: { flag: "--remote-control", takes: "word", optional: true, in: NEW },
  /** Another name for `remoteControl`. */
  rc: { flag: "--rc", takes: "word", optional: true, in: NEW, hidden: NEW },
  remoteControlSessionNamePrefix: { flag: "--remote-control-session-name-prefix", takes: "word", in: NEW },
  agentId: { flag: "--agent-id", takes: "word", in: ALL, hidden: ALL },
  agentName: { flag: "--agent-name", takes: "word", in: ALL, hidden: ALL },
  agentColor: { flag: "--agent-color", takes: "word", in: ALL, hidden: ALL },
  agentType: { flag: "--agent-type", takes: "word", in: ALL, hidden: ALL },
  agentsViewIfAllowed: { flag: "--agents-view-if-allowed", takes: "nothing", in: NEW, hidden: NEW },
  teamName: { flag: "--team-name", takes: "word", in: ALL, hidden: ALL },
  teammateMode: {
    flag: "--teammate-mode",
    takes: "choice",
    choices: ["auto", "tmux", "iterm2", "in-process"],
    choiceIn: { iterm2: NEW },
    in: ALL,
    hidden: ALL,
  },
  planModeRequired: { flag: "--plan-mode-required", takes: "nothing", in: ALL, hidden: ALL },
  parentSessionId: { flag: "--parent-session-id", takes: "word", in: ALL, hidden: ALL },
  leadVerifyKey: { flag: "--lead-verify-key", takes: "word", in: NEW, hidden: NEW },
  messagingSocketPath: { flag: "--messaging-socket-path", takes: "path", in: NEW, hidden: NEW },
  workload: { flag: "--workload", takes: "word", in: NEW, hidden: NEW },
  hostAuthIsOrgSignIn: { flag: "--host-auth-is-org-sign-in", takes: "nothing", in: NEW, hidden: NEW },
  runnerDeclares: { flag: "--runner-declares", takes: "word", in: NEW, hidden: NEW },
  sessionBeganAsCopy: { flag: "--session-began-as-copy", takes: "word", in: NEW, hidden: NEW },
  watchArtifact: { flag: "--watch-artifact", takes: "word", in: NEW, hidden: NEW },
  watchArtifactNoAutoreact: { flag: "--watch-artifact-no-autoreact", takes: "word", in: NEW, hidden: NEW },
  /** Put text in the input without sending it. */
  prefill: { flag: "--prefill", takes: "text", in: NEW, hidden: NEW },
  prefillB64: { flag: "--prefill-b64", takes: "word", in: NEW, hidden: NEW },
  deepLinkOrigin: { flag: "--deep-link-origin", takes: "nothing", in: NEW, hidden: NEW },
  deepLinkRepo: { flag: "--deep-link-repo", takes: "word", in: NEW, hidden: NEW },
  deepLinkLastFetch: { flag: "--deep-link-last-fetch", takes: "integer", in: NEW, hidden: NEW },
  deepLinkCwdB64: { flag: "--deep-link-cwd-b64", takes: "word", in: NEW, hidden: NEW },
} as const satisfies Readonly<Record<string, Flag>>;

export type OptionKey = keyof typeof FLAGS;

export const EVERY_FLAG = Object.entries(FLAGS) as readonly [OptionKey, Flag][];

/**
 * The commands that `--help` lists. As the first positional argument such a word is a command, even after `--`
 * (2.1.38), and never a prompt.
 */
export const COMMANDS: readonly string[] = [
  ...["agents", "attach", "auth", "auto-mode", "doctor", "gateway", "import", "install", "logs", "mcp", "plugin"],
  ...["plugins", "purge", "respawn", "rm", "setup-token", "stop", "kill", "ultrareview", "update", "upgrade"],
];

/** A version between two measured ones has what both have. A newer or older version counts as the nearest. */
export const isInVersion = (versions: readonly MeasuredVersion[], version: string): boolean =>
  nearestMeasured(version).every((measured) => versions.includes(measured));

const nearestMeasured = (version: string): MeasuredVersion[] => {
  const below = MEASURED_VERSIONS.findLast((measured) => compareVersions(measured, version) <= 0);
  const above = MEASURED_VERSIONS.find((measured) => compareVersions(measured, version) >= 0);
  return [below, above].filter((measured) => measured !== undefined);
};

const compareVersions = (one: string, other: string): number => {
  const [a, b] = [one.split("."), other.split(".")];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at === -1 ? 0 : Number(a[at]) - Number(b[at]);
};
