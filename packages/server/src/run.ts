// `quarterdeck run`: one prompt in a session of its own, or one more in an old one. On a terminal it streams and asks; in a
// script it answers no for whoever is not there, and says by its exit code what became of the turn.

import { createInterface } from "node:readline/promises";
import type { Interface } from "node:readline/promises";
import { join, resolve } from "node:path";
import { answerQuestions, decodeValue, readToolInput } from "@quarterdeck/protocol";
import type { ClaudeOptions, PermissionSuggestion, PermissionUpdate, Question } from "@quarterdeck/protocol";
import {
  defaultDataDir,
  fileTrustStore,
  FindClaudeError,
  openHost,
  readFolder,
  StoreError,
  trust,
  trustOf,
} from "@quarterdeck/host";
import type { Answer, Host, Session } from "@quarterdeck/host";
import type { Event, OpenRequest, Streamed, TurnRow } from "@quarterdeck/session";
import type { Paint } from "./terminal.ts";
import { Transcript } from "./transcript.ts";
import { UserError } from "./user-error.ts";

export interface RunOptions {
  readonly prompt: string;
  readonly cwd: string;
  readonly resume?: string;
  readonly json: boolean;
  readonly trust: boolean;
  readonly dataDir?: string;
  readonly claude?: string;
  readonly cli: ClaudeOptions;
  readonly write: (text: string) => void;
  readonly say: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  /** Somebody is there to be asked. */
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}

/** 0: the turn is done. 1: it failed. 3: done, but something was refused because nobody was there to ask. 130: stopped. */
export const run = async (options: RunOptions): Promise<number> => {
  const dataDir = options.dataDir ?? defaultDataDir(process.env);
  const host = await opened(options, dataDir);
  try {
    await sayTrust(options, dataDir);
    const session =
      options.resume === undefined ? await host.start(startOf(options)) : await resumed(host, options.resume);
    return await new Run(options, session).play();
  } finally {
    await host.close();
  }
};

const startOf = ({ cwd, cli }: RunOptions) => ({ cwd: resolve(cwd), cli });

const opened = async (options: RunOptions, dataDir: string): Promise<Host> => {
  try {
    return await openHost({ dataDir, ...(options.claude !== undefined && { claude: options.claude }) });
  } catch (error) {
    if (error instanceof FindClaudeError || error instanceof StoreError) throw new UserError(error.message);
    throw error;
  }
};

const resumed = (host: Host, wanted: string): Promise<Session> => {
  const found = host.list().filter(({ id, title }) => id.startsWith(wanted) || title === wanted);
  if (found.length === 1) return host.resume(found[0]!.id);
  throw new UserError(
    found.length === 0
      ? `There is no session ${wanted} here.`
      : `${wanted} means ${found.length} sessions: give more of the id.`,
  );
};

/** A folder with hooks or servers of its own runs them only when somebody has said so. */
const sayTrust = async (options: RunOptions, dataDir: string): Promise<void> => {
  const store = fileTrustStore(join(dataDir, "trusted-folders.json"));
  if (options.trust) await trust(options.cwd, store);
  else if ((await trustOf(options.cwd, store)) !== "trusted" && (await readFolder(options.cwd)).files.length > 0) {
    options.say(
      "This folder is not trusted: hooks, MCP servers and settings of its own are left out. `--trust` lets them in.\n",
    );
  }
};

class Run {
  readonly #options: RunOptions;
  readonly #session: Session;
  readonly #transcript: Transcript;
  readonly #terminal: Interface | undefined;
  #refused = false;
  #answering: Promise<void> = Promise.resolve();

  constructor(options: RunOptions, session: Session) {
    this.#options = options;
    this.#session = session;
    this.#transcript = new Transcript(options);
    this.#terminal =
      options.interactive && !options.json
        ? createInterface({ input: process.stdin, output: process.stderr })
        : undefined;
  }

  async play(): Promise<number> {
    const { signal, prompt, say } = this.#options;
    const session = this.#session;
    const ended = Promise.withResolvers<TurnRow | undefined>();
    const unsubscribe = session.subscribe((event) => {
      this.#show(event);
      if (event.type === "process-exited") ended.resolve(undefined);
      if (event.type === "received" && typeOf(event) === "result") {
        const turn = session.rows.findLast((row) => row.kind === "turn");
        // A turn may go on for what was folded in, or for a task that it waits for.
        if (session.head.queue.length === 0) ended.resolve(turn);
      }
      if (event.type === "received" && typeOf(event) === "control_request") this.#askNext();
    });
    const stop = (): void => {
      session.stop({ timeoutMs: 5000 }).catch(() => ended.resolve(undefined));
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      await session.prompt(prompt);
      const turn = await ended.promise;
      this.#transcript.end();
      if (!this.#options.json)
        say(
          `\n  ${this.#options.paint("dim", `quarterdeck run --resume ${session.id.slice(0, 8)} "…" goes on here.`)}\n`,
        );
      if (signal.aborted) return 130;
      if (turn === undefined || !turn.ok) return 1;
      return this.#refused ? 3 : 0;
    } finally {
      unsubscribe();
      signal.removeEventListener("abort", stop);
      this.#terminal?.close();
    }
  }

  #show(event: Event | Streamed): void {
    if (this.#options.json) {
      this.#options.write(`${JSON.stringify(event)}\n`);
      return;
    }
    if (event.type === "received" || event.type === "streamed") {
      const decoded = decodeValue(event.message);
      if (decoded.kind === "message") this.#transcript.message(decoded.message);
      else this.#transcript.note("(a line that this version does not know)", "yellow");
    } else if (event.type === "stderr") this.#transcript.note(event.text, "yellow");
    else if (event.type === "process-exited" && this.#session.head.phase === "died") {
      this.#transcript.note(`claude ended (${event.signal ?? event.code}).\n${this.#session.head.stderr}`, "red");
    }
  }

  #askNext(): void {
    this.#answering = this.#answering.then(async () => {
      const request = this.#session.head.requests.find(({ kind }) => kind !== "hook" && kind !== "mcp");
      if (request === undefined) return;
      const answer = await this.#answerTo(request);
      this.#transcript.answer("behavior" in answer ? answer.behavior : "declined");
      await this.#session.respond(request.id, answer, { id: "terminal" }).catch(() => {
        // It was withdrawn meanwhile.
      });
    });
  }

  async #answerTo(request: OpenRequest): Promise<Answer> {
    const { request: asked } = request;
    if (asked.subtype === "elicitation") return { action: "decline" };
    if (asked.subtype !== "can_use_tool") return { behavior: "cancelled" };
    if (this.#terminal === undefined) {
      this.#refused = true;
      return { behavior: "deny", message: "Nobody is here to answer: this runs in a script." };
    }
    const call = readToolInput(asked.tool_name, asked.input);
    if (call.tool === "AskUserQuestion") {
      const answers: Record<string, string[]> = {};
      for (const question of call.input.questions)
        answers[question.question] = await this.#choose(this.#terminal, question);
      return { behavior: "allow", updatedInput: answerQuestions(call.input, answers) };
    }
    const updates = sessionRules(asked.permission_suggestions ?? []);
    const always = updates.length > 0 ? ", a = allow for this session" : "";
    const typed = (await this.#terminal.question(`    y = allow${always}, n = deny, or a reason to deny: `)).trim();
    if (/^y(es)?$/i.test(typed)) return { behavior: "allow" };
    if (/^a(lways)?$/i.test(typed) && updates.length > 0) return { behavior: "allow", updatedPermissions: updates };
    return { behavior: "deny", message: /^n?o?$/i.test(typed) ? "The user declined." : typed };
  }

  async #choose(terminal: Interface, question: Question): Promise<string[]> {
    const typed = (
      await terminal.question(
        `    ${question.header ?? "Answer"}: number${question.multiSelect === true ? "s" : ""} or your own words: `,
      )
    ).trim();
    const numbers = typed.split(/[\s,]+/).map(Number);
    const labels = numbers.map((number) => question.options[number - 1]?.label);
    return typed !== "" && labels.every((label) => label !== undefined) ? labels : [typed];
  }
}

/** The rules that the CLI suggests, for this session alone: neither a file nor the mode nor the folders change. */
const sessionRules = (suggestions: readonly PermissionSuggestion[]): PermissionUpdate[] =>
  suggestions.flatMap((update) =>
    update.type === "addRules" && "rules" in update ? [{ ...update, destination: "session" }] : [],
  );

const typeOf = (event: Extract<Event, { type: "received" }>): unknown =>
  (event.message as { type?: unknown } | null)?.type;
