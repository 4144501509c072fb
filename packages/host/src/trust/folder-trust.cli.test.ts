// A hostile folder in front of real CLIs. Every file that could run a program names a program that leaves a canary
// file. Without protection the canaries appear, and only for files that `readFolder` knows. With protection none
// appears.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { controlRequest, userMessage } from "@quarterdeck/protocol";
import { describe, expect, test } from "vitest";
import { valueOf, watch } from "../process/child-script.fixture.ts";
import { readFolder, untrustedOptions } from "./folder-trust.ts";
import { untrustedEnvironment } from "./git-trust.ts";
import { realCli } from "@quarterdeck/test-kit/real-cli";
import type { RealCli } from "@quarterdeck/test-kit/real-cli";
import { IS_WHOLE, TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";

const put = (path: string, content: unknown): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
};
const git = (folder: string, ...args: string[]): void => {
  mkdirSync(folder, { recursive: true });
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-C", folder, ...args], { stdio: "pipe" });
};

/** The name of the canary says which file started it: `a/.mcp.json` becomes `a%.mcp.json`. */
const canaryIn = (cli: RealCli, file: string): string =>
  `touch '${join(cli.outside, relative(cli.cwd, file).replaceAll("/", "%"))}'`;
const canariesOf = (cli: RealCli): string[] =>
  readdirSync(cli.outside)
    .map((name) => name.replaceAll("%", "/"))
    .toSorted();

/** Hooks in both settings files, and a server. */
const fill = (cli: RealCli, folder: string): void => {
  for (const name of ["settings.json", "settings.local.json"]) {
    const file = join(folder, ".claude", name);
    const hook = [{ hooks: [{ type: "command", command: canaryIn(cli, file) }] }];
    put(file, { hooks: { SessionStart: hook, UserPromptSubmit: hook } });
  }
  const mcp = join(folder, ".mcp.json");
  const server = relative(cli.cwd, folder).replaceAll("/", "-") || "top";
  put(mcp, { mcpServers: { [server]: { command: "/bin/sh", args: ["-c", canaryIn(cli, mcp)] } } });
};

const PROMPT = "look around";
const SCRIPTS = [
  {
    when: PROMPT,
    steps: [
      { say: [{ tool: "Bash", input: { command: "git status", description: "Show the state of the repository" } }] },
      { say: [{ text: "Done." }] },
    ],
  },
];

/** The tool has another name in older versions. */
const AGENT_SCRIPTS = [
  {
    when: "send the helper",
    steps: [
      {
        say: ["Task", "Agent"].map((tool) => ({
          tool,
          input: { subagent_type: "helper", description: "Help", prompt: PROMPT },
        })),
      },
      { say: [{ text: "Done." }] },
    ],
  },
];

/** Runs turns in a folder below `cwd`. By default, one turn with a command that the CLI allows without asking. */
const turns = async (
  cli: RealCli,
  folder: string,
  isProtected: boolean,
  prompts: readonly string[] = [PROMPT],
): Promise<void> => {
  const cwd = join(cli.cwd, folder);
  const options = isProtected
    ? cli.options(untrustedOptions({}), await untrustedEnvironment(cwd, cli.options().env))
    : cli.options();
  let results = 0;
  const { process, saw } = watch({
    ...options,
    cwd,
    onLine: (decoded) => {
      if (valueOf(decoded)?.["type"] === "result") results++;
    },
  });
  await process.send(controlRequest("init", { subtype: "initialize" }));
  for (const [at, prompt] of prompts.entries()) {
    await process.send(userMessage(prompt));
    await expect.poll(() => results, { interval: 20 }).toBeGreaterThan(at);
  }
  expect(await saw("result")).toMatchObject({ subtype: "success", is_error: false });
  await process.close();
};

const settingsAndServers = async (version: string): Promise<RealCli> => {
  const cli = await realCli(version, SCRIPTS);
  const inside = (path: string): string => join(cli.cwd, path);
  for (const folder of ["", "main", "main/a", "main/a/b"]) fill(cli, inside(folder));
  git(inside("main"), "init", "-q");
  git(inside("main"), "commit", "-q", "--allow-empty", "-m", "first");
  git(inside("main"), "worktree", "add", "-q", inside("tree"));
  fill(cli, inside("tree"));
  fill(cli, inside("tree/sub"));
  return cli;
};

describe.each(TRIED_VERSIONS)("CLI %s", (version) => {
  test.each(["main/a/b", ...(IS_WHOLE ? ["tree/sub"] : [])])(
    "the settings and servers of %s run without a question, but not if it is untrusted",
    async (folder) => {
      const hostile = await settingsAndServers(version);
      await turns(hostile, folder, false);
      const sang = canariesOf(hostile);
      expect(sang).toEqual(
        expect.arrayContaining([
          ".mcp.json",
          `${folder}/.claude/settings.json`,
          `${folder}/.claude/settings.local.json`,
          `${folder}/.mcp.json`,
        ]),
      );
      const { files } = await readFolder(join(hostile.cwd, folder), { configDir: join(hostile.home, ".claude") });
      const known = files.map(({ path }) => relative(hostile.cwd, path));
      expect(sang.filter((file) => !known.includes(file))).toEqual([]);

      const guarded = await settingsAndServers(version);
      await turns(guarded, folder, true);
      expect(canariesOf(guarded)).toEqual([]);
    },
  );

  /** A repository whose own git configuration names programs. */
  const repository = async (settings: readonly string[]): Promise<RealCli> => {
    const cli = await realCli(version, [...AGENT_SCRIPTS, ...SCRIPTS]);
    git(cli.cwd, "init", "-q");
    put(join(cli.cwd, "file"), "1");
    put(join(cli.cwd, ".gitattributes"), "file filter=evil\n");
    git(cli.cwd, "add", ".");
    git(cli.cwd, "commit", "-q", "-m", "first");
    put(join(cli.cwd, "file"), "2");
    for (const setting of settings) {
      const script = join(cli.home, setting);
      // A filter must copy its input. A monitor that read its input would wait forever.
      const rest = setting.startsWith("filter") ? "cat" : "exit 1";
      put(script, `#!/bin/sh\n${canaryIn(cli, join(cli.cwd, setting))}\n${rest}\n`);
      chmodSync(script, 0o755);
      git(cli.cwd, "config", setting, script);
    }
    return cli;
  };
  const MONITOR = ["core.fsmonitor"];
  const BOTH = ["core.fsmonitor", "filter.evil.clean"];

  // One session for both, because most of the time of such a test is the start of the CLI.
  test("[S34] commands, skills, agents and programs of git (S8) run without a question, but not if the folder is untrusted", async () => {
    const filled = async (): Promise<RealCli> => {
      const cli = await repository(BOTH);
      const file = (name: string, head: string): void => {
        const path = join(cli.cwd, name);
        const canary = canaryIn(cli, path);
        const hook = `hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: "${canary}"\n`;
        put(path, `---\n${head}description: ours\nallowed-tools: Bash\n${hook}---\n!\`${canary}\`\n${PROMPT}\n`);
      };
      // The CLI also loads commands of the folders above, up to the repository's root.
      file(".claude/commands/above.md", "");
      file("sub/.claude/commands/run.md", "");
      file("sub/.claude/skills/learn/SKILL.md", "name: learn\n");
      file("sub/.claude/agents/helper.md", "name: helper\n");
      return cli;
    };
    const PROMPTS = ["/above", "/run", "/learn", "send the helper", PROMPT];
    const hostile = await filled();
    await turns(hostile, "sub", false, PROMPTS);
    const sang = canariesOf(hostile);
    const COMMANDS = [".claude/commands/above.md", "sub/.claude/commands/run.md", "sub/.claude/skills/learn/SKILL.md"];
    expect(sang).toEqual(expect.arrayContaining([...COMMANDS, ...BOTH]));
    const { files } = await readFolder(join(hostile.cwd, "sub"), { configDir: join(hostile.home, ".claude") });
    const known = files.map(({ path }) => relative(hostile.cwd, path));
    const sangFiles = sang.filter((name) => !BOTH.includes(name));
    expect(known).toEqual(expect.arrayContaining([...COMMANDS, ...sangFiles, "sub/.claude/agents/helper.md"]));

    const guarded = await filled();
    await turns(guarded, "sub", true, PROMPTS);
    expect(canariesOf(guarded)).toEqual([]);
  });

  test("a program that is the repository's only one does not run if it is untrusted (S8)", async () => {
    const guarded = await repository(MONITOR);
    await turns(guarded, "", true);
    expect(canariesOf(guarded)).toEqual([]);
  });
});
