// `quarterdeck ls`: the sessions of the server, one per line, those that need a person first.

import type { SessionSummary } from "@quarterdeck/session/bridge";
import { clip, clipStart, jsonText } from "../terminal/terminal.ts";
import type { Paint } from "../terminal/terminal.ts";
import { oneLine } from "../terminal/tool-lines.ts";
import { everySession } from "./find-session.ts";
import { withClient } from "./remote-client.ts";
import type { RemoteOptions } from "./remote-client.ts";

export interface ListOptions extends RemoteOptions {
  readonly state: "all" | "live" | "waiting";
  readonly query?: string;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  readonly now: number;
}

export const listSessions = (options: ListOptions): Promise<number> =>
  withClient(options, async (client) => {
    const { state, query, json, write } = options;
    const sessions = await everySession(client, state, query);
    if (json) write(`${jsonText(sessions, 2)}\n`);
    else if (sessions.length === 0) write(`${nothingOf(options)}\n`);
    else for (const session of sessions) write(sessionLines(session, options));
    return 0;
  });

const nothingOf = ({ state, query }: ListOptions): string => {
  if (query !== undefined) return `No session matches ${JSON.stringify(query)}.`;
  if (state === "waiting") return "No session needs you.";
  return state === "live" ? "No session is running. `quarterdeck ls --all` shows all sessions." : "No sessions yet.";
};

const sessionLines = (session: SessionSummary, { paint, width, now }: ListOptions): string => {
  const { id, phase, title, lastText, cwd, waiting, costUsd, updatedAt } = session;
  const state = phase === "awaiting" ? paint("yellow", "waits".padEnd(10)) : phase.padEnd(10);
  const facts = `${clipStart(oneLine(cwd), 30)}  ${agoOf(now - updatedAt)}  $${costUsd.toFixed(2)}`;
  const about = clip(oneLine(title ?? lastText ?? "(no title)"), Math.max(20, width - facts.length - 24));
  const lines = waiting.map(({ id: request, about: what }) =>
    paint("yellow", `          ${request.slice(0, 8)}  ${clip(oneLine(what), width - 22)}`),
  );
  return `${[`${paint("bold", id.slice(0, 8))}  ${state}${about}  ${paint("dim", facts)}`, ...lines].join("\n")}\n`;
};

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
];

export const agoOf = (ms: number): string => {
  const [size, unit] = UNITS.find(([least]) => ms >= least) ?? [1000, "s"];
  return `${String(Math.max(0, Math.floor(ms / size)))} ${unit} ago`;
};
