// Finds or makes the session that a caller's command line means, and starts its process for that caller.

import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { isResting } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import type { Host } from "../host.ts";
import type { Environment } from "../host-options.ts";
import { listTranscripts } from "../past/transcripts.ts";
import { ownerOf } from "../session/session.ts";
import type { Session } from "../session/session.ts";
import type { Relay } from "./relay.ts";

export interface OpenRelayOptions {
  readonly cwd: string;
  readonly environment: Environment;
  readonly withoutFolderSettings?: boolean;
  /** Rejects if sessions may not run in this folder. An old session may have another folder than the caller. */
  readonly mustBeOpen?: (folder: string) => Promise<unknown>;
  /** Replaces flags whose paths were checked. */
  readonly cli?: ClaudeOptions;
}

export const openRelay = async (host: Host, relay: Relay, options: OpenRelayOptions): Promise<Session> => {
  const { call } = relay;
  const { cwd, environment, withoutFolderSettings = false } = options;
  const cli = { ...call.cli, ...options.cli };
  const common = { relay, environment, withoutFolderSettings, cli };
  const id = call.sessionId ?? randomUUID();
  const past = call.resume ?? (call.continues ? await newestIn(host, cwd) : undefined);
  if (past === undefined) return host.start({ ...common, cwd, id });
  const known = await sessionOf(host, past, cli);
  // The CLI knows more names of sessions than we do, and says what is wrong with this one.
  if (known === undefined)
    return host.start({
      ...common,
      cwd,
      id,
      cli: { ...cli, ...call.place, resume: past, ...forked(call.fork) },
    });
  await options.mustBeOpen?.(host.list().find((record) => record.id === known)?.cwd ?? cwd);
  if (call.fork) {
    const { resumeSessionAt: at } = call.place;
    return host.fork(known, { ...common, id, place: call.place, ...(at !== undefined && { at }) });
  }
  await mustBeFree(host, known);
  return host.resume(known, { ...common, place: call.place });
};

const forked = (fork: boolean): ClaudeOptions => (fork ? { forkSession: true } : {});

/** The conversation that `--continue` means. */
const newestIn = async (host: Host, cwd: string): Promise<string | undefined> => {
  const folder = await realpath(cwd).catch(() => cwd);
  return (await listTranscripts(host.configDir)).find((one) => one.cwd === cwd || one.cwd === folder)?.id;
};

const sessionOf = async (host: Host, named: string, cli: ClaudeOptions): Promise<string | undefined> => {
  const known = host
    .list()
    .find((record) => record.id === named || record.cliSessionId === named || headIdOf(host, record.id) === named);
  if (known !== undefined) return known.id;
  const transcript = (await listTranscripts(host.configDir)).find((one) => one.id === named);
  return transcript === undefined ? undefined : (await host.adopt(transcript, { cli })).id;
};

const headIdOf = (host: Host, id: string): string | undefined => host.opened(id)?.head.sessionId;

/** An idle process of ours gives way. A busy one does not: two processes would write one conversation. */
const mustBeFree = async (host: Host, id: string): Promise<void> => {
  const session = host.opened(id);
  if (session === undefined || !session.isLive || session.isLeaving) return;
  const { phase, queue } = session.head;
  if (!isResting(phase) || queue.length > 0 || ownerOf(session).isAwaited())
    throw new HostError(
      "session-live",
      `Session ${id} is at work in Quarterdeck. Wait until its turn ends, or stop it there, then resume it.`,
      { id },
    );
  await session.close({ interrupt: false });
};
