// Commands as clients of a server: the one on this machine, found by its data directory, or another one, named by
// QUARTERDECK_URL with QUARTERDECK_TOKEN. A refusal is printed in the server's words, with what to do.

import { BridgeError, connect } from "@quarterdeck/client";
import type { Client } from "@quarterdeck/client";
import { endCommand, needServer } from "../serve/local-client.ts";
import { UserError } from "../user-error.ts";

export interface RemoteOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Another machine of the fleet. */
  readonly on?: string;
}

/** Runs the work with an authenticated client, then closes the client. */
export const withClient = async <T>(options: RemoteOptions, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = await opened(options);
  try {
    return await work(client);
  } catch (error) {
    throw explained(error, options.on);
  } finally {
    client.close();
  }
};

/** A client of the named server, or of the one on this machine. The caller closes it. */
export const opened = async (options: RemoteOptions): Promise<Client> => {
  const { QUARTERDECK_URL: url = "", QUARTERDECK_TOKEN: token = "" } = options.env;
  if (options.on !== undefined) {
    if (url !== "")
      throw new UserError("--on does not work with QUARTERDECK_URL: a token does not reach other machines of a fleet.");
    return (await import("./machine-client.ts")).openedOn(options, options.on);
  }
  if (url === "") return needServer(options);
  if (token === "")
    throw new UserError(
      "QUARTERDECK_URL is set, but QUARTERDECK_TOKEN is not. Create a token on the server's machine with `quarterdeck devices add NAME`.",
    );
  if (!URL.canParse(url))
    throw new UserError(`QUARTERDECK_URL is ${url}. Use an address such as https://deck.example.com.`);
  const client = connect({
    url,
    credentials: { kind: "token", token },
    client: { name: "quarterdeck", version: options.version },
    onListenerError: endCommand,
  });
  try {
    await cameIn(client, url);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
};

const cameIn = (client: Client, url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let why = "";
    const look = (): void => {
      const { state } = client;
      if (state.status === "open") resolve();
      else if (state.status === "refused") reject(explained(new BridgeError(state.code, state.reason)));
      else if (state.status !== "waiting") return;
      // A wrong token or name is noticed during the first failures.
      else if (state.attempt > 3) reject(new UserError(`${url} does not answer: ${why}`));
      else why = state.reason;
    };
    client.onState(look);
    look();
  });

const ADVICE: Readonly<Record<string, string>> = {
  unauthenticated: "Create a new token on the server's machine with `quarterdeck devices add NAME`.",
  revoked: "Create a new token on the server's machine with `quarterdeck devices add NAME`.",
  "outside-roots": "Start the server with --root, or from that folder.",
  "folder-untrusted":
    "Review and trust the folder on the page, or use `npx quarterdeck run --trust`, with --resume for this session.",
  "session-held": "Close it there first, or follow it with `npx quarterdeck attach`.",
  limit: "Close a session, or start the server with a higher --max-sessions.",
};

/** A refusal as one sentence for people. Other errors stay unchanged. */
export const explained = (error: unknown, on?: string): unknown => {
  if (!(error instanceof BridgeError)) return error;
  const { code, message, data } = error;
  const by = (data["by"] as { readonly name?: string; readonly id?: string } | undefined) ?? {};
  const who =
    code === "already-answered" && (by.name ?? by.id) !== undefined ? `${by.name ?? by.id!} answered it.` : undefined;
  const advice =
    on !== undefined && code === "forbidden"
      ? `The owner of ${on} decides, with \`quarterdeck fleet allow\` there.`
      : ADVICE[code];
  return new UserError([message, who ?? advice].filter((text) => text !== undefined).join(" "), { cause: error });
};
