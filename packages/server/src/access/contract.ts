// What the rest of the server knows about access: devices, and who may come in.

import type { Role } from "@quarterdeck/session/bridge";

/** What the server's own record says. A role is never taken from anywhere else. */
export interface Device {
  readonly id: string;
  readonly name: string;
  readonly kind: "browser" | "program";
  readonly role: Role;
  readonly createdAt: number;
  readonly lastSeenAt?: number;
}

/** `limit`: too many failures from this address. Somebody with a valid credential never meets it. */
export type Admission =
  | { readonly ok: true; readonly device: Device }
  | { readonly ok: false; readonly code: "unauthenticated" | "limit"; readonly message: string };

export interface Access {
  /** Public, and the same as long as the data directory is. */
  readonly serverId: string;
  /** For one socket: random, never given twice. The bridge sends it in `server/challenge` and hands it back below. */
  challenge(): string;
  /** A browser's `initialize`. Once per socket: after a failure the bridge closes with `CLOSE_CODES.unauthenticated`. */
  authenticate(claim: {
    readonly id: string;
    readonly signature: string;
    readonly nonce: string;
    /** As `SocketAbout` has it. */
    readonly origin: string | undefined;
    readonly remote: string;
  }): Admission;
  /** An `Authorization` header. */
  bearer(header: string | undefined, remote: string): Admission;
  /** The record as it is now; nothing once it was revoked. Ask before each call: the role may have changed. */
  device(id: string): Device | undefined;
  devices(): readonly Device[];
  pair(wanted: { readonly role: Role; readonly name?: string }): {
    readonly link: string;
    readonly code: string;
    readonly expiresAt: number;
  };
  addToken(wanted: { readonly role: Role; readonly name: string }): { readonly id: string; readonly token: string };
  /** False where there is no such device. It is out at once, and gone from the disk when this returns. */
  revoke(id: string): boolean;
  /** The HTTP server closes the device's sockets (`CLOSE_CODES.revoked`) and drops its tickets; others may listen too. */
  onRevoked(listener: (deviceId: string) => void): () => void;
}
