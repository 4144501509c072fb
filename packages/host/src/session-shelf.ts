// Sessions in memory: one object for each, as long as anybody has use for it. Those with a process or a listener are held; of the
// others only what callers still hold stays, so that a thousand sessions that were looked at once cost nothing.

import type { Session } from "./session.ts";

export class SessionShelf {
  readonly #held = new Map<string, Session>();
  readonly #lent = new Map<string, WeakRef<Session>>();

  get(id: string): Session | undefined {
    return this.#held.get(id) ?? this.#lent.get(id)?.deref();
  }

  put(session: Session): void {
    this.#lent.set(session.id, new WeakRef(session));
  }

  /** Keeps the session in memory, or leaves it to those who hold it. */
  hold(id: string, isHeld: boolean): void {
    const session = this.get(id);
    if (isHeld && session !== undefined) this.#held.set(id, session);
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
