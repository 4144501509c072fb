// The client in React: one context, and hooks over its own subscriptions. No state is copied.

import type {
  Client,
  ConnectionState,
  ServerInfo,
  SessionListSnapshot,
  SessionSnapshot,
  SessionView,
} from "@quarterdeck/client";
import { createContext, use, useCallback, useEffect, useState, useSyncExternalStore, type ReactNode } from "react";
import { WORDS } from "../words/names.ts";

const ClientContext = createContext<Client | undefined>(undefined);

export const ClientProvider = ({ client, children }: { readonly client: Client; readonly children: ReactNode }) => (
  <ClientContext value={client}>{children}</ClientContext>
);

export const useClient = (): Client => {
  const client = use(ClientContext);
  if (client === undefined) throw new Error("No client in this context. Wrap the component in ClientProvider.");
  return client;
};

/** The id of this device, once the server has sent it. Undefined without a client, as in the gallery. */
const useDeviceId = (): string | undefined => use(ClientContext)?.info?.device.id;

/** The name of the device that did something, unless it is this one. */
export const useOtherDevice = (
  by: { readonly id?: string | undefined; readonly name?: string | undefined } | undefined,
): string | undefined => {
  const own = useDeviceId();
  return by === undefined || by.id === own ? undefined : (by.name ?? (own === undefined ? undefined : WORDS.other));
};

export const useConnection = (): ConnectionState => {
  const client = useClient();
  const subscribe = useCallback((listener: () => void) => client.onState(listener), [client]);
  return useSyncExternalStore(subscribe, () => client.state);
};

export const useServerInfo = (): ServerInfo | undefined => {
  const client = useClient();
  const subscribe = useCallback((listener: () => void) => client.onState(listener), [client]);
  return useSyncExternalStore(subscribe, () => client.info);
};

export const useSessionList = (): SessionListSnapshot => {
  const { sessions } = useClient();
  const subscribe = useCallback((listener: () => void) => sessions.subscribe(listener), [sessions]);
  return useSyncExternalStore(subscribe, () => sessions.snapshot);
};

/** Open while the component is mounted. */
export const useSessionView = (id: string | undefined): SessionView | undefined => {
  const client = useClient();
  const [view, setView] = useState<SessionView>();
  useEffect(() => {
    if (id === undefined) return undefined;
    const opened = client.session(id);
    setView(opened);
    return () => opened.close();
  }, [client, id]);
  return view?.id === id ? view : undefined;
};

export const useSnapshot = (view: SessionView): SessionSnapshot => {
  const subscribe = useCallback((listener: () => void) => view.subscribe(listener), [view]);
  return useSyncExternalStore(subscribe, () => view.snapshot);
};
