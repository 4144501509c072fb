// Who gets which notification, and when. It follows the sessions of the host. It keeps each open request until it is
// sent or answered, and holds it back while a person looks at a page or has quiet hours. It interprets no message of
// the CLI. In a fleet, the machine that waits tells the gateways, and each gateway sends to its own devices (fleet-notes.ts).

import { createHash } from "node:crypto";
import type { Host, SessionOverview } from "@quarterdeck/host";
import type { OpenRequest } from "@quarterdeck/session";
import type { Role } from "@quarterdeck/session/bridge";
import { allows, roleThroughFleet } from "@quarterdeck/session/bridge/policy";
import type { Access, Device } from "../access/contract.ts";
import { isWithin } from "../files/paths-within.ts";
import type { Log } from "../log.ts";
import { happeningsBetween, isQuiet, wants } from "./happenings.ts";
import type { Seen } from "./happenings.ts";
import { Lane } from "./lane.ts";
import type { KeptTarget, NotifyChoices, NotifyStore } from "./notify-file.ts";
import { pushOrder, secondsOf, targetOrder } from "./orders.ts";
import type { Note, Sender } from "./orders.ts";
import type { Delivery, Order, Outbound } from "./outbound.ts";
import { quickLine } from "./quick-answer.ts";
import { signingKeyOf } from "./web-push.ts";

export interface NotifierOptions {
  readonly host: Host;
  readonly access: Access;
  readonly store: NotifyStore;
  readonly outbound: Outbound;
  readonly log: Log;
  readonly projectOf: (cwd: string) => string;
  /** What a request asks for, in one line without hidden characters. */
  readonly lineOf: (request: OpenRequest) => string;
  readonly titleOf: (overview: SessionOverview) => string;
  readonly hashOf: (request: OpenRequest["request"]) => string;
}

/** A browser of a device, or a target of the server. */
interface Receiver {
  readonly id: string;
  /** The same for this browser or target on every machine that it is known to. */
  readonly who: string;
  readonly choices: NotifyChoices;
  /** `allowed`: the most that devices of this server may do on the machine of the note. */
  readonly show: (note: Note, allowed?: Role) => Order;
  readonly withdraw: (note: Note) => Order;
  readonly gone?: () => void;
}

interface Waiting {
  readonly note: Note;
  readonly sentTo: Set<string>;
  /** Nobody looked since it was opened. */
  isDue: boolean;
}

/** A client at which a person may look. */
interface Looker {
  readonly folders: Device["folders"] | undefined;
  readonly via: string | undefined;
}

/** What another machine says about its open requests. */
export interface HeardNotes {
  readonly notes: readonly HeardNote[];
  /** The most that devices of this machine may do there. */
  readonly allowed: Role;
  /** Receivers that hear of all of them from somebody else. */
  readonly others: readonly string[];
}
export interface HeardNote {
  readonly note: Note;
  /** Receivers that got it already. */
  readonly done: readonly string[];
}
/** What the part for the fleet gets from here. */
export interface OwnNews {
  /** The open requests that nobody looked at are others now. */
  readonly onDue: () => void;
  /** The receivers of this server are others now. */
  readonly onReceivers: () => void;
  readonly onEnd: (note: Note) => void;
}

/** A policy may answer at once. Then nothing is sent. */
const SETTLE_MS = 30;
const RECHECK_MS = 20_000;
const OK: Delivery = { status: 200 };

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #sender: Sender;
  readonly #seen = new Map<string, Seen>();
  readonly #waiting = new Map<string, Waiting>();
  /** Requests of other machines, by machine. */
  readonly #heard = new Map<string, { readonly allowed: Role; readonly waiting: Map<string, Waiting> }>();
  readonly #lanes = new Map<string, Lane>();
  readonly #problems = new Map<string, string>();
  /** Clients at which a person looks now. */
  readonly #lookers = new Set<Looker>();
  readonly #changed = new Set<string>();
  readonly #stops: (() => void)[];
  #timer: NodeJS.Timeout | undefined;
  #news: OwnNews | undefined;
  #isReachable: (machine: string) => boolean = () => false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    const { host, access, store } = options;
    this.#sender = { publicKey: store.vapid.publicKey, key: signingKeyOf(store.vapid) };
    // What waits already was announced before, or belongs to a process that has ended.
    for (const overview of host.overviews()) this.#seen.set(overview.id, seenOf(overview));
    for (const device of store.devices()) if (access.device(device) === undefined) store.forgetDevice(device);
    const recheck = setInterval(() => this.#consider(), RECHECK_MS).unref();
    this.#stops = [
      host.subscribe((id) => this.#touch(id)),
      store.onChange(() => this.#news?.onReceivers()),
      access.onRevoked((id) => this.#revoked(id)),
      () => clearInterval(recheck),
    ];
  }

  get store(): NotifyStore {
    return this.#options.store;
  }

  problemOf(receiver: string): string | undefined {
    return this.#problems.get(receiver);
  }

  looks(client: Looker, looking: boolean): void {
    if (looking) this.#lookers.add(client);
    else if (this.#lookers.delete(client)) this.#consider();
  }

  /** Choices have changed: what was held back may go out now. */
  reconsider(): void {
    this.#consider();
  }

  /** Sends at once, without a second try. */
  async test(receiver: string): Promise<Delivery> {
    const found = this.#receivers().find(({ id }) => id === receiver);
    if (found === undefined) return { status: 0, problem: "The receiver does not exist." };
    const words = { title: "Quarterdeck", body: "This is a test. Notifications work." };
    const note: Note = { tag: "test", event: "test", at: Date.now(), session: "", cwd: "", project: "", ...words };
    return this.#options.outbound.send(found.show(note));
  }

  /** In a fleet: who hears of own requests, and which machines can be answered now. */
  tell(news: OwnNews | undefined, isReachable: (machine: string) => boolean = () => false): void {
    this.#news = news;
    this.#isReachable = isReachable;
  }

  /** Own requests at which nobody looks. */
  due(): readonly Note[] {
    return [...this.#waiting.values()].flatMap(({ note, isDue }) => (isDue ? [note] : []));
  }

  /** The receivers of this server that want to hear of requests. */
  who(): readonly string[] {
    return this.#receivers().flatMap(({ who, choices }) => (choices.waiting ? [who] : []));
  }

  /** Who got which request, by tag: own requests, or those of a machine. */
  sent(from?: string): Readonly<Record<string, readonly string[]>> {
    const receivers = this.#receivers();
    const waiting = from === undefined ? this.#waiting : this.#heard.get(from)?.waiting;
    const whoOf = (ids: ReadonlySet<string>): string[] =>
      receivers.flatMap(({ id, who }) => (ids.has(id) ? [who] : []));
    return Object.fromEntries([...(waiting ?? [])].map(([tag, { sentTo }]) => [tag, whoOf(sentTo)]));
  }

  /** All that waits on another machine now. What is missing was answered. */
  heard(machine: string, { notes, allowed, others }: HeardNotes): void {
    const before = this.#heard.get(machine)?.waiting ?? new Map<string, Waiting>();
    const receivers = this.#receivers();
    const waiting = new Map<string, Waiting>();
    for (const { note, done } of notes) {
      const sentTo = before.get(note.tag)?.sentTo ?? new Set<string>();
      for (const receiver of receivers) {
        if (sentTo.has(receiver.id) || !(others.includes(receiver.who) || done.includes(receiver.who))) continue;
        sentTo.add(receiver.id);
        if (done.includes(receiver.who)) this.#laneOf(receiver).assumeShown(note.tag);
      }
      waiting.set(note.tag, { note, sentTo, isDue: true });
    }
    this.#heard.set(machine, { allowed, waiting });
    for (const [tag, { note, sentTo }] of before) if (!waiting.has(tag)) this.#takeBack(note, sentTo);
    this.#consider();
  }

  heardEnd(note: Note, others: readonly string[]): void {
    if (!this.#isSeen(note)) this.#announce(note, new Set(others));
  }

  /** This machine left the fleet, so requests of others cannot be answered from here. */
  forgetMachines(): void {
    for (const { waiting } of this.#heard.values())
      for (const { note, sentTo } of waiting.values()) this.#takeBack(note, sentTo);
    this.#heard.clear();
  }

  close(): void {
    for (const stop of this.#stops) stop();
    clearTimeout(this.#timer);
    for (const lane of this.#lanes.values()) lane.close();
  }

  #touch(id: string): void {
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const ids = [...this.#changed];
      this.#changed.clear();
      try {
        for (const one of ids) this.#follow(one);
      } catch (error) {
        // An exception in a timer would end the process.
        this.#options.log.error("notifications failed", {
          error: error instanceof Error ? error.stack : String(error),
        });
      }
    }, SETTLE_MS).unref();
  }

  #follow(id: string): void {
    const overview = this.#overviewOf(id);
    const before = this.#seen.get(id);
    const after = overview === undefined ? undefined : seenOf(overview);
    if (after === undefined) this.#seen.delete(id);
    else this.#seen.set(id, after);
    const { opened, closed, ended } = happeningsBetween(before, after);
    for (const request of closed) this.#withdraw(tagOf(id, request));
    if (overview === undefined || overview.archived) return;
    for (const request of opened) {
      const note = this.#noteOf(overview, request);
      this.#waiting.set(note.tag, { note, sentTo: new Set(), isDue: false });
    }
    if (opened.length > 0) this.#consider();
    if (ended === undefined) return;
    const end = this.#endOf(overview, ended);
    if (this.#isSeen(end)) return;
    this.#announce(end);
    this.#news?.onEnd(end);
  }

  #overviewOf(id: string): SessionOverview | undefined {
    try {
      return this.#options.host.overview(id);
    } catch {
      // Deleted meanwhile.
      return undefined;
    }
  }

  #noteOf(overview: SessionOverview, request: OpenRequest): Note {
    const { projectOf, titleOf, lineOf, hashOf } = this.#options;
    const quick = quickLine(request, overview.cwd);
    const { id, incarnation } = request;
    return {
      tag: tagOf(overview.id, id),
      event: "waiting",
      at: request.at,
      session: overview.id,
      cwd: overview.cwd,
      project: projectOf(overview.cwd),
      title: titleOf(overview),
      // All of a request that can be answered from here is in the notification.
      body: quick === undefined ? `Needs you. ${lineOf(request)}` : `Wants to run: ${quick}`,
      ...(quick !== undefined && { request: { id, incarnation, inputHash: hashOf(request.request) } }),
    };
  }

  #endOf(overview: SessionOverview, event: "finished" | "failed"): Note {
    const { projectOf, titleOf } = this.#options;
    return {
      tag: `ended ${overview.id}`,
      event,
      at: Date.now(),
      session: overview.id,
      cwd: overview.cwd,
      project: projectOf(overview.cwd),
      title: titleOf(overview),
      body:
        event === "finished"
          ? "Finished."
          : overview.phase === "died"
            ? "Claude Code stopped unexpectedly."
            : "The turn failed.",
    };
  }

  /** Whether a person looks at a client that shows this. Who looks at a machine's own page sees all other machines, too. */
  #isSeen({ machine, cwd, project }: Note): boolean {
    return [...this.#lookers].some(({ folders, via }) =>
      machine === undefined ? isWithin(folders, { cwd, project }) : via === undefined,
    );
  }

  /** Sent now or never. An end that was held back is not sent later. */
  #announce(note: Note, others: ReadonlySet<string> = NOBODY): void {
    for (const receiver of this.#receivers())
      if (!others.has(receiver.who) && this.#takes(receiver, note)) this.#show(receiver, note, undefined);
  }

  #consider(): void {
    const receivers = this.#receivers();
    let isNews = false;
    for (const one of this.#waiting.values()) {
      if (this.#isSeen(one.note)) continue;
      isNews ||= !one.isDue;
      one.isDue = true;
      this.#send(receivers, one);
    }
    for (const [machine, { allowed, waiting }] of this.#heard)
      if (this.#isReachable(machine))
        for (const one of waiting.values()) if (!this.#isSeen(one.note)) this.#send(receivers, one, allowed);
    if (isNews) this.#news?.onDue();
  }

  #send(receivers: readonly Receiver[], { note, sentTo }: Waiting, allowed?: Role): void {
    for (const receiver of receivers) {
      if (sentTo.has(receiver.id) || !this.#takes(receiver, note)) continue;
      sentTo.add(receiver.id);
      this.#show(receiver, note, allowed);
    }
  }

  #takes({ choices }: Receiver, note: Note): boolean {
    return note.event !== "test" && wants(choices, { ...note, event: note.event }) && !isQuiet(choices, Date.now());
  }

  #show(receiver: Receiver, note: Note, allowed: Role | undefined): void {
    const until = Date.now() + secondsOf(note) * 1000;
    const send = (): Promise<Delivery> => this.#options.outbound.send(receiver.show(note, allowed));
    this.#laneOf(receiver).put({ tag: note.tag, until, isWithdrawal: false, send });
  }

  #withdraw(tag: string): void {
    const found = this.#waiting.get(tag);
    if (found === undefined) return;
    this.#waiting.delete(tag);
    this.#takeBack(found.note, found.sentTo);
    if (found.isDue) this.#news?.onDue();
  }

  #takeBack(note: Note, sentTo: ReadonlySet<string>): void {
    const { tag } = note;
    for (const receiver of this.#receivers()) {
      if (!sentTo.has(receiver.id)) continue;
      const send = async (): Promise<Delivery> => {
        const delivery = await this.#options.outbound.send(receiver.withdraw(note));
        // A target that cannot take anything back is not broken.
        return receiver.gone === undefined && delivery.status >= 400 && delivery.status < 500 ? OK : delivery;
      };
      this.#laneOf(receiver).put({ tag, until: Infinity, isWithdrawal: true, send });
    }
  }

  #laneOf({ id, gone }: Receiver): Lane {
    let lane = this.#lanes.get(id);
    if (lane === undefined) {
      lane = new Lane({
        problem: (problem) => {
          if (problem === undefined) this.#problems.delete(id);
          else this.#problems.set(id, problem);
        },
        ...(gone !== undefined && {
          gone: () => {
            this.#lanes.delete(id);
            gone();
          },
        }),
      });
      this.#lanes.set(id, lane);
    }
    return lane;
  }

  #receivers(): readonly Receiver[] {
    const { store } = this.#options;
    return [
      ...store.devices().flatMap((id) => this.#browsersOf(id)),
      ...store.targets().map((one) => targetReceiver(one)),
    ];
  }

  #browsersOf(device: string): readonly Receiver[] {
    const { access, store, log } = this.#options;
    const role = access.device(device)?.role;
    if (role === undefined) return [];
    const choices = store.choicesOf(device);
    // The policy decides, as for the card. A device that may not answer is not offered the buttons.
    const mayAnswer = (allowed: Role | undefined): boolean =>
      allows(allowed === undefined ? role : roleThroughFleet(role, allowed), "session/respond", {
        answer: { kind: "allow" },
      });
    return store.subscriptionsOf(device).map((subscription) => ({
      id: browserId(device, subscription.endpoint),
      who: whoIs(subscription.endpoint),
      choices,
      show: ({ request, ...note }, allowed) =>
        pushOrder(
          subscription,
          { show: { ...note, ...(mayAnswer(allowed) && request !== undefined && { request }) }, choices },
          this.#sender,
        ),
      withdraw: ({ tag }) => pushOrder(subscription, { withdraw: tag }, this.#sender),
      gone: () => {
        log.info("push subscription ended", { device });
        store.unsubscribe(device, subscription.endpoint);
      },
    }));
  }

  /** The browser deletes what it keeps of the server. Then nothing more is sent to it. */
  #revoked(device: string): void {
    const { store, outbound } = this.#options;
    for (const subscription of store.subscriptionsOf(device)) {
      const id = browserId(device, subscription.endpoint);
      this.#lanes.get(id)?.close();
      this.#lanes.delete(id);
      this.#problems.delete(id);
      void outbound.send(pushOrder(subscription, { revoke: true }, this.#sender));
    }
    store.forgetDevice(device);
  }
}

const NOBODY: ReadonlySet<string> = new Set();
/** An address says more than that two machines know the same receiver. */
const whoIs = (address: string): string => createHash("sha256").update(address).digest("base64url").slice(0, 16);
const seenOf = ({ phase, requests }: SessionOverview): Seen => ({ phase, requests });
const tagOf = (session: string, request: string): string => `waiting ${session} ${request}`;
export const browserId = (device: string, endpoint: string): string => `${device} ${endpoint}`;
export const targetId = (id: string): string => `target ${id}`;

const targetReceiver = (target: KeptTarget): Receiver => ({
  id: targetId(target.id),
  who: whoIs(`${target.kind} ${target.url}`),
  choices: target.choices,
  show: (note) => targetOrder(target, { show: note }),
  withdraw: (note) => targetOrder(target, { withdraw: note }),
});
