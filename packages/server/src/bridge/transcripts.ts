// The CLI's own sessions that are not in our store, read from disk with the process that has them open. The result is
// cached for a moment, because lists and opened entries ask again and again. Only sessions of shared folders are
// included: a conversation is as private as the files.

import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { listHolders, listTranscripts } from "@quarterdeck/host";
import type { SessionHolder, Transcript } from "@quarterdeck/host";
import type { ContainedPaths } from "../files/contract.ts";

const KEPT_MS = 3000;

export class Transcripts {
  readonly #configFolder: string;
  readonly #paths: ContainedPaths;
  #known: { readonly at: number; readonly found: Promise<readonly Transcript[]> } | undefined;
  #holders: { readonly at: number; readonly found: ReadonlyMap<string, SessionHolder> } = {
    at: -Infinity,
    found: new Map(),
  };

  constructor(configFolder: string, paths: ContainedPaths) {
    this.#configFolder = configFolder;
    this.#paths = paths;
  }

  /** Sessions whose folder the caller sees. */
  async all(seen: ContainedPaths): Promise<readonly Transcript[]> {
    return (await this.#shared()).filter(({ cwd }) => cwd !== undefined && seen.shows(cwd));
  }

  /** From any shared folder. The caller has checked with `sees` that the device sees it. */
  async find(id: string): Promise<Transcript | undefined> {
    return (await this.#shared()).find((transcript) => transcript.id === id);
  }

  /** False only for a terminal session in a folder that the caller does not see. */
  async sees(id: string, seen: ContainedPaths): Promise<boolean> {
    const cwd = (await this.find(id))?.cwd;
    return cwd === undefined || seen.shows(cwd);
  }

  /** Deletes what the CLI has stored of sessions in shared folders. Returns how many there were. */
  async delete(ids: ReadonlySet<string>): Promise<number> {
    const found = (await this.#read()).filter(({ id }) => ids.has(id));
    for (const { id, path } of found) {
      await rm(path, { force: true });
      // Results of tools and transcripts of subagents.
      await rm(join(dirname(path), id), { recursive: true, force: true });
    }
    this.#known = undefined;
    return found.length;
  }

  #shared(): Promise<readonly Transcript[]> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#known.at > KEPT_MS) this.#known = { at: now, found: this.#read() };
    return this.#known.found;
  }

  /** Whether a terminal had it open at the last check. */
  isHeld(cliSession: string): boolean {
    return this.#holders.found.has(cliSession);
  }

  async lookForHolders(): Promise<void> {
    if (performance.now() - this.#holders.at < KEPT_MS) return;
    this.#holders = { at: performance.now(), found: this.#holders.found };
    this.#holders = { at: performance.now(), found: await listHolders(this.#configFolder) };
  }

  async #read(): Promise<readonly Transcript[]> {
    const found = await listTranscripts(this.#configFolder);
    const folders = [...new Set(found.flatMap(({ cwd }) => cwd ?? []))];
    const shared = await Promise.all(
      folders.map((folder) =>
        this.#paths.resolve(folder).then(
          () => [folder],
          () => [],
        ),
      ),
    );
    const isShared = new Set(shared.flat());
    return found.filter(({ cwd }) => cwd !== undefined && isShared.has(cwd));
  }
}
