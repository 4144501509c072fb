// How this browser shows the list of sessions: what is pinned, which projects are folded, how wide the rail is. Kept here, not on the
// server: a phone and a desk differ.

import { useSyncExternalStore } from "react";
import { kept } from "./kept.ts";

export interface RailChoices {
  readonly pinned: readonly string[];
  /** By project. Absent: the rail decides. */
  readonly folded: Readonly<Record<string, boolean>>;
  /** Absent: the default of the page. */
  readonly width?: number;
}

export const RAIL_LEAST = 180;
export const RAIL_MOST = 560;
/** More than these are forgotten, oldest first. */
const MOST = 200;

export const decodeRail = (value: unknown): RailChoices => {
  const { pinned, folded, width } = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  const known = Object.entries(typeof folded === "object" && folded !== null ? folded : {});
  return {
    pinned: Array.isArray(pinned) ? pinned.filter((id) => typeof id === "string").slice(-MOST) : [],
    folded: Object.fromEntries(known.filter(([, is]) => typeof is === "boolean").slice(-MOST)),
    ...(typeof width === "number" && width >= RAIL_LEAST && width <= RAIL_MOST && { width: Math.round(width) }),
  };
};

const stored = kept("rail", decodeRail);
const change = (patch: Partial<RailChoices>): void => stored.set(decodeRail({ ...stored.get(), ...patch }));

export const useRailChoices = (): RailChoices => useSyncExternalStore(stored.subscribe, stored.get);

export const isPinned = (id: string): boolean => stored.get().pinned.includes(id);
export const setPinned = (ids: readonly string[], pinned: boolean): void => {
  const others = stored.get().pinned.filter((id) => !ids.includes(id));
  change({ pinned: pinned ? [...others, ...ids] : others });
};
export const setFolded = (project: string, folded: boolean): void => {
  const { [project]: _, ...others } = stored.get().folded;
  change({ folded: { ...others, [project]: folded } });
};
/** Without a width, the default applies. */
export const setRailWidth = (width?: number): void => {
  const { width: _, ...rest } = stored.get();
  stored.set(
    width === undefined ? rest : { ...rest, width: Math.min(RAIL_MOST, Math.max(RAIL_LEAST, Math.round(width))) },
  );
};
