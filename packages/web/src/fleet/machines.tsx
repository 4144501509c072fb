// The machines in the rail, and what is wrong with the machine of the screen.

import type { Role } from "@quarterdeck/client";
import { includesRole } from "@quarterdeck/client/policy";
import { useState } from "react";
import { Dot } from "../parts/badge.tsx";
import { useClient, useSessionList } from "../store/client.tsx";
import { fleetOf, machinePlaceOf, type Machine } from "../store/fleet.ts";
import { useMachines } from "../store/machines.ts";
import { useNow } from "../store/now.ts";
import { machineHref, useRoute } from "../store/route.ts";
import type { Tone } from "../words/tone.ts";
import { whenOf } from "./machine-words.ts";
import { WORDS } from "./words.ts";
import "./fleet.css";

/** More machines are folded. */
const AT_FIRST = 6;

const TONES: Readonly<Record<Machine["state"], Tone>> = {
  here: "go",
  "not-answering": "think",
  away: "plain",
  shut: "stop",
};

export const Machines = () => {
  const machines = useMachines();
  const { sessions } = useSessionList();
  const route = useRoute();
  const fleet = fleetOf(useClient());
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? machines : machines.slice(0, AT_FIRST);
  return (
    <section aria-label={WORDS.machines} className="fleet">
      <h2 className="rail-group">
        <span>{WORDS.machines}</span>
        <span className="num">{machines.length}</span>
      </h2>
      <ul>
        {shown.map((machine) => {
          const own = sessions.filter(
            (summary) => machinePlaceOf(summary)?.machine === machine.name && !summary.archived,
          );
          const waiting = own.filter((summary) => summary.waiting.length > 0).length;
          const isOpen = route.screen === "home" && fleet?.machine === machine.name;
          return (
            <li key={machine.name} className={machine.state === "here" ? "" : "fleet-away"}>
              <a
                href={machineHref(machine.isHome ? undefined : machine.name)}
                aria-current={isOpen ? "page" : undefined}
                title={machine.isHome ? WORDS.hereTip : (machine.reason ?? WORDS.start(machine.name))}
              >
                <Dot tone={TONES[machine.state]} />
                <b>{machine.name}</b>
                <span className="fleet-state">{machine.words}</span>
                {machine.state === "here" && (
                  <span className={`num ${waiting > 0 ? "fleet-needs" : ""}`}>
                    {waiting > 0 ? WORDS.needs(waiting) : own.length > 0 ? WORDS.sessions(own.length) : ""}
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
      {shown.length < machines.length && (
        <button type="button" className="text-button rail-older" onClick={() => setWhole(true)}>
          {WORDS.more(machines.length - shown.length)}
        </button>
      )}
    </section>
  );
};

/** Work in sessions needs no more than this. */
const least = (role: Role): Role => (includesRole(role, "operate") ? "operate" : role);

export const MachineNote = () => {
  const client = useClient();
  const fleet = fleetOf(client);
  const machines = useMachines();
  const now = useNow();
  if (fleet === undefined || fleet.isHome) return null;
  const own = machines.find(({ isHome }) => isHome);
  const machine = machines.find(({ name }) => name === fleet.machine);
  const [title, detail] = noteOf(fleet.machine, machine, own, now);
  if (title === "") return null;
  return (
    <p className="fleet-note" role="status">
      <b>{title}</b> <span>{detail}</span>
    </p>
  );
};

const noteOf = (
  name: string,
  machine: Machine | undefined,
  own: Machine | undefined,
  now: number,
): readonly [title: string, detail: string] => {
  if (machine === undefined) return [WORDS.isUnknown(name), WORDS.unknownHint];
  if (machine.state === "away") return [WORDS.isAway(name, whenOf(machine.since, now)), WORDS.lastList];
  if (machine.state === "not-answering") return [WORDS.isQuiet(name), WORDS.lastList];
  if (machine.state === "shut") return [WORDS.isShut(name), machine.reason ?? ""];
  const [role, most] = [machine.role as Role | undefined, own?.role as Role | undefined];
  if (role === undefined || most === undefined || includesRole(role, least(most))) return ["", ""];
  return [WORDS.smaller(name, WORDS.roles[role]), WORDS.allow(own?.name ?? "", least(most))];
};
