// Notifications between machines. The machine that waits tells its open requests to each gateway that its owner lets in, and the gateway sends
// them to its own devices. It always tells the whole list, so lost messages and restarts need no care. It knows nothing of NATS.

import type { RosterNode } from "@quarterdeck/fleet";
import { ROLES } from "@quarterdeck/session/bridge";
import type { Role } from "@quarterdeck/session/bridge";
import { visibleText } from "@quarterdeck/session/true-text";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { isWithin } from "../files/paths-within.ts";
import type { Notifier } from "../notify/notifier.ts";
import { cut } from "../notify/orders.ts";
import type { Note } from "../notify/orders.ts";

/** A list of them is smaller than the largest message of NATS. */
const MOST_NOTES = 40;
const MOST_PATH = 300;
const RETRY_MS = 2000;
const GOODBYE_MS = 500;

const Who = z.array(z.string().max(40)).max(2000);
const ToldNote = z.object({
  tag: z.string().max(500),
  at: z.number(),
  session: z.string().min(1).max(200),
  project: z.string().max(MOST_PATH),
  title: z.string().max(1000),
  body: z.string().max(1000),
  request: z.object({ id: z.string().max(200), incarnation: z.number(), inputHash: z.string().max(100) }).optional(),
});
/** All requests that are open on the machine that tells them. `others` hear of them from another machine. */
export const WaitingNotes = z.object({
  kind: z.literal("waiting"),
  allowed: z.enum(ROLES),
  others: Who,
  notes: z.array(ToldNote.extend({ done: Who })).max(MOST_NOTES),
});
export const EndNote = z.object({
  kind: z.literal("ended"),
  event: z.enum(["finished", "failed"]),
  others: Who,
  note: ToldNote,
});
/** A gateway names its receivers. */
export const Receivers = z.object({ kind: z.literal("receivers"), who: Who });
const Sent = z.record(z.string(), Who);

export interface FleetNotesOptions {
  readonly notifier: Notifier;
  readonly ask: (gateway: string, question: unknown) => Promise<unknown>;
  /** All other machines. */
  readonly machines: () => readonly RosterNode[];
  /** What devices of a machine may do here. Undefined: nothing. */
  readonly limitOf: (gateway: string) => { readonly allowed: Role; readonly folders?: readonly string[] } | undefined;
}

/** What this machine told one gateway. */
interface Line {
  said: string;
  sent: Readonly<Record<string, readonly string[]>>;
  hasNotes: boolean;
  isBusy: boolean;
  isStale: boolean;
}

export class FleetNotes {
  readonly #options: FleetNotesOptions;
  readonly #lines = new Map<string, Line>();
  /** The receivers of each gateway. */
  readonly #served = new Map<string, readonly string[]>();
  /** What this machine told each other machine about its own receivers. */
  readonly #saidWho = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: FleetNotesOptions) {
    this.#options = options;
    const isReachable = (machine: string): boolean => this.#here().some(({ name }) => name === machine);
    const onChange = (): void => this.touch();
    options.notifier.tell(
      { onDue: onChange, onReceivers: onChange, onEnd: (note) => this.#tellEnd(note) },
      isReachable,
    );
  }

  /** Requests, receivers, machines or what they may do have changed. */
  touch(): void {
    if (this.#isClosed) return;
    this.#options.notifier.reconsider();
    for (const machine of this.#here()) {
      void this.#tellAll(machine);
      void this.#tellWho(machine);
    }
  }

  /** As a gateway. The sender is what NATS says, so a machine speaks for its own sessions only. */
  heard(from: string, { allowed, others, notes }: z.output<typeof WaitingNotes>): unknown {
    const { notifier } = this.#options;
    const heard = notes.map(({ done, ...note }) => ({ done, note: noteFrom(from, note, "waiting") }));
    notifier.heard(from, { allowed, others, notes: heard });
    const sent = Object.entries(notifier.sent(from));
    return Object.fromEntries(sent.map(([tag, who]) => [tag.slice(tagOf(from, "").length), who]));
  }

  receivers(from: string, { who }: z.output<typeof Receivers>): void {
    this.#served.set(from, who);
    this.touch();
  }

  heardEnd(from: string, { event, others, note }: z.output<typeof EndNote>): void {
    this.#options.notifier.heardEnd(noteFrom(from, note, event), others);
  }

  /** A server that stops or leaves has closed its requests. One that begins again at once has not. */
  async close(why: "stop" | "leave" | "again"): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const { notifier, ask } = this.#options;
    notifier.tell(undefined);
    if (why === "leave") notifier.forgetMachines();
    if (why === "again") return;
    const open = this.#here().filter(({ name }) => this.#lines.get(name)?.hasNotes === true);
    const goodbye = { kind: "waiting", allowed: "view", others: [], notes: [] };
    const told = Promise.allSettled(open.map(({ name }) => ask(name, goodbye)));
    await Promise.race([told, delay(GOODBYE_MS, undefined, { ref: false })]);
  }

  #here(): readonly RosterNode[] {
    return this.#options.machines().filter(({ state }) => state === "here");
  }

  async #tellAll(gateway: RosterNode): Promise<void> {
    const { name } = gateway;
    const line = this.#lines.get(name) ?? newLine();
    line.isStale = true;
    if (line.isBusy) return;
    line.isBusy = true;
    try {
      while (line.isStale && !this.#isClosed) {
        line.isStale = false;
        await this.#tell(gateway, line);
      }
    } catch (error) {
      // An older version does not know the question, and is not asked again.
      if (!isRefusal(error)) {
        line.said = "";
        this.#retry();
      }
    } finally {
      line.isBusy = false;
    }
  }

  #retry(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.touch();
    }, RETRY_MS).unref();
  }

  async #tellWho({ name, incarnation }: RosterNode): Promise<void> {
    const who = this.#options.notifier.who();
    const said = `${incarnation} ${String(who)}`;
    const before = this.#saidWho.get(name);
    if (said === before || (before === undefined && who.length === 0)) return;
    this.#saidWho.set(name, said);
    try {
      await this.#options.ask(name, { kind: "receivers", who });
    } catch (error) {
      if (isRefusal(error) || this.#saidWho.get(name) !== said) return;
      this.#saidWho.set(name, "");
      this.#retry();
    }
  }

  async #tell({ name, incarnation, since }: RosterNode, line: Line): Promise<void> {
    const { notifier, ask, limitOf } = this.#options;
    const limit = limitOf(name);
    // A machine whose devices may do nothing here learns nothing, not even that no request is open.
    if (limit === undefined && !line.hasNotes) return void this.#lines.delete(name);
    const due = notifier.due();
    const notes = limit === undefined ? [] : due.filter((note) => isWithin(limit.folders, note)).slice(-MOST_NOTES);
    const own = notifier.sent();
    const others = this.#othersOf(name);
    const said = JSON.stringify([incarnation, since, limit?.allowed, others, notes.map(({ tag }) => tag)]);
    if (line.said === said) return;
    line.said = said;
    this.#lines.set(name, line);
    const sent = [own, ...[...this.#lines.values()].map((each) => each.sent)];
    const doneOf = (tag: string): readonly string[] =>
      this.#servedBy(
        name,
        sent.flatMap((each) => each[tag] ?? []),
      );
    const told = notes.map((note) => ({ ...toldNote(note), done: doneOf(note.tag) }));
    line.hasNotes = told.length > 0;
    const answer = await ask(name, { kind: "waiting", allowed: limit?.allowed ?? "view", others, notes: told });
    line.sent = Sent.parse(answer);
  }

  #tellEnd(note: Note): void {
    for (const { name } of this.#here()) {
      const limit = this.#options.limitOf(name);
      if (limit === undefined || !isWithin(limit.folders, note)) continue;
      const question = { kind: "ended", event: note.event, others: this.#othersOf(name), note: toldNote(note) };
      // It is sent now or never.
      this.#options.ask(name, question).catch(() => undefined);
    }
  }

  /** One receiver may be known to several machines. This machine comes first, then gateways by name. */
  #othersOf(gateway: string): readonly string[] {
    const before = this.#here().filter(({ name }) => name < gateway && this.#options.limitOf(name) !== undefined);
    const own = this.#options.notifier.who();
    return this.#servedBy(gateway, [...own, ...before.flatMap(({ name }) => this.#served.get(name) ?? [])]);
  }

  #servedBy(gateway: string, who: readonly string[]): readonly string[] {
    const known = new Set(who);
    return (this.#served.get(gateway) ?? []).filter((one) => known.has(one));
  }
}

const newLine = (): Line => ({ said: "", sent: {}, hasNotes: false, isBusy: false, isStale: false });

const isRefusal = (error: unknown): boolean => (error as { readonly code?: unknown }).code === "refused";

const tagOf = (machine: string, tag: string): string => `${machine}/ ${tag}`;

const toldNote = ({ tag, at, session, project, title, body, request }: Note): z.input<typeof ToldNote> => ({
  tag,
  at,
  session,
  project: project.slice(0, MOST_PATH),
  title: cut(title, 200),
  body: cut(body, 600),
  ...(request !== undefined && { request }),
});

const noteFrom = (
  machine: string,
  { tag, title, body, request, ...note }: z.output<typeof ToldNote>,
  event: Note["event"],
): Note => ({
  ...note,
  tag: tagOf(machine, tag),
  event,
  machine,
  cwd: note.project,
  title: visibleText(title),
  body: visibleText(body),
  ...(request !== undefined && { request }),
});
