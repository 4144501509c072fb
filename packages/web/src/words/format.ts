// Numbers, times and paths as people read them.

import { language, locale } from "./chosen.ts";
import { english } from "./en/format.ts";
import { japanese } from "./ja/format.ts";
import { chinese } from "./zh-CN/format.ts";

const WORDS = { en: english, "zh-CN": chinese, ja: japanese }[language];

export const formatCost = (usd: number): string => {
  if (usd === 0) return "$0.00";
  if (usd < 0.01) return "< $0.01";
  return usd < 1000 ? `$${usd.toFixed(2)}` : `$${Math.round(usd).toLocaleString("en")}`;
};

/** 46,312 is "46.3k". */
export const formatCount = (count: number): string => {
  if (count < 1000) return String(Math.round(count));
  const [value, unit] = count < 1_000_000 ? [count / 1000, "k"] : [count / 1_000_000, "M"];
  const text = value < 100 ? value.toFixed(1) : String(Math.round(value));
  return `${text.replace(/\.0$/u, "")}${unit}`;
};

export const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
};

export const formatShare = (share: number): string => `${Math.round(share * 100)} %`;

/** How long: "4 s", "2 m 10 s", "1 h 5 m". */
export const formatSpan = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const { s, m, h } = WORDS;
  if (seconds < 60) return `${seconds} ${s}`;
  if (seconds < 3600)
    return seconds % 60 === 0 ? `${seconds / 60} ${m}` : `${Math.floor(seconds / 60)} ${m} ${seconds % 60} ${s}`;
  const minutes = Math.floor((seconds % 3600) / 60);
  return `${Math.floor(seconds / 3600)} ${h}${minutes === 0 ? "" : ` ${minutes} ${m}`}`;
};

/** How long something short took: "34 ms", "0.6 s", then as a span. */
export const formatLength = (ms: number): string => {
  if (ms < 95) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} ${WORDS.s}` : formatSpan(ms);
};

const DAY = 86_400_000;

/** How long ago, in one word for a list: "now", "12 s", "4 m", "3 h", "Fri", "12 Mar". */
export const formatAge = (at: number, now: number): string => {
  const age = now - at;
  if (age < 5000) return WORDS.now;
  if (age < 60_000) return `${Math.floor(age / 1000)} ${WORDS.s}`;
  if (age < 3_600_000) return `${Math.floor(age / 60_000)} ${WORDS.m}`;
  if (age < DAY) return `${Math.floor(age / 3_600_000)} ${WORDS.h}`;
  const date = new Date(at);
  if (age < 6 * DAY) return date.toLocaleDateString(locale, { weekday: "short" });
  return date.toLocaleDateString(locale, { day: "numeric", month: "short" });
};

/** How long ago, in a sentence: "just now", "4 m ago", "on Fri". */
export const formatAgo = (at: number, now: number): string => {
  const age = formatAge(at, now);
  if (now - at < 5000) return WORDS.justNow;
  return now - at < DAY ? WORDS.ago(age) : WORDS.on(age);
};

export const formatTime = (at: number): string =>
  new Date(at).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });

export const baseName = (path: string): string => path.replace(/\/+$/u, "").split("/").at(-1) || path;

export const shortPath = (path: string, home: string | undefined): string => {
  if (home === undefined || home === "" || home === "/") return path;
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
};

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Changed lines as text: `+12 −2`. A zero is left out, as in `LineCounts`. */
export const lineCounts = (added: number, removed: number): string =>
  [added > 0 ? `+${added}` : "", removed > 0 ? `−${removed}` : ""].join(" ").trim() || "0";
