// `quarterdeck run`: one prompt in a new session, or one more in an old one. On a terminal it streams and asks. In a
// script it denies requests, because nobody is there, and its exit code says how the turn ended. If a server uses the
// data directory, it is that server's client. This file is the run without a server.

import { join, resolve } from "node:path";
import {
  defaultDataDir,
  fileTrustStore,
  HostError,
  obstacleIn,
  openHost,
  readFolder,
  StoreError,
  trust,
  trustIn,
} from "@quarterdeck/host";
import type { Host, Session } from "@quarterdeck/host";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { waitsForPerson } from "@quarterdeck/session";
import type { Changes, Event, OpenRequest, Streamed, TurnRow } from "@quarterdeck/session";
import { containedPaths, isInside, previewOf, reportOf } from "@quarterdeck/server/files";
import { askPerson, hostAnswerOf, answerWords, nobodysAnswer } from "../terminal/ask-person.ts";
import type { PersonsAnswer } from "../terminal/ask-person.ts";
import { HeldOutput } from "../terminal/held-output.ts";
import { openKeyboard } from "../terminal/printer.ts";
import type { Keyboard } from "../terminal/printer.ts";
import { connectLocally } from "../serve/local-client.ts";
import { jsonText } from "../terminal/terminal.ts";
import type { RunOptions } from "./run-options.ts";
import { Printout } from "../terminal/printout.ts";
import { leftOutNotice, trustedNotice } from "./trust-notice.ts";
import { UserError } from "../user-error.ts";

/** 0: the turn is done. 1: it failed. 3: done, but a request was denied because nobody could answer. 130: stopped. */
export const run = async (options: RunOptions): Promise<number> => {
  const dataDir = resolve(options.dataDir ?? defaultDataDir(process.env));
  const server =
    options.on === undefined
      ? await connectLocally({ dataDir, version: options.version })
      : await (await import("../remote/machine-client.ts")).openedOn({ dataDir, version: options.version }, options.on);
  if (server !== undefined) return (await import("../remote/run-on-server.ts")).runOnServer(server, options);
  if (options.leavesQuestions === true)
    throw new UserError(
      "--wait needs a running server whose other clients answer requests. Start one with `quarterdeck serve`.",
    );
  const host = await opened(options, dataDir);
  try {
    await sayTrust(options, dataDir);
    const session = await begun(host, options);
    return await new Run(options, session, dataDir).play();
  } catch (error) {
    throw error instanceof HostError ? new UserError(error.message) : error;
  } finally {
    await host.close();
  }
};

const begun = (host: Host, { cwd, cli, resume, continues, sessionId }: RunOptions): Promise<Session> => {
  if (resume !== undefined) return steered(resumed(host, resume, cli), cli);
  if (continues === true) return continued(host, resolve(cwd), cli);
  return host.start({ cwd: resolve(cwd), cli, ...(sessionId !== undefined && { id: sessionId }) });
};

const continued = (host: Host, cwd: string, cli: ClaudeOptions): Promise<Session> =>
  steered(host.continue(cwd, { cli }), cli).catch((error: unknown) => {
    // Claude Code starts a conversation then, too.
    if (error instanceof HostError && error.code === "nothing-to-continue") return host.start({ cwd, cli });
    throw error;
  });

/** A resumed session keeps the model and the mode that a person chose last. */
const steered = async (resuming: Promise<Session>, cli: ClaudeOptions): Promise<Session> => {
  const session = await resuming;
  if (cli.model !== undefined) await session.setModel(cli.model);
  if (cli.permissionMode !== undefined) await session.setPermissionMode(cli.permissionMode);
  return session;
};

const opened = async (options: RunOptions, dataDir: string): Promise<Host> => {
  try {
    const { claude = options.settings?.claude, settings } = options;
    return await openHost({
      dataDir,
      ...(claude !== undefined && { claude }),
      ...(settings?.cleanEnv !== undefined && { cleanEnvironment: true, allowEnvironment: settings.cleanEnv }),
    });
  } catch (error) {
    // A library gives advice that is not for a command line.
    const plain = error instanceof StoreError && error.cause instanceof StoreError ? error.cause : error;
    if (plain instanceof StoreError) throw new UserError(`${plain.message} Use --data-dir to choose another folder.`);
    throw error instanceof HostError ? new UserError(error.message) : error;
  }
};

const resumed = (host: Host, wanted: string, flags: ClaudeOptions): Promise<Session> => {
  const found = host.list().filter(({ id, title }) => id.startsWith(wanted) || title === wanted);
  if (found.length === 1) return host.resume(found[0]!.id, { flags });
  throw new UserError(
    found.length === 0
      ? `Session ${wanted} does not exist in this data directory.`
      : `${wanted} matches ${found.length} sessions. Use more characters of the id.`,
  );
};

/** A folder with its own hooks or servers runs them only if the user has trusted it. */
const sayTrust = async (options: RunOptions, dataDir: string): Promise<void> => {
  const store = fileTrustStore(join(dataDir, "trusted-folders.json"));
  const contents = await readFolder(options.cwd, { hidden: [dataDir] });
  const isNew = contents.files.length > 0 && trustIn(contents, store) !== "trusted";
  const files = contents.files.map(reportOf);
  if (options.trust) {
    await trust(contents, store);
    if (isNew) options.say(trustedNotice({ files }));
  } else if (isNew) {
    const obstacle = obstacleIn(contents)?.message;
    options.say(leftOutNotice({ files, ...(obstacle !== undefined && { obstacle }) }));
  }
};

class Run {
  readonly #options: RunOptions;
  readonly #session: Session;
  readonly #printout: Printout;
  readonly #keyboard: Keyboard | undefined;
  readonly #output = new HeldOutput();
  readonly #dataDir: string;
  /** The rev up to which the session was shown. */
  #rev: number;
  #refused = false;
  readonly #asked = new Set<string>();
  #answering: Promise<void> = Promise.resolve();

  constructor(options: RunOptions, session: Session, dataDir: string) {
    this.#options = options;
    this.#session = session;
    this.#dataDir = dataDir;
    this.#keyboard = options.interactive && !options.json ? openKeyboard() : undefined;
    this.#printout = new Printout({
      ...options,
      write: this.#output.through(options.write),
      showsRequests: this.#keyboard === undefined,
      showsAnswers: false,
      // The user typed it here.
      hidesPrompt: ({ origin }) => origin === undefined,
    });
    this.#printout.skip(session, session.rows.at(-1)?.order ?? 0);
    this.#rev = session.rev;
  }

  async play(): Promise<number> {
    const { signal, prompt, say } = this.#options;
    const session = this.#session;
    const ended = Promise.withResolvers<TurnRow | undefined>();
    const unsubscribe = session.subscribe((event) => {
      const changes = session.changes(this.#rev);
      this.#rev = changes.rev;
      this.#show(event, changes);
      if (event.type === "process-exited") ended.resolve(undefined);
      const turn = changes.rows.findLast((row) => row.kind === "turn");
      // A turn may continue for prompts that joined it, or for a task that it waits for.
      if (turn !== undefined && session.head.queue.length === 0) ended.resolve(turn);
      this.#askNew();
    });
    const stop = (): void => {
      session.stop({ timeoutMs: 5000 }).catch(() => ended.resolve(undefined));
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      await session.prompt(prompt);
      const turn = await ended.promise;
      this.#printout.end();
      if (!this.#options.json)
        say(
          `\n  ${this.#options.paint("dim", `quarterdeck run --resume ${session.id.slice(0, 8)} "…" continues this session.`)}\n`,
        );
      if (signal.aborted) return 130;
      if (turn === undefined || !turn.ok) return 1;
      return this.#refused ? 3 : 0;
    } finally {
      unsubscribe();
      signal.removeEventListener("abort", stop);
      this.#keyboard?.close();
    }
  }

  #show(event: Event | Streamed, { rows }: Changes): void {
    const { head, drafts } = this.#session;
    if (this.#options.json) this.#options.write(`${jsonText(event)}\n`);
    else this.#printout.show({ rows, head, drafts });
  }

  #askNew(): void {
    for (const request of this.#session.head.requests) {
      if (!waitsForPerson(request) || this.#asked.has(request.id)) continue;
      this.#asked.add(request.id);
      this.#answering = this.#answering.then(() => this.#ask(request));
    }
  }

  async #ask(request: OpenRequest): Promise<void> {
    if (!this.#isOpen(request)) return;
    const answer = await this.#answerTo(request);
    if (answer === undefined) return;
    if (answer.kind === "deny" && answer.nobody === true) this.#refused = true;
    if (!this.#options.json) this.#printout.answer(answerWords(answer));
    await this.#session.respond(request.id, hostAnswerOf(request, answer), { id: "terminal" }).catch(() => {
      // The request was withdrawn meanwhile.
    });
  }

  #isOpen({ id }: OpenRequest): boolean {
    return this.#session.head.requests.some((request) => request.id === id);
  }

  /** Undefined if the request ends before a person has answered. */
  async #answerTo(request: OpenRequest): Promise<PersonsAnswer | undefined> {
    const keyboard = this.#keyboard;
    if (keyboard === undefined) return nobodysAnswer(request);
    const over = new AbortController();
    const stop = this.#session.subscribe(() => {
      if (!this.#isOpen(request)) over.abort();
    });
    try {
      const { signal } = over;
      // The user of this command may read every file that a request names, except the host's own data.
      const isHidden = (path: string): boolean => isInside(path, this.#dataDir);
      const preview = await previewOf(request.request, containedPaths({ roots: ["/"], isHidden }));
      return await this.#output.during(() => askPerson(request, { keyboard, preview, signal }));
    } catch (error) {
      if (!over.signal.aborted) throw error;
      keyboard.show("\n");
      return undefined;
    } finally {
      stop();
    }
  }
}
