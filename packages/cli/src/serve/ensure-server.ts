// A client of the server on this machine. If none runs, it starts one that outlives this command, with the person's own settings
// and environment. Two commands that start one at the same time share it.

import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@quarterdeck/client";
import { readServerAddress } from "@quarterdeck/server/running-server";
import { opened } from "../remote/remote-client.ts";
import { UserError } from "../user-error.ts";
import { connectLocally } from "./local-client.ts";

export interface EnsureOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For a person who reads the log of the program. */
  readonly say: (text: string) => void;
}

const POLL_MS = 50;
const MOST_ERROR = 2000;

export const ensureServer = async (options: EnsureOptions): Promise<Client> => {
  const { dataDir, version, env, say } = options;
  if ((env["QUARTERDECK_URL"] ?? "") !== "") return opened({ dataDir, version, env });
  const running = await connectLocally({ dataDir, version });
  if (running !== undefined) return running;
  say("No server is running. Starting one.\n");
  const problem = await started(dataDir, env);
  const client = await connectLocally({ dataDir, version });
  if (client !== undefined) return client;
  throw new UserError(
    `The server did not start. Run \`quarterdeck serve\` in a terminal to see why.${problem === "" ? "" : ` ${problem}`}`,
  );
};

/** Resolves when a server can be reached, or with the last words of one that could not start. */
const started = async (dataDir: string, env: EnsureOptions["env"]): Promise<string> => {
  const words = [...process.execArgv, process.argv[1]!, "serve", "--no-open", "--no-link", "--data-dir", dataDir];
  const child = spawn(process.execPath, words, {
    detached: true,
    env: { ...env },
    // Its first words say why it could not start. A server ignores that nobody reads the later ones.
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  const failed = new AbortController();
  child.on("error", (error) => {
    said = error.message;
    failed.abort();
  });
  child.on("exit", () => failed.abort());
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => (said = (said + text).slice(-MOST_ERROR)));
  while (!failed.signal.aborted && readServerAddress(dataDir) === undefined) await delay(POLL_MS);
  child.stderr.destroy();
  child.unref();
  return failed.signal.aborted ? said.trim() : "";
};
