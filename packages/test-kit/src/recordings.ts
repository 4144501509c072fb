// Test support: the recordings of the protocol's fixtures, as events.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventsOfRecording } from "@quarterdeck/session";
import type { Event, Streamed } from "@quarterdeck/session";

const root = fileURLToPath(new URL("../../protocol/fixtures/recordings/", import.meta.url));

export interface Recording {
  readonly name: string;
  readonly events: readonly (Event | Streamed)[];
}

export const RECORDINGS: readonly Recording[] = readdirSync(root)
  .toSorted()
  .flatMap((version) =>
    readdirSync(`${root}${version}`)
      .filter((file) => file.endsWith(".ndjson"))
      .map((file) => ({
        name: `${version}/${file.replace(/\.ndjson$/, "")}`,
        events: eventsOfRecording(readFileSync(`${root}${version}/${file}`, "utf8")),
      })),
  );
