// Pictures in results of tools. Apps get an address for each one and fetch it without a token, so only the address itself lets them in.
// It depends on a secret of this process.

import { createHmac, randomBytes } from "node:crypto";

export interface ImageRef {
  readonly id: string;
  readonly url: string;
  readonly mimeType: string;
}

const MOST_IMAGES = 200;
const MOST_BYTES = 64 * 1024 * 1024;
/** Base64 of 10 MB, as in ccpocket's own bridge. */
const LONGEST = 14 * 1024 * 1024;

/** By the first bytes. What a tool claims does not count. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^\u0089PNG\r\n/u, "image/png"],
  [/^\u00ff\u00d8\u00ff/u, "image/jpeg"],
  [/^GIF8[79]a/u, "image/gif"],
  [/^RIFF[^]{4}WEBP/u, "image/webp"],
];

export class PocketImages {
  readonly #secret = randomBytes(32);
  readonly #kept = new Map<string, { readonly bytes: Buffer; readonly mimeType: string }>();
  #size = 0;

  /** Undefined if it is no picture, or too large. The oldest pictures make room. */
  keep(base64: string): ImageRef | undefined {
    if (base64.length > LONGEST) return undefined;
    const bytes = Buffer.from(base64, "base64");
    const mimeType = TYPES.find(([start]) => start.test(bytes.toString("latin1", 0, 16)))?.[1];
    if (mimeType === undefined) return undefined;
    const id = createHmac("sha256", this.#secret).update(bytes).digest("hex");
    this.#forget(id);
    this.#kept.set(id, { bytes, mimeType });
    this.#size += bytes.length;
    for (const old of this.#kept.keys()) {
      if (this.#kept.size <= MOST_IMAGES && this.#size <= MOST_BYTES) break;
      if (old !== id) this.#forget(old);
    }
    return { id, url: `/images/${id}`, mimeType };
  }

  /** By the address that an app asks for. */
  at(url: string | undefined): { readonly bytes: Buffer; readonly mimeType: string } | undefined {
    const [, id] = /^\/images\/([0-9a-f]{64})(?:\?|$)/u.exec(url ?? "") ?? [];
    return id === undefined ? undefined : this.#kept.get(id);
  }

  #forget(id: string): void {
    this.#size -= this.#kept.get(id)?.bytes.length ?? 0;
    this.#kept.delete(id);
  }
}
