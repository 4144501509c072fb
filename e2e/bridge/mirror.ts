// What a stranger knows of one session: rows, head and drafts, built from answers and frames only. Two mirrors with the
// same hash have seen the same state.

import { createHash } from "node:crypto";
import type { RawClient, Told } from "./raw-client.ts";

type Json = any; // oxlint-disable-line typescript/no-explicit-any -- a stranger has no types

export class Mirror {
  readonly session: string;
  cursor: string | undefined;
  rows = new Map<string, Json>();
  head: Record<string, Json> = {};
  drafts = new Map<string, string>();
  watchers: readonly Json[] = [];
  /** How subscriptions were answered. */
  readonly answers: string[] = [];
  #client: RawClient | undefined;
  #received = 0;
  #stop: () => void = () => undefined;
  readonly #waiting = new Set<() => void>();

  constructor(session: string) {
    this.session = session;
  }

  /** Follows the session with this client. Continues from its state if the server still accepts the cursor. */
  async follow(client: RawClient): Promise<void> {
    this.#stop();
    this.#client = client;
    // Frames before the answer belong to an earlier subscription.
    let isAnswered = false;
    this.#stop = client.onTold((told) => {
      if (isAnswered && told.params["session"] === this.session) this.#apply(told);
    });
    const params = { session: this.session, rows: 500, ...(this.cursor !== undefined && { cursor: this.cursor }) };
    await client.call("session/subscribe", params, (answer) => {
      isAnswered = true;
      this.#begin(answer);
    });
  }

  #begin(answer: Json): void {
    this.#received = 0;
    this.answers.push(answer.status);
    if (answer.status === "reset") {
      this.rows = new Map();
      this.head = {};
    }
    this.#change(answer);
    this.drafts = new Map();
    this.#draft(answer);
    this.watchers = answer.watchers;
    this.#wake();
  }

  leave(): void {
    this.#stop();
    this.#client = undefined;
  }

  /** Hash of what all clients must agree on. */
  get hash(): string {
    const rows = [...this.rows.values()].toSorted((a, b) => a.order - b.order);
    return createHash("sha256")
      .update(JSON.stringify([rows, sorted(this.head)]))
      .digest("hex");
  }

  get ordered(): Json[] {
    return [...this.rows.values()].toSorted((a, b) => a.order - b.order);
  }

  /** Waits until the condition is true. */
  until(isSo: (mirror: Mirror) => boolean): Promise<void> {
    if (isSo(this)) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo(this)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }

  /** An open request that a person must answer. */
  async request(fits: (request: Json) => boolean = () => true): Promise<Json> {
    const find = (): Json => (this.head["requests"] ?? []).find(fits);
    await this.until(() => find() !== undefined);
    return find();
  }

  async idle(): Promise<void> {
    await this.until(({ head }) => head["phase"] === "idle" || head["phase"] === "error");
  }

  #apply({ method, params, length }: Told): void {
    this.#received += length;
    if (method === "session/draft") this.#draft(params);
    else if (method === "session/changed") {
      if (params["reset"] === true) {
        this.cursor = undefined;
        if (this.#client !== undefined) void this.follow(this.#client);
        return;
      }
      this.#change(params);
      if (params["watchers"] !== undefined) this.watchers = params["watchers"];
    }
    this.#client?.tell("session/ack", { session: this.session, cursor: this.cursor, bytes: this.#received });
    this.#wake();
  }

  #change({ cursor, rows = [], removed = [], head = {}, unset = [] }: Json): void {
    this.cursor = cursor;
    for (const id of removed) this.rows.delete(id);
    for (const row of rows) {
      this.rows.set(row.id, row);
      this.drafts.delete(row.id);
    }
    Object.assign(this.head, head);
    for (const key of unset) delete this.head[key];
  }

  #draft({ drafts = [], ended = [] }: Json): void {
    for (const id of ended) this.drafts.delete(id);
    for (const { id, from, text } of drafts) {
      const before = this.drafts.get(id) ?? "";
      if (from > before.length) throw new Error(`A draft has a hole: ${id} at ${from}, and ${before.length} are here.`);
      this.drafts.set(id, before.slice(0, from) + text);
    }
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }
}

const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key])]),
  );
};
