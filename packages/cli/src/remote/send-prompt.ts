// `quarterdeck send`: sends a prompt to a session of the server. The prompt is stored when the command ends. --wait
// waits for the answer.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { upload } from "@quarterdeck/client";
import type { Client } from "@quarterdeck/client";
import { jsonText } from "../terminal/terminal.ts";
import { UserError } from "../user-error.ts";
import { findSession } from "./find-session.ts";
import { withClient } from "./remote-client.ts";
import type { RemoteOptions } from "./remote-client.ts";
import { playTurn } from "./run-on-server.ts";
import type { TurnOptions } from "./run-on-server.ts";

export interface SendOptions extends RemoteOptions, TurnOptions {
  readonly session: string;
  readonly prompt: string;
  readonly files: readonly string[];
  readonly priority?: "now" | "later";
  /** Wait for the end of the turn. Exit codes like `run`. */
  readonly wait: boolean;
}

export const sendPrompt = (options: SendOptions): Promise<number> =>
  withClient(options, async (client) => {
    const { id } = await findSession(client, options.session);
    const uploads = await Promise.all(options.files.map((file) => uploaded(client, file)));
    const prompt = {
      content: options.prompt,
      ...(uploads.length > 0 && { uploads }),
      ...(options.priority !== undefined && { priority: options.priority }),
    };
    if (options.wait) return playTurn(client, id, prompt, options);
    const sent = await client.command("session/prompt", { session: id, ...prompt });
    options.write(options.json ? `${jsonText({ session: id, ...sent })}\n` : `Sent to ${id.slice(0, 8)}.\n`);
    return 0;
  });

const uploaded = async (client: Client, file: string): Promise<string> => {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${file} cannot be read (${error.code ?? error.message}).`);
  });
  return (await upload(client, new Blob([bytes]), { name: basename(file) })).id;
};
