// The command `run`. Its help stands here, so that the other commands do not load the flags of Claude Code.

import { resolve } from "node:path";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import packageJson from "../../package.json" with { type: "json" };
import { signalled, UsageError } from "../command.ts";
import type { CliCommand } from "../command.ts";
import { isInteractive, looks } from "../terminal/printer.ts";

export const RUN_COMMAND: CliCommand = {
  usage: 'quarterdeck run [--resume ID | --continue] [--json] [--model M] [--cwd DIR] [--wait] … "prompt"',
  about: "runs one prompt in a stored session that can be resumed; takes the flags of claude -p",
  options: [
    ["--resume ID", "resumes an earlier session, by the start of its id or its title"],
    ["--continue", "continues the latest conversation of the folder"],
    ["--json", "prints events, one JSON object per line, instead of text"],
    ["--output-format F", "text, json or stream-json, as claude -p prints, with its exit codes"],
    ["--model M", "the model, as for claude"],
    ["--mode MODE", "permission mode: default, acceptEdits, plan, dontAsk, …"],
    ["--cwd DIR", "the folder to work in (default: this one)"],
    ["--on NODE", "on another machine of the fleet, in the folder --cwd of that machine"],
    ["--session-id UUID", "the id of the new session"],
    ["other claude flags", "--allowedTools, --disallowedTools, --tools, --append-system-prompt, --max-turns,"],
    ["", "--max-budget-usd, --add-dir, --mcp-config, --settings, --effort, --debug, …"],
    ["--wait", "with a running server: other clients, such as a phone, answer requests"],
    ["--trust", "trusts the hooks, MCP servers and settings of that folder from now on"],
    ["--data-dir DIR", "where sessions are kept"],
    ["--claude PATH", "the program to run (default: claude on the PATH)"],
    ["exit codes", "0 done, 1 failed, 2 usage, 3 done but a request had no answer, 130 stopped"],
  ],
  run: async (args) => {
    const { parseRun } = await import("./run-args.ts");
    const { own, cli, prompt: given, resume, continues, sessionId, output } = parseRun(args);
    const [{ run }, { promptWithStdin, StdinTooLong }, { readServeSettings: readSettings }] = await Promise.all([
      import("./run.ts"),
      import("./read-stdin.ts"),
      import("../serve/settings.ts"),
    ]);
    const look = looks();
    const prompt = await promptWithStdin(given, process.stdin, look.say).catch((error: unknown) => {
      throw error instanceof StdinTooLong ? new UsageError(error.message) : error;
    });
    if (prompt.trim() === "") throw new UsageError("run needs a prompt, as an argument or on stdin.");
    const { asClaudeWrites } = await import("./claude-output.ts");
    const claude = output === "transcript" || output === "events" ? undefined : asClaudeWrites(output, look.write);
    const program = own["--claude"];
    const flags = { "data-dir": textOf(own["--data-dir"]) };
    const settings = readSettings({ flags, env: process.env, cwd: process.cwd() });
    const on = textOf(own["--on"]);
    const folder = textOf(own["--cwd"]);
    if (on !== undefined && resume === undefined && !isWholePath(folder))
      throw new UsageError("--on needs --cwd with the whole path of a folder on that machine.");
    const code = await run({
      ...look,
      ...(claude !== undefined && { write: claude.write }),
      prompt,
      version: packageJson.version,
      cwd: on === undefined ? resolve(folder ?? process.cwd()) : (folder ?? "/"),
      ...(on !== undefined && { on }),
      json: output !== "transcript",
      trust: own["--trust"] === true,
      leavesQuestions: own["--wait"] === true,
      cli: withPaths(cli),
      continues,
      ...(sessionId !== undefined && { sessionId }),
      ...(resume !== undefined && { resume }),
      dataDir: settings.dataDir,
      settings,
      ...(typeof program === "string" && { claude: program }),
      interactive: isInteractive(),
      signal: signalled(),
    });
    claude?.end();
    // Claude Code denies what nobody can answer, too, and its result lists that.
    return claude !== undefined && code === DENIED ? 0 : code;
  },
};

/** Done, but a request had no answer. */
const DENIED = 3;

const isWholePath = (path: string | undefined): boolean => path !== undefined && /^(?:\/|[a-z]:[\\/])/iu.test(path);

/** Paths are meant from here, also if the session works in another folder. */
const withPaths = (cli: ClaudeOptions): ClaudeOptions => ({
  ...cli,
  ...(typeof cli.settings === "string" && { settings: resolve(cli.settings) }),
  ...(cli.mcpConfig !== undefined && {
    mcpConfig: cli.mcpConfig.map((one) => (typeof one === "string" ? resolve(one) : one)),
  }),
  ...(cli.addDir !== undefined && { addDir: cli.addDir.map((path) => resolve(path)) }),
  ...(cli.pluginDir !== undefined && { pluginDir: cli.pluginDir.map((path) => resolve(path)) }),
  ...(cli.debugFile !== undefined && { debugFile: resolve(cli.debugFile) }),
});

const textOf = (value: string | true | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;
