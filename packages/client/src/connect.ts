// The client: one connection, the list of sessions, and the followed sessions.

import type { Method, Notification, NotificationParams, ParamsOf } from "@quarterdeck/session/bridge";
import { Connection, machinePath } from "./connection.ts";
import type { Client, ConnectOptions } from "./contract.ts";
import { LiveList } from "./live-list.ts";
import { LiveSession } from "./live-session.ts";
import { callAll, addListener } from "./listeners.ts";

const connected = new WeakMap<Client, ConnectOptions>();
/** How the client reached its server, for calls over HTTP. */
export const optionsOf = (client: Client): ConnectOptions | undefined => connected.get(client);
/** For a client that stands in for another one. */
export const setOptions = (client: Client, options: ConnectOptions): void => void connected.set(client, options);

/** The address of a path at the client's machine, for example of a ticket. */
export const urlOf = (client: Client, path: string): URL => {
  const options = connected.get(client);
  return new URL(machinePath(options ?? {}) + path, options?.url);
};

export const connect = (options: ConnectOptions): Client => {
  const live = new Map<string, LiveSession>();
  const noticed = new Set<(notice: NotificationParams<"server/notice">) => void>();
  const fleets = new Set<(change: NotificationParams<"fleet/changed">) => void>();
  const notified: { [N in Notification]?: (params: NotificationParams<N>, size: number) => void } = {
    "server/notice": (notice) => callAll(connection.report, noticed, notice),
    "fleet/changed": (change) => callAll(connection.report, fleets, change),
    "sessions/changed": (frame) => {
      sessions.changed(frame);
      for (const { id } of frame.sessions) live.get(id)?.retry();
    },
    "session/changed": (frame, size) => live.get(frame.session)?.changed(frame, size),
    "session/draft": (frame, size) => live.get(frame.session)?.drafted(frame, size),
  };
  const connection = new Connection(options, {
    opened: () => {
      for (const session of live.values()) session.subscribe();
      sessions.opened();
    },
    // Ignore notifications that this version does not know.
    notified: (method, params, size) => notified[method]?.(params, size),
  });
  const sessions = new LiveList(connection);
  const sleepless = wakeUps(() => connection.wake());

  const client: Client = {
    get state() {
      return connection.state;
    },
    get info() {
      return connection.info;
    },
    onState: (listener) => addListener(connection.listeners, listener),
    onNotice: (listener) => addListener(noticed, listener),
    onFleet: (listener) => addListener(fleets, listener),
    call: (method, params, callOptions) => connection.call(method, params, callOptions),
    command: <M extends Method>(
      method: M,
      params: Omit<ParamsOf<M>, "commandId"> & { commandId?: string },
      callOptions?: { signal?: AbortSignal },
    ) =>
      connection.call(
        method,
        { ...params, commandId: params.commandId ?? crypto.randomUUID() } as unknown as ParamsOf<M>,
        callOptions,
      ),
    retryNow: () => connection.retryNow(),
    sessions,
    session: (id) => {
      let session = live.get(id);
      if (session === undefined) {
        session = new LiveSession(id, connection, options);
        live.set(id, session);
        if (connection.state.status === "open") session.subscribe();
      }
      const opened = session;
      return opened.open(() => {
        if (live.get(id) !== opened) return;
        live.delete(id);
        opened.stop();
      });
    },
    close: () => {
      sleepless();
      connection.close();
    },
  };
  connected.set(client, options);
  return client;
};

/** In a browser: the network is back, or the page is visible again. */
const wakeUps = (wake: () => void): (() => void) => {
  const { document: page, window: view } = globalThis as { document?: Document; window?: Window };
  if (page === undefined || view === undefined) return () => {};
  const seen = (): void => {
    if (page.visibilityState === "visible") wake();
  };
  view.addEventListener("online", wake);
  page.addEventListener("visibilitychange", seen);
  return () => {
    view.removeEventListener("online", wake);
    page.removeEventListener("visibilitychange", seen);
  };
};
