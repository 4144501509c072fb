// Prompts on their way. A sent prompt is kept in this browser until the server has it, under the id that makes it run
// once. A reload, a closed laptop or an absent server loses nothing.

import { BridgeError, type Client, type PromptContent } from "@quarterdeck/client";
import { toastError } from "../parts/toast.tsx";
import { kept } from "../store/kept.ts";
import { openSurface, type TrustChoice } from "../store/surfaces.ts";

export type Priority = "now" | "next" | "later";

export interface Outgoing {
  readonly commandId: string;
  readonly session: string;
  readonly content: PromptContent;
  readonly uploads: readonly string[];
  readonly priority?: Priority;
  readonly at: number;
  /** Why the server refused it. It waits for its author. */
  readonly refused?: { readonly code: string; readonly message: string };
}

const isOutgoing = (value: unknown): value is Outgoing => {
  if (typeof value !== "object" || value === null) return false;
  const { commandId, session, content, uploads, at } = value as Record<string, unknown>;
  return (
    typeof commandId === "string" &&
    typeof session === "string" &&
    (typeof content === "string" || Array.isArray(content)) &&
    Array.isArray(uploads) &&
    typeof at === "number"
  );
};

export const decodeOutbox = (value: unknown): readonly Outgoing[] =>
  Array.isArray(value) ? value.filter(isOutgoing) : [];

const stored = kept("outbox", decodeOutbox);
const inFlight = new Map<string, AbortController>();

const forget = (commandId: string): void => {
  inFlight.delete(commandId);
  stored.set(stored.get().filter((entry) => entry.commandId !== commandId));
};

const deliver = async (client: Client, entry: Outgoing): Promise<void> => {
  const { commandId, session, content, uploads, priority } = entry;
  const stop = new AbortController();
  inFlight.set(commandId, stop);
  try {
    await client.command(
      "session/prompt",
      {
        commandId,
        session,
        content: content as string,
        ...(uploads.length > 0 && { uploads: [...uploads] }),
        ...(priority !== undefined && { priority }),
      },
      { signal: stop.signal },
    );
    forget(commandId);
  } catch (error) {
    inFlight.delete(commandId);
    if (stop.signal.aborted || !(error instanceof BridgeError)) return;
    stored.set(
      stored
        .get()
        .map((other) =>
          other.commandId === commandId ? { ...other, refused: { code: error.code, message: error.message } } : other,
        ),
    );
    if (error.code === UNTRUSTED) askAboutFolder(client, entry, error.data["folder"]);
  }
};

const UNTRUSTED = "folder-untrusted";
const KEPT_NOTHING: ReadonlySet<string> = new Set([UNTRUSTED, "over-budget"]);

/** The folder changed after it was trusted. The person decides, then the prompt is sent. */
const askAboutFolder = (client: Client, { commandId, session }: Outgoing, folder: unknown): void => {
  const cwd =
    typeof folder === "string" ? folder : client.sessions.snapshot.sessions.find(({ id }) => id === session)?.cwd;
  if (cwd === undefined) return;
  const goOn = async (choice: TrustChoice): Promise<void> => {
    if (choice === "without-settings")
      await client.command("sessions/resume", { session, withoutFolderSettings: true });
    outbox.retry(client, commandId);
  };
  openSurface({ kind: "trust", session, cwd, sends: true, then: (choice) => void goOn(choice).catch(toastError) });
};

export const outbox = {
  subscribe: stored.subscribe,
  all: stored.get,
  size: (): number => stored.get().length,
  send: (client: Client, entry: Omit<Outgoing, "commandId" | "at">): void => {
    const unsent = { ...entry, commandId: crypto.randomUUID(), at: Date.now() };
    stored.set([...stored.get(), unsent]);
    void deliver(client, unsent);
  },
  /** After a reload: sends the remaining prompts again, under the same ids. */
  resume: (client: Client): void => {
    for (const entry of stored.get()) {
      if (entry.refused === undefined && !inFlight.has(entry.commandId)) void deliver(client, entry);
    }
  },
  retry: (client: Client, commandId: string): void => {
    const entry = stored.get().find((other) => other.commandId === commandId);
    if (entry === undefined) return;
    const { refused, ...rest } = entry;
    // The server remembers a refusal by its id and stored nothing of the prompt, so it needs a new id.
    const again =
      refused !== undefined && KEPT_NOTHING.has(refused.code) ? { ...rest, commandId: crypto.randomUUID() } : rest;
    stored.set(stored.get().map((other) => (other.commandId === commandId ? again : other)));
    void deliver(client, again);
  },
  /** It may have arrived already. Then it is shown as a row, where it can be cancelled. */
  drop: (commandId: string): void => {
    inFlight.get(commandId)?.abort();
    forget(commandId);
  },
};
