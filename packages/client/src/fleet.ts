// Many machines through one server. Each machine has a client of its own, whose paths begin with `/m/<machine>`. Nothing waits for a
// machine that does not answer: a call fails with `machine-away`, and an answer is never sent later.

import type { Method, ParamsOf, ResultOf, SessionSummary } from "@quarterdeck/session/bridge";
import { BridgeError } from "./bridge-error.ts";
import { connect, setOptions } from "./connect.ts";
import type { CallOptions, Client, ConnectOptions, SessionView } from "./contract.ts";
import { callAll, addListener, oncePerFrame, reportBug } from "./listeners.ts";
import { share, shareItems } from "./share.ts";

export interface FleetOptions extends Omit<ConnectOptions, "machine"> {
  /** A client of the server that exists already. The fleet does not close it. */
  readonly own?: Client;
}

type Status = NonNullable<ResultOf<"fleet/status">["fleet"]>;

export interface FleetMachine {
  readonly name: string;
  /** The machine of the server itself. */
  readonly isOwn: boolean;
  readonly state: Status["machines"][number]["state"];
  /** When the state began, by the clock of the server. */
  readonly since: number;
  readonly version: string;
  readonly bridge: number;
  /** What devices of that machine may do at the server's machine. Absent: nothing. */
  readonly allowed?: Status["machines"][number]["allowed"];
}

export interface FleetSnapshot {
  /** `alone`: the server is in no fleet. */
  readonly status: "loading" | "alone" | "ready";
  /** The name of the fleet. */
  readonly name?: string;
  readonly bus?: Status["bus"];
  /** The server's own machine first, then by name. Empty if the server is in no fleet. */
  readonly machines: readonly FleetMachine[];
}

export interface FleetSession {
  /** The name of its machine. Empty if the server is in no fleet. */
  readonly machine: string;
  readonly session: SessionSummary;
}
export interface FleetSessionListSnapshot {
  /** `ready`: the list of the server's own machine is complete. Lists of other machines are added as they arrive. */
  readonly status: "loading" | "ready";
  /** Sessions that need a person first, then the newest. A machine that went away keeps its last list. */
  readonly sessions: readonly FleetSession[];
}
export interface FleetSessionList {
  readonly snapshot: FleetSessionListSnapshot;
  subscribe(listener: () => void): () => void;
}

export interface Fleet {
  /** The client of the server itself. */
  readonly own: Client;
  /** The same object until something changes. */
  readonly snapshot: FleetSnapshot;
  subscribe(listener: () => void): () => void;
  /** The client of a machine, always the same one. Its calls fail with `machine-away` while the machine does not answer. */
  machine(name: string): Client;
  session(machine: string, id: string): SessionView;
  /** The sessions of all machines. Machines are connected on first use. */
  readonly sessions: FleetSessionList;
  close(): void;
}

export const connectFleet = (options: FleetOptions): Fleet => {
  const { own: given, ...rest } = options;
  const own = given ?? connect(rest);
  const report = options.onListenerError ?? reportBug;
  const listeners = new Set<() => void>();
  const listListeners = new Set<() => void>();
  const others = new Map<string, { readonly client: Client; follow(): void; close(): void }>();
  let status: Status | undefined;
  let snapshot: FleetSnapshot = { status: "loading", machines: [] };
  let list: FleetSessionListSnapshot = { status: "loading", sessions: [] };
  let isListWanted = false;
  let isClosed = false;

  const isHere = (name: string): boolean =>
    own.state.status === "open" && status?.machines.find((machine) => machine.name === name)?.state === "here";

  const other = (name: string) => {
    const found = others.get(name);
    if (found !== undefined) return found;
    const to: ConnectOptions = { ...rest, machine: name };
    const inner = connect(to);
    let gone = new AbortController();
    const refused = (): BridgeError | undefined => {
      if (status === undefined || isHere(name)) return undefined;
      const known = name === status.node || status.machines.some((machine) => machine.name === name);
      return known
        ? new BridgeError("machine-away", `${name} does not answer. Nothing was sent.`, { machine: name })
        : new BridgeError("not-found", `The fleet has no machine ${name}.`, { machine: name });
    };
    const guarded = async <T>(call: (options: CallOptions) => Promise<T>, { signal }: CallOptions = {}): Promise<T> => {
      const why = refused();
      if (why !== undefined) throw why;
      return call({ signal: signal === undefined ? gone.signal : AbortSignal.any([signal, gone.signal]) });
    };
    // The rest is the inner client: its state, its list, its sessions.
    const client = Object.create(inner, {
      call: {
        value: <M extends Method>(method: M, params: ParamsOf<M>, callOptions?: CallOptions) =>
          guarded((using) => inner.call(method, params, using), callOptions),
      },
      command: {
        value: <M extends Method>(method: M, params: Omit<ParamsOf<M>, "commandId">, callOptions?: CallOptions) =>
          guarded((using) => inner.command(method, params, using), callOptions),
      },
    }) as Client;
    setOptions(client, to);
    let wasHere = isHere(name);
    let stopList: (() => void) | undefined;
    const made = {
      client,
      follow: () => {
        const now = isHere(name);
        if (now && !wasHere) inner.retryNow();
        // A short break is repaired by the connection. A call must not wait for a machine that has left.
        const state = status?.machines.find((machine) => machine.name === name)?.state;
        if (status !== undefined && (state === undefined || state === "away")) {
          const before = gone;
          gone = new AbortController();
          before.abort(
            new BridgeError("machine-away", `${name} went away before it answered. Look there before you try again.`, {
              machine: name,
            }),
          );
        }
        wasHere = now;
        if (isListWanted) stopList ??= inner.sessions.subscribe(schedule);
      },
      close: () => {
        stopList?.();
        inner.close();
      },
    };
    others.set(name, made);
    made.follow();
    return made;
  };

  const merge = oncePerFrame(() => {
    const before = new Map(list.sessions.map((each) => [`${each.machine} ${each.session.id}`, each]));
    const all = [
      [status?.node ?? "", own] as const,
      ...[...others].map(([name, { client }]) => [name, client] as const),
    ];
    const merged = all.flatMap(([machine, { sessions }]) =>
      sessions.snapshot.sessions.map((session): FleetSession => {
        const old = before.get(`${machine} ${session.id}`);
        return old?.session === session ? old : { machine, session };
      }),
    );
    const sessions = shareItems(list.sessions, merged.toSorted(urgentThenNewest));
    const { status: ready } = own.sessions.snapshot;
    if (sessions === list.sessions && ready === list.status) return;
    list = { status: ready, sessions };
    callAll(report, listListeners);
  });
  const schedule = (): void => {
    if (isListWanted && !isClosed) merge();
  };

  const take = (fleet: Status | undefined): void => {
    if (isClosed) return;
    status = fleet;
    const next = share(snapshot, snapshotOf(fleet, own));
    if (isListWanted) for (const { name, state } of fleet?.machines ?? []) if (state === "here") other(name);
    for (const [name, made] of others) {
      made.follow();
      // The machine was removed, or the server left the fleet.
      if (fleet?.machines.some((machine) => machine.name === name) === true) continue;
      made.close();
      others.delete(name);
    }
    schedule();
    if (next === snapshot) return;
    snapshot = next;
    callAll(report, listeners);
  };

  const load = (): void => {
    own
      .call("fleet/status", {})
      .then(({ fleet }) => take(fleet))
      // An older server knows no fleet. Other errors come with the end of the connection, and the next one loads again.
      .catch((error: unknown) => {
        if (error instanceof BridgeError && error.code === "unknown-method") take(undefined);
      });
  };
  let wasOpen = own.state.status === "open";
  const stops = [
    own.onFleet(({ fleet }) => take(fleet)),
    own.onState(({ status: now }) => {
      if (now === "open" && !wasOpen) load();
      // Other machines are reached through this server. They are asked at once when it is back.
      if (now !== "open" && wasOpen) for (const made of others.values()) made.follow();
      wasOpen = now === "open";
    }),
  ];
  if (wasOpen) load();

  return {
    own,
    get snapshot() {
      return snapshot;
    },
    subscribe: (listener) => addListener(listeners, listener),
    machine: (name) => (name === "" || name === status?.node ? own : other(name).client),
    session(machine, id) {
      return this.machine(machine).session(id);
    },
    sessions: {
      get snapshot() {
        return list;
      },
      subscribe: (listener) => {
        if (!isListWanted) {
          isListWanted = true;
          stops.push(own.sessions.subscribe(schedule));
          for (const { name, state } of status?.machines ?? []) if (state === "here") other(name);
          for (const made of others.values()) made.follow();
          schedule();
        }
        return addListener(listListeners, listener);
      },
    },
    close: () => {
      isClosed = true;
      for (const stop of stops) stop();
      for (const made of others.values()) made.close();
      if (given === undefined) own.close();
    },
  };
};

const snapshotOf = (fleet: Status | undefined, own: Client): FleetSnapshot => {
  if (fleet === undefined) return { status: "alone", machines: [] };
  const { server, bridge = 0 } = own.info ?? {};
  const home: FleetMachine = {
    name: fleet.node,
    isOwn: true,
    state: "here",
    since: server?.startedAt ?? 0,
    version: server?.version ?? "",
    bridge,
  };
  const machines = fleet.machines
    .map((machine): FleetMachine => ({ ...machine, isOwn: false }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { status: "ready", name: fleet.name, bus: fleet.bus, machines: [home, ...machines] };
};

const urgentThenNewest = ({ session: a, machine: x }: FleetSession, { session: b, machine: y }: FleetSession): number =>
  Number(b.waiting.length > 0) - Number(a.waiting.length > 0) ||
  b.updatedAt - a.updatedAt ||
  (`${x} ${a.id}` < `${y} ${b.id}` ? -1 : 1);
