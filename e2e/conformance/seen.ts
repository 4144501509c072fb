// Which kinds of message each real CLI wrote, and which requests of a host it answered. A full run writes seen.json,
// next to the report and without dates. docs/protocol.md combines it with the recordings.
import { keyOf } from "@quarterdeck/protocol";
import type { Message } from "./drive.ts";
import type { CaseRun, Player } from "./run-case.ts";

export interface Kinds {
  readonly wrote: readonly string[];
  readonly answered: readonly string[];
}
export type Seen = Readonly<Record<string, Kinds>>;

interface Line {
  readonly dir: "in" | "out";
  readonly msg?: Message;
}

/** For one process. A request that the CLI does not know, or never answers, does not count. */
export const kindsOf = (lines: readonly Line[]): Kinds => {
  const wrote = new Set<string>();
  const answered = new Set<string>();
  const asked = new Map<unknown, string>();
  for (const { dir, msg } of lines) {
    if (msg === undefined) continue;
    if (dir === "out") wrote.add(keyOf(msg));
    if (dir === "in" && msg.type === "control_request") asked.set(msg.request_id, keyOf(msg));
    if (dir === "out" && msg.type === "control_response") {
      const { request_id, error } = msg.response as { readonly request_id: unknown; readonly error?: unknown };
      const key = asked.get(request_id);
      if (key !== undefined && !UNSUPPORTED.test(String(error))) answered.add(key);
    }
  }
  return { wrote: [...wrote].toSorted(), answered: [...answered].toSorted() };
};
const UNSUPPORTED = /^Unsupported control request subtype/;

const joinedKinds = (all: readonly Kinds[]): Kinds => ({
  wrote: [...new Set(all.flatMap(({ wrote }) => wrote))].toSorted(),
  answered: [...new Set(all.flatMap(({ answered }) => answered))].toSorted(),
});

/** Only from real CLIs: the output of the simulator proves nothing. */
export const seenIn = (runs: readonly { readonly player: Player; readonly run: CaseRun }[]): Seen => {
  const real = runs.filter(({ player }) => player.kind === "cli");
  const versions = [...new Set(real.map(({ player }) => player.version))].toSorted(byVersion);
  return Object.fromEntries(
    versions.map((version) => {
      const phases = real.filter(({ player }) => player.version === version).flatMap(({ run }) => run.phases);
      return [version, joinedKinds(phases.map(({ lines }) => kindsOf(lines)))];
    }),
  );
};

export const byVersion = (a: string, b: string): number => Number(a.split(".").at(-1)) - Number(b.split(".").at(-1));
