// How commands on this machine find the running server and prove that they may use it. A file in the data directory,
// readable by its owner only, has the address and a token that ends with the server. A user who can read that file can
// read the sessions too, so the token gives no more access than the folder.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readPrivateFile, writePrivateFile } from "./access/private-file.ts";

const Address = z.object({
  pid: z.number(),
  url: z.string(),
  token: z.string(),
  startedAt: z.number(),
  /** The server's own certificate. Commands on this machine trust it, whatever name it contains. */
  certificate: z.string().optional(),
});
export type ServerAddress = z.output<typeof Address>;

const pathIn = (dataDir: string): string => join(dataDir, "server.json");

export const writeServerAddress = (dataDir: string, address: ServerAddress): void =>
  writePrivateFile(pathIn(dataDir), `${JSON.stringify(address, null, 2)}\n`);

export const removeServerAddress = (dataDir: string): void => rmSync(pathIn(dataDir), { force: true });

/** Undefined if no server runs. A killed server leaves the file, but its process is gone. */
export const readServerAddress = (dataDir: string): ServerAddress | undefined => {
  const text = readPrivateFile(pathIn(dataDir));
  if (text === undefined) return undefined;
  const parsed = Address.safeParse(jsonOf(text));
  return parsed.success && isAlive(parsed.data.pid) ? parsed.data : undefined;
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not written by us, or by another version.
    return undefined;
  }
};

/** Also a process of another user. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};
