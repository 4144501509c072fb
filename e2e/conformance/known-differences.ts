// Known differences between the simulator and the newest CLI, with reasons. An entry that no longer applies fails the
// suite, so that the list stays current.
import type { Difference } from "./compare.ts";

export interface KnownDifference {
  readonly kind: string;
  readonly issue: Difference["issue"];
  /** The field. A `*` at the end matches everything below it. */
  readonly what: string;
  /** Only in these cases. Default: in all. */
  readonly cases?: readonly string[];
  readonly why: string;
}

export const isKnownAs = (known: KnownDifference, name: string, { kind, issue, what }: Difference): boolean =>
  known.kind === kind &&
  known.issue === issue &&
  (known.what.endsWith("*") ? what.startsWith(known.what.slice(0, -1)) : known.what === what) &&
  (known.cases === undefined || known.cases.includes(name));

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [];
