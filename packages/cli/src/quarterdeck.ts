#!/usr/bin/env -S node --conditions=source
// The command `quarterdeck`: decodes argv, once, and hands on to the module that a command is named for, which is
// loaded only then: a recorder that is slow to start is not transparent.

import { enableCompileCache } from "node:module";
import packageJson from "../package.json" with { type: "json" };
import { dataDirOf, parse, refuseFlags, signalled, UsageError } from "./command.ts";
import type { Command } from "./command.ts";
import { ServerError } from "@quarterdeck/server/error";
import { REMOTE_COMMANDS } from "./remote/remote-commands.ts";
import { SERVER_COMMANDS } from "./serve/server-commands.ts";
import { isInteractive, isTerminal, looks, onOutputError, print, printJson, say } from "./terminal/printer.ts";
import { UserError } from "./user-error.ts";

enableCompileCache();

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ...SERVER_COMMANDS,
  ...REMOTE_COMMANDS,
  [
    "demo",
    {
      usage: "quarterdeck demo [--speed N]",
      about: "plays a session with the simulator: every feature in two minutes, without Claude Code",
      options: [["--speed N", "N times as fast (default 1)"]],
      run: async (args) => {
        const { values, positionals } = parse(args, { speed: { type: "string" } });
        const speed = Number(values.speed ?? 1);
        if (positionals.length > 0) throw new UsageError("demo takes no arguments.");
        if (!(speed > 0)) throw new UsageError("--speed takes a number above 0.");
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
  [
    "run",
    {
      usage: 'quarterdeck run [--resume ID] [--json] [--model M] [--mode MODE] [--cwd DIR] [--wait] … "prompt"',
      about: "one prompt in a session that is kept: streams, asks on a terminal, and can be gone on with",
      options: [
        ["--resume ID", "goes on in an earlier session: the beginning of its id, or its title"],
        ["--json", "events, one JSON object a line, instead of a transcript"],
        ["--model M", "as claude takes it"],
        ["--mode MODE", "permission mode: default, acceptEdits, plan, dontAsk, …"],
        ["--cwd DIR", "the folder to work in (default: this one)"],
        ["--wait", "beside a running server: what is asked is left to its other clients (a phone, say)"],
        ["--trust", "lets hooks, MCP servers and settings of that folder run, from now on"],
        ["--data-dir DIR", "where sessions are kept"],
        ["--claude PATH", "the program to run (default: claude on the PATH)"],
        ["exit codes", "0 done, 1 failed, 2 usage, 3 done but something was refused as nobody was there, 130 stopped"],
      ],
      run: async (args) => {
        const { values, positionals } = parse(args, {
          resume: { type: "string" },
          json: { type: "boolean" },
          model: { type: "string" },
          mode: { type: "string" },
          cwd: { type: "string" },
          trust: { type: "boolean" },
          wait: { type: "boolean" },
          "data-dir": { type: "string" },
          claude: { type: "string" },
        });
        const prompt = positionals.join(" ").trim();
        if (prompt === "") throw new UsageError("run needs a prompt.");
        if (values.resume !== undefined)
          refuseFlags(values, ["model", "mode", "cwd", "trust"], "is for a new session.");
        const { run } = await import("./run/run.ts");
        return run({
          prompt,
          version: packageJson.version,
          cwd: values.cwd ?? process.cwd(),
          json: values.json === true,
          trust: values.trust === true,
          leavesQuestions: values.wait === true,
          cli: {
            ...(values.model !== undefined && { model: values.model }),
            ...(values.mode !== undefined && { permissionMode: values.mode as "default" }),
          },
          ...(values.resume !== undefined && { resume: values.resume }),
          dataDir: await dataDirOf(values["data-dir"]),
          ...(values.claude !== undefined && { claude: values.claude }),
          ...looks(),
          interactive: isInteractive(),
          signal: signalled(),
        });
      },
    },
  ],
  [
    "probe",
    {
      usage: "quarterdeck probe [--json] [--all] [path to claude]",
      about: "what a claude program speaks, against what Quarterdeck knows; says what is new",
      options: [
        ["--json", "one JSON object instead of a table"],
        ["--all", "every list in full"],
      ],
      run: async (args) => {
        const { values, positionals } = parse(args, { json: { type: "boolean" }, all: { type: "boolean" } });
        const [claude, ...more] = positionals;
        if (more.length > 0) throw new UsageError("probe takes one path.");
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
      about: "runs claude, hands everything through unchanged, and writes down what crossed the pipes",
      options: [
        ["--out FILE", "where to (default: claude-<time>.ndjson here); FILE.meta.json comes beside it"],
        ["--redact", "keys, tokens, e-mail addresses, home, user, host and account become placeholders"],
        ["--force", "overwrites files that are there"],
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
        if (split === -1 || positionals.length > 0) throw new UsageError("The arguments of claude go behind `--`.");
        const { endLike, record } = await import("./record/record.ts");
        return endLike(await record({ ...values, args: args.slice(split + 1) }));
      },
    },
  ],
]);

const helpOf = async ({ usage, about, options }: Command): Promise<string> => {
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
  "\nWithout a command it is the server. `quarterdeck <command> --help` tells more,\n" +
  "`quarterdeck --version` the version.\n";

const main = async (argv: string[]): Promise<number> => {
  const [first, ...rest] = argv;
  // Alone, and with options alone, it is the server.
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
  if (own.includes("--help") || own.includes("-h")) {
    print(await helpOf(command));
    return 0;
  }
  return command.run(args);
};

// `quarterdeck ls | head`: whoever does not read on has seen enough.
onOutputError(["stdout"], (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
/** A bug. Node would print the error as it is, and its message may hold text of others. */
const fail = (error: unknown): void => {
  say(`quarterdeck: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
};
process.on("uncaughtException", (error) => {
  // A server may have its own way to go on.
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
