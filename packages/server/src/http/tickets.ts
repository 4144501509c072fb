// One-use addresses for what does not belong on a socket. A ticket is made for a device by the bridge, which has checked the
// role; it is worth one request within two minutes, and nothing once its device is revoked. Uploads wait in the data
// directory for the prompt that names them, for a day at most and never across a restart.

import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Access, Device, Log, Tickets, TicketUse, Upload, UploadFailure } from "../seams.ts";
import { HEAD_BYTES, mediaTypeOf, TextCheck } from "./media-type.ts";

export interface TicketsOptions {
  readonly folder: string;
  readonly access: Pick<Access, "onRevoked" | "device">;
  /** Of one upload. */
  readonly maxBytes: number;
  readonly log: Log;
  readonly now?: () => number;
}

export interface TakenTicket {
  readonly use: TicketUse;
  readonly device: Device;
}

export interface TicketDesk extends Tickets {
  /** Once: whoever comes second, or too late, or for something else, finds nothing. */
  take(id: string, kind: TicketUse["kind"]): TakenTicket | undefined;
  /** Reads at most what the ticket was made for. */
  receive(
    ticket: TakenTicket & { readonly use: { readonly kind: "upload" } },
    body: Readable,
  ): Promise<Upload | UploadFailure>;
  close(): void;
}

const TICKET_MS = 2 * 60_000;
const UPLOAD_MS = 24 * 60 * 60_000;
const MOST_TICKETS = 1000;
/** What all uploads together may take. */
const MOST_BYTES = 1024 ** 3;

export const createTickets = ({ folder, access, maxBytes, log, now = Date.now }: TicketsOptions): TicketDesk => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const tickets = new Map<string, TakenTicket & { readonly expiresAt: number }>();
  const uploads = new Map<string, Upload & { readonly deviceId: string; readonly expiresAt: number }>();
  let bytes = 0;

  const forget = (id: string): void => {
    const upload = uploads.get(id);
    if (upload === undefined) return;
    uploads.delete(id);
    bytes -= upload.size;
    rm(upload.path, { force: true }).catch((error: unknown) =>
      log.warn("upload not removed", { error: (error as Error).message }),
    );
  };
  const forgetOld = (): void => {
    for (const [id, { expiresAt }] of tickets) if (expiresAt <= now()) tickets.delete(id);
    for (const [id, { expiresAt }] of uploads) if (expiresAt <= now()) forget(id);
  };
  const stopListening = access.onRevoked((deviceId) => {
    for (const [id, { device }] of tickets) if (device.id === deviceId) tickets.delete(id);
    for (const [id, upload] of uploads) if (upload.deviceId === deviceId) forget(id);
  });

  const write = async (path: string, body: Readable, most: number): Promise<Pick<Upload, "mediaType" | "size">> => {
    const handle = await open(path, "wx", 0o600);
    try {
      const text = new TextCheck();
      let head = Buffer.alloc(0);
      let size = 0;
      // What is too large is still to be answered, so the stream stays.
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
      if (tickets.size >= MOST_TICKETS) tickets.delete(tickets.keys().next().value!);
      const id = randomBytes(32).toString("base64url");
      const expiresAt = now() + TICKET_MS;
      tickets.set(id, { use, device, expiresAt });
      return { url: `/t/${id}`, expiresAt };
    },

    take(id, kind) {
      const ticket = tickets.get(id);
      if (ticket === undefined || ticket.use.kind !== kind) return undefined;
      tickets.delete(id);
      return ticket.expiresAt > now() && access.device(ticket.device.id) !== undefined ? ticket : undefined;
    },

    async receive({ use, device }, body) {
      const most = Math.min(use.size, maxBytes);
      if (bytes + most > MOST_BYTES) return "no-room";
      const id = randomBytes(16).toString("base64url");
      const path = join(folder, id);
      // Counted before it is there, so that many at once cannot overrun the limit.
      bytes += most;
      try {
        const written = await write(path, body, most);
        const upload = { id, name: use.name, ...written, path };
        uploads.set(id, { ...upload, deviceId: device.id, expiresAt: now() + UPLOAD_MS });
        bytes += written.size;
        return upload;
      } catch (error) {
        await rm(path, { force: true });
        if (error instanceof Refused) return error.why;
        if (body.errored !== null || body.destroyed) return "cut-off";
        if ((error as NodeJS.ErrnoException).code === "ENOSPC") return "no-room";
        throw error;
      } finally {
        bytes -= most;
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
