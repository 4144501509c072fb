#!/usr/bin/env -S node --conditions=source
// The command `quarterdeck`: parses argv once, then loads the module of the command. Nothing else is loaded, because a
// recorder that starts slowly would not be transparent.

import { enableCompileCache } from "node:module";
import packageJson from "../package.json" with { type: "json" };
import { parse, signalled, UsageError } from "./command.ts";
import type { CliCommand } from "./command.ts";
import { ServerError } from "@quarterdeck/server/error";
import { ACP_COMMAND } from "./acp/acp-command.ts";
import { CLAUDE_COMMAND } from "./claude/claude-command.ts";
import { FLEET_COMMAND } from "./fleet/fleet-command.ts";
import { REMOTE_COMMANDS } from "./remote/remote-commands.ts";
import { RULES_COMMAND } from "./rules/rules-command.ts";
import { RUN_COMMAND } from "./run/run-command.ts";
import { SERVER_COMMANDS } from "./serve/server-commands.ts";
import { isTerminal, looks, onOutputError, print, printJson, say } from "./terminal/printer.ts";
import { UserError } from "./user-error.ts";

enableCompileCache();

const COMMANDS: ReadonlyMap<string, CliCommand> = new Map<string, CliCommand>([
  ...SERVER_COMMANDS,
  ...REMOTE_COMMANDS,
  ["rules", RULES_COMMAND],
  ["acp", ACP_COMMAND],
  ["fleet", FLEET_COMMAND],
  [
    "demo",
    {
      usage: "quarterdeck demo [--speed N]",
      about: "plays a two-minute tour with the simulator, without Claude Code",
      options: [["--speed N", "N times as fast (default 1)"]],
      run: async (args) => {
        const { values, positionals } = parse(args, { speed: { type: "string" } });
        const speed = Number(values.speed ?? 1);
        if (positionals.length > 0) throw new UsageError("demo does not accept arguments.");
        if (!(speed > 0)) throw new UsageError("--speed needs a number above 0.");
        const { demo } = await import("./demo/demo.ts");
        await demo({
          ...looks(),
          speed,
          pauses: isTerminal("stdout"),
          signal: signalled(),
        });
        return 0;
      },
    },
  ],
  ["run", RUN_COMMAND],
  ["claude", CLAUDE_COMMAND],
  [
    "probe",
    {
      usage: "quarterdeck probe [--json] [--all] [path to claude]",
      about: "compares the messages and flags of a claude program with those that Quarterdeck knows",
      options: [
        ["--json", "prints one JSON object instead of a table"],
        ["--all", "prints every list in full"],
      ],
      run: async (args) => {
        const { values, positionals } = parse(args, { json: { type: "boolean" }, all: { type: "boolean" } });
        const [claude, ...more] = positionals;
        if (more.length > 0) throw new UsageError("probe accepts one path.");
        const [{ probe }, { probeTable }] = await Promise.all([
          import("./probe/probe.ts"),
          import("./probe/probe-table.ts"),
        ]);
        const report = await probe({ signal: signalled(), ...(claude !== undefined && { claude }) });
        if (values.json === true) printJson(report, 2);
        else print(probeTable(report, { ...looks(), all: values.all === true }));
        return report.live.ok ? 0 : 1;
      },
    },
  ],
  [
    "record",
    {
      usage: "quarterdeck record [--out FILE] [--redact] [--force] [--claude PATH] -- <arguments of claude>",
      about: "runs claude, passes everything through unchanged, and records its stdin and stdout",
      options: [
        ["--out FILE", "the recording (default: claude-<time>.ndjson in this folder); FILE.meta.json is next to it"],
        ["--redact", "replaces keys, tokens, e-mail addresses, home, user, host and account by placeholders"],
        ["--force", "overwrites existing files"],
        ["--claude PATH", "the program to run (default: claude on the PATH)"],
      ],
      run: async (args) => {
        const split = args.indexOf("--");
        const { values, positionals } = parse(split === -1 ? args : args.slice(0, split), {
          out: { type: "string" },
          redact: { type: "boolean" },
          force: { type: "boolean" },
          claude: { type: "string" },
        });
        if (split === -1 || positionals.length > 0) throw new UsageError("Put the arguments of claude after `--`.");
        const { endLike, record } = await import("./record/record.ts");
        return endLike(await record({ ...values, args: args.slice(split + 1) }));
      },
    },
  ],
]);

const helpOf = async ({ usage, about, options }: CliCommand): Promise<string> => {
  const rows = typeof options === "function" ? await options() : options;
  const width = Math.max(16, ...rows.map(([option]) => option.length + 2));
  return (
    `${usage}\n\n${about[0]!.toUpperCase()}${about.slice(1)}.\n\n` +
    rows.map(([option, meaning]) => `  ${option.padEnd(width)}${meaning}\n`).join("")
  );
};

const help = (): string =>
  `Quarterdeck ${packageJson.version}: a host for the Claude Code CLI.\n\n` +
  [...COMMANDS.values()].map(({ usage, about }) => `  ${usage}\n      ${about}\n`).join("\n") +
  "\nThe default command is serve. `quarterdeck <command> --help` shows the options of a command,\n" +
  "`quarterdeck --version` shows the version.\n";

const main = async (argv: string[]): Promise<number> => {
  const [first, ...rest] = argv;
  // Without a command, or with options only, it is the server.
  const isServe = first === undefined || (first.startsWith("--") && !/^--(?:help|version)$/u.test(first));
  const [name, args] = isServe ? ["serve", argv] : [first, rest];
  if (name === "help" || name === "--help" || name === "-h") {
    const [about] = args;
    const named = about === undefined ? undefined : COMMANDS.get(about);
    if (about !== undefined && named === undefined) throw new UsageError(`There is no command \`${about}\`.`);
    print(named === undefined ? help() : await helpOf(named));
    return 0;
  }
  if (name === "--version" || name === "-v") {
    print(`${packageJson.version}\n`);
    return 0;
  }
  const command = COMMANDS.get(name);
  if (command === undefined) throw new UsageError(`There is no command \`${name}\`.`);
  const own = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  if (command.passesHelp !== true && (own.includes("--help") || own.includes("-h"))) {
    print(await helpOf(command));
    return 0;
  }
  return command.run(args);
};

// `quarterdeck ls | head`: a reader that stops reading is not an error.
// `claude` may replace this process, and must not open its streams before.
if (process.argv[2] !== "claude")
  onOutputError(["stdout"], (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
/** A bug. Node would print the raw error, and its message may contain text of others. */
const fail = (error: unknown): void => {
  say(`quarterdeck: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
};
process.on("uncaughtException", (error) => {
  // A server may handle it itself.
  if (process.listenerCount("uncaughtException") > 1) return;
  fail(error);
  process.exit();
});
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UserError || error instanceof ServerError) {
    const hint = error instanceof UsageError ? " See `quarterdeck --help`." : "";
    say(`quarterdeck: ${error.message}${hint}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  } else if (error instanceof Error && error.name === "AbortError") process.exitCode = 130;
  else fail(error);
}
