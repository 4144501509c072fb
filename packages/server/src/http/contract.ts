// What the HTTP server offers to the rest of the server: sockets that it has checked, tickets, and metrics.

import type { Readable } from "node:stream";
import type { Device } from "../access/contract.ts";

/** What the HTTP server knows about a socket that it passes on. Host, origin and rate are checked. */
export interface SocketAbout {
  /** Set for a program with a valid bearer token. A browser has to answer the challenge. */
  readonly device: Device | undefined;
  /** An allowed origin, or undefined for a program. */
  readonly origin: string | undefined;
  /** The client's address, for limits and logs. Behind a proxy, the address that the proxy reports. */
  readonly remote: string;
  /** The gateway through which a device came, or undefined. */
  readonly via?: string | undefined;
  /**
   * Call this when `initialize` was accepted. Until then the socket counts as a stranger's: it is closed after five
   * seconds, or earlier if there are too many. After that, it is closed when the device is revoked.
   */
  readonly admitted: (device: Device) => void;
}

/** The content of a download. The caller takes the type from the bytes, never from a name that others chose. */
export interface Download {
  readonly name: string;
  readonly mediaType: string;
  readonly size?: number;
  readonly body: Readable | AsyncIterable<Uint8Array | string>;
}

export type TicketUse =
  | { readonly kind: "upload"; readonly name: string; readonly size: number }
  /** `open` is called when the ticket is used. An error with a bridge `code` becomes a matching HTTP status. */
  | { readonly kind: "download"; readonly open: () => Promise<Download> };

export interface Upload {
  readonly id: string;
  readonly name: string;
  /** By magic bytes: `image/png`, `application/pdf`, `text/plain` (UTF-8 without NUL), else `application/octet-stream`. */
  readonly mediaType: string;
  readonly size: number;
  /** In the data directory, readable by us only, until the upload expires. */
  readonly path: string;
}

export type UploadFailure = "too-large" | "no-room" | "cut-off";

export interface Tickets {
  /**
   * The caller has checked the role. `url` is a path, `/t/<256 random bits>`, for one use within two minutes. A PUT
   * without the page's Origin comes from a program and also needs its token in the `Authorization` header.
   */
  create(use: TicketUse, device: Device): { readonly url: string; readonly expiresAt: number };
  /** Keeps an upload that did not come over HTTP, from a device that may upload. */
  keep(name: string, bytes: Buffer, device: Device): Promise<Upload | UploadFailure>;
  /** An upload of this device. Uploads of other devices are not found. Kept for a day. */
  upload(id: string, device: Device): Upload | undefined;
}

export type Labels = Readonly<Record<string, string>>;

/** Prometheus text. Create each name once and keep the result. Names begin with `quarterdeck_`. */
export interface Metrics {
  counter(name: string, help: string): { add(by?: number, labels?: Labels): void };
  /** `read` is called for each scrape. */
  gauge(name: string, help: string, read: () => number): void;
  histogram(name: string, help: string, buckets: readonly number[]): { observe(value: number, labels?: Labels): void };
  text(): string;
}
