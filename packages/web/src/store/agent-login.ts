// Whether Claude Code is logged in, from the start of the connection or from a later notice.

import type { Client, ServerInfo } from "@quarterdeck/client";
import { useSyncExternalStore } from "react";
import { useServerInfo } from "./client.tsx";

let told: { readonly info: ServerInfo | undefined; readonly loggedIn: boolean } | undefined;
const listeners = new Set<() => void>();

/** Called when the page starts, so that parts that are shown later know it too. */
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
  // A new connection replaces what an older notice said.
  return news !== undefined && news.info === info ? news.loggedIn : info?.agent.loggedIn;
};
