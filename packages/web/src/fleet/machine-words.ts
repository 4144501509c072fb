import type { Machine } from "../store/fleet.ts";
import { formatTime } from "../words/format.ts";
import { locale } from "../words/language.ts";
import { WORDS } from "./words.ts";

const DAY_MS = 86_400_000;
export const whenOf = (at: number, now: number): string =>
  now - at < DAY_MS ? formatTime(at) : new Date(at).toLocaleDateString(locale, { month: "short", day: "numeric" });

export const stateWords = (machine: Pick<Machine, "isHome" | "state" | "since" | "isOpen">, now: number): string => {
  if (machine.isHome) return WORDS.here;
  switch (machine.state) {
    case "here":
      return machine.isOpen ? "" : WORDS.connecting;
    case "not-answering":
      return WORDS.quiet;
    case "shut":
      return WORDS.shut;
    case "away":
      return WORDS.awaySince(whenOf(machine.since, now));
  }
};
