// Addresses within the page. They are after the #, so that no server sees them: `#/s/<session>/r/<row>`. The screens of another machine
// begin with `#/m/<machine>/`.

import { useSyncExternalStore } from "react";
import type { RowTarget } from "./session-actions.ts";

export type Route = { readonly machine?: string } & Screen;

type Screen =
  | { readonly screen: "home" }
  | { readonly screen: "board" }
  | { readonly screen: "server" }
  | { readonly screen: "rules"; readonly where: RulesPlace; readonly audit: boolean }
  /** `query` is what follows `#/search?`. The page of the search reads it. */
  | { readonly screen: "search"; readonly query: string }
  | { readonly screen: "replay"; readonly id: string }
  | { readonly screen: "session"; readonly id: string; readonly target?: RowTarget };

/** The rules of a folder, of a session, or of the folder that was used last. */
export interface RulesPlace {
  readonly cwd?: string;
  readonly session?: string;
}

export const parseRoute = (hash: string): Route => {
  const there = /^#\/m\/([^/]+)(.*)/u.exec(hash);
  return there === null ? screenOf(hash) : { ...screenOf(`#${there[2]!}`), machine: decodePart(there[1]!) };
};

const screenOf = (hash: string): Screen => {
  if (/^#\/search(?:\?|$)/u.test(hash)) return { screen: "search", query: hash.slice("#/search?".length) };
  const [s, id, r, rowId, ...rest] = hash.replace(/^#\/?/u, "").split("/").map(decodePart);
  if (s === "board") return { screen: "board" };
  if (s === "server") return { screen: "server" };
  if (s === "rules") {
    const audit = id === "audit";
    return { screen: "rules", where: audit ? rulesPlaceOf(r, rowId) : rulesPlaceOf(id, r), audit };
  }
  if (s !== "s" || id === undefined || id === "" || rest.length > 0) return { screen: "home" };
  if (r === "replay" && rowId === undefined) return { screen: "replay", id };
  if (r !== "r" || rowId === undefined || rowId === "") return { screen: "session", id };
  return { screen: "session", id, target: { rowId } };
};

const rulesPlaceOf = (kind: string | undefined, name = ""): RulesPlace =>
  name === "" ? {} : kind === "f" ? { cwd: name } : kind === "s" ? { session: name } : {};

const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    // An incomplete escape is kept as it is.
    return part;
  }
};

export const hrefOf = (id?: string, rowId?: string): string => {
  if (id === undefined) return "#/";
  const session = `${machineHref(sessionPlaces.of(id))}s/${encodeURIComponent(id)}`;
  return rowId === undefined ? session : `${session}/r/${encodeURIComponent(rowId)}`;
};

/** The module of the fleet says which other machine has a session. */
export const sessionPlaces: { of: (id: string) => string | undefined } = { of: () => undefined };

export const machineHref = (machine?: string): string =>
  machine === undefined ? "#/" : `#/m/${encodeURIComponent(machine)}/`;

export const replayHref = (id: string): string => `${hrefOf(id)}/replay`;

/** The search for these words, in all sessions. */
export const searchHref = (words = ""): string =>
  words === "" ? "#/search" : `#/search?${new URLSearchParams({ q: words }).toString()}`;

export const boardHref = (): string => "#/board";

export const SERVER_HREF = "#/server";

export const rulesHref = ({ cwd, session }: RulesPlace = {}, audit = false): string => {
  const there = session === undefined ? cwd && route?.machine : sessionPlaces.of(session);
  const screen = `${machineHref(there)}rules${audit ? "/audit" : ""}`;
  if (session !== undefined) return `${screen}/s/${encodeURIComponent(session)}`;
  return cwd === undefined ? screen : `${screen}/f/${encodeURIComponent(cwd)}`;
};

/** `#pair=CODE`, from a pairing link. */
export const pairingCodeOf = (hash: string): string | undefined => /^#pair=([^&]+)/u.exec(hash)?.[1];

let route: Route | undefined;
const listeners = new Set<() => void>();
const read = (): void => {
  route = parseRoute(location.hash);
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  if (listeners.size === 0) addEventListener("hashchange", read);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener("hashchange", read);
  };
};

export const useRoute = (): Route => useSyncExternalStore(subscribe, () => (route ??= parseRoute(location.hash)));

/** A click on the link that is already open counts as a visit too. */
export const go = (href: string): void => {
  if (location.hash === href) read();
  else location.hash = href;
};
