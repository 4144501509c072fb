// How the commands of this machine find the server that runs, and prove that they may talk to it: a file in the data directory,
// readable by its owner alone, with the address and a token that ends with the server. Whoever can read that file
// can read the sessions too; the token gives no more than the folder does.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readPrivateFile, writePrivateFile } from "./access/private-file.ts";

const Address = z.object({
  pid: z.number(),
  url: z.string(),
  token: z.string(),
  startedAt: z.number(),
  /** The server's own certificate, which commands of this machine trust whatever name is in it. */
  certificate: z.string().optional(),
});
export type ServerAddress = z.output<typeof Address>;

const pathIn = (dataDir: string): string => join(dataDir, "server.json");

export const writeServerAddress = (dataDir: string, address: ServerAddress): void =>
  writePrivateFile(pathIn(dataDir), `${JSON.stringify(address, null, 2)}\n`);

export const removeServerAddress = (dataDir: string): void => rmSync(pathIn(dataDir), { force: true });

/** Nothing where no server runs; one that was killed leaves a file and no process. */
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
    // Not ours, or of another version.
    return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};
