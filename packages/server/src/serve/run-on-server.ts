// `quarterdeck run` where a server has the data directory: the same command, as a client of it. Others see the session while it
// runs, and whoever answers first has answered.

import { createInterface } from "node:readline/promises";
import type { Interface } from "node:readline/promises";
import { resolve } from "node:path";
import { BridgeError } from "@quarterdeck/client";
import type { Client, SessionView } from "@quarterdeck/client";
import type { OpenRequest, TurnRow } from "@quarterdeck/session";
import { askPerson, nobodysAnswer } from "../ask-person.ts";
import type { RunOptions } from "../run.ts";
import { Transcript } from "../transcript.ts";
import { UserError } from "../user-error.ts";
import { respond } from "./bridge-answer.ts";
import { FollowedSession } from "./follow-session.ts";
import { found, ready } from "./steer.ts";

/** Exit codes as `run` has them. */
export const runOnServer = async (client: Client, options: RunOptions): Promise<number> => {
  try {
    if (options.claude !== undefined) {
      throw new UserError(
        "A server has this data directory, and runs its own claude. Leave --claude out, or choose --data-dir.",
      );
    }
    if (options.resume !== undefined) {
      return await new ServerRun(client, (await found(client, options.resume)).id, options).play();
    }
    const id = await started(client, options);
    try {
      return await new ServerRun(client, id, options).play();
    } finally {
      // As without a server: the session stays, its process does not. A script that runs a hundred leaves none.
      await client.command("sessions/close", { session: id });
    }
  } catch (error) {
    throw error instanceof BridgeError ? new UserError(error.message) : error;
  } finally {
    client.close();
  }
};

const started = async (client: Client, { cwd: folder, trust, cli, say }: RunOptions): Promise<string> => {
  const cwd = resolve(folder);
  const inspection = await client.call("projects/inspect", { cwd });
  if (trust) await client.command("projects/trust", { cwd, hash: inspection.hash, trusted: true });
  const isUntrusted = !trust && inspection.trust !== "trusted" && inspection.files.length > 0;
  if (isUntrusted) {
    say(
      "This folder is not trusted: hooks, MCP servers and settings of its own are left out. `--trust` lets them in.\n",
    );
  }
  const { model, permissionMode } = cli;
  const { session } = await client.command("sessions/start", {
    cwd,
    settings: { ...(model !== undefined && { model }), ...(permissionMode !== undefined && { permissionMode }) },
    ...(isUntrusted && { withoutFolderSettings: true }),
  });
  return session.id;
};

class ServerRun {
  readonly #client: Client;
  readonly #options: RunOptions;
  readonly #view: SessionView;
  readonly #transcript: Transcript;
  readonly #terminal: Interface | undefined;
  readonly #asked = new Set<string>();
  #asking: Promise<void> = Promise.resolve();
  #refused = false;

  constructor(client: Client, id: string, options: RunOptions) {
    this.#client = client;
    this.#options = options;
    this.#view = client.session(id);
    this.#transcript = new Transcript(options);
    this.#terminal =
      options.interactive && !options.json
        ? createInterface({ input: process.stdin, output: process.stderr })
        : undefined;
  }

  async play(): Promise<number> {
    const { json, signal, say, paint, write } = this.#options;
    const { id } = this.#view;
    await ready(this.#view);
    const before = (await this.#client.call("session/events", { session: id, seqs: [] })).lastSeq;
    const followed = new FollowedSession({
      client: this.#client,
      view: this.#view,
      after: before,
      ...(!json && { transcript: this.#transcript }),
      onEvent: (event) => {
        if (json) write(`${JSON.stringify(event)}\n`);
      },
    });
    const stop = (): void => void this.#stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const { rowId } = await this.#client.command("session/prompt", { session: id, content: this.#options.prompt });
      const turn = await this.#turnOf(rowId);
      await followed.caughtUp();
      this.#transcript.end();
      if (!json) say(`\n  ${paint("dim", `quarterdeck run --resume ${id.slice(0, 8)} "…" goes on here.`)}\n`);
      if (signal.aborted) return 130;
      if (turn?.ok !== true) return 1;
      return this.#refused ? 3 : 0;
    } finally {
      followed.stop();
      signal.removeEventListener("abort", stop);
      this.#terminal?.close();
    }
  }

  async #stop(): Promise<void> {
    await this.#client.command("session/interrupt", { session: this.#view.id, holdQueue: true }).catch(() => {
      // It has ended by itself meanwhile.
    });
  }

  /** The turn that answered this prompt; nothing where the process ended or the prompt came to nothing. */
  #turnOf(rowId: string): Promise<TurnRow | undefined> {
    return new Promise((resolveTurn) => {
      const look = (): void => {
        const { rows, head } = this.#view.snapshot;
        this.#askNext(head.requests);
        const turn = rows.findLast((row) => row.kind === "turn" && row.prompts.includes(rowId));
        const prompt = rows.findLast((row) => row.id === rowId);
        const isOver = head.phase === "ended" || head.phase === "died";
        const isNothing =
          prompt?.kind === "prompt" && /^(?:cancelled|held|blocked|refused|discarded)$/u.test(prompt.state);
        if (turn === undefined && !isNothing && !(isOver && prompt?.kind === "prompt" && prompt.state !== "accepted"))
          return;
        stop();
        resolveTurn(turn?.kind === "turn" ? turn : undefined);
      };
      const stop = this.#view.subscribe(look);
      look();
    });
  }

  #askNext(requests: readonly OpenRequest[]): void {
    for (const request of requests) {
      if (request.kind === "hook" || request.kind === "mcp" || this.#asked.has(request.id)) continue;
      this.#asked.add(request.id);
      this.#asking = this.#asking.then(() => this.#answer(request));
    }
  }

  async #answer(request: OpenRequest): Promise<void> {
    const answer = this.#terminal === undefined ? nobodysAnswer(request) : await askPerson(this.#terminal, request);
    try {
      await respond(this.#client, this.#view.id, request, answer);
      if (this.#terminal === undefined && answer.kind === "deny") this.#refused = true;
      this.#transcript.answer(answer.kind);
    } catch (error) {
      // Answered by another client, or withdrawn; that is told like everything else.
      if (!(error instanceof BridgeError)) throw error;
    }
  }
}
