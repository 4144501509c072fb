// Prompts and their states. A prompt is one row from the moment it is typed. Echoes are acknowledgements. Everything that the
// CLI reports about it (lifecycle, turn, result) changes that row. CLIs without lifecycle messages start prompts in order.

import type { MessageOf, UserMessage } from "@quarterdeck/protocol";
import type { Actor, PromptContent, PromptPriority } from "./event.ts";
import { addRow, parentOf, rowOf } from "./folding.ts";
import type { Folding } from "./folding.ts";
import type { QueuedPrompt } from "./head.ts";
import { isUnsettled, waitsForTurn } from "./prompt-states.ts";
import type { PromptRow, PromptState } from "./row.ts";

const idOf = (uuid: string): string => `prompt/${uuid}`;

export const acceptPrompt = (
  folding: Folding,
  { uuid, content, priority, by }: { uuid: string; content: PromptContent; priority?: PromptPriority; by?: Actor },
): void => {
  // A prompt is accepted once. Its row already has a state.
  if (rowOf(folding, idOf(uuid), "prompt") !== undefined) return;
  const said = { ...(priority !== undefined && { priority }), ...(by !== undefined && { by }) };
  addRow(folding, { kind: "prompt", uuid, content, state: "accepted", ...said }, idOf(uuid));
  noteBusy(folding, idOf(uuid));
  enqueue(folding, idOf(uuid));
};

const noteBusy = (folding: Folding, rowId: string): void => {
  const { memory, timeline } = folding;
  if (memory.turn !== null || timeline.head.queue.length > 0) memory.sentWhileBusy[rowId] = true;
};

export const editPrompt = (folding: Folding, uuid: string, content: PromptContent): void => {
  const row = rowOf(folding, idOf(uuid), "prompt");
  if (row !== undefined && waitsForTurn(row.state)) change(folding, row, { content });
};

export const setPromptState = (folding: Folding, uuid: string, state: PromptState, reason?: string): void => {
  const row = rowOf(folding, idOf(uuid), "prompt");
  if (row !== undefined) change(folding, row, { state, ...(reason !== undefined && { reason }) });
};

export const foldSentPrompt = (folding: Folding, message: UserMessage, by?: Actor): void => {
  const { uuid, priority } = message;
  const known = uuid === undefined ? undefined : rowOf(folding, idOf(uuid), "prompt");
  if (known !== undefined) {
    // The CLI drops a known uuid, so sending again changes nothing.
    if (known.state === "accepted" || known.state === "held") change(folding, known, { state: "sent" });
    return;
  }
  const id = addRow(
    folding,
    {
      kind: "prompt",
      content: message.message.content as PromptContent,
      state: "sent",
      ...(uuid !== undefined && { uuid }),
      ...(priority !== undefined && { priority }),
      ...(by !== undefined && { by }),
    },
    uuid === undefined ? undefined : idOf(uuid),
  );
  if (uuid === undefined) folding.memory.unnamedPrompts.push(id);
  noteBusy(folding, id);
  enqueue(folding, id);
};

export const foldLifecycle = (folding: Folding, message: MessageOf<"command_lifecycle">): void => {
  const row = rowOf(folding, idOf(message.command_uuid), "prompt");
  if (row === undefined) return;
  switch (message.state) {
    case "queued":
      if (row.state === "sent" || row.state === "accepted") change(folding, row, { state: "queued" });
      break;
    case "started":
      start(folding, row);
      break;
    case "completed":
      if (isUnsettled(row.state)) change(folding, row, { state: "done" });
      break;
    case "cancelled":
    case "discarded":
    case "refused":
      // For a started prompt it reports that the turn was cut off, which the turn reports too.
      if (waitsForTurn(row.state))
        change(folding, row, { state: message.state as "cancelled" | "discarded" | "refused" });
      break;
  }
};

/** An echo of a sent prompt: the CLI has accepted it. */
export const foldReplay = (folding: Folding, message: UserMessage): boolean => {
  const named = message.uuid === undefined ? undefined : rowOf(folding, idOf(message.uuid), "prompt");
  const row = named ?? unnamedEcho(folding, message);
  if (row === undefined) return false;
  if (waitsForTurn(row.state)) start(folding, row);
  return true;
};

/** A prompt of ours that is in the CLI's transcript has run, although the host did not see it. */
export const takeImported = (folding: Folding, uuid: string): boolean => {
  const row = rowOf(folding, idOf(uuid), "prompt");
  if (row === undefined) return false;
  if (waitsForTurn(row.state)) change(folding, row, { state: "done" });
  return true;
};

/** A prompt without a uuid is echoed with an unknown one. It is the oldest prompt with the same text. */
const unnamedEcho = (folding: Folding, message: UserMessage): PromptRow | undefined => {
  const text = JSON.stringify(message.message.content);
  for (const id of folding.memory.unnamedPrompts) {
    const row = rowOf(folding, id, "prompt");
    if (row !== undefined && JSON.stringify(row.content) === text) return row;
  }
  return undefined;
};

/** A prompt that the CLI wrote for a subagent or for itself. If the CLI repeats it, it stays one row. */
export const foldForeignPrompt = (folding: Folding, message: UserMessage, origin: string): void => {
  const { uuid } = message;
  const id = uuid === undefined ? undefined : idOf(uuid);
  if (id !== undefined && rowOf(folding, id, "prompt") !== undefined) return;
  addRow(
    folding,
    {
      kind: "prompt",
      content: message.message.content as PromptContent,
      state: "done",
      origin,
      ...parentOf(message),
      ...(uuid !== undefined && { uuid }),
    },
    id,
  );
};

const newTurn = (): NonNullable<Folding["memory"]["turn"]> => ({ prompts: [], wokeItself: false, spoke: false });

/** A turn starts with the prompts that it names. If the CLI names none, it starts with the oldest sent prompt. */
export const beginTurn = (folding: Folding, uuids: readonly string[] | undefined): void => {
  const { memory } = folding;
  memory.turn ??= newTurn();
  for (const uuid of uuids ?? []) {
    const row = rowOf(folding, idOf(uuid), "prompt");
    if (row !== undefined && waitsForTurn(row.state)) start(folding, row);
  }
  if (uuids === undefined && memory.turn.prompts.length === 0) {
    const next = folding.timeline.head.queue.find((entry) => entry.state !== "accepted" && isUnnamed(folding, entry));
    const row = next === undefined ? undefined : rowOf(folding, next.rowId, "prompt");
    if (row === undefined)
      memory.turn.wokeItself = folding.timeline.head.queue.every((entry) => entry.state === "accepted");
    else start(folding, row);
  }
};

/** A result without earlier messages. If the CLI does not say what started, it answers the oldest prompt. */
export const answerOldest = (folding: Folding): void => {
  const { memory, timeline } = folding;
  if (memory.turn !== null || timeline.head.capabilities.includes("msg_lifecycle_v1")) return;
  if (timeline.head.queue.some((entry) => entry.state !== "accepted")) beginTurn(folding, undefined);
};

/** With lifecycle messages, these start a prompt that has a uuid. */
const isUnnamed = (folding: Folding, entry: QueuedPrompt): boolean =>
  entry.uuid === undefined ||
  entry.state === "sent" ||
  !folding.timeline.head.capabilities.includes("msg_lifecycle_v1");

/** Rows of the prompts that the running turn answers: started in it, or named by its result. */
export const promptsOfTurn = ({ memory, timeline }: Folding, uuids: readonly string[] | undefined): string[] => {
  const ids = new Set([...(memory.turn?.prompts ?? []), ...(uuids ?? []).map(idOf)]);
  return [...ids].filter((id) => timeline.row(id) !== undefined);
};

/** A result settles the prompts of its turn, and so does the end of the process. */
export const settleTurn = (
  folding: Folding,
  uuids: readonly string[] | undefined,
  state: "done" | "failed" | "interrupted",
): void => {
  const { memory } = folding;
  for (const id of promptsOfTurn(folding, uuids)) {
    const row = rowOf(folding, id, "prompt");
    if (row !== undefined && isUnsettled(row.state)) change(folding, row, { state });
  }
  memory.turn = null;
};

export const blockPrompt = (folding: Folding, reason: string): void => {
  const id = folding.memory.turn?.prompts.at(-1) ?? folding.timeline.head.queue[0]?.rowId;
  const row = id === undefined ? undefined : rowOf(folding, id, "prompt");
  if (row !== undefined) change(folding, row, { state: "blocked", reason });
  // The result repeats it.
  if (folding.memory.turn !== null) folding.memory.turn.spoke = true;
};

/** Prompts that the process had not started wait for the next one if they have a uuid. Others are lost. */
export const endPrompts = (folding: Folding): void => {
  for (const entry of folding.timeline.head.queue) {
    const row = rowOf(folding, entry.rowId, "prompt");
    if (row === undefined || row.state === "accepted") continue;
    change(folding, row, { state: row.uuid === undefined ? "discarded" : "accepted" });
  }
  folding.memory.unnamedPrompts = [];
};

const start = (folding: Folding, row: PromptRow): void => {
  const { memory, timeline } = folding;
  const running = memory.turn !== null && memory.turn.prompts.length > 0 && !memory.turn.prompts.includes(row.id);
  memory.turn ??= newTurn();
  if (!memory.turn.prompts.includes(row.id)) memory.turn.prompts.push(row.id);
  memory.turn.wokeItself = false;
  memory.unnamedPrompts = memory.unnamedPrompts.filter((id) => id !== row.id);
  const state = running ? "folded" : "started";
  const waited = memory.sentWhileBusy[row.id] === true;
  delete memory.sentWhileBusy[row.id];
  // It was typed earlier, but the conversation has it here.
  if (!waited || row.order === timeline.lastOrder) change(folding, row, { state });
  else {
    timeline.move(row, { state, seqs: [...row.seqs, folding.seq] });
    dequeue(folding, row.id);
  }
};

const change = (
  folding: Folding,
  row: PromptRow,
  patch: Partial<Pick<PromptRow, "state" | "content" | "reason">>,
): void => {
  if (patch.state === row.state && patch.content === undefined) return;
  folding.timeline.update(row, { ...patch, seqs: [...row.seqs, folding.seq] });
  const state = patch.state ?? row.state;
  if (waitsForTurn(state)) enqueue(folding, row.id);
  else dequeue(folding, row.id);
};

const enqueue = (folding: Folding, rowId: string): void => {
  const row = rowOf(folding, rowId, "prompt");
  if (row === undefined) return;
  const { queue } = folding.timeline.head;
  const entry = { rowId, state: row.state as QueuedPrompt["state"], ...(row.uuid !== undefined && { uuid: row.uuid }) };
  const at = queue.findIndex((queued) => queued.rowId === rowId);
  folding.timeline.setHead({ queue: at === -1 ? [...queue, entry] : queue.with(at, entry) });
};

const dequeue = (folding: Folding, rowId: string): void => {
  const { queue } = folding.timeline.head;
  if (queue.some((entry) => entry.rowId === rowId)) {
    folding.timeline.setHead({ queue: queue.filter((entry) => entry.rowId !== rowId) });
  }
};
