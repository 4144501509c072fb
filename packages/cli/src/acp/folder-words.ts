// Why a session cannot start in a folder. The words of the server name no folder, and an editor shows nothing else.

import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { BridgeError } from "@quarterdeck/client";
import type { Client } from "@quarterdeck/client";
import { shownTitle } from "./shown-text.ts";

type Agent = NonNullable<Client["info"]>["agent"];

/** The error to report instead of this one. */
export const folderError = (error: unknown, cwd: string, agent: Agent | undefined): unknown => {
  if (!(error instanceof BridgeError)) return error;
  if (error.code === "not-found") return noSuchFolder(cwd);
  if (error.code !== "outside-roots" || agent?.kind !== "demo") return error;
  // An editor of the desktop may have a PATH without `claude`. Then the server that it starts shares only the demo's folder.
  const why = agent.problem === undefined ? "It was started with --demo." : `${agent.problem} Then restart the server.`;
  return new RequestError(-32602, shownTitle(`The server runs in demo mode, and does not share ${cwd}. ${why}`, 2000), {
    code: error.code,
    cwd,
  });
};

export const noSuchFolder = (cwd: string): RequestError =>
  RequestError.invalidParams({ cwd }, `The folder ${shownTitle(cwd)} does not exist.`);
