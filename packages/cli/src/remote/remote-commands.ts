// The commands that are clients of a running server. Each decodes its arguments and loads its module only then.

import { text } from "node:stream/consumers";
import packageJson from "../../package.json" with { type: "json" };
import { dataDirOf, parse, refuseFlags, signalled, UsageError } from "../command.ts";
import type { Command } from "../command.ts";
import { isInteractive, looks } from "../terminal/printer.ts";

const SERVER = { "data-dir": { type: "string" } } as const;
const SERVER_HELP = [
  ["--data-dir DIR", "of the server on this machine"],
  ["environment", "QUARTERDECK_URL and QUARTERDECK_TOKEN name a server elsewhere instead"],
] as const;
const JSON_FLAG = { json: { type: "boolean" } } as const;

const common = async (values: { readonly "data-dir"?: string | undefined }) => ({
  dataDir: await dataDirOf(values["data-dir"]),
  version: packageJson.version,
  env: process.env,
  ...looks(),
  interactive: isInteractive(),
});

const oneSession = ([session, ...more]: readonly string[], command: string): string => {
  if (session === undefined || more.length > 0)
    throw new UsageError(`${command} takes a session: the beginning of its id, or its title.`);
  return session;
};

const NEEDS_REQUEST = "needs the id of a request.";

const atMostTwo = ([wanted, request, ...more]: readonly string[], command: string) => {
  if (more.length > 0) throw new UsageError(`${command} takes the id of a request, or of a session and a request.`);
  return { ...(wanted !== undefined && { wanted }), ...(request !== undefined && { request }) };
};

export const REMOTE_COMMANDS: readonly (readonly [string, Command])[] = [
  [
    "ls",
    {
      usage: "quarterdeck ls [--all | --waiting] [--json] [words]",
      about: "sessions of the running server, and what waits for an answer",
      options: [
        ["words", "only sessions with these in their title, folder, id or last text"],
        ["--all", "also those without a process"],
        ["--waiting", "only those that wait for an answer"],
        ["--json", "a list of summaries"],
        ...SERVER_HELP,
      ],
      run: async (args) => {
        const flags = { all: { type: "boolean" }, waiting: { type: "boolean" }, ...JSON_FLAG, ...SERVER } as const;
        const { values, positionals } = parse(args, flags);
        const query = positionals.join(" ").trim();
        if (values.all === true && values.waiting === true) throw new UsageError("Either --all or --waiting.");
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
      usage: "quarterdeck attach SESSION [--last N] [--no-follow] [--json]",
      about: "follows a session of the running server: what you type is sent, what it asks is asked here",
      options: [
        ["SESSION", "the beginning of its id, or its title"],
        ["--last N", "begin N prompts back (default 1; 0 for only what comes)"],
        ["--no-follow", "show what there is, and leave"],
        ["--json", "events, one JSON object a line"],
        ...SERVER_HELP,
        ["leaving", "Ctrl-D or Ctrl-C; the session goes on"],
      ],
      run: async (args) => {
        const flags = { last: { type: "string" }, "no-follow": { type: "boolean" }, ...JSON_FLAG, ...SERVER } as const;
        const { values, positionals } = parse(args, flags);
        const session = oneSession(positionals, "attach");
        const last = Number(values.last ?? 1);
        if (!Number.isInteger(last) || last < 0) throw new UsageError("--last takes a whole number.");
        const { attach } = await import("./attach.ts");
        return attach({
          ...(await common(values)),
          session,
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
      about: "sends a prompt to a session of the running server; it is safe when the command ends",
      options: [
        ["SESSION", "the beginning of its id, or its title"],
        ["-", "reads the prompt from stdin"],
        ["--now", "interrupts what runs (default: it is taken in at the next step)"],
        ["--later", "after the turn that runs"],
        ["--file FILE", "an image, a PDF or another file with it; repeatable"],
        ["--wait", "stays until it is answered, and shows the answer; others may answer what is asked"],
        ["--json", "what was sent as one JSON object; with --wait, events, one a line"],
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
          throw new UsageError("send takes a session and a prompt.");
        if (values.now === true && values.later === true) throw new UsageError("Either --now or --later.");
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
      about: "allows what a session asks; without a name it shows what waits",
      options: [
        ["REQUEST", "the beginning of its id, as `quarterdeck ls` shows it"],
        ["SESSION", "where REQUEST is left out: its only one (on a terminal)"],
        [
          "on a terminal",
          "shows the whole request, page by page, and asks; in a script it shows all of it and answers",
        ],
        ["--for-session", "also what the CLI suggests to allow from now on, in this session alone"],
        ["--answer TEXT", "to a question: the number of an option, or words; one for each question"],
        ["--json", "the whole request, who answered and when; without a name, what waits"],
        ...SERVER_HELP,
        ["exit codes", "0 answered, 1 not (somebody was first, it is over), 2 usage"],
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
      about: "refuses what a session asks; without a name it shows what waits",
      options: [
        ["REQUEST", "the beginning of its id, as `quarterdeck ls` shows it"],
        ["SESSION", "where REQUEST is left out: its only one, after a look (on a terminal)"],
        ["--message TEXT", "what the model is told"],
        ["--stop", "ends the turn too"],
        ["--json", "the whole request, who answered and when; without a name, what waits"],
        ...SERVER_HELP,
        ["exit codes", "0 answered, 1 not (somebody was first, it is over), 2 usage"],
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
