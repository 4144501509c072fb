// What the page knows about other machines. The module of the fleet, which is loaded only if there are some, adds it to the client.

import type { Client, SessionSummary } from "@quarterdeck/client";
import type { ComponentType } from "react";

/** Where a session is. */
export interface MachinePlace {
  readonly machine: string;
  readonly isAway: boolean;
}

export interface FleetView {
  /** The machine that this client asks. */
  readonly machine: string;
  readonly isHome: boolean;
  /** The client of a machine, or of the machine that has the session, or of this machine. */
  of(machine: string | undefined, session?: string): Client;
  readonly subscribe: (listener: () => void) => () => void;
  readonly machines: () => readonly Machine[];
  /** All machines, for the rail. */
  readonly Machines: ComponentType;
  /** What is wrong with the machine of the screen. */
  readonly Note: ComponentType;
  /** Where a new session starts. */
  readonly Choice: ComponentType<{ readonly onChange: (machine: string) => void }>;
  readonly Chip: ComponentType;
}

export interface Machine {
  readonly name: string;
  readonly isHome: boolean;
  /** shut: it answers, but does not let this device in. */
  readonly state: "here" | "not-answering" | "away" | "shut";
  readonly since: number;
  /** The state in words. Empty: nothing to say. */
  readonly words: string;
  /** Why it does not let this device in. */
  readonly reason?: string;
  readonly role?: string;
  readonly isOpen: boolean;
}

export const fleetOf = (client: Client): FleetView | undefined => (client as { readonly fleet?: FleetView }).fleet;

export const machinePlaceOf = (summary: SessionSummary): MachinePlace | undefined =>
  (summary as { readonly place?: MachinePlace }).place;
