// The client of all machines. It is a client like any other, so the page needs nothing else. A call that names a session goes to its machine.
// The list has the sessions of all machines, and a search or a sum asks them all. Nothing waits for a machine that is away.

import { includesRole } from "@quarterdeck/client/policy";
import {
  BridgeError,
  connectFleet,
  loadDevice,
  type CallOptions,
  type Client,
  type Fleet,
  type Method,
  type ParamsOf,
  type ResultOf,
  type ServerInfo,
} from "@quarterdeck/client";
import type { FleetView } from "../store/fleet.ts";
import { parseRoute, sessionPlaces } from "../store/route.ts";
import { mergedListOf } from "./all-sessions.ts";
import { MachineChip, MachineChoice } from "./machine-choice.tsx";
import { joinHits, joinReports, type Reports } from "./join-answers.ts";
import { MachineNote, Machines } from "./machines.tsx";
import { watchMachines } from "./watch-machines.ts";
import { WORDS } from "./words.ts";

/** A conversation that is open while the fleet is loaded keeps its rows. */
const HOLD_MS = 5000;

export const openFleet = async (
  home: Client,
  status: NonNullable<ResultOf<"fleet/status">["fleet"]>,
): Promise<Client> => {
  const credentials = await loadDevice(location.origin);
  if (credentials === undefined) return home;
  const fleet = connectFleet({
    own: home,
    url: location.origin,
    credentials,
    firstRows: 24,
    paceMs: 50,
    client: { name: "web", version: String(import.meta.env["VITE_VERSION"]) },
  });
  await isKnown(fleet);
  const own = status.node;
  const machines = watchMachines(fleet);
  const list = mergedListOf(fleet, own, machines);
  sessionPlaces.of = (id) => {
    const owner = list.ownerOf(id);
    return owner === own ? undefined : owner;
  };

  const ask = async <M extends Method>(
    machine: string,
    method: M,
    params: ParamsOf<M>,
    options?: CallOptions,
  ): Promise<ResultOf<M>> => {
    if (machine !== own) machines.mustAnswer(machine);
    const client = fleet.machine(machine);
    const answer = await client.call(method, params, options).catch((error: unknown) => {
      throw machine === own ? error : explained(error, machine, client, home, own);
    });
    const made = (answer as { readonly session?: { readonly id?: unknown } }).session?.id;
    if (typeof made === "string") list.remember(made, machine);
    if (method !== "tickets/create") return answer;
    const { url } = answer as ResultOf<"tickets/create">;
    const path = machine === own ? url : `/m/${machine}${url}`;
    return { ...answer, url: new URL(path, location.origin).href };
  };
  /** The answers of all machines that are here. The second value says whether all answered. */
  const askAll = async <M extends Method>(
    method: M,
    params: ParamsOf<M>,
    options?: CallOptions,
  ): Promise<readonly [Reports<ResultOf<M>>, boolean]> => {
    const all = machines.all();
    const here = all.filter(({ isHome, isOpen }) => isHome || isOpen);
    const answers = await Promise.allSettled(here.map(({ name }) => ask(name, method, params, options)));
    const first = answers[here.findIndex(({ isHome }) => isHome)];
    if (first?.status === "rejected") throw first.reason;
    const found = answers.flatMap((answer, at) =>
      answer.status === "fulfilled" ? [{ machine: here[at]!.name, answer: answer.value }] : [],
    );
    return [found, found.length === all.length];
  };
  /** A machine tells nobody of a request while a person looks at this page, which shows it. It forgets this with the connection. */
  let look: ParamsOf<"notifications/look"> | undefined;
  const told = new Set<string>();
  const sayLook = (isNews: boolean): void => {
    for (const { name, isHome, isOpen } of machines.all()) {
      if (!isOpen) told.delete(name);
      else if (!isHome && look !== undefined && (isNews || !told.has(name))) {
        told.add(name);
        fleet
          .machine(name)
          .call("notifications/look", look)
          .catch(() => undefined);
      }
    }
  };
  machines.subscribe(() => sayLook(false));
  const callAt = async <M extends Method>(
    machine: string,
    method: M,
    params: ParamsOf<M>,
    options?: CallOptions,
  ): Promise<ResultOf<M>> => {
    const { session } = params as { readonly session?: unknown };
    if (typeof session === "string") return ask(list.ownerOf(session, machine) ?? machine, method, params, options);
    switch (method) {
      case "sessions/search": {
        const wish = params as ParamsOf<"sessions/search">;
        const [found, isAll] = await askAll("sessions/search", wish, options);
        for (const { machine: at, answer } of found) for (const hit of answer.hits) list.remember(hit.session, at);
        return joinHits(found, isAll, wish.limit) as ResultOf<M>;
      }
      case "usage/report": {
        const [found] = await askAll("usage/report", params as ParamsOf<"usage/report">, options);
        for (const { machine: at, answer } of found) for (const { id } of answer.sessions) list.remember(id, at);
        return joinReports(found) as ResultOf<M>;
      }
      case "notifications/look": {
        look = params as ParamsOf<"notifications/look">;
        sayLook(true);
        return ask(own, method, params, options);
      }
      case "git/brief": {
        const { folders } = params as ParamsOf<"git/brief">;
        const asked = Map.groupBy(folders, (folder) => list.machineOfFolder(folder) ?? machine);
        const answers = await Promise.allSettled(
          [...asked].map(([at, these]) => ask(at, "git/brief", { folders: these }, options)),
        );
        const known = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value.folders : []));
        return { folders: known } as unknown as ResultOf<M>;
      }
      default:
        return ask(machine, method, params, options);
    }
  };

  const clients = new Map<string, Client>();
  const of: FleetView["of"] = (machine, session) => {
    const name = machine ?? (session === undefined ? own : (list.ownerOf(session) ?? own));
    const known = clients.get(name);
    if (known !== undefined) return known;
    const made = clientOf(name);
    clients.set(name, made);
    return made;
  };
  const clientOf = (machine: string): Client & { readonly fleet: FleetView } => {
    const there = (): Client => fleet.machine(machine);
    let standIn: ServerInfo | undefined;
    let named: { readonly from: ServerInfo; readonly info: ServerInfo } | undefined;
    /** The notice of a machine with another version speaks of "this server". The page names the machine instead. */
    const withName = (info: ServerInfo | undefined): ServerInfo | undefined => {
      if (info?.notice === undefined || machine === own || home.info === undefined) return info;
      if (named?.from !== info) {
        const notice = info.bridge < home.info.bridge ? WORDS.older(machine, own) : WORDS.newer(machine, own);
        named = { from: info, info: { ...info, notice } };
      }
      return named.info;
    };
    /** Until the machine has answered once: what this device may do at home. A machine that is away refuses everything anyway. */
    const infoBefore = (): ServerInfo | undefined => {
      if (home.info === undefined) return undefined;
      return (standIn ??= { ...home.info, machine: { ...home.info.machine, hostname: machine, home: "", roots: [] } });
    };
    return {
      fleet: {
        machine,
        isHome: machine === own,
        of,
        subscribe: machines.subscribe,
        machines: machines.all,
        Machines,
        Note: MachineNote,
        Choice: MachineChoice,
        Chip: MachineChip,
      },
      // The connection of the page. The note of the machine says what is wrong beyond it.
      get state() {
        return home.state;
      },
      get info() {
        return withName(there().info) ?? infoBefore();
      },
      onState: (listener) => {
        const stops = [home.onState(listener)];
        if (machine !== own) stops.push(there().onState(() => listener(home.state)));
        return () => stops.forEach((stop) => stop());
      },
      onNotice: (listener) =>
        there().onNotice((notice) => {
          // The note of the machine says that it is away.
          if (machine === own || notice.code !== "shutting-down") listener(notice);
        }),
      onFleet: (listener) => home.onFleet(listener),
      call: (method, params, options) => callAt(machine, method, params, options),
      command: <M extends Method>(
        method: M,
        params: Omit<ParamsOf<M>, "commandId"> & { commandId?: string },
        options?: CallOptions,
      ) => {
        const commandId = params.commandId ?? crypto.randomUUID();
        return callAt(machine, method, { ...params, commandId } as unknown as ParamsOf<M>, options);
      },
      retryNow: () => {
        home.retryNow();
        there().retryNow();
      },
      sessions: list,
      session: (id) => fleet.session(list.ownerOf(id, machine) ?? machine, id),
      close: () => {
        sessionPlaces.of = () => undefined;
        machines.close();
        list.close();
        fleet.close();
      },
    };
  };

  const route = parseRoute(location.hash);
  if (route.screen === "session" && route.machine === undefined) {
    const held = home.session(route.id);
    setTimeout(() => held.close(), HOLD_MS);
  }
  return of(own);
};

/** The fleet is asked for on the connection that is open already. */
const isKnown = (fleet: Fleet): Promise<void> =>
  new Promise((resolve) => {
    if (fleet.snapshot.status !== "loading") return resolve();
    const stop = fleet.subscribe(() => {
      if (fleet.snapshot.status === "loading") return;
      stop();
      resolve();
    });
  });

/** The owner of a machine may have allowed less than this device may do at home. Then the error says who can change it. */
const explained = (error: unknown, machine: string, there: Client, home: Client, gateway: string): unknown => {
  if (!(error instanceof BridgeError)) return error;
  if (error.code === "machine-away") return new BridgeError(error.code, WORDS.refused(machine), error.data);
  // The role there may have changed since the connection opened, so the server's own words come first.
  const isOwnLimit =
    there.info?.device.role === home.info?.device.role && !includesRole(home.info?.device.role ?? "view", "admin");
  if (error.code !== "forbidden" || isOwnLimit) return error;
  return new BridgeError(error.code, WORDS.forbidden(error.message, machine, gateway), error.data);
};
