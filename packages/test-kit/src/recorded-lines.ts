// Test support: the recorded streams of three CLI versions in fixtures/.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface RecordedLine {
  readonly version: string;
  readonly recording: string;
  readonly t: number;
  readonly dir: "in" | "out";
  readonly msg?: Record<string, unknown>;
  /** Set if the sent line is not JSON. */
  readonly raw?: string;
}

const root = fileURLToPath(new URL("../../protocol/fixtures/recordings/", import.meta.url));

const RECORDED_VERSIONS: readonly string[] = readdirSync(root).toSorted();

export const recordedLines = (): RecordedLine[] =>
  RECORDED_VERSIONS.flatMap((version) =>
    readdirSync(`${root}${version}`)
      .filter((file) => file.endsWith(".ndjson"))
      .flatMap((file) =>
        readFileSync(`${root}${version}/${file}`, "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => ({
            ...(JSON.parse(line) as Omit<RecordedLine, "version" | "recording">),
            version,
            recording: file.replace(/\.ndjson$/, ""),
          })),
      ),
  );
