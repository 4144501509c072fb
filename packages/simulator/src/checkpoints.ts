// The content of files before each prompt's turn changed them, so that `rewind_files` can restore it.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Json } from "./json.ts";
import { structuredPatch } from "./tools/diff.ts";

export class Checkpoints {
  readonly #enabled: boolean;
  /** In order of the prompts. */
  readonly #turns: { readonly uuids: readonly string[]; readonly files: Map<string, string | null> }[] = [];

  constructor(enabled: boolean) {
    this.#enabled = enabled;
  }

  get isEnabled(): boolean {
    return this.#enabled;
  }

  begin(uuids: readonly string[]): void {
    this.#turns.push({ uuids, files: new Map() });
  }

  /** `null`: the file did not exist. */
  keep(path: string, original: string | null): void {
    const files = this.#turns.at(-1)?.files;
    if (files !== undefined && !files.has(path)) files.set(path, original);
  }

  /** Undefined: no such prompt. */
  rewind(uuid: string, dryRun: boolean): Json | undefined {
    const from = this.#turns.findIndex(({ uuids }) => uuids.includes(uuid));
    if (from < 0) return undefined;
    const originals = new Map<string, string | null>();
    for (const { files } of this.#turns.slice(from)) {
      for (const [path, original] of files) if (!originals.has(path)) originals.set(path, original);
    }
    if (dryRun) return { canRewind: true, ...changesOf(originals) };
    for (const [path, original] of originals) {
      if (original === null) rmSync(path, { force: true });
      else writeFileSync(path, original);
    }
    return { canRewind: true, skippedLinks: 0 };
  }
}

const changesOf = (originals: ReadonlyMap<string, string | null>): Json => {
  let insertions = 0;
  let deletions = 0;
  for (const [path, original] of originals) {
    const now = existsSync(path) ? readFileSync(path, "utf8") : "";
    for (const { lines } of structuredPatch(now, original ?? "")) {
      insertions += lines.filter((line) => line.startsWith("+")).length;
      deletions += lines.filter((line) => line.startsWith("-")).length;
    }
  }
  return { filesChanged: [...originals.keys()], insertions, deletions };
};
