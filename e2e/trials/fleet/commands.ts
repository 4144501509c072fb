// Commands that must happen once, whatever happens on the way: prompts with a number, sent with the same id until the machine has
// answered. Two witnesses count them afterwards: the log of the machine, and a program that records every line that the CLI got.

import { randomUUID } from "node:crypto";
import type { Client } from "@quarterdeck/client";
import { none, told } from "../outcome.ts";
import type { Line } from "../outcome.ts";
import { startSession, until, untilDone } from "./world.ts";
import type { World } from "./world.ts";

/** A longer log makes each look at it slow, and says nothing more. */
const COMMANDS_A_SESSION = 500;

export class Commands {
  readonly #world: World;
  readonly #machine: string;
  readonly #sessions: string[] = [];
  /** Other trials of the same machine number their commands too. */
  readonly #series = randomUUID().slice(0, 8);
  #sent = 0;

  constructor(world: World, machine: string) {
    this.#world = world;
    this.#machine = machine;
  }

  get sent(): number {
    return this.#sent;
  }

  /** Must be called before commands are sent, while the way is open. */
  async prepare(client: Client): Promise<void> {
    if (this.#sent >= this.#sessions.length * COMMANDS_A_SESSION)
      this.#sessions.push(await startSession(client, this.#world.machine(this.#machine).place.cwd));
  }

  /** Sends one command through each of the clients, with one id. Resolves when all have the answer. */
  async send(...clients: readonly Client[]): Promise<void> {
    const [commandId, content] = [randomUUID(), `Command ${this.#series}/${String(this.#sent++)}.`];
    const session = this.#sessions.at(-1)!;
    const call = (client: Client) => client.command("session/prompt", { commandId, session, content });
    await Promise.all(clients.map((client) => untilDone(() => call(client))));
  }

  /** `reachesCli`: a machine that is killed may have prompts that it asks about before it sends them. */
  async lines({ reachesCli }: { readonly reachesCli: boolean }): Promise<Line[]> {
    const admin = this.#world.admin(this.#machine);
    const accepted: string[] = [];
    for (const session of this.#sessions)
      for (let after = 0; ;) {
        const { events } = await admin.call("session/events", { session, after, limit: 1000 });
        if (events.length === 0) break;
        after = events.at(-1)!.seq;
        for (const event of events)
          if (event.type === "prompt-accepted") accepted.push(...this.#numbersIn(JSON.stringify(event["content"])));
      }
    const { place } = this.#world.machine(this.#machine);
    const reached = (): string[] =>
      place
        .linesToCli()
        .filter(({ type }) => type === "user")
        .flatMap((line) => this.#numbersIn(JSON.stringify(line)));
    if (reachesCli) await until(() => new Set(reached()).size >= this.#sent);
    const [inLog, atCli] = [accepted, reached()].map((numbers) =>
      new Set(numbers).size === numbers.length ? 0 : numbers.length - new Set(numbers).size,
    ) as [number, number];
    return [
      told("commands", String(this.#sent)),
      none("lost", this.#sent - new Set(accepted).size),
      none("doubled in the log", inLog),
      none("doubled at the CLI", atCli),
    ];
  }

  #numbersIn(text: string): string[] {
    return [...text.matchAll(/Command (\w+)\/(\d+)\./gu)].flatMap(([, series, number]) =>
      series === this.#series ? [number!] : [],
    );
  }
}
