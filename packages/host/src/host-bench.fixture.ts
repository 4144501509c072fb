// A host over the simulator, which plays scripts, and the shared steps of its tests.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "@quarterdeck/simulator";
import type { Event, PromptRow, Row, Streamed } from "@quarterdeck/session";
import { onTestFinished } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import type { EventStore } from "./store/event-store.ts";
import { Host } from "./host.ts";
import type { HostOptions } from "./host.ts";
import { HostError } from "./host-error.ts";
import { createMemoryStore } from "./store/memory-store.ts";
import type { Session } from "./session/session.ts";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";

export interface Bench {
  readonly host: Host;
  readonly store: EventStore;
  readonly cwd: string;
  readonly options: HostOptions;
  readonly errors: unknown[];
}

/** A host over the simulator, which plays the scripts. */
export const bench = async (
  scripts: readonly Script[],
  over: Partial<HostOptions> = {},
  env: Record<string, string> = {},
): Promise<Bench> => {
  const root = scratchFolder();
  const scenario = join(root, "scenario.json");
  writeFileSync(scenario, JSON.stringify({ name: "test", scripts }));
  const store = over.store ?? createMemoryStore();
  const errors: unknown[] = [];
  const options: HostOptions = {
    store,
    claude: { command: process.execPath, prefixArgs: [...programWords("quarterdeck-sim")], version: "2.1.325" },
    environment: () => ({
      PATH: process.env["PATH"] ?? "",
      HOME: root,
      QUARTERDECK_SCENARIO: scenario,
      ...COMPILED,
      ...env,
    }),
    onError: (error) => errors.push(error),
    ...over,
  };
  const host = await Host.open(options);
  onTestFinished(() => host.close());
  return { host, store, cwd: root, options, errors };
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
export const isReceived =
  (type: string, subtype?: string) =>
  (event: Event | Streamed): boolean => {
    if (event.type !== "received") return false;
    const message = event.message as { type?: string; subtype?: string; request?: { subtype?: string } };
    return (
      message.type === type && (subtype === undefined || (message.subtype ?? message.request?.subtype) === subtype)
    );
  };
export const turn = async (session: Session, text: string): Promise<void> => {
  const done = until(session, isReceived("result"));
  await session.prompt(text);
  await done;
};
export const asked = (session: Session) => until(session, isReceived("control_request", "can_use_tool"));
export const prompts = (session: Session) =>
  session.rows.filter((row): row is PromptRow => row.kind === "prompt").map((row) => [row.content, row.state]);
export const kinds = (rows: readonly Row[]) => rows.map((row) => row.kind);
export const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (error instanceof HostError ? error.code : error),
  );

export const HELLO: Script = { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] };
export const TOUCH: Script = {
  when: "touch",
  steps: [{ say: [{ tool: "Bash", input: { command: "touch made.txt" } }] }, { say: [{ text: "Touched." }] }],
};
/** An answer that no test waits for: it is stopped, however slow the machine is. */
export const SLOW: Script = {
  when: "slow",
  steps: [{ say: [{ text: "x".repeat(60_000) }], pace: { deltaMs: 20, deltaChars: 4 } }],
};
/** A turn that runs until the test writes the file `go`. */
export const GATE: Script = {
  when: "gate",
  steps: [
    { say: [{ tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done" } }] },
    { say: [{ text: "It is open." }] },
  ],
};

/**
 * Another CLI: JavaScript that answers each prompt with `reply`, one at a time, and reports an error for a second one.
 * It answers the control requests whose subtype contains `answers`. A prompt for which `waits` is true runs until it is
 * interrupted.
 */
export const oldCli = (reply: string, answers = "", waits = "false"): HostOptions["claude"] => ({
  command: process.execPath,
  prefixArgs: [
    "-e",
    `const say = (value) => console.log(JSON.stringify(value));
     let busy = false;
     require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
       const message = JSON.parse(line);
       if (message.type === "control_request") {
         if (!message.request.subtype.includes("${answers}")) return;
         if (message.request.subtype === "interrupt" && busy === "waits") {
           busy = false;
           say({ type: "result", subtype: "error_during_execution", is_error: false, errors: [] });
         }
         return say({ type: "control_response", response: { subtype: "success", request_id: message.request_id, response: { commands: [] } } });
       }
       if (message.type !== "user") return;
       if (busy) say({ type: "error", error: { message: "two at a time" } });
       busy = ${waits} ? "waits" : true;
       if (busy === "waits") return;
       setImmediate(() => {
         ${reply};
         busy = false;
         say({ type: "result", subtype: "success", is_error: false, result: "" });
       });
     });`,
    "--",
  ],
  version: "2.1.38",
});
