// The sessions of all machines in one list. A machine that is away keeps its last list, also after a reload: this browser remembers the
// newest sessions of each machine. They are shown as what they were, and nothing in them waits or runs.

import { isRunning, urgentThenNewest } from "@quarterdeck/client/content";
import type { Fleet, SessionList, SessionListSnapshot, SessionSummary } from "@quarterdeck/client";
import type { MachinePlace } from "../store/fleet.ts";
import { kept } from "../store/kept.ts";
import type { WatchedMachines } from "./watch-machines.ts";
import { WORDS } from "./words.ts";

type Lists = Readonly<Record<string, readonly SessionSummary[]>>;

const MOST_KEPT = 50;
const SAVE_MS = 2000;

/** Only what a row needs is trusted. Another version of the page may have written it. */
const isSummary = (value: unknown): value is SessionSummary => {
  const { id, cwd, project, updatedAt, createdAt, waiting } = (value ?? {}) as Record<string, unknown>;
  return (
    [id, cwd, project].every((text) => typeof text === "string") &&
    [updatedAt, createdAt].every((time) => typeof time === "number") &&
    Array.isArray(waiting)
  );
};

export const decodeLists = (value: unknown): Lists =>
  typeof value !== "object" || value === null
    ? {}
    : Object.fromEntries(
        Object.entries(value).flatMap(([name, list]) => (Array.isArray(list) ? [[name, list.filter(isSummary)]] : [])),
      );

const stored = kept("fleet", decodeLists);

/** As it was when its machine was last seen. */
export const asItWas = (summary: SessionSummary): SessionSummary => {
  const { waiting, phase, live, tasks, lastText } = summary;
  const was =
    waiting.length > 0 ? WORDS.wasWaiting : live && (isRunning(phase) || tasks > 0) ? WORDS.wasWorking : undefined;
  return {
    ...summary,
    waiting: [],
    live: false,
    held: false,
    queued: 0,
    tasks: 0,
    phase: "idle",
    ...((was ?? lastText) !== undefined && { lastText: was ?? lastText }),
  };
};

export interface AllSessions extends SessionList {
  /** The machine that has the session. If several have it: the preferred one, then this one, then one that answers. */
  ownerOf(session: string, preferred?: string): string | undefined;
  /** For a session that is not in the list yet. */
  remember(session: string, machine: string): void;
  /** The only machine with sessions in this folder. */
  machineOfFolder(folder: string): string | undefined;
  close(): void;
}

export const mergedListOf = (fleet: Fleet, own: string, machines: WatchedMachines): AllSessions => {
  let snapshot: SessionListSnapshot = { status: "loading", sessions: [] };
  let owners = new Map<string, string[]>();
  let folders = new Map<string, Set<string>>();
  const remembered = new Map<string, string>();
  const listeners = new Set<() => void>();
  const placed = new WeakMap<SessionSummary, { readonly place: MachinePlace; readonly summary: SessionSummary }>();
  const places = new Map<string, MachinePlace>();
  let saving: ReturnType<typeof setTimeout> | undefined;

  const placeAt = (machine: string, isAway: boolean): MachinePlace => {
    const known = places.get(machine);
    if (known?.isAway === isAway) return known;
    const place = { machine, isAway };
    places.set(machine, place);
    return place;
  };
  const at = (summary: SessionSummary, place: MachinePlace): SessionSummary => {
    const known = placed.get(summary);
    if (known?.place === place) return known.summary;
    const made = { ...(place.isAway ? asItWas(summary) : summary), place };
    placed.set(summary, { place, summary: made });
    return made;
  };

  const build = (): void => {
    const { status, sessions } = fleet.sessions.snapshot;
    const byMachine = Map.groupBy(sessions, ({ machine }) => (machine === "" ? own : machine));
    const saved = stored.get();
    const nextOwners = new Map<string, string[]>();
    const nextFolders = new Map<string, Set<string>>();
    const found: SessionSummary[] = [];
    // This machine first, then machines that are here: the first owner wins.
    const order = machines.all().toSorted((a, b) => rankOf(a) - rankOf(b));
    for (const { name, isHome, state } of order) {
      const live = byMachine.get(name)?.map(({ session }) => session);
      const isAway = !isHome && state !== "here";
      const place = placeAt(name, isAway);
      for (const summary of live ?? (isAway ? saved[name] : undefined) ?? []) {
        const others = nextOwners.get(summary.id);
        nextOwners.set(summary.id, [...(others ?? []), name]);
        for (const folder of [summary.project, summary.cwd])
          nextFolders.set(folder, (nextFolders.get(folder) ?? new Set()).add(name));
        if (others === undefined) found.push(at(summary, place));
      }
    }
    owners = nextOwners;
    folders = nextFolders;
    found.sort(urgentThenNewest);
    const isSame =
      status === snapshot.status &&
      found.length === snapshot.sessions.length &&
      found.every((summary, index) => summary === snapshot.sessions[index]);
    if (isSame) return;
    snapshot = { status, sessions: found };
    for (const listener of listeners) listener();
    saving ??= setTimeout(save, SAVE_MS);
  };
  const save = (): void => {
    saving = undefined;
    const byMachine = Map.groupBy(fleet.sessions.snapshot.sessions, ({ machine }) => machine);
    const before = stored.get();
    stored.set(
      Object.fromEntries(
        machines
          .all()
          .filter(({ isHome }) => !isHome)
          .map(({ name }) => {
            const now = byMachine.get(name)?.map(({ session }) => session);
            return [name, now?.filter(({ archived }) => !archived).slice(0, MOST_KEPT) ?? before[name] ?? []];
          }),
      ),
    );
  };
  const stops = [fleet.sessions.subscribe(build), machines.subscribe(build)];
  build();

  return {
    get snapshot() {
      return snapshot;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ownerOf: (session, preferred) => {
      const all = owners.get(session);
      if (all === undefined) return remembered.get(session);
      return preferred !== undefined && all.includes(preferred) ? preferred : all[0];
    },
    remember: (session, machine) => void remembered.set(session, machine),
    machineOfFolder: (folder) => {
      const all = folders.get(folder);
      return all?.size === 1 ? [...all][0] : undefined;
    },
    close: () => {
      clearTimeout(saving);
      for (const stop of stops) stop();
    },
  };
};

const rankOf = ({ isHome, state }: { readonly isHome: boolean; readonly state: string }): number =>
  isHome ? 0 : state === "here" ? 1 : 2;
