// `quarterdeck claude`: Claude Code with its own command line. A call that talks stream-json over pipes is relayed: its session
// lives in the server. Every other call is the real program in this terminal.

import { StringDecoder } from "node:string_decoder";
import { FindClaudeError, locateClaude } from "@quarterdeck/host/find-claude";
import { relayedCall } from "@quarterdeck/host/relayed-call";
import type { ParamsOf } from "@quarterdeck/session/bridge";
import { UserError } from "../user-error.ts";
import { openRelaySocket, RelayRefusal } from "./relay-socket.ts";
import type { RelaySocket } from "./relay-socket.ts";
import { parentWatch } from "./parent-watch.ts";

export interface ClaudeCommandOptions {
  readonly args: readonly string[];
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly dataDir: string;
  /** The program that the settings name. */
  readonly claude: string | undefined;
  readonly write: (output: Uint8Array | string, done: () => void) => void;
  /** Exact bytes, as Claude Code writes them. */
  readonly say: (text: string) => void;
  readonly onOutputGone: (then: () => void) => void;
}

/** Replaces this process, or resolves to the exit code. */
export const claude = async (options: ClaudeCommandOptions): Promise<number> => {
  if (relayedCall(options.args) === undefined) return runReal(options);
  const { serverAddress } = await import("../serve/background-server.ts");
  const address = await serverAddress(options);
  return new RelayedRun(options).run((use) => openRelaySocket(address, use));
};

const runReal = async ({ args, env, claude: named }: ClaudeCommandOptions): Promise<number> => {
  const { runProgram } = await import("./run-program.ts");
  try {
    const { command, prefixArgs } = locateClaude(named, env["PATH"] ?? "");
    return await runProgram(command, [...prefixArgs, ...args], env);
  } catch (error) {
    throw error instanceof FindClaudeError ? new UserError(error.message) : error;
  }
};

/** Characters of one call. JSON may write each as six. */
const PIECE = 128 * 1024;
const MOST_CALLS = 16;
/** The server waits for this much to be taken. */
const ACK_EVERY = 1024 * 1024;
/** A program that ends sends SIGTERM to its children first. */
const PARENT_MS = 1000;
/** Its pipes close a moment before it is gone. */
const PIPE_MS = 40;

const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGKILL: 137, SIGHUP: 129 };

class RelayedRun {
  readonly #options: ClaudeCommandOptions;
  readonly #parent = parentWatch();
  readonly #ended = Promise.withResolvers<number>();
  #socket: RelaySocket | undefined;
  #relay = "";
  #calls = 0;
  #taken = 0;

  constructor(options: ClaudeCommandOptions) {
    this.#options = options;
  }

  async run(open: (use: Parameters<typeof openRelaySocket>[1]) => Promise<RelaySocket>): Promise<number> {
    const { args, env, cwd, version, say } = this.#options;
    const variables = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
    try {
      const socket = await open({
        version,
        onTold: this.#onTold,
        onOutput: (bytes, characters) => this.#write(bytes, characters),
        onGone: (why) => this.#fail(why),
      });
      this.#socket = socket;
      const given = { cwd, argv: [...args], env: Object.fromEntries(variables), bytes: true };
      const { relay, notice } = await socket.call("relay/open", given);
      this.#relay = relay;
      if (notice !== undefined) say(`quarterdeck: ${notice}\n`);
      this.#options.onOutputGone(() => this.#leave());
      this.#readInput();
      this.#readSignals();
      return await this.#ended.promise;
    } catch (error) {
      if (error instanceof RelayRefusal) throw new UserError(adviceFor(error));
      throw error;
    } finally {
      this.#socket?.close();
      process.stdin.destroy();
    }
  }

  readonly #onTold = (method: string, params: unknown): void => {
    const {
      relay,
      text = "",
      code,
      signal,
    } = params as {
      readonly relay?: string;
      readonly text?: string;
      readonly code?: number | null;
      readonly signal?: string | null;
    };
    if (method === "relay/stderr") this.#options.say(text);
    else if (method === "server/notice" && (params as { code?: string }).code === "no-room")
      this.#options.say(`${text}\n`);
    else if (method === "relay/exited" && relay !== undefined)
      this.#options.write("", () => this.#ended.resolve(code ?? SIGNAL_CODES[signal ?? ""] ?? 1));
  };

  #write(bytes: Uint8Array, characters: number): void {
    this.#options.write(bytes, () => {
      this.#taken += characters;
      if (this.#taken < ACK_EVERY) return;
      const taken = this.#taken;
      this.#taken = 0;
      this.#send("relay/ack", { characters: taken });
    });
  }

  #send<M extends "relay/ack" | "relay/endInput" | "relay/signal">(
    method: M,
    params: Omit<ParamsOf<M>, "relay">,
  ): void {
    this.#socket?.call(method, { relay: this.#relay, ...params } as ParamsOf<M>).catch(ignoreEnd);
  }

  #readInput(): void {
    const decoder = new StringDecoder("utf8");
    const { stdin } = process;
    stdin.on("data", (chunk: Buffer) => {
      const text = decoder.write(chunk);
      for (let at = 0; at < text.length; at += PIECE) this.#input(text.slice(at, at + PIECE));
    });
    const end = (): void => {
      // A program that died closes its pipes too. Then the session continues without it.
      void this.#parent.isGoneWithin(PIPE_MS).then((isGone) => {
        if (isGone) this.#leave();
        else this.#send("relay/endInput", {});
      });
    };
    stdin.on("end", end);
    stdin.on("error", end);
  }

  #input(text: string): void {
    this.#calls++;
    if (this.#calls >= MOST_CALLS) process.stdin.pause();
    void this.#socket!
      .call("relay/input", { relay: this.#relay, text })
      .catch(ignoreEnd)
      .finally(() => {
        this.#calls--;
        if (this.#calls < MOST_CALLS) process.stdin.resume();
      });
  }

  #readSignals(): void {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.on(signal, () => {
        void this.#parent.isGoneWithin(PARENT_MS).then((isGone) => {
          if (isGone) this.#leave();
          else this.#send("relay/signal", { signal });
        });
      });
    process.on("SIGHUP", () => this.#leave());
  }

  /** The program that asked is gone. Its session stays. */
  #leave(): void {
    this.#ended.resolve(SIGNAL_CODES["SIGHUP"]!);
  }

  #fail(why: string): void {
    this.#options.say(`quarterdeck: ${why}\n`);
    this.#ended.resolve(1);
  }
}

/** The relay has ended meanwhile, and says how by itself. */
const ignoreEnd = (): void => {};

const adviceFor = ({ code, message }: RelayRefusal): string =>
  code === "outside-roots" ? `${message} Start the server with --root, or from that folder.` : message;
