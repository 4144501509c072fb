// What the rest of the server knows about access: devices, and who may connect.

import type { Role } from "@quarterdeck/session/bridge";

/** A device in the server's own record. Its role is never taken from anywhere else. */
export interface Device {
  readonly id: string;
  readonly name: string;
  readonly kind: "browser" | "program";
  readonly role: Role;
  readonly createdAt: number;
  readonly lastSeenAt?: number;
  /** The gateway that introduced the device. Absent: the device was paired here. */
  readonly via?: string;
  /** Only these folders, as real paths. Absent: all that its role sees. */
  readonly folders?: readonly string[];
  /** The same through every gateway. Commands run once under it. */
  readonly sameAs?: string;
}

/** `limit`: too many failures from this address. A valid credential never gets it. */
export type Admission =
  | { readonly ok: true; readonly device: Device }
  | { readonly ok: false; readonly code: "unauthenticated" | "limit"; readonly message: string };

export interface Access {
  /** Public. Stays the same as long as the data directory exists. */
  readonly serverId: string;
  /**
   * Random, for one socket, never reused. The bridge sends it in `server/challenge` and passes it to `authenticate`.
   */
  challenge(): string;
  /**
   * A browser's `initialize`, once per socket. After a failure the bridge closes with `CLOSE_CODES.unauthenticated`.
   */
  authenticate(claim: {
    readonly id: string;
    readonly signature: string;
    readonly nonce: string;
    /** From `SocketAbout`. */
    readonly origin: string | undefined;
    readonly remote: string;
    /** The gateway. Its devices are known only there. */
    readonly via?: string | undefined;
  }): Admission;
  /** An `Authorization` header. */
  bearer(header: string | undefined, remote: string): Admission;
  /** The current record, or undefined after a revoke. Ask before each call, because the role may have changed. */
  device(id: string): Device | undefined;
  devices(): readonly Device[];
  pair(wanted: { readonly role: Role; readonly name?: string }): {
    readonly link: string;
    readonly code: string;
    readonly expiresAt: number;
  };
  /** The start of pairing links. */
  linkOrigin(): string;
  addToken(wanted: { readonly role: Role; readonly name: string }): { readonly id: string; readonly token: string };
  /** Returns false if the device does not exist. It is out at once, and deleted from disk when this returns. */
  revoke(id: string): boolean;
  /**
   * Called after a revoke. The HTTP server closes the device's sockets (`CLOSE_CODES.revoked`) and drops its tickets.
   */
  onRevoked(listener: (deviceId: string) => void): () => void;
}
