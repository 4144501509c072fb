// One-use addresses for data that does not belong on a socket. The bridge checks the role and makes a ticket for a
// device. A ticket is valid for one request within two minutes, and ends when its device is revoked. Uploads wait in
// the data directory for the prompt that names them, for at most a day and never across a restart.

import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Access, Device } from "../access/contract.ts";
import type { TicketUse, Tickets, Upload, UploadFailure } from "./contract.ts";
import type { Log } from "../log.ts";
import { HEAD_BYTES, mediaTypeOf, TextCheck } from "./media-type.ts";

export interface TicketsOptions {
  readonly folder: string;
  readonly access: Pick<Access, "onRevoked" | "device">;
  /** Max size of one upload. */
  readonly maxBytes: number;
  readonly log: Log;
  readonly now?: () => number;
}

export interface TakenTicket {
  readonly use: TicketUse;
  readonly device: Device;
}

export interface TicketDesk extends Tickets {
  /** Works once. A second, late or different use finds nothing. */
  take(id: string, kind: TicketUse["kind"]): TakenTicket | undefined;
  /** Reads at most the size that the ticket was made for. */
  receive(
    ticket: TakenTicket & { readonly use: { readonly kind: "upload" } },
    body: Readable,
  ): Promise<Upload | UploadFailure>;
  close(): void;
}

const TICKET_MS = 2 * 60_000;
const UPLOAD_MS = 24 * 60 * 60_000;
/**
 * Max tickets per device. Its oldest ticket is dropped first. The number of devices is limited, so this limits all
 * tickets.
 */
const MOST_TICKETS = 100;
/**
 * Max bytes of the uploads of one device. Its oldest upload is deleted first. There is always room for at least one
 * upload.
 */
const MOST_DEVICE_BYTES = 256 * 1024 ** 2;
/** Max bytes of all uploads together. */
const MOST_BYTES = 1024 ** 3;
/** A file takes up room even if it is empty. */
const costOf = (size: number): number => size + 64 * 1024;

export const createTickets = ({ folder, access, maxBytes, log, now = Date.now }: TicketsOptions): TicketDesk => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const tickets = new Map<string, TakenTicket & { readonly expiresAt: number }>();
  /** Tickets of each device, oldest first. */
  const ofDevice = new Map<string, Set<string>>();
  const uploads = new Map<string, Upload & { readonly deviceId: string; readonly expiresAt: number }>();
  let bytes = 0;
  const bytesOf = new Map<string, number>();
  const count = (deviceId: string, more: number): void => {
    bytes += more;
    const sum = (bytesOf.get(deviceId) ?? 0) + more;
    if (sum === 0) bytesOf.delete(deviceId);
    else bytesOf.set(deviceId, sum);
  };

  const drop = (id: string): void => {
    const deviceId = tickets.get(id)?.device.id;
    if (deviceId === undefined) return;
    tickets.delete(id);
    const own = ofDevice.get(deviceId);
    own?.delete(id);
    if (own?.size === 0) ofDevice.delete(deviceId);
  };
  const forget = (id: string): void => {
    const upload = uploads.get(id);
    if (upload === undefined) return;
    uploads.delete(id);
    count(upload.deviceId, -costOf(upload.size));
    rm(upload.path, { force: true }).catch((error: unknown) =>
      log.warn("upload not removed", { error: (error as Error).message }),
    );
  };
  const forgetOld = (): void => {
    const at = now();
    for (const [id, { expiresAt }] of tickets) {
      // Tickets are in order of creation, and all are valid equally long.
      if (expiresAt > at) break;
      drop(id);
    }
    for (const [id, { expiresAt }] of uploads) if (expiresAt <= at) forget(id);
  };
  /** Returns false if there is no room even without its other uploads. */
  const makeRoom = (deviceId: string, wanted: number): boolean => {
    const most = Math.max(MOST_DEVICE_BYTES, costOf(maxBytes));
    for (const [id, upload] of uploads) {
      if ((bytesOf.get(deviceId) ?? 0) + wanted <= most) break;
      if (upload.deviceId === deviceId) forget(id);
    }
    return (bytesOf.get(deviceId) ?? 0) + wanted <= most && bytes + wanted <= MOST_BYTES;
  };
  const stopListening = access.onRevoked((deviceId) => {
    for (const id of ofDevice.get(deviceId) ?? []) drop(id);
    for (const [id, upload] of uploads) if (upload.deviceId === deviceId) forget(id);
  });

  const write = async (path: string, body: Readable, most: number): Promise<Pick<Upload, "mediaType" | "size">> => {
    const handle = await open(path, "wx", 0o600);
    try {
      const text = new TextCheck();
      let head = Buffer.alloc(0);
      let size = 0;
      // An upload that is too large still gets an answer, so the stream stays open.
      for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > most) throw new Refused("too-large");
        if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
        text.push(chunk);
        await handle.writeFile(chunk);
      }
      return { size, mediaType: mediaTypeOf(head, text.end()) };
    } finally {
      await handle.close();
    }
  };

  const desk: TicketDesk = {
    create(use, device) {
      forgetOld();
      const own = ofDevice.get(device.id) ?? new Set();
      const [oldest] = own;
      if (own.size >= MOST_TICKETS && oldest !== undefined) drop(oldest);
      const id = randomBytes(32).toString("base64url");
      const expiresAt = now() + TICKET_MS;
      tickets.set(id, { use, device, expiresAt });
      ofDevice.set(device.id, own.add(id));
      return { url: `/t/${id}`, expiresAt };
    },

    take(id, kind) {
      const ticket = tickets.get(id);
      if (ticket === undefined || ticket.use.kind !== kind) return undefined;
      drop(id);
      return ticket.expiresAt > now() && access.device(ticket.device.id) !== undefined ? ticket : undefined;
    },

    async receive({ use, device }, body) {
      const most = Math.min(use.size, maxBytes);
      forgetOld();
      if (!makeRoom(device.id, costOf(most))) return "no-room";
      const id = randomBytes(16).toString("base64url");
      const path = join(folder, id);
      // Counted before it arrives, so that concurrent uploads cannot exceed the limit.
      count(device.id, costOf(most));
      try {
        const written = await write(path, body, most);
        const upload = { id, name: use.name, ...written, path };
        uploads.set(id, { ...upload, deviceId: device.id, expiresAt: now() + UPLOAD_MS });
        count(device.id, costOf(written.size));
        return upload;
      } catch (error) {
        await rm(path, { force: true });
        if (error instanceof Refused) return error.why;
        if (body.errored !== null || body.destroyed) return "cut-off";
        if ((error as NodeJS.ErrnoException).code === "ENOSPC") return "no-room";
        throw error;
      } finally {
        count(device.id, -costOf(most));
      }
    },

    keep: (name, given, device) =>
      desk.receive({ use: { kind: "upload", name, size: given.length }, device }, Readable.from([given])),

    upload(id, device) {
      forgetOld();
      const found = uploads.get(id);
      if (found === undefined || found.deviceId !== device.id) return undefined;
      const { deviceId: _device, expiresAt: _expiry, ...upload } = found;
      return upload;
    },

    close() {
      stopListening();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return desk;
};

class Refused extends Error {
  readonly why: UploadFailure;
  constructor(why: UploadFailure) {
    super(why);
    this.why = why;
  }
}
