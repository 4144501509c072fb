// Control requests that we send to the host. Each promise settles: by the answer, by our withdrawal, or because stdin
// ended.
import { randomUUID } from "node:crypto";
import type { Message } from "./emit.ts";
import { isRecord, recordAt, textAt } from "./json.ts";
import type { Json } from "./json.ts";

export type HostAnswer =
  | { readonly kind: "success"; readonly response: unknown }
  | { readonly kind: "error"; readonly error: string }
  | { readonly kind: "withdrawn" }
  | { readonly kind: "closed" };

interface Waiting {
  readonly message: Message;
  readonly settle: (answer: HostAnswer) => void;
}

export class HostRequests {
  readonly #write: (message: Message) => void;
  readonly #waiting = new Map<string, Waiting>();
  #closed = false;

  constructor(write: (message: Message) => void) {
    this.#write = write;
  }

  /** Open requests of one subtype, as they were sent, for a host that lost its state. */
  pending(subtype: string): readonly Message[] {
    return [...this.#waiting.values()].flatMap(({ message }) =>
      recordAt(message, "request").subtype === subtype ? [message] : [],
    );
  }

  /** Aborting the signal withdraws the request. The host gets the withdrawal before `abort` returns. */
  ask(request: Json, signal?: AbortSignal): Promise<HostAnswer> {
    if (this.#closed) return Promise.resolve({ kind: "closed" });
    if (signal?.aborted === true) return Promise.resolve({ kind: "withdrawn" });
    const id = randomUUID();
    return new Promise((resolve) => {
      const withdraw = (): void => {
        if (!this.#waiting.delete(id)) return;
        this.#write({ type: "control_cancel_request", request_id: id });
        resolve({ kind: "withdrawn" });
      };
      const message = { type: "control_request", request_id: id, request };
      this.#waiting.set(id, {
        message,
        settle: (answer) => {
          signal?.removeEventListener("abort", withdraw);
          resolve(answer);
        },
      });
      signal?.addEventListener("abort", withdraw, { once: true });
      this.#write(message);
    });
  }

  /** Returns false if nobody waits for it. */
  answer(message: Json): boolean {
    const response = recordAt(message, "response");
    const id = textAt(response, "request_id") ?? "";
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    this.#waiting.delete(id);
    waiting.settle(
      response.subtype === "error"
        ? { kind: "error", error: textAt(response, "error") ?? "Unknown error" }
        : { kind: "success", response: isRecord(response.response) ? response.response : {} },
    );
    return true;
  }

  close(): void {
    this.#closed = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { settle } of waiting) settle({ kind: "closed" });
  }
}
