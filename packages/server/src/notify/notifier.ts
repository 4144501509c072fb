// Who gets which notification, and when. It follows the sessions of the host. It keeps each open request until it is
// sent or answered, and holds it back while a person looks at a page or has quiet hours. It interprets no message of
// the CLI.

import type { Host, SessionOverview } from "@quarterdeck/host";
import type { OpenRequest } from "@quarterdeck/session";
import { allows } from "@quarterdeck/session/bridge/policy";
import type { Access } from "../access/contract.ts";
import type { Log } from "../log.ts";
import { changesBetween, isQuiet, wants } from "./happenings.ts";
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
  readonly choices: NotifyChoices;
  readonly show: (note: Note) => Order;
  readonly withdraw: (note: Note) => Order;
  readonly gone?: () => void;
}

interface Waiting {
  readonly note: Note;
  readonly sentTo: Set<string>;
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
  readonly #lanes = new Map<string, Lane>();
  readonly #problems = new Map<string, string>();
  /** Clients at which a person looks now. */
  readonly #lookers = new Set<object>();
  readonly #changed = new Set<string>();
  readonly #stops: (() => void)[];
  #timer: NodeJS.Timeout | undefined;

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

  looks(client: object, looking: boolean): void {
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
    const note: Note = { tag: "test", event: "test", at: Date.now(), session: "", project: "", ...words };
    return this.#options.outbound.send(found.show(note));
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
    const { opened, closed, ended } = changesBetween(before, after);
    for (const request of closed) this.#withdraw(tagOf(id, request));
    if (overview === undefined || overview.archived) return;
    for (const request of opened) {
      const note = this.#noteOf(overview, request);
      this.#waiting.set(note.tag, { note, sentTo: new Set() });
    }
    if (opened.length > 0) this.#consider();
    if (ended !== undefined) this.#announce(this.#endOf(overview, ended));
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

  /** Sent now or never. An end that was held back is not sent later. */
  #announce(note: Note): void {
    if (this.#lookers.size > 0) return;
    for (const receiver of this.#receivers()) if (this.#takes(receiver, note)) this.#show(receiver, note);
  }

  #consider(): void {
    if (this.#lookers.size > 0 || this.#waiting.size === 0) return;
    const receivers = this.#receivers();
    for (const { note, sentTo } of this.#waiting.values())
      for (const receiver of receivers) {
        if (sentTo.has(receiver.id) || !this.#takes(receiver, note)) continue;
        sentTo.add(receiver.id);
        this.#show(receiver, note);
      }
  }

  #takes({ choices }: Receiver, note: Note): boolean {
    return note.event !== "test" && wants(choices, { ...note, event: note.event }) && !isQuiet(choices, Date.now());
  }

  #show(receiver: Receiver, note: Note): void {
    const until = Date.now() + secondsOf(note) * 1000;
    const send = (): Promise<Delivery> => this.#options.outbound.send(receiver.show(note));
    this.#laneOf(receiver).put({ tag: note.tag, until, isWithdrawal: false, send });
  }

  #withdraw(tag: string): void {
    const found = this.#waiting.get(tag);
    if (found === undefined) return;
    this.#waiting.delete(tag);
    for (const receiver of this.#receivers()) {
      if (!found.sentTo.has(receiver.id)) continue;
      const send = async (): Promise<Delivery> => {
        const delivery = await this.#options.outbound.send(receiver.withdraw(found.note));
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
    const mayAnswer = allows(role, "session/respond", { answer: { kind: "allow" } });
    return store.subscriptionsOf(device).map((subscription) => ({
      id: browserId(device, subscription.endpoint),
      choices,
      show: ({ request, ...note }) =>
        pushOrder(
          subscription,
          { show: { ...note, ...(mayAnswer && request !== undefined && { request }) }, choices },
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

const seenOf = ({ phase, requests }: SessionOverview): Seen => ({ phase, requests });
const tagOf = (session: string, request: string): string => `waiting ${session} ${request}`;
export const browserId = (device: string, endpoint: string): string => `${device} ${endpoint}`;
export const targetId = (id: string): string => `target ${id}`;

const targetReceiver = (target: KeptTarget): Receiver => ({
  id: targetId(target.id),
  choices: target.choices,
  show: (note) => targetOrder(target, { show: note }),
  withdraw: (note) => targetOrder(target, { withdraw: note }),
});
