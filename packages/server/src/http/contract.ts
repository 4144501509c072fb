// What the HTTP server offers to the rest of the server: sockets that it has checked, tickets, and metrics.

import type { Readable } from "node:stream";
import type { Device } from "../access/contract.ts";

/** What the HTTP server knows about a socket that it hands over. Host, origin and rate have been checked. */
export interface SocketAbout {
  /** Came with a valid bearer token: a program. A browser has to answer the challenge. */
  readonly device: Device | undefined;
  /** An allowed one, or absent for a program. */
  readonly origin: string | undefined;
  /** The client's address; behind a proxy, as the proxy says. For limits and logs. */
  readonly remote: string;
  /**
   * Call it when `initialize` was accepted. Until then the socket counts as a stranger's: it is closed after five
   * seconds, and earlier where there are too many of them. From then on it is closed when the device is revoked.
   */
  readonly admitted: (device: Device) => void;
}

/** What a download gives. Typed by the caller from the contents, never from a name that somebody else chose. */
export interface Download {
  readonly name: string;
  readonly mediaType: string;
  readonly size?: number;
  readonly body: Readable | AsyncIterable<Uint8Array | string>;
}

export type TicketUse =
  | { readonly kind: "upload"; readonly name: string; readonly size: number }
  /** `open` is called when the ticket is used; an error with a `code` of the bridge's becomes a fitting status. */
  | { readonly kind: "download"; readonly open: () => Promise<Download> };

export interface Upload {
  readonly id: string;
  readonly name: string;
  /** By magic bytes: `image/png`, `application/pdf`, `text/plain` (UTF-8 without NUL), else `application/octet-stream`. */
  readonly mediaType: string;
  readonly size: number;
  /** Ours to read, in the data directory, until the upload expires. */
  readonly path: string;
}

export type UploadFailure = "too-large" | "no-room" | "cut-off";

export interface Tickets {
  /**
   * The caller has checked the role. `url` is a path, `/t/<256 random bits>`; one use, two minutes. A PUT without the page's
   * Origin, which is a program's, needs its token in the `Authorization` header too.
   */
  create(use: TicketUse, device: Device): { readonly url: string; readonly expiresAt: number };
  /** What came another way than by HTTP, from a device that may upload: as if it had been put. */
  keep(name: string, bytes: Buffer, device: Device): Promise<Upload | UploadFailure>;
  /** What this device has put; another device's is as if it did not exist. Kept for a day. */
  upload(id: string, device: Device): Upload | undefined;
}

export type Labels = Readonly<Record<string, string>>;

/** Prometheus text. A name is asked for once and kept; names begin with `quarterdeck_`. */
export interface Metrics {
  counter(name: string, help: string): { add(by?: number, labels?: Labels): void };
  /** Read when somebody looks. */
  gauge(name: string, help: string, read: () => number): void;
  histogram(name: string, help: string, buckets: readonly number[]): { observe(value: number, labels?: Labels): void };
  text(): string;
}
