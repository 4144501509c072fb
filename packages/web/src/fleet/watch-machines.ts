// The state of each machine as a person needs it: what the fleet says, and whether the machine lets this device in.

import { BridgeError, type Fleet } from "@quarterdeck/client";
import type { Machine } from "../store/fleet.ts";
import { stateWords } from "./machine-words.ts";
import { WORDS } from "./words.ts";

export interface WatchedMachines {
  /** The same array until something changes. This machine first. */
  readonly all: () => readonly Machine[];
  readonly subscribe: (listener: () => void) => () => void;
  /** Throws if the machine is away or lets nobody in. */
  mustAnswer(machine: string): void;
  close(): void;
}

export const watchMachines = (fleet: Fleet): WatchedMachines => {
  let all: readonly Machine[] = [];
  const listeners = new Set<() => void>();
  /** Why a machine that is here does not let this device in. */
  const reasons = new Map<string, string>();
  const watched = new Map<string, () => void>();

  const build = (): void => {
    const { machines } = fleet.snapshot;
    const next = machines.map(({ name, isOwn, state, since }): Machine => {
      const client = isOwn || state === "here" ? fleet.machine(name) : undefined;
      const reason = state === "here" ? reasons.get(name) : undefined;
      const about = {
        isHome: isOwn,
        state: reason === undefined ? state : ("shut" as const),
        since,
        isOpen: client?.state.status === "open",
      };
      return {
        ...about,
        name,
        words: stateWords(about, Date.now()),
        ...(reason !== undefined && { reason }),
        ...(client?.info !== undefined && { role: client.info.device.role }),
      };
    });
    if (JSON.stringify(next) === JSON.stringify(all)) return;
    all = next;
    for (const listener of listeners) listener();
  };
  const follow = (): void => {
    for (const { name, isOwn, state } of fleet.snapshot.machines) {
      if (isOwn || state !== "here" || watched.has(name)) continue;
      const client = fleet.machine(name);
      watched.set(
        name,
        client.onState((now) => {
          if (now.status === "open") reasons.delete(name);
          else if (now.status === "refused") reasons.set(name, now.reason);
          else if (now.status === "waiting") void lookAt(name);
          build();
        }),
      );
    }
    for (const [name, stop] of watched) {
      if (fleet.snapshot.machines.some((machine) => machine.name === name)) continue;
      stop();
      watched.delete(name);
    }
    build();
  };
  /** A browser does not see why a socket was refused, so the page asks by HTTP. */
  const lookAt = async (name: string): Promise<void> => {
    try {
      const answer = await fetch(`/m/${encodeURIComponent(name)}/healthz`);
      if (answer.status === 403) {
        const { error } = (await answer.json()) as { readonly error?: { readonly message?: string } };
        reasons.set(name, error?.message ?? "");
      } else reasons.delete(name);
      build();
    } catch {
      // This machine is not reached either. The page says so already.
    }
  };
  const stop = fleet.subscribe(follow);
  follow();

  return {
    all: () => all,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    mustAnswer: (name) => {
      const machine = all.find((each) => each.name === name);
      if (machine === undefined) throw new BridgeError("machine-away", WORDS.isUnknown(name));
      if (machine.state === "shut") throw new BridgeError("forbidden", machine.reason ?? WORDS.isShut(name));
      if (machine.state !== "here") throw new BridgeError("machine-away", WORDS.refused(name));
    },
    close: () => {
      stop();
      for (const each of watched.values()) each();
    },
  };
};
