// Liveness: what the session is doing now. Silence is not a phase; see `lastEventAt`.

import type { Folding } from "./folding.ts";
import type { Phase } from "./head.ts";
import { waitsForPerson } from "./request-kinds.ts";
import { isOrderly } from "./turns.ts";

export const phaseOf = (folding: Folding): Phase => {
  const { memory, timeline } = folding;
  const { process, requests } = timeline.head;
  if (process?.running === false) return isOrderly(folding, process.code ?? null) ? "ended" : "died";
  if (requests.some(waitsForPerson)) return "awaiting";
  if (memory.compacting) return "compacting";
  // Streamed text means that the request got through, although no message says so yet.
  if (memory.retryRow !== null && timeline.drafts.size === 0) return "retrying";
  if (memory.turn !== null) {
    if (runsTool(folding)) return "tool";
    for (const draft of timeline.drafts.values()) return draft.kind === "thinking" ? "thinking" : "streaming";
    return "thinking";
  }
  if (memory.lastTurn !== null) return memory.lastTurn.ok || memory.lastTurn.interrupted ? "idle" : "error";
  return memory.initialized ? "ready" : "starting";
};

/** Calls of the main conversation. A foreground agent is an open call there. A background agent does not count. */
const runsTool = ({ memory, timeline }: Folding): boolean =>
  Object.keys(memory.openTools).some((id) => timeline.row(`tool/${id}`)?.parent === undefined);
