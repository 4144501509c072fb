// `quarterdeck ls`: the sessions of the server and of its fleet, one per line, those that need a person first.

import type { Client } from "@quarterdeck/client";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import { clip, clipStart, jsonText } from "../terminal/terminal.ts";
import type { Paint } from "../terminal/terminal.ts";
import { oneLine } from "../terminal/tool-lines.ts";
import { UserError } from "../user-error.ts";
import { everySession } from "./find-session.ts";
import type { FleetStatus } from "./machine-client.ts";
import { explained, withClient } from "./remote-client.ts";
import type { RemoteOptions } from "./remote-client.ts";

export interface ListOptions extends RemoteOptions {
  readonly state: "all" | "live" | "waiting";
  readonly query?: string;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly say: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  readonly now: number;
}

export const listSessions = (options: ListOptions): Promise<number> =>
  withClient(options, async (client) => {
    const { json, write } = options;
    const { fleet, lists } = await listsOf(client, options);
    const sessions = lists.flatMap(({ machine, found }) =>
      found.map((session) => ({ ...(fleet !== undefined && { machine }), ...session })),
    );
    if (fleet !== undefined) sessions.sort((a, b) => rank(a) - rank(b) || b.updatedAt - a.updatedAt);
    if (json) write(`${jsonText(sessions, 2)}\n`);
    else if (sessions.length === 0) write(`${nothingOf(options)}\n`);
    else {
      const machines =
        fleet === undefined ? 0 : Math.max("MACHINE".length, ...lists.map(({ machine }) => machine.length));
      if (machines > 0) write(`${options.paint("dim", `${"MACHINE".padEnd(machines)}  ID        STATE`)}\n`);
      for (const session of sessions) write(sessionLines(session, options, machines));
    }
    return 0;
  });

type Found = SessionSummary & { readonly machine?: string };
const rank = ({ waiting }: SessionSummary): number => (waiting.length > 0 ? 0 : 1);

interface Lists {
  readonly fleet: FleetStatus | undefined;
  readonly lists: readonly { readonly machine: string; readonly found: readonly SessionSummary[] }[];
}

/** Sessions of this machine and of the others in its fleet. A machine that cannot be read is named on stderr. */
const listsOf = async (client: Client, options: ListOptions): Promise<Lists> => {
  const { state, query, env, on, say } = options;
  const isWhole = on === undefined && (env["QUARTERDECK_URL"] ?? "") === "";
  const [found, { fleet }] = await Promise.all([
    everySession(client, state, query),
    isWhole ? client.call("fleet/status", {}) : { fleet: undefined },
  ]);
  if (fleet === undefined) return { fleet, lists: [{ machine: "", found }] };
  const { openedThrough, stateText } = await import("./machine-client.ts");
  const lists = [{ machine: fleet.node, found }];
  const here = fleet.machines.filter((machine) => {
    if (machine.state !== "here") say(`${machine.name}: ${stateText(machine)}\n`);
    return machine.state === "here";
  });
  for (const { name } of here) {
    try {
      const other = await openedThrough(client, fleet, options, name);
      try {
        lists.push({ machine: name, found: await everySession(other, state, query) });
      } finally {
        other.close();
      }
    } catch (error) {
      const said = explained(error, name);
      if (!(said instanceof UserError)) throw error;
      say(`${name}: ${said.message}\n`);
    }
  }
  return { fleet, lists };
};

const nothingOf = ({ state, query }: ListOptions): string => {
  if (query !== undefined) return `No session matches ${JSON.stringify(query)}.`;
  if (state === "waiting") return "No session needs you.";
  return state === "live" ? "No session is running. `quarterdeck ls --all` shows all sessions." : "No sessions yet.";
};

const sessionLines = (session: Found, { paint, width: whole, now }: ListOptions, machines: number): string => {
  const { machine = "", id, phase, title, lastText, cwd, waiting, costUsd, updatedAt } = session;
  const place = machines > 0 ? `${machine.padEnd(machines)}  ` : "";
  const width = whole - place.length;
  const state = waiting.length > 0 ? paint("yellow", "needs you".padEnd(10)) : phase.padEnd(10);
  const facts = `${clipStart(oneLine(cwd), 30)}  ${agoOf(now - updatedAt)}  $${costUsd.toFixed(2)}`;
  const about = clip(oneLine(title ?? lastText ?? "(no title)"), Math.max(20, width - facts.length - 24));
  const lines = waiting.map(({ id: request, about: what }) =>
    paint("yellow", `${" ".repeat(place.length)}          ${request.slice(0, 8)}  ${clip(oneLine(what), width - 22)}`),
  );
  return `${[`${place}${paint("bold", id.slice(0, 8))}  ${state}${about}  ${paint("dim", facts)}`, ...lines].join("\n")}\n`;
};

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
];

const agoOf = (ms: number): string => {
  const [size, unit] = UNITS.find(([least]) => ms >= least) ?? [1000, "s"];
  return `${String(Math.max(0, Math.floor(ms / size)))} ${unit} ago`;
};
