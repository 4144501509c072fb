// Two functions that make the same object, on purpose. V8 learns for each literal in the source how long its objects
// live. With one literal, deltas that wait for the disk would move all deltas to the old space. There, each keeps its
// message until a full collection. For the gain, see docs/decisions/0007-what-a-delta-allocates.md.

import type { JsonValue } from "@quarterdeck/protocol";
import type { Streamed } from "@quarterdeck/session";

/** For a delta that is applied at once and then dropped. */
export const passingDelta = (at: number, message: JsonValue): Streamed => ({ type: "streamed", at, message });

/** For a delta that waits for the facts before it. */
export const waitingDelta = (at: number, message: JsonValue): Streamed => ({ type: "streamed", at, message });
