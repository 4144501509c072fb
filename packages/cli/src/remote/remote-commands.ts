// The commands that are clients of a running server. Each parses its arguments, then loads its module.

import { text } from "node:stream/consumers";
import packageJson from "../../package.json" with { type: "json" };
import { dataDirOf, parse, refuseFlags, signalled, UsageError } from "../command.ts";
import type { CliCommand } from "../command.ts";
import { isInteractive, looks, sizeNow } from "../terminal/printer.ts";

const SERVER = { "data-dir": { type: "string" }, on: { type: "string" } } as const;
const SERVER_HELP = [
  ["--on NODE", "on another machine of the fleet; `quarterdeck fleet ls` shows them"],
  ["--data-dir DIR", "the data directory of the server on this machine"],
  ["environment", "QUARTERDECK_URL and QUARTERDECK_TOKEN select a server on another machine"],
] as const;
const JSON_FLAG = { json: { type: "boolean" } } as const;

const common = async (values: { readonly "data-dir"?: string | undefined; readonly on?: string | undefined }) => ({
  dataDir: await dataDirOf(values["data-dir"]),
  version: packageJson.version,
  env: process.env,
  ...(values.on !== undefined && { on: values.on }),
  ...looks(),
  interactive: isInteractive(),
});

const oneSession = ([session, ...more]: readonly string[], command: string): string => {
  if (session === undefined || more.length > 0)
    throw new UsageError(`${command} needs a session: the start of its id, or its title.`);
  return session;
};

const NEEDS_REQUEST = "needs the id of a request.";

const atMostTwo = ([wanted, request, ...more]: readonly string[], command: string) => {
  if (more.length > 0) throw new UsageError(`${command} accepts the id of a request, or of a session and a request.`);
  return { ...(wanted !== undefined && { wanted }), ...(request !== undefined && { request }) };
};

export const REMOTE_COMMANDS: readonly (readonly [string, CliCommand])[] = [
  [
    "ls",
    {
      usage: "quarterdeck ls [--all | --waiting] [--on NODE] [--json] [words]",
      about: "lists sessions of the running server, or of its whole fleet, and their open requests",
      options: [
        ["words", "only sessions with these words in the title, folder, id or last text"],
        ["--all", "also sessions without a process"],
        ["--waiting", "only sessions that need an answer"],
        ["--json", "prints the summaries as JSON"],
        ...SERVER_HELP,
      ],
      run: async (args) => {
        const flags = { all: { type: "boolean" }, waiting: { type: "boolean" }, ...JSON_FLAG, ...SERVER } as const;
        const { values, positionals } = parse(args, flags);
        const query = positionals.join(" ").trim();
        if (values.all === true && values.waiting === true) throw new UsageError("Use either --all or --waiting.");
        const state = values.waiting === true ? "waiting" : values.all === true || query !== "" ? "all" : "live";
        const { listSessions } = await import("./list-sessions.ts");
        return listSessions({
          ...(await common(values)),
          state,
          json: values.json === true,
          now: Date.now(),
          ...(query !== "" && { query }),
        });
      },
    },
  ],
  [
    "attach",
    {
      usage: "quarterdeck attach [SESSION | --last] [--last N] [--on NODE] [--no-follow] [--json]",
      about: "follows a session of the running server; you can type prompts and answer its requests",
      options: [
        ["SESSION", "the start of its id, or its title; without it you pick one from a list"],
        ["--last", "the session that was used last"],
        ["--last N", "starts N prompts back (default 1; 0 shows only new output)"],
        ["--no-follow", "prints the session and exits"],
        ["--json", "prints events, one JSON object per line"],
        ...SERVER_HELP,
        ["to leave", "Ctrl-D or Ctrl-C; the session continues"],
      ],
      run: async (args) => {
        const flags = { last: { type: "string" }, "no-follow": { type: "boolean" }, ...JSON_FLAG, ...SERVER } as const;
        // `--last` alone is the session, `--last N` a number of prompts.
        const isNumber = (word: string | undefined): boolean => word !== undefined && /^-?\d+(?:\.\d+)?$/u.test(word);
        const named = args.filter((word, at) => word !== "--last" || isNumber(args[at + 1]));
        const newest = named.length < args.length;
        const { values, positionals } = parse(named, flags);
        const session = positionals.length === 0 ? undefined : oneSession(positionals, "attach");
        if (newest && session !== undefined) throw new UsageError("--last without a number takes no session.");
        const last = Number(values.last ?? 1);
        if (!Number.isInteger(last) || last < 0) throw new UsageError("--last needs a whole number.");
        const { attach } = await import("./attach.ts");
        return attach({
          ...(await common(values)),
          session,
          newest,
          sizeNow,
          last,
          follows: values["no-follow"] !== true,
          json: values.json === true,
          signal: signalled(),
        });
      },
    },
  ],
  [
    "send",
    {
      usage: 'quarterdeck send SESSION [--now | --later] [--file FILE]... [--wait] [--json] "prompt" | -',
      about: "sends a prompt to a session of the running server; the prompt is on disk when the command ends",
      options: [
        ["SESSION", "the start of its id, or its title"],
        ["-", "reads the prompt from stdin"],
        ["--now", "interrupts the running turn (default: the prompt is added at the next step)"],
        ["--later", "sends it after the running turn"],
        ["--file FILE", "attaches an image, a PDF or another file; repeatable"],
        ["--wait", "waits for the answer and shows it; other clients answer requests"],
        ["--json", "prints the sent prompt as one JSON object; with --wait, events, one per line"],
        ...SERVER_HELP,
        ["exit codes", "0 sent (with --wait: done), 1 failed, 2 usage, 130 stopped"],
      ],
      run: async (args) => {
        const { values, positionals } = parse(args, {
          now: { type: "boolean" },
          later: { type: "boolean" },
          file: { type: "string", multiple: true },
          wait: { type: "boolean" },
          ...JSON_FLAG,
          ...SERVER,
        });
        const [session, ...words] = positionals;
        const typed = words.join(" ").trim();
        const prompt = typed === "-" ? (await text(process.stdin)).trim() : typed;
        if (session === undefined || (prompt === "" && values.file === undefined))
          throw new UsageError("send needs a session and a prompt.");
        if (values.now === true && values.later === true) throw new UsageError("Use either --now or --later.");
        const priority = values.now === true ? "now" : values.later === true ? "later" : undefined;
        const { sendPrompt } = await import("./send-prompt.ts");
        return sendPrompt({
          ...(await common(values)),
          session,
          prompt,
          files: values.file ?? [],
          wait: values.wait === true,
          json: values.json === true,
          leavesQuestions: true,
          ...(priority !== undefined && { priority }),
          signal: signalled(),
        });
      },
    },
  ],
  [
    "approve",
    {
      usage: "quarterdeck approve [[SESSION] REQUEST] [--for-session] [--answer TEXT]... [--json]",
      about: "allows a request of a session; without arguments it lists open requests",
      options: [
        ["REQUEST", "the start of its id; `quarterdeck ls` shows it"],
        ["SESSION", "without REQUEST: the only open request of the session (in a terminal only)"],
        ["in a terminal", "shows the whole request page by page and asks; in a script it prints all of it and answers"],
        ["--for-session", "also allows what the CLI suggests, for this session only"],
        ["--answer TEXT", "answers a question with the number of an option, or with words; once per question"],
        ["--json", "prints the whole request, who answered and when; without arguments, open requests"],
        ...SERVER_HELP,
        ["exit codes", "0 answered, 1 not answered (already answered or closed), 2 usage"],
      ],
      run: async (args) => {
        const { values, positionals } = parse(args, {
          "for-session": { type: "boolean" },
          answer: { type: "string", multiple: true },
          ...JSON_FLAG,
          ...SERVER,
        });
        if (positionals.length === 0) refuseFlags(values, ["for-session", "answer"], NEEDS_REQUEST);
        const { answerRequest } = await import("./answer-request.ts");
        return answerRequest({
          ...(await common(values)),
          ...atMostTwo(positionals, "approve"),
          decision: { kind: "allow", forSession: values["for-session"] === true, answers: values.answer ?? [] },
          json: values.json === true,
          signal: signalled(),
        });
      },
    },
  ],
  [
    "deny",
    {
      usage: "quarterdeck deny [[SESSION] REQUEST] [--message TEXT] [--stop] [--json]",
      about: "denies a request of a session; without arguments it lists open requests",
      options: [
        ["REQUEST", "the start of its id; `quarterdeck ls` shows it"],
        ["SESSION", "without REQUEST: the only open request of the session (in a terminal only)"],
        ["--message TEXT", "tells the model why"],
        ["--stop", "also ends the turn"],
        ["--json", "prints the whole request, who answered and when; without arguments, open requests"],
        ...SERVER_HELP,
        ["exit codes", "0 answered, 1 not answered (already answered or closed), 2 usage"],
      ],
      run: async (args) => {
        const { values, positionals } = parse(args, {
          message: { type: "string" },
          stop: { type: "boolean" },
          ...JSON_FLAG,
          ...SERVER,
        });
        if (positionals.length === 0) refuseFlags(values, ["message", "stop"], NEEDS_REQUEST);
        const { answerRequest } = await import("./answer-request.ts");
        return answerRequest({
          ...(await common(values)),
          ...atMostTwo(positionals, "deny"),
          decision: {
            kind: "deny",
            message: values.message ?? "The user declined.",
            interrupt: values.stop === true,
          },
          json: values.json === true,
          signal: signalled(),
        });
      },
    },
  ],
];
