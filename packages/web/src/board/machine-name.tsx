// The machine of a session on the board, and since when it is away.

import type { SessionSummary } from "@quarterdeck/client";
import { useServerInfo } from "../store/client.tsx";
import { machinePlaceOf } from "../store/fleet.ts";
import { useMachines } from "../store/machines.ts";

export const MachineName = ({ summary }: { readonly summary: SessionSummary }) => {
  const info = useServerInfo();
  const machines = useMachines();
  const place = machinePlaceOf(summary);
  if (place === undefined) return info?.machine.hostname;
  const words = place.isAway ? machines.find(({ name }) => name === place.machine)?.words : undefined;
  return words ? `${place.machine} · ${words}` : place.machine;
};
