// A host over a real CLI in front of a scripted API, and the shared steps of its tests.

import { join } from "node:path";
import { startApi } from "@quarterdeck/simulator";
import type { Script } from "@quarterdeck/simulator";
import type { Event, Row, Streamed } from "@quarterdeck/session";
import { onTestFinished } from "vitest";
import { cacheFolder, claudeProgram } from "./claude-cache.ts";
import { cleanEnv } from "./clean-env.ts";
import { createMemoryStore, Host } from "@quarterdeck/host";
import type { HostOptions, Session, StartOptions } from "@quarterdeck/host";
import { ONE_COLOUR, SEVERAL_SIZES } from "./questions.ts";
import { scratchFolder } from "./scratch-folder.ts";

export const DATA_DIR = `host-test-${String(process.pid)}`;

export const SCRIPTS: readonly Script[] = [
  { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
  {
    when: "touch",
    steps: [
      { say: [{ text: "Making it." }, { tool: "Bash", input: { command: "touch made.txt" } }] },
      { say: [{ text: "Made." }] },
    ],
  },
  // No test waits for its end: it is stopped, however slow the machine is.
  { when: "slow", steps: [{ say: [{ text: "word ".repeat(8000) }], pace: { deltaMs: 40, deltaChars: 5 } }] },
  {
    when: "[[sleep]]",
    steps: [
      { say: [{ tool: "Bash", input: { command: "sleep 300", description: "Sleep" } }] },
      { say: [{ text: "Slept." }] },
    ],
  },
  {
    when: "[[ask]]",
    steps: [
      {
        say: [
          {
            tool: "AskUserQuestion",
            input: {
              questions: [ONE_COLOUR, SEVERAL_SIZES],
            },
          },
        ],
      },
      { say: [{ text: "Thanks." }] },
    ],
  },
  {
    when: "[[plan]]",
    steps: [
      { say: [{ tool: "ExitPlanMode", input: { plan: "# Plan\n1. Nothing" } }] },
      { say: [{ text: "Planned." }] },
    ],
  },
  {
    // Ends after the test has written the file `go`.
    when: "[[background]]",
    steps: [
      {
        say: [
          {
            tool: "Bash",
            input: { command: "until [ -e go ]; do sleep 0.05; done; echo bg", run_in_background: true },
          },
        ],
      },
      { say: [{ text: "Running." }] },
      { say: [{ text: "It has ended." }] },
    ],
  },
  {
    when: "unauthorised",
    steps: [{ fail: [{ status: 401, type: "authentication_error", message: "bad key", always: true }] }],
  },
  {
    when: "overloaded",
    steps: [{ fail: [{ status: 529, type: "overloaded_error", message: "busy" }], say: [{ text: "At last." }] }],
  },
  {
    when: "[[steps]]",
    steps: [
      { say: [{ tool: "Bash", input: { command: "echo 1" } }] },
      { say: [{ tool: "Bash", input: { command: "echo 2" } }] },
      { say: [{ text: "Done." }] },
    ],
  },
];

export const bench = async (version: string, over: Partial<HostOptions> = {}, scripts: readonly Script[] = []) => {
  const root = scratchFolder();
  const program = await claudeProgram(version);
  const api = await startApi({ scenario: { name: "host", scripts: [...scripts, ...SCRIPTS] } });
  onTestFinished(() => api.close());
  const store = createMemoryStore();
  const options: HostOptions = {
    store,
    claude: { command: program.command, prefixArgs: program.args, version },
    environment: () =>
      cleanEnv({ home: root, tmp: root, apiUrl: api.url, compileCache: join(cacheFolder(), "compiled") }),
    dataDirId: DATA_DIR,
    ...over,
  };
  const host = await Host.open(options);
  onTestFinished(() => host.close());
  const start = (more: Partial<StartOptions> = {}): Promise<Session> => host.start({ cwd: root, ...more });
  return { host, store, root, start, options, api };
};

export const until = (session: Session, isIt: (event: Event | Streamed) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const stop = session.subscribe((event) => {
      if (!isIt(event)) return;
      stop();
      resolve();
    });
  });
/** A state, which may be there already. */
export const when = async (session: Session, isIt: () => boolean): Promise<void> => {
  if (!isIt()) await until(session, isIt);
};
export const received =
  (type: string, subtype?: string) =>
  (event: Event | Streamed): boolean => {
    if (event.type !== "received") return false;
    const message = event.message as { type?: string; subtype?: string; request?: { subtype?: string } };
    return (
      message.type === type && (subtype === undefined || (message.subtype ?? message.request?.subtype) === subtype)
    );
  };
export const result = (session: Session) => until(session, received("result"));
export const asked = (session: Session) => until(session, received("control_request", "can_use_tool"));
export const turn = async (session: Session, text: string): Promise<void> => {
  const done = result(session);
  await session.prompt(text);
  await done;
};
/** Sends a prompt, waits for the request, answers it, and waits for the result. */
export const answered = async (
  session: Session,
  text: string,
  answer: Parameters<Session["respond"]>[1],
): Promise<void> => {
  const request = asked(session);
  const done = result(session);
  await session.prompt(text);
  await request;
  await session.respond(session.head.requests[0]!.id, answer, { id: "tester" });
  await done;
};
export const tool = (session: Session) => session.rows.findLast((row) => row.kind === "tool");
export const lastTurn = (session: Session) => session.rows.findLast((row) => row.kind === "turn");
export const texts = (rows: readonly Row[]) => rows.flatMap((row) => (row.kind === "text" ? [row.text] : []));
export const states = (session: Session) => session.rows.flatMap((row) => (row.kind === "prompt" ? [row.state] : []));
