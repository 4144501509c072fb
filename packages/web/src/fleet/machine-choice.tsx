// Where a new session starts: a field of the start dialog, and a chip of the home page.

import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { useClient } from "../store/client.tsx";
import { fleetOf, type Machine } from "../store/fleet.ts";
import { useMachines } from "../store/machines.ts";
import { go, machineHref } from "../store/route.ts";
import { WORDS } from "./words.ts";

const nameOf = ({ name, isHome }: Machine): string => (isHome ? WORDS.thisMachine(name) : name);

export const MachineChoice = ({ onChange }: { readonly onChange: (machine: string) => void }) => {
  const machines = useMachines();
  const fleet = fleetOf(useClient());
  return (
    <label className="field fleet-choice">
      <span>{WORDS.machine}</span>
      <select className="input" value={fleet?.machine} onChange={(event) => onChange(event.target.value)}>
        {machines.map((machine) => (
          <option key={machine.name} value={machine.name} disabled={machine.state !== "here"}>
            {machine.state === "here" ? nameOf(machine) : WORDS.named(machine.name, machine.words)}
          </option>
        ))}
      </select>
    </label>
  );
};

export const MachineChip = () => {
  const machines = useMachines();
  const fleet = fleetOf(useClient());
  return (
    <Menu
      className="pill"
      label={WORDS.named(WORDS.machine, fleet?.machine ?? "")}
      heading={WORDS.machine}
      items={machines.map((machine) => ({
        id: machine.name,
        label: machine.name,
        detail: machine.words,
        checked: machine.name === fleet?.machine,
        disabled: machine.state !== "here",
        run: () => go(machineHref(machine.isHome ? undefined : machine.name)),
      }))}
    >
      <Icon name="terminal" size={14} />
      <span>{fleet?.machine}</span>
      <Icon name="down" size={12} />
    </Menu>
  );
};
