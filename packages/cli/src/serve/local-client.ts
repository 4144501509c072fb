// Commands on this machine as clients of the running server. Its address and token are in the data directory.

import { WebSocket } from "ws";
import { connect } from "@quarterdeck/client";
import type { Client } from "@quarterdeck/client";
import { UserError } from "../user-error.ts";
import { readServerAddress } from "@quarterdeck/server/running-server";

export interface LocalClientOptions {
  readonly dataDir: string;
  readonly version: string;
}

/** Undefined if no server runs. */
export const connectLocally = async ({ dataDir, version }: LocalClientOptions): Promise<Client | undefined> => {
  const address = readServerAddress(dataDir);
  if (address === undefined) return undefined;
  const { url, token, certificate } = address;
  const tls =
    certificate === undefined
      ? {}
      : { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
  const client = connect({
    url,
    credentials: { kind: "token", token },
    client: { name: "quarterdeck", version },
    onListenerError: endCommand,
    openSocket: (to, headers) => new WebSocket(to, { headers, ...tls }) as unknown as globalThis.WebSocket,
  });
  try {
    await opened(client, address);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
};

/** A bug ends the command. The handler of uncaught errors prints it. */
export const endCommand = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });

/** The same, for commands that need a server. */
export const needServer = async (options: LocalClientOptions): Promise<Client> => {
  const client = await connectLocally(options);
  if (client === undefined) throw new UserError("No server is running. Start one with `quarterdeck serve`.");
  return client;
};

const opened = (client: Client, { pid, url }: { readonly pid: number; readonly url: string }): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new UserError(`The server at ${url} (process ${String(pid)}) does not answer: ${why}`));
    const look = (): void => {
      const { state } = client;
      if (state.status === "open") resolve();
      else if (state.status === "refused" || state.status === "waiting") fail(state.reason);
    };
    client.onState(look);
    look();
  });
