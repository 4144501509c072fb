// Our control requests that wait for the CLI. Each settles: by its answer, its time limit, its caller, or the end of
// the process. An answer may take as long as a tool runs.

import { isResponseOf } from "@quarterdeck/protocol";
import type { ControlResponse, HostSubtype, ResponseOf } from "@quarterdeck/protocol";
import { HostError } from "../host-error.ts";
import { afterMs, durationWords } from "./time-limits.ts";

export interface RequestOptions {
  /** `Infinity` waits without a limit. Default: the host's `limits`. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

interface Pending {
  readonly subtype: HostSubtype;
  readonly resolve: (response: never) => void;
  readonly reject: (error: HostError) => void;
  readonly release: () => void;
}

const adviceFor = (subtype: HostSubtype): string => {
  switch (subtype) {
    case "initialize":
      return "Check its stderr, or allow more time with `timeoutMs`.";
    case "interrupt":
      return "Call `interrupt({ orEnd: true })` or `close()` to end its process, with signals if needed. The session can be resumed.";
    default:
      return "It may be busy with a tool. Ask again after the turn, allow more time with `timeoutMs`, or `close()` and resume the session.";
  }
};

export class PendingRequests {
  readonly #pending = new Map<string, Pending>();

  get size(): number {
    return this.#pending.size;
  }

  /** Waits for the answer to `id`. `onAbandon` is called when the caller stops waiting. */
  wait<S extends HostSubtype>(
    id: string,
    subtype: S,
    options: RequestOptions & { readonly timeoutMs: number },
    onAbandon: () => void,
  ): Promise<ResponseOf<S>> {
    return new Promise<ResponseOf<S>>((resolve, reject) => {
      const abandon = (error: HostError): void => {
        if (this.#take(id) === undefined) return;
        onAbandon();
        reject(error);
      };
      const onAbort = (): void =>
        abandon(new HostError("request-aborted", `${subtype} was aborted by its caller.`, { subtype }));
      const { timeoutMs, signal } = options;
      const timer = afterMs(timeoutMs, () => {
        const message = `The CLI did not answer ${subtype} within ${durationWords(timeoutMs)}. ${adviceFor(subtype)}`;
        abandon(new HostError("request-timeout", message, { subtype, timeoutMs }));
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      const release = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      this.#pending.set(id, { subtype, resolve, reject, release });
      if (signal?.aborted === true) onAbort();
    });
  }

  /** Returns false if nobody waits for it: an echo of our own answer, or a late answer. */
  settle({ response }: ControlResponse): boolean {
    const pending = this.#take(response.request_id);
    if (pending === undefined) return false;
    const { subtype } = pending;
    if (response.subtype === "error") {
      const code = response.error_code === undefined ? {} : { errorCode: response.error_code };
      pending.reject(new HostError("request-failed", response.error, { subtype, ...code }));
    } else if (isResponseOf(subtype, response.response)) {
      pending.resolve(response.response as never);
    } else {
      pending.reject(
        new HostError("request-failed", `The CLI answered ${subtype} in an unknown form.`, {
          subtype,
          response: response.response,
        }),
      );
    }
    return true;
  }

  fail(id: string, error: HostError): void {
    this.#take(id)?.reject(error);
  }

  endAll(why: string): void {
    for (const id of this.#pending.keys()) {
      const pending = this.#take(id);
      pending?.reject(
        new HostError("process-ended", `${pending.subtype} was not answered: ${why}`, { subtype: pending.subtype }),
      );
    }
  }

  #take(id: string): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.release();
    return pending;
  }
}
