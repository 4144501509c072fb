import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { cleanPath } from "../trust/clean-path.ts";
import { spawnEnvironment } from "./spawn-environment.ts";
import type { SpawnEnvironmentOptions } from "./spawn-environment.ts";

const ADDED = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
  CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1",
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
  QUARTERDECK_SESSION: "d:s:1",
};
const environment = (
  parent: Readonly<Record<string, string | undefined>>,
  options: Omit<SpawnEnvironmentOptions, "marker"> = {},
): Record<string, string> => spawnEnvironment(parent, { marker: "d:s:1", ...options });

test("starts empty: a PATH, what the host adds, and the marker", () => {
  expect(environment({})).toEqual(ADDED);
});

const OURS_OR_ANOTHERS = [
  ...[
    "QUARTERDECK_TOKEN",
    "CLAUDECODE",
    "CLAUDECODE_X",
    "AI_AGENT",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
  ],
  ...["CLAUDE_PID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_EXECPATH"],
  ...["CLAUDE_EFFORT", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_ENV_FILE"],
  ...["CLAUDE_PROJECT_DIR", "COREPACK_ENABLE_AUTO_PIN", "NoDefaultCurrentDirectoryInExePath", "GIT_EDITOR", "PWD"],
  ...["OLDPWD", "_", "NODE_OPTIONS", "NODE_CHANNEL_FD", "npm_config_registry", "npm_lifecycle_event"],
  ...["npm_package_name", "npm_execpath", "NODE", "COLOR", "INIT_CWD", "ELECTRON_RUN_AS_NODE", "VITEST"],
  ...["VITEST_WORKER_ID", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "NOTIFY_SOCKET", "LISTEN_FDS"],
  ...["INVOCATION_ID", "CREDENTIALS_DIRECTORY"],
];

describe("the person's environment", () => {
  test("is passed on, with what their tools need", () => {
    const parent = Object.fromEntries(
      ["HOME", "DATABASE_URL", "MY_MCP_TOKEN", "https_proxy", "AWS_PROFILE", "NODE_ENV", "GIT_EDITOR", "EDITOR"].map(
        (name) => [name, `value of ${name}`],
      ),
    );
    expect(environment(parent)).toEqual({ ...ADDED, ...parent });
  });

  test("is passed on without our secrets, and without what belongs to another process (S23)", () => {
    const parent = Object.fromEntries(OURS_OR_ANOTHERS.map((name) => [name, "x"]));
    expect(environment(parent)).toEqual(ADDED);
    expect(environment(parent, { clean: true, allow: ["*"] })).toEqual(ADDED);
  });
});

describe("a clean environment gets", () => {
  test.each([
    ["account", ["HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"]],
    ["locale and terminal", ["LANG", "LC_ALL", "LC_CTYPE", "TERM", "COLORTERM", "EDITOR"]],
    ["login", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"]],
    ["configuration", ["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "DISABLE_TELEMETRY", "MCP_TIMEOUT"]],
    ["proxy", ["HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "no_proxy", "NO_PROXY"]],
    ["certificates", ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "CLAUDE_CODE_CLIENT_CERT"]],
    ["Bedrock", ["CLAUDE_CODE_USE_BEDROCK", "AWS_PROFILE", "AWS_REGION", "AWS_BEARER_TOKEN_BEDROCK"]],
    [
      "Vertex",
      ["CLAUDE_CODE_USE_VERTEX", "CLOUD_ML_REGION", "GOOGLE_APPLICATION_CREDENTIALS", "VERTEX_REGION_CLAUDE_4_0_OPUS"],
    ],
    ["Foundry", ["CLAUDE_CODE_USE_FOUNDRY", "ANTHROPIC_FOUNDRY_RESOURCE", "AZURE_CLIENT_ID"]],
    ["ssh-agent", ["SSH_AUTH_SOCK", "SSH_AGENT_PID"]],
    ["git", ["GIT_AUTHOR_NAME", "GIT_COMMITTER_EMAIL", "GIT_SSH_COMMAND", "GH_TOKEN"]],
    ["tools", ["NVM_DIR", "CARGO_HOME", "JAVA_HOME", "GOPATH", "VIRTUAL_ENV", "PYENV_ROOT", "KUBECONFIG"]],
  ])("%s", (_, names) => {
    const parent = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
    expect(environment(parent, { clean: true })).toEqual({ ...ADDED, ...parent });
  });
});

describe("a clean environment does not get (S23)", () => {
  /**
   * All variables that Claude Code 2.1.325 gives to its hooks, MCP servers and commands, and those that npm, Node and
   * editors add.
   */
  const FOREIGN = [
    ...["CLAUDECODE", "CLAUDECODE_X", "AI_AGENT", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"],
    ...["CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_EXECPATH", "CLAUDE_EFFORT"],
    ...["CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR"],
    ...["COREPACK_ENABLE_AUTO_PIN", "NoDefaultCurrentDirectoryInExePath", "GIT_EDITOR", "SHLVL", "PWD", "OLDPWD", "_"],
    ...["NODE_OPTIONS", "NODE_PATH", "NODE_CHANNEL_FD", "NODE_ENV", "npm_config_registry", "npm_lifecycle_event"],
    ...["npm_package_name", "INIT_CWD", "VSCODE_PID", "ELECTRON_RUN_AS_NODE", "VITEST", "VITEST_WORKER_ID"],
    ...["GIT_DIR", "GIT_WORK_TREE", "GIT_CONFIG_COUNT", "GIT_INDEX_FILE", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES"],
    ...["QUARTERDECK_TOKEN", "SOME_SECRET", "DATABASE_URL"],
  ];
  const parent = Object.fromEntries(FOREIGN.map((name) => [name, "x"]));

  test("names that are on no list", () => {
    expect(environment(parent, { clean: true })).toEqual(ADDED);
  });

  test("the user may allow more, by name or prefix", () => {
    expect(
      environment({ SOME_SECRET: "x", DATABASE_URL: "y", DATABASE_KEY: "z" }, { clean: true, allow: ["DATABASE_*"] }),
    ).toEqual({
      ...ADDED,
      DATABASE_URL: "y",
      DATABASE_KEY: "z",
    });
  });

  test("even `*` does not allow variables that belong to another process", () => {
    const passed = Object.keys(environment(parent, { clean: true, allow: ["*"] }));
    expect(
      passed.filter((name) => /^(CLAUDECODE|CLAUDE_CODE_(ENTRY|CHILD|MESS)|NODE_OPT|npm_|VITEST)/.test(name)),
    ).toEqual([]);
    expect(passed).toContain("SOME_SECRET");
    const inner = environment({ ...parent, QUARTERDECK_SESSION: "outer:s:1" }, { clean: true, allow: ["*"] });
    expect(inner["QUARTERDECK_TOKEN"]).toBe(undefined);
  });

  test("a variable without a value is ignored", () => {
    expect(environment({ HOME: undefined, LANG: "" })).toEqual({ ...ADDED, LANG: "" });
  });
});

test("set values win over inherited ones and those of the host, but never over the marker", () => {
  const set = { HOME: "/other", CLAUDE_CODE_ENABLE_TODO_TOOLS: "0", QUARTERDECK_SESSION: "mine", NODE_OPTIONS: "--x" };
  expect(environment({ HOME: "/home/a" }, { set })).toEqual({ ...ADDED, ...set, QUARTERDECK_SESSION: "d:s:1" });
});

test("a host inside a session keeps that session's marker", () => {
  expect(environment({ QUARTERDECK_SESSION: "outer:s:1" })["QUARTERDECK_SESSION"]).toBe("outer:s:1 d:s:1");
});

describe("PATH", () => {
  const ownFolders = ["/srv/quarterdeck"];
  const GYP = "/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin";
  test.each([
    ["is the user's", "/home/a/bin:/usr/bin", "/home/a/bin:/usr/bin"],
    [
      "loses the entries that npm added in front",
      `/srv/quarterdeck/packages/server/node_modules/.bin:/srv/quarterdeck/node_modules/.bin:/srv/node_modules/.bin:/node_modules/.bin:${GYP}:/home/a/bin:/usr/bin`,
      "/home/a/bin:/usr/bin",
    ],
    [
      "loses the entries that npx added in front",
      `/home/a/.npm/_npx/1f2e/node_modules/.bin:/home/a/node_modules/.bin:${GYP}:/usr/bin`,
      "/usr/bin",
    ],
    [
      "loses what npm inside of npm put in front",
      `/srv/quarterdeck/node_modules/.bin:/x/node_modules/.bin:${GYP}:/srv/quarterdeck/node_modules/.bin:${GYP}:/usr/bin`,
      "/usr/bin",
    ],
    [
      "keeps the user's own .bin behind that",
      `/srv/quarterdeck/node_modules/.bin:${GYP}:/home/a/project/node_modules/.bin:/usr/bin`,
      "/home/a/project/node_modules/.bin:/usr/bin",
    ],
    [
      "loses our own Node, wherever it stands",
      "/usr/bin:/srv/quarterdeck/node_modules/node/bin:/srv/quarterdeck/node_modules/.bin/:/bin",
      "/usr/bin:/bin",
    ],
    ["loses entries that mean the session's folder", ".:/usr/bin::bin:./node_modules/.bin:", "/usr/bin"],
    ["is never empty", `/srv/quarterdeck/node_modules/.bin:${GYP}`, "/usr/local/bin:/usr/bin:/bin"],
  ])("%s", (_, parent, expected) => {
    expect(environment({ PATH: parent }, { ownFolders })["PATH"]).toBe(expected);
  });

  test("[S50] has no relative entry, inherited or set", () => {
    for (const path of [".:/usr/bin", ":/usr/bin", "/usr/bin:", "bin:/usr/bin:.."]) {
      expect(environment({ PATH: path })["PATH"]).toBe("/usr/bin");
      expect(environment({}, { set: { PATH: path } })["PATH"]).toBe("/usr/bin");
      expect(cleanPath(path)).toBe("/usr/bin");
    }
    expect(cleanPath(".")).toBe("/usr/local/bin:/usr/bin:/bin");
    expect(cleanPath(undefined)).toBe("/usr/local/bin:/usr/bin:/bin");
  });

  test("of a caller is its own, without our variables and those of an outer Claude Code (S23)", () => {
    const own = {
      PATH: "/caller/node_modules/.bin:/usr/bin",
      MY_TOKEN: "t",
      CLAUDE_CODE_ENTRYPOINT: "sdk-ts",
      npm_x: "1",
    };
    const more = { QUARTERDECK_TOKEN: "secret", CLAUDE_CODE_SESSION_ID: "s", CLAUDE_PROJECT_DIR: "/p" };
    const marker = "d:s:1";
    expect(spawnEnvironment({ ...own, ...more }, { marker, isCallers: true })).toEqual({
      ...own,
      QUARTERDECK_SESSION: marker,
    });
    // Below another Claude Code, its variables do not describe the caller.
    const nested = spawnEnvironment({ ...own, CLAUDECODE: "1" }, { marker, isCallers: true });
    expect(nested["CLAUDE_CODE_ENTRYPOINT"]).toBeUndefined();
    const clean = spawnEnvironment(own, { marker, isCallers: true, clean: true });
    expect([clean["MY_TOKEN"], clean["CLAUDE_CODE_ENTRYPOINT"]]).toEqual([undefined, "sdk-ts"]);
  });

  test("of this test run does not lead to the Node of the repository", () => {
    const { PATH, ...rest } = environment(process.env);
    const { stdout } = spawnSync("sh", ["-c", "command -v oxlint vitest tsc"], {
      env: { ...rest, PATH: PATH! },
      encoding: "utf8",
    });
    expect(stdout).not.toContain("node_modules");
  });
});
