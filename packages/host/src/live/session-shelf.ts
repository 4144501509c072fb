// Sessions in memory, one object each. A session with a process or a listener is held. Other sessions stay only while
// callers hold them, so that a thousand sessions that were opened once cost nothing.

import type { Session } from "../session/session.ts";

export type HoldReason = "process" | "listeners";

export class SessionShelf {
  readonly #held = new Map<string, { readonly session: Session; readonly reasons: Set<HoldReason> }>();
  readonly #lent = new Map<string, WeakRef<Session>>();

  get(id: string): Session | undefined {
    return this.#held.get(id)?.session ?? this.#lent.get(id)?.deref();
  }

  put(session: Session): void {
    this.#lent.set(session.id, new WeakRef(session));
  }

  /** Keeps the session in memory while there is a reason. */
  hold(id: string, reason: HoldReason, isHeld: boolean): void {
    const session = this.get(id);
    if (session === undefined) return;
    const reasons = this.#held.get(id)?.reasons ?? new Set();
    if (isHeld) reasons.add(reason);
    else reasons.delete(reason);
    if (reasons.size > 0) this.#held.set(id, { session, reasons });
    else this.#held.delete(id);
  }

  forget(id: string): void {
    this.#held.delete(id);
    this.#lent.delete(id);
  }

  get all(): readonly Session[] {
    return [...this.#lent.keys()].flatMap((id) => this.get(id) ?? []);
  }
}
