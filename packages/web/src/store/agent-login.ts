// Whether Claude Code is logged in, as the server last said: with the connection, or in a notice since then.

import type { Client, ServerInfo } from "@quarterdeck/client";
import { useSyncExternalStore } from "react";
import { useServerInfo } from "./client.tsx";

let told: { readonly info: ServerInfo | undefined; readonly loggedIn: boolean } | undefined;
const listeners = new Set<() => void>();

/** From the start of the page, so that a part that is shown later knows it too. */
export const followLogin = (client: Client): (() => void) =>
  client.onNotice(({ code }) => {
    if (code !== "agent-ready" && code !== "agent-missing") return;
    told = { info: client.info, loggedIn: code === "agent-ready" };
    for (const listener of listeners) listener();
  });

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Undefined: the CLI cannot say, or has not said yet. */
export const useLoggedIn = (): boolean | undefined => {
  const info = useServerInfo();
  const news = useSyncExternalStore(subscribe, () => told);
  // A new connection knows better than an older notice.
  return news !== undefined && news.info === info ? news.loggedIn : info?.agent.loggedIn;
};
