// A client of the named server, or of the server on this machine. If no server runs, it starts a server that outlives
// this command.

import type { Client } from "@quarterdeck/client";
import { opened } from "../remote/remote-client.ts";
import { serverAddress } from "./background-server.ts";

export interface EnsureOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const ensureServer = async (options: EnsureOptions): Promise<Client> => {
  const { dataDir, env } = options;
  if ((env["QUARTERDECK_URL"] ?? "") === "") await serverAddress({ dataDir, env, cwd: process.cwd() });
  return opened(options);
};
