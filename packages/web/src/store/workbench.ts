// The panel beside the conversation: whether it is open, which tab it shows, how wide it is. Anything on the page may ask for a
// tab; only the frame draws it. It never opens by itself. After a reload it is as it was on a wide page,
// and closed where it would cover the conversation.

import { useSyncExternalStore } from "react";
import { kept } from "./kept.ts";
import { SHEET } from "./media.ts";

/** What a tab is asked to show: a new object for each visit. */
export interface BenchTarget {
  readonly tab: string;
  /** A path as the session names it. */
  readonly path?: string;
  readonly line?: number;
  /** The row of the prompt that began a turn. */
  readonly turn?: string;
}

interface Remembered {
  readonly open: boolean;
  readonly tab: string;
  readonly width: number;
}

export interface Bench extends Remembered {
  /** Open where it covers the conversation. */
  readonly sheet: boolean;
  /** It replaces the conversation on a page that has room for both. */
  readonly wide: boolean;
  readonly target: BenchTarget | undefined;
}

export const BENCH_WIDTH = 640;
export const BENCH_LEAST = 340;
const BENCH_MOST = 4000;

export const decodeBench = (value: unknown): Remembered => {
  const given = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const { open, tab, width } = given;
  return {
    open: open === true,
    tab: typeof tab === "string" ? tab : "changes",
    width: typeof width === "number" && width >= BENCH_LEAST && width <= BENCH_MOST ? Math.round(width) : BENCH_WIDTH,
  };
};

const stored = kept("workbench", decodeBench);
let passing = { sheet: false, wide: false, target: undefined as BenchTarget | undefined };
let current: Bench | undefined;
const listeners = new Set<() => void>();

const read = (): Bench => (current ??= { ...stored.get(), ...passing });
const change = (remembered: Partial<Remembered>, next: Partial<typeof passing>): void => {
  passing = { ...passing, ...next };
  current = undefined;
  if (Object.keys(remembered).length > 0) stored.set({ ...stored.get(), ...remembered });
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  const stop = stored.subscribe(() => {
    current = undefined;
    listener();
  });
  listeners.add(listener);
  return () => {
    stop();
    listeners.delete(listener);
  };
};

export const useBench = (): Bench => useSyncExternalStore(subscribe, read);

let shown: string | undefined;
/** The file that the panel shows now. */
export const shownFile = (): string | undefined => shown;
export const noteShownFile = (path: string | undefined): void => {
  shown = path;
};

const covers = (): boolean => matchMedia(SHEET).matches;

/** Opens the panel where it is closed. */
export const showInBench = (target: BenchTarget): void =>
  change({ tab: target.tab, ...(!covers() && { open: true }) }, { target, sheet: covers() });

export const openBench = (): void => change(covers() ? {} : { open: true }, { sheet: covers() });
export const closeBench = (): void => change(covers() ? {} : { open: false }, { sheet: false, wide: false });
/** Closes the panel if it covers the conversation. */
export const uncover = (): void => change({}, { sheet: false, wide: false });
export const setBenchWide = (wide: boolean): void => change({}, { wide });
export const setBenchWidth = (width: number): void => change({ width: Math.max(BENCH_LEAST, Math.round(width)) }, {});
