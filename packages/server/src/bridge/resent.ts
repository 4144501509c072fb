// Commands that survive a restart: their id is the id of a session, a fork or a prompt. The log must have the same command under that
// id. Otherwise the client used the id for something else, and must not get the old outcome.

import type { EventStore, SessionRecord } from "@quarterdeck/host";
import { blockTexts } from "@quarterdeck/protocol";
import type { PromptRow } from "@quarterdeck/session";
import type { ContainedPaths } from "../files/contract.ts";
import { reusedCommand } from "./command-ledger.ts";
import type { Params } from "./parts.ts";

type Given = Pick<Params<"sessions/start">, "prompt" | "uploads">;

/** Compares the prompt as it was accepted, before later edits. */
export const mustBeSamePrompt = (
  store: EventStore,
  session: string,
  { id, uuid = "", seqs }: Pick<PromptRow, "id" | "uuid" | "seqs">,
  { prompt = "", uploads = [] }: Given,
): void => {
  const [accepted] = store.read(session, (seqs[0] ?? 0) - 1, 1);
  if (accepted?.type !== "prompt-accepted" || `prompt/${accepted.uuid}` !== id) return;
  const before = textsOf(accepted.content);
  const now = textsOf(prompt);
  // An upload that is not an image becomes a separate text after the others.
  const isSame = now.every((text, at) => text === before[at]) && (uploads.length > 0 || now.length === before.length);
  if (!isSame) throw reusedCommand(uuid, "for another prompt");
};

export const mustBeSameStart = async (record: SessionRecord, paths: ContainedPaths, cwd: string): Promise<void> => {
  // A folder that is deleted or no longer shared has no real path to compare.
  const real = await paths.resolve(cwd).catch(() => cwd);
  if (record.settings["forkOf"] !== undefined) throw reusedCommand(record.id, "for a fork");
  if (record.cwd !== cwd && record.cwd !== real) throw reusedCommand(record.id, "to start in another folder");
};

export const mustBeSameFork = (record: SessionRecord, parent: string): void => {
  if (record.settings["forkOf"] !== parent) throw reusedCommand(record.id, "for another session");
};

/** A prompt with only uploads has an empty text, which is not stored. */
const textsOf = (content: unknown): string[] => blockTexts(content).filter((text) => text !== "");
