// Which sessions exist and where each is stored, in memory. Only the registry assigns volumes and keys. It contains
// committed data only.

import type { SessionRecord } from "../event-store.ts";
import type { StoredSummary } from "../session-summary.ts";
import type { VolumeEntry } from "./volume-reader.ts";

export interface KnownSession {
  readonly id: string;
  readonly volume: number;
  readonly key: number;
  lastSeq: number;
  lastAt: number;
  bytes: number;
  record: SessionRecord | undefined;
  summary: StoredSummary | undefined;
  readonly damage: string | undefined;
  /** False until the first commit. */
  isStored: boolean;
  /** The stored fold that the next one continues. */
  fold: Lineage | undefined;
}

export interface Lineage {
  readonly version: number;
  /** Every row up to this `rev` is stored. */
  readonly rev: number;
  /** Rows of an older fold may still be stored too. */
  readonly hasStrangers: boolean;
}

export class Registry {
  readonly #volumeBytes: number;
  readonly #known = new Map<string, KnownSession>();
  readonly #ids = new Map<number, Map<number, string>>();
  readonly #sizes = new Map<number, number>();
  readonly #lastKeys = new Map<number, number>();

  constructor(volumeBytes: number) {
    this.#volumeBytes = volumeBytes;
  }

  addVolume(volume: number, size: number, entries: readonly VolumeEntry[], usedKeys: readonly number[]): void {
    this.#sizes.set(volume, size);
    this.#lastKeys.set(volume, Math.max(0, ...usedKeys));
    for (const entry of entries) this.#add({ ...entry, volume, isStored: true, fold: undefined });
  }

  get(id: string): KnownSession | undefined {
    const known = this.#known.get(id);
    return known?.isStored === true ? known : undefined;
  }

  /** Assigns a volume and a key to a new session. */
  place(id: string): KnownSession {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const volume = this.#roomiest();
    const key = (this.#lastKeys.get(volume) ?? 0) + 1;
    return this.#add({
      id,
      volume,
      key,
      lastSeq: 0,
      lastAt: 0,
      bytes: 0,
      record: undefined,
      summary: undefined,
      damage: undefined,
      isStored: false,
      fold: undefined,
    });
  }

  forget({ id, volume, key }: KnownSession): void {
    this.#known.delete(id);
    this.#ids.get(volume)?.delete(key);
  }

  setSize(volume: number, size: number): void {
    this.#sizes.set(volume, size);
  }

  idOf(volume: number, key: number): string | undefined {
    return this.#ids.get(volume)?.get(key);
  }

  get stored(): readonly KnownSession[] {
    return [...this.#known.values()].filter(({ isStored }) => isStored);
  }

  /** Volumes that contain a session, newest first. */
  get volumes(): readonly number[] {
    const volumes = new Set(this.stored.map(({ volume }) => volume));
    return [...volumes].toSorted((a, b) => b - a);
  }

  /** The newest volume that is not full, or a new one. */
  #roomiest(): number {
    const volumes = [...this.#sizes.keys()].toSorted((a, b) => b - a);
    const found = volumes.find((volume) => (this.#sizes.get(volume) ?? 0) < this.#volumeBytes);
    if (found !== undefined) return found;
    const next = (volumes[0] ?? 0) + 1;
    this.#sizes.set(next, 0);
    return next;
  }

  #add(known: KnownSession): KnownSession {
    const { id, volume, key } = known;
    this.#known.set(id, known);
    let ids = this.#ids.get(volume);
    if (ids === undefined) this.#ids.set(volume, (ids = new Map()));
    ids.set(key, id);
    this.#lastKeys.set(volume, Math.max(key, this.#lastKeys.get(volume) ?? 0));
    return known;
  }
}
