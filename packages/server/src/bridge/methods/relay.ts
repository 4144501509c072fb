// A program of this machine drives the CLI of a session itself. It brings a command line and an environment, so only the token
// of the data directory opens this. Roots and trust hold as for every session.

import { HostError, openRelay, relayedCall, trust } from "@quarterdeck/host";
import type { Relay } from "@quarterdeck/host";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { visibleLine, visibleText } from "@quarterdeck/session/true-text";
import { mayRelay } from "@quarterdeck/session/bridge/policy";
import { LOCAL_DEVICE } from "../../access/access.ts";
import { inspectFolder } from "../../files/folder-inspection.ts";
import { actorOf, sightOf } from "../parts.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal, refusalOf } from "../../refusal.ts";
import type { Relays } from "../relays.ts";

export const relayMethods = (
  parts: Parts,
  relays: Relays,
): Handlers<"relay/open" | "relay/input" | "relay/endInput" | "relay/signal" | "relay/ack"> => ({
  "relay/open": async ({ cwd: named, argv, env, bytes = false }, caller) => {
    const { device } = caller;
    if (!mayRelay(device.role, device.id === LOCAL_DEVICE))
      throw new Refusal(
        "forbidden",
        "Only a program on this machine that uses the data directory may drive Claude Code.",
      );
    const call = relayedCall(argv);
    if (call === undefined)
      throw new Refusal("bad-request", "The command line must ask for stream-json as input and output.");
    const { paths } = sightOf(parts, device);
    const cwd = await paths.resolve(named);
    const addDir = await Promise.all((call.cli.addDir ?? []).map((path) => paths.resolve(path)));
    const ignored = await ignoredIn(parts, [cwd, ...addDir]);
    const cli: ClaudeOptions = addDir.length > 0 ? { addDir } : {};
    const { id, relay } = relays.add(call, actorOf(device), caller, bytes);
    const withoutFolderSettings = ignored.length > 0;
    // The program must be able to write before the CLI is ready.
    const mustBeOpen = (folder: string): Promise<string> => paths.resolve(folder);
    const options = { cwd, environment: env, withoutFolderSettings, cli, mustBeOpen };
    openRelay(parts.host, relay, options).catch((error: unknown) => failed(parts, relay, error));
    return { relay: id, ...(withoutFolderSettings && loadsFolder(call.cli) && { notice: noticeOf(ignored) }) };
  },

  "relay/input": async ({ relay, text }, caller) => {
    await relays.of(relay, caller).write(Buffer.from(text));
    return {};
  },

  "relay/endInput": ({ relay }, caller) => {
    relays.of(relay, caller).endInput();
    return {};
  },

  "relay/signal": ({ relay, signal }, caller) => {
    relays.of(relay, caller).signal(signal);
    return {};
  },

  "relay/ack": ({ relay, characters }, caller) => {
    relays.of(relay, caller).acknowledge(characters);
    return {};
  },
});

/** Files of untrusted folders. A folder without such files is trusted as it is. */
const ignoredIn = async (parts: Parts, folders: readonly string[]): Promise<readonly string[]> => {
  const files: string[] = [];
  for (const folder of folders) {
    const { whole, contents } = await inspectFolder(folder, parts);
    if (whole.trust === "trusted") continue;
    files.push(...whole.files.map(({ path }) => path));
    if (whole.files.length === 0 && contents !== undefined) await trust(contents, parts.trust);
  }
  return files;
};

/** A program may want no settings of the folder at all. */
const loadsFolder = ({ settingSources }: ClaudeOptions): boolean =>
  settingSources === undefined || settingSources.some((source) => source !== "user");

const noticeOf = (files: readonly string[]): string =>
  [
    "This folder is not trusted. The session ignores these files:",
    ...files.map((path) => `  ${visibleLine(path)}`),
    "Review and trust the folder on the page, or use `npx quarterdeck run --trust` once.",
  ].join("\n");

const failed = (parts: Parts, relay: Relay, error: unknown): void => {
  const refusal = refusalOf(error);
  if (refusal === undefined || refusal.code === "internal")
    parts.log.error("relay failed", { error: error instanceof Error ? error.stack : String(error) });
  const text = error instanceof HostError ? error.message : (refusal?.message ?? "Something went wrong in the server.");
  relay.fail(visibleText(text));
};
