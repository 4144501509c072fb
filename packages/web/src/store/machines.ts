// The machines of the fleet, for parts that are loaded later. Empty if this machine is alone.

import { useSyncExternalStore } from "react";
import { useClient } from "./client.tsx";
import { fleetOf, type Machine } from "./fleet.ts";

const NONE: readonly Machine[] = [];
const never = (): (() => void) => () => undefined;

export const useMachines = (): readonly Machine[] => {
  const fleet = fleetOf(useClient());
  return useSyncExternalStore(fleet?.subscribe ?? never, () => fleet?.machines() ?? NONE);
};
