// The device of the command line, for other machines of the fleet. Tokens do not work there, so commands have a key like a browser. The
// key is in the private folder of the fleet, and ends with it. This file loads nothing of NATS.

import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { z } from "zod";
import { readPrivateFile, writePrivateFile } from "../access/private-file.ts";
import { fleetPaths, isInFleet } from "./fleet-files.ts";

const DeviceFile = z.object({ id: z.string(), key: z.string().describe("PKCS 8, base64url.") });

export interface OwnDevice {
  readonly id: string;
  /** ECDSA P-256 with SHA-256 over the text, base64url. */
  sign(text: string): Promise<string>;
}

export const readOwnDevice = (dataDir: string): OwnDevice | undefined => {
  const text = readPrivateFile(fleetPaths(dataDir).device);
  if (text === undefined) return undefined;
  try {
    const { id, key } = DeviceFile.parse(JSON.parse(text));
    return deviceOf(id, key);
  } catch {
    // Damaged. The command makes a new one.
    return undefined;
  }
};

/** `pair` tells the server the public key, and returns the id that the server gave it. */
export const makeOwnDevice = async (
  dataDir: string,
  pair: (publicKey: string) => Promise<string>,
): Promise<OwnDevice> => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = await pair(publicKey.export({ type: "spki", format: "der" }).toString("base64url"));
  const key = privateKey.export({ type: "pkcs8", format: "der" }).toString("base64url");
  // The machine may have left the fleet a moment ago.
  if (isInFleet(dataDir)) writePrivateFile(fleetPaths(dataDir).device, `${JSON.stringify({ id, key })}\n`);
  return deviceOf(id, key);
};

const deviceOf = (id: string, key: string): OwnDevice => {
  const privateKey = createPrivateKey({ key: Buffer.from(key, "base64url"), type: "pkcs8", format: "der" });
  return {
    id,
    sign: (text) =>
      Promise.resolve(
        sign("sha256", Buffer.from(text, "utf8"), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url"),
      ),
  };
};
