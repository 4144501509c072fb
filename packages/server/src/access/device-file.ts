// The devices on disk: their names, roles and proofs. For a token, only the hash is stored.

import { z } from "zod";
import { ROLES } from "@quarterdeck/session/bridge";
import type { Device } from "./contract.ts";
import { ServerError } from "../server-error.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

const shared = {
  id: z.string().min(1),
  name: z.string(),
  role: z.enum(ROLES),
  createdAt: z.number(),
  lastSeenAt: z.number().optional(),
};
const StoredDevice = z.discriminatedUnion("kind", [
  /** SPKI, base64url. */
  z.object({ kind: z.literal("browser"), ...shared, publicKey: z.string() }),
  /** HMAC-SHA256 of the token under the server's secret, base64url. */
  z.object({ kind: z.literal("program"), ...shared, tokenHash: z.string() }),
]);
const DeviceFile = z.object({ version: z.literal(1), devices: z.array(StoredDevice) });
export type StoredDevice = z.output<typeof StoredDevice>;

export const readDevices = (path: string): StoredDevice[] => {
  const text = readPrivateFile(path);
  if (text === undefined) return [];
  try {
    return DeviceFile.parse(JSON.parse(text)).devices;
  } catch (error) {
    // Without the file, the server would let nobody in and then save an empty list.
    throw new ServerError(`${path} is damaged. Restore it, or remove it and pair your devices again.`, {
      cause: error,
    });
  }
};

export const writeDevices = (path: string, devices: readonly StoredDevice[]): void =>
  writePrivateFile(path, `${JSON.stringify({ version: 1, devices }, null, 2)}\n`);

/** The record without its proof. */
export const publicDevice = ({ id, name, kind, role, createdAt, lastSeenAt }: StoredDevice): Device => ({
  id,
  name,
  kind,
  role,
  createdAt,
  ...(lastSeenAt !== undefined && { lastSeenAt }),
});
