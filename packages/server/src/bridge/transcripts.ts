// The CLI's own sessions that are not ours: looked up on disk, and remembered for a moment, because a list and those who open its
// entries ask again and again.

import { listTranscripts } from "@quarterdeck/host";
import type { Transcript } from "@quarterdeck/host";

const KEPT_MS = 3000;

export class Transcripts {
  readonly #configFolder: string;
  #known: { readonly at: number; readonly found: Promise<readonly Transcript[]> } | undefined;

  constructor(configFolder: string) {
    this.#configFolder = configFolder;
  }

  all(): Promise<readonly Transcript[]> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#known.at > KEPT_MS)
      this.#known = { at: now, found: listTranscripts(this.#configFolder) };
    return this.#known.found;
  }

  async find(id: string): Promise<Transcript | undefined> {
    return (await this.all()).find((transcript) => transcript.id === id);
  }
}
