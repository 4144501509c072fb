// The environment of the CLI: that of the person, because their tools need their proxies, tokens and addresses. Our own
// secrets are left out, and what npm, a service manager or another Claude Code leave for the program that they start. A
// clean environment starts empty instead and gets a list of names, which the user can extend. Nothing here reads the
// real environment.

import { delimiter, join } from "node:path";
import { cleanPath, DEFAULT_PATH } from "../trust/clean-path.ts";
import { MARKER_VARIABLE, markerValue } from "./descendants.ts";

export interface SpawnEnvironmentOptions {
  readonly marker: string;
  /** Passes on only the names in `ALLOWED` and `allow`. */
  readonly clean?: boolean;
  /** For a clean environment: more names to pass on. A `*` at the end matches any rest. */
  readonly allow?: readonly string[];
  /** The environment of a program that starts the CLI itself: only our variables and those of an outer Claude Code are left out. */
  readonly isCallers?: boolean;
  /** Values to set. They replace inherited ones. */
  readonly set?: Readonly<Record<string, string>>;
  /** Folders of this program. The user's tools must not come from their `node_modules`. */
  readonly ownFolders?: readonly string[];
}

/** What is passed on to a clean environment, grouped by reason. */
export const ALLOWED = {
  account: [
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "PATH",
    "TMPDIR",
    "TMP",
    "TEMP",
    "TZ",
    "XDG_*",
    "DBUS_SESSION_BUS_ADDRESS",
  ],
  locale: ["LANG", "LANGUAGE", "LC_*"],
  terminal: ["TERM", "COLORTERM", "TERMINFO", "TERMINFO_DIRS", "NO_COLOR", "EDITOR", "VISUAL", "PAGER", "BROWSER"],
  desktop: ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "WSL_DISTRO_NAME", "WSL_INTEROP", "WSLENV"],
  login: [
    "ANTHROPIC_*",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_SECURESTORAGE_CONFIG_DIR",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_REFRESH_TOKEN",
    "CLAUDE_CODE_OAUTH_SCOPES",
    "CLAUDE_CODE_API_BASE_URL",
    "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
  ],
  proxy: [
    ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY"].flatMap((name) => [
      name,
      name.toLowerCase(),
    ]),
    "NODE_USE_ENV_PROXY",
    "CLAUDE_CODE_PROXY_*",
  ],
  certificates: [
    "NODE_EXTRA_CA_CERTS",
    "NODE_USE_SYSTEM_CA",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "CLAUDE_CODE_CERT_STORE",
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
  ],
  providers: [
    "CLAUDE_CODE_USE_*",
    "CLAUDE_CODE_SKIP_*",
    "AWS_*",
    "BEDROCK_*",
    "GOOGLE_*",
    "GCLOUD_PROJECT",
    "CLOUDSDK_*",
    "CLOUD_ML_REGION",
    "VERTEX_*",
    "AZURE_*",
  ],
  settings: [
    "CLAUDE_CODE_DISABLE_*",
    "CLAUDE_CODE_ENABLE_*",
    "CLAUDE_CODE_MAX_*",
    "CLAUDE_CODE_AUTO_COMPACT_WINDOW",
    "CLAUDE_CODE_EFFORT_LEVEL",
    "CLAUDE_CODE_EXTRA_BODY",
    "CLAUDE_CODE_SHELL",
    "CLAUDE_CODE_SHELL_PREFIX",
    "CLAUDE_CODE_SUBAGENT_MODEL",
    "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB",
    "CLAUDE_CODE_TMPDIR",
    "CLAUDE_CODE_TOOL_MEMORY_*",
    "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
    "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR",
    "API_TIMEOUT_MS",
    "BASH_DEFAULT_TIMEOUT_MS",
    "BASH_MAX_TIMEOUT_MS",
    "BASH_MAX_OUTPUT_LENGTH",
    "BASH_ENV",
    "DISABLE_AUTOUPDATER",
    "DISABLE_AUTO_COMPACT",
    "DISABLE_COMPACT",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_INTERLEAVED_THINKING",
    "DISABLE_PROMPT_CACHING*",
    "DISABLE_TELEMETRY",
    "DISABLE_UPDATES",
    "DO_NOT_TRACK",
    "ENABLE_PROMPT_CACHING_*",
    "ENABLE_TOOL_SEARCH",
    "MAX_MCP_OUTPUT_TOKENS",
    "MAX_STRUCTURED_OUTPUT_RETRIES",
    "MAX_THINKING_TOKENS",
    "MCP_TIMEOUT",
    "MCP_TOOL_TIMEOUT",
    "MCP_OAUTH_CALLBACK_PORT",
    "MCP_CLIENT_SECRET",
    "OTEL_*",
    "USE_BUILTIN_RIPGREP",
  ],
  agents: ["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "GPG_TTY", "GNUPGHOME"],
  git: [
    "GIT_AUTHOR_*",
    "GIT_COMMITTER_*",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GH_TOKEN",
    "GH_HOST",
    "GH_CONFIG_DIR",
    "GITHUB_TOKEN",
    "GITLAB_TOKEN",
  ],
  tools: [
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ASDF_*",
    "BUN_INSTALL",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "CONDA_*",
    "COREPACK_HOME",
    "DENO_DIR",
    "DENO_INSTALL",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "DOCKER_CONTEXT",
    "DOTNET_ROOT",
    "FNM_*",
    "GEM_HOME",
    "GEM_PATH",
    "GOBIN",
    "GOPATH",
    "GOPRIVATE",
    "GOPROXY",
    "GOROOT",
    "GRADLE_USER_HOME",
    "HOMEBREW_*",
    "JAVA_HOME",
    "KUBECONFIG",
    "LD_LIBRARY_PATH",
    "M2_HOME",
    "MAVEN_HOME",
    "MISE_*",
    "NIX_*",
    "NVM_*",
    "PIPX_HOME",
    "PKG_CONFIG_PATH",
    "PNPM_HOME",
    "POETRY_HOME",
    "PYENV_*",
    "PYTHONPATH",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SDKMAN_DIR",
    "UV_*",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * Never passed on. Variables that say "you run inside a Claude Code" make the CLI refuse or join that one. The others
 * describe the program that started the host, or its folder. Descriptors do not survive a spawn.
 */
const OURS = ["QUARTERDECK_*"] as const;
const NESTED = [
  "CLAUDECODE*",
  "CLAUDE_CODE_SESSION_*",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_MESSAGING_*",
  "CLAUDE_CODE_BRIDGE_*",
  "CLAUDE_CODE_REMOTE*",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_CODE_EXECPATH",
  "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
  "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
  "CLAUDE_CODE_WEBSOCKET_AUTH_FILE_DESCRIPTOR",
  "CLAUDE_ENV_FILE",
  "CLAUDE_PID",
  "CLAUDE_PROJECT_DIR",
] as const;
const NEVER = [
  ...OURS,
  ...NESTED,
  "AI_AGENT",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_AGENT_SDK_*",
  "CLAUDE_EFFORT",
  "NODE_OPTIONS",
  "NODE_CHANNEL_*",
  "npm_*",
  "INIT_CWD",
  "VITEST*",
  "ELECTRON_RUN_AS_NODE",
  "ELECTRON_NO_ATTACH_CONSOLE",
  // The shell's, about its own folder and command.
  "PWD",
  "OLDPWD",
  "_",
  // Git sets these for its hooks. They would send every git of the session to that repository.
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_PREFIX",
  "GIT_COMMON_DIR",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_INTERNAL_*",
  // Those of systemd, for its service alone.
  "NOTIFY_SOCKET",
  "LISTEN_FDS",
  "LISTEN_FDNAMES",
  "LISTEN_PID",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
  "MAINPID",
  "SYSTEMD_EXEC_PID",
  "INVOCATION_ID",
  "JOURNAL_STREAM",
  "CREDENTIALS_DIRECTORY",
] as const;

/** People set these too. They are left out only where the named variable says that another program has set them. */
const LEFT_BY = {
  CLAUDECODE: ["COREPACK_ENABLE_AUTO_PIN", "GIT_EDITOR", "NoDefaultCurrentDirectoryInExePath"],
  npm_execpath: ["COLOR", "NODE"],
} as const;

const ADDED = {
  CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
  CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1",
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
} as const;

/** What a program says about itself to the CLI that it starts. */
const CALLERS = ["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_AGENT_SDK_*", "CLAUDE_CODE_EMIT_*"] as const;

/** The repository, if this runs from its sources. */
const OWN_FOLDERS: readonly string[] = [join(import.meta.dirname, "..", "..", "..", "..")];

export const spawnEnvironment = (
  parent: Readonly<Record<string, string | undefined>>,
  { marker, clean = false, allow = [], set = {}, ownFolders = OWN_FOLDERS, isCallers = false }: SpawnEnvironmentOptions,
): Record<string, string> => {
  const known = [...Object.values(ALLOWED).flat(), ...(isCallers ? CALLERS : []), ...allow];
  const isAllowed = clean ? matcherOf(known) : () => true;
  const left = Object.entries(LEFT_BY).flatMap(([sign, names]) => (parent[sign] === undefined ? [] : names));
  // Below another Claude Code, what describes the caller may describe that one instead.
  const isPlain = isCallers && parent["CLAUDECODE"] === undefined;
  const isRefused = matcherOf(isPlain ? [...OURS, ...NESTED] : [...NEVER, ...left]);
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    if (value !== undefined && isAllowed(name) && !isRefused(name)) passed[name] = value;
  }
  passed["PATH"] = isPlain ? cleanPath(parent["PATH"] ?? DEFAULT_PATH) : userPath(parent["PATH"] ?? "", ownFolders);
  const path = set["PATH"] === undefined ? {} : { PATH: cleanPath(set["PATH"]) };
  return {
    ...passed,
    ...(isCallers ? {} : ADDED),
    ...set,
    ...path,
    [MARKER_VARIABLE]: markerValue(marker, parent[MARKER_VARIABLE]),
  };
};

const matcherOf = (patterns: readonly string[]): ((name: string) => boolean) => {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
};

/**
 * npm and similar tools put folders in front: the `.bin` folders of the package and of all folders above, then
 * `node-gyp-bin`. The entries after those are the user's, except for our own packages, one of which is a Node.
 */
const userPath = (path: string, ownFolders: readonly string[]): string => {
  const own = new Set(ownFolders.flatMap(binFoldersIn));
  const entries = cleanPath(path).split(delimiter);
  const lastOfNpm = entries.findLastIndex((entry) => /[\\/]node-gyp-bin[\\/]?$/.test(entry));
  const kept = entries.filter((entry, at) => {
    if (own.has(entry.replace(/[\\/]+$/, ""))) return false;
    return at > lastOfNpm || !/[\\/](?:node_modules[\\/]\.bin|node-gyp-bin|yarn--[^\\/]*)[\\/]?$/.test(entry);
  });
  return kept.length === 0 ? DEFAULT_PATH : kept.join(delimiter);
};

const binFoldersIn = (folder: string): string[] => [
  join(folder, "node_modules", ".bin"),
  join(folder, "node_modules", "node", "bin"),
];
