// The fold: the only place that interprets messages. Events go in; rows, head and drafts come out. Every known message
// has a declared fate in one table. The compiler compares the table with the protocol.

import { decodeValue, keyOf, toolTitle } from "@quarterdeck/protocol";
import type {
  ControlRequest,
  HostRequest,
  JsonValue,
  Message,
  MessageKey,
  StreamEventMessage,
} from "@quarterdeck/protocol";
import { foldAssistant, foldImportedUser, foldUser } from "./conversation.ts";
import { foldExplained } from "./decisions.ts";
import type { Event, Streamed } from "./event.ts";
import { addRow, newMemory } from "./folding.ts";
import type { Folding, Memory } from "./folding.ts";
import type { Head } from "./head.ts";
import * as notices from "./notices.ts";
import { notice } from "./notices.ts";
import { phaseOf } from "./phase.ts";
import { acceptPrompt, editPrompt, foldLifecycle, foldSentPrompt, setPromptState } from "./prompts.ts";
import { closeByAnswer, closeByCancel, foldAnswer, openRequest, rememberAsked } from "./requests.ts";
import type { Draft } from "./draft.ts";
import { putLast, waitingRows } from "./recovered.ts";
import type { Row } from "./row.ts";
import { textWithoutSecrets } from "./secrets.ts";
import { foldDraftsLeft, foldStreamEvent } from "./streamed-drafts.ts";
import { messageOfEntry } from "./transcript.ts";
import { Timeline } from "./timeline.ts";
import type { Changes, DraftGrowth, SavedTimeline } from "./timeline.ts";
import { foldForked } from "./gauges.ts";
import {
  foldBudget,
  foldFolderChanged,
  foldMemoryExceeded,
  foldProcessExited,
  foldProcessStarted,
  foldResult,
} from "./turns.ts";
import * as work from "./work.ts";

/** Increase it when the same events give other rows. Saved folds of another version are discarded. */
export const FOLD_VERSION = 17;

export interface SavedFold {
  readonly version: number;
  readonly timeline: SavedTimeline;
  readonly memory: Memory;
}

export interface Fold {
  /** An event that is already applied changes nothing. */
  apply(event: Event | Streamed): void;
  /** What changed after `rev`: whole rows, head fields. */
  changes(rev: number): Changes;
  /** With `since`, saves only rows that changed after that `rev`, in addition to an earlier save. */
  save(since?: number): SavedFold;
  readonly head: Head;
  readonly rows: readonly Row[];
  readonly rowCount: number;
  readonly drafts: readonly Draft[];
  /** What the last applied event added to a draft. */
  readonly growth: DraftGrowth | undefined;
  readonly rev: number;
  readonly seq: number;
  row(id: string): Row | undefined;
  /** The last `limit` rows before a place in the order, in order. The cost depends on the result. */
  rowsBefore(order: number, limit: number): readonly Row[];
  /** The first `limit` rows after a place in the order. */
  rowsAfter(order: number, limit: number): readonly Row[];
}

export interface FoldOptions {
  /** Names the sequence of `rev`s. If the last ones may be lost, the fold gets a new epoch. */
  readonly epoch?: string;
}

export type Fate = "row" | "head" | "silent";
type WireKey = Exclude<MessageKey, `control_request/${string}`> | "control_request";
type Entry<K extends WireKey> = { readonly fate: Fate; readonly fold: (folding: Folding, message: ByKey<K>) => void };
type ByKey<K extends string> = K extends `${infer T}/${infer S}`
  ? Extract<Message, { type: T; subtype: S }>
  : Extract<Message, { type: K }>;

const row = <M>(fold: (folding: Folding, message: M) => void) => ({ fate: "row", fold }) as const;
const head = <M>(fold: (folding: Folding, message: M) => void) => ({ fate: "head", fold }) as const;
/** Not shown to a person, but kept in the log. */
const silent = { fate: "silent", fold: () => {} } as const;
const said = (topic: string) => row((folding: Folding, message: object) => notice(folding, topic, textOf(message)));

/** The text of a message that we only pass on. */
const textOf = (message: object): string => {
  const { content, text, summary, message: words, reason, error } = message as Record<string, unknown>;
  const found = [content, text, summary, words, reason, error].find((value) => typeof value === "string");
  return typeof found === "string" ? found : JSON.stringify(message);
};

export const FATES: { readonly [K in WireKey]: Entry<K> } = {
  assistant: row(foldAssistant),
  user: row(foldUser),
  stream_event: head(foldStreamEvent),
  control_request: head(openRequest),
  control_response: head(foldAnswer),
  control_cancel_request: head(closeByCancel),
  keep_alive: silent,
  command_lifecycle: row(foldLifecycle),
  conversation_reset: row(notices.foldReset),
  tool_progress: row(work.foldToolProgress),
  tool_use_summary: said("tool summary"),
  // Its output may contain a login address.
  auth_status: head((folding, { isAuthenticating }) =>
    folding.timeline.setHead({ about: { ...folding.timeline.head.about, auth: { isAuthenticating } } }),
  ),
  rate_limit_event: head(notices.foldRateLimit),
  prompt_suggestion: head((folding, message) => folding.timeline.setHead({ suggestion: message.suggestion })),
  active_goal: head((folding, message) => folding.timeline.setHead({ goal: message.value?.condition ?? "" })),
  transcript_mirror: silent,
  autocompact_state: head((folding, message) =>
    folding.timeline.setHead({ about: { ...folding.timeline.head.about, autocompact: message } }),
  ),
  streamlined_text: silent,
  streamlined_tool_use_summary: silent,
  error: row((folding, message) => {
    addRow(folding, { kind: "error", source: "protocol", text: message.error.message });
  }),
  api_metrics: silent,
  apply_flag_settings: silent,
  attachment: silent,
  compact_progress: silent,
  hint_clears: silent,
  open_message_selector: silent,
  os_notification: silent,
  queued_notification: silent,
  refusal_continuation: silent,
  response_length: silent,
  session_notice: silent,
  set_expanded_view: silent,
  set_in_progress_tool_use_ids: silent,
  stream_mode: silent,
  tombstone: silent,
  "system/init": head(notices.foldInit),
  "system/status": head(notices.foldStatus),
  "system/thinking_tokens": row((folding, message) => {
    folding.memory.thinkingTokens = message.estimated_tokens;
  }),
  "system/api_retry": row(notices.foldRetry),
  "system/permission_denied": row((folding, message) =>
    notice(folding, `${toolTitle(message.tool_name)} denied`, message.message, "warning"),
  ),
  "system/task_started": head(work.foldTaskStarted),
  "system/task_progress": head(work.foldTaskProgress),
  "system/task_updated": head(work.foldTaskUpdated),
  "system/task_notification": head(work.foldTaskNotification),
  "system/background_tasks_changed": head(work.foldTaskLevel),
  "system/hook_started": row(notices.foldHookStarted),
  "system/hook_progress": row(notices.foldHookProgress),
  "system/hook_response": row(notices.foldHookResponse),
  "system/informational": row(notices.foldInformational),
  "system/notification": said("notification"),
  "system/compact_boundary": row(notices.foldCompactBoundary),
  // The phase comes from the other messages. This one only repeats it.
  "system/session_state_changed": silent,
  "system/session_title_changed": head(notices.foldTitle),
  "system/control_request_progress": silent,
  "system/model_refusal_no_fallback": row(notices.foldRefusal),
  "system/model_refusal_fallback": row(notices.foldRefusal),
  "system/model_fallback": said("model"),
  "system/local_command_output": row((folding, message) => {
    addRow(folding, { kind: "command", text: message.content, failed: false });
  }),
  "system/commands_changed": head((folding, message) =>
    folding.timeline.setHead({ commands: message.commands.map(notices.commandOf) }),
  ),
  "system/files_persisted": silent,
  "system/memory_recall": said("memory"),
  "system/mirror_error": silent,
  "system/plugin_install": said("plugin"),
  "system/elicitation_complete": silent,
  "system/session_writes_lost": row((folding, message) =>
    notice(folding, "disk full", `The CLI could not write: ${message.lost.join(", ")}.`, "error"),
  ),
  "system/worker_shutting_down": said("worker"),
  "system/post_turn_summary": silent,
  "system/task_summary": silent,
  "system/session_metadata": silent,
  "system/turn_preempted": silent,
  "system/permission_check_status": silent,
  "system/vcs_state_changed": row(notices.foldVcs),
  "system/code_change_published": row(notices.foldPublished),
  "system/peer_message_hold": silent,
  "system/per_turn_effort_changed": silent,
  "system/feedback_draft_queued": silent,
  "system/instruction_size_warning": said("instructions"),
  "system/file_attachments_missing": said("attachments"),
  "system/dev_intent": silent,
  "system/inherited_asks_settled": silent,
  "system/cloud_session_delta": silent,
  "system/turn_handoff_available": silent,
  "system/ui_invalidate": silent,
  "system/ui_log": silent,
  "system/ui_toast": silent,
  "system/ui_notify": silent,
  "system/ui_notify_cancel": silent,
  "system/ui_status": silent,
  "system/ui_panes": silent,
  "system/ui_placed": silent,
  "system/ui_scroll": silent,
  "system/ui_focus": silent,
  "system/agents_killed": silent,
  "system/away_summary": silent,
  "system/bridge_state": silent,
  "system/file_snapshot": silent,
  "system/memory_saved": silent,
  "system/model_consent_fallback": silent,
  "system/permission_retry": silent,
  "system/scheduled_task_fire": silent,
  "system/thinking": silent,
  "system/tool_host_result": silent,
  "system/upgrade_relay_marker": silent,
  "system/api_error": said("api"),
  "system/stop_hook_summary": silent,
  "system/turn_duration": silent,
  "system/microcompact_boundary": silent,
  "system/local_command": row((folding, message) => {
    addRow(folding, { kind: "command", text: message.content ?? "", failed: false });
  }),
  "result/success": row(foldResult),
  "result/error_during_execution": row(foldResult),
  "result/error_max_turns": row(foldResult),
  "result/error_max_budget_usd": row(foldResult),
  "result/error_max_structured_output_retries": row(foldResult),
};

export const createFold = (saved?: SavedFold, { epoch }: FoldOptions = {}): Fold => {
  if (saved !== undefined && saved.version !== FOLD_VERSION) {
    throw new Error(
      `A fold of version ${saved.version} cannot be restored by version ${FOLD_VERSION}: fold its events again.`,
    );
  }
  const folding: Folding = {
    timeline: saved === undefined ? new Timeline() : Timeline.restore(saved.timeline),
    memory: saved === undefined ? newMemory() : structuredClone(saved.memory),
    at: 0,
    seq: 0,
    streaming: null,
    openDrafts: new Map(),
  };
  const { timeline, memory } = folding;
  if (epoch !== undefined) timeline.setHead({ epoch });
  return {
    apply(event) {
      folding.at = event.at;
      timeline.growth = undefined;
      if (event.type === "streamed") {
        const delta = deltaOf(event);
        if (delta === undefined) foldReceived(folding, event.message);
        else foldStreamEvent(folding, delta);
        // A delta continues its block. Only the time changes, and it is reported now and then.
        if (delta !== undefined && event.at - timeline.head.lastEventAt < LAST_EVENT_MS) return;
      } else {
        if (event.seq <= memory.seq) return;
        folding.seq = event.seq;
        memory.seq = event.seq;
        foldFact(folding, event);
      }
      foldPhase(folding);
    },
    changes: (rev) => timeline.since(rev),
    save: (since) => ({ version: FOLD_VERSION, timeline: timeline.save(since), memory: structuredClone(memory) }),
    row: (id) => timeline.row(id),
    rowsBefore: (order, limit) => timeline.rowsBefore(order, limit),
    rowsAfter: (order, limit) => timeline.rowsAfter(order, limit),
    get head() {
      return timeline.head;
    },
    get rows() {
      return timeline.rows;
    },
    get drafts() {
      return [...timeline.drafts.values()].map((draft) => ({ ...draft }));
    },
    get growth() {
      return timeline.growth;
    },
    get rowCount() {
      return timeline.size;
    },
    get rev() {
      return timeline.rev;
    },
    get seq() {
      return memory.seq;
    },
  };
};

const LAST_EVENT_MS = 1000;

/** Hundreds per second in one form, so they skip the table. */
const deltaOf = ({ message }: Streamed): StreamEventMessage | undefined => {
  const { type, event } = (message ?? {}) as { type?: unknown; event?: DeltaEvent | null };
  if (type !== "stream_event" || event?.type !== "content_block_delta" || typeof event.index !== "number")
    return undefined;
  const { text, partial_json: json, thinking } = event.delta ?? {};
  return typeof (text ?? json ?? thinking) === "string" ? (message as unknown as StreamEventMessage) : undefined;
};
interface DeltaEvent {
  readonly type?: unknown;
  readonly index?: unknown;
  readonly delta?: { readonly text?: unknown; readonly partial_json?: unknown; readonly thinking?: unknown } | null;
}

const foldPhase = (folding: Folding): void => {
  const { timeline, at } = folding;
  const phase = phaseOf(folding);
  timeline.setHead({ lastEventAt: at, ...(phase !== timeline.head.phase && { phase, since: at }) });
};

const foldFact = (folding: Folding, event: Event): void => {
  const { timeline, memory } = folding;
  switch (event.type) {
    case "received":
      return foldReceived(folding, event.message);
    case "imported":
      return foldImported(folding, event.entry, event.parent);
    case "sent":
      return foldSent(folding, event);
    case "noise": {
      addRow(folding, { kind: "noise", reason: event.reason, size: event.size });
      return timeline.setHead({ counts: { ...timeline.head.counts, noise: timeline.head.counts.noise + 1 } });
    }
    case "process-started":
      return foldProcessStarted(folding, event);
    case "drafts-left":
      return foldDraftsLeft(folding, event.drafts);
    case "process-exited":
      return foldProcessExited(folding, event);
    case "stdin-closed":
    case "signal-sent":
      memory.ending = true;
      return;
    case "stderr":
      memory.stderr = newestOf(memory.stderr + event.text);
      memory.ownStderr = newestOf(memory.ownStderr + event.text);
      return timeline.setHead({ stderr: textWithoutSecrets(memory.stderr) });
    case "prompt-accepted":
      return acceptPrompt(folding, event);
    case "prompt-edited":
      return editPrompt(folding, event.uuid, event.content);
    case "prompt-held":
      return setPromptState(folding, event.uuid, "held");
    case "prompt-withdrawn":
      return setPromptState(folding, event.uuid, "cancelled");
    case "memory-exceeded":
      return foldMemoryExceeded(folding, event);
    case "budget-noted":
      return foldBudget(folding, event);
    case "folder-changed":
      return foldFolderChanged(folding, event);
    case "forked":
      return foldForked(folding, event.from);
    case "changes-counted": {
      const { files, added, removed } = event;
      return timeline.setHead({ changes: { files, added, removed } });
    }
    case "call-explained":
      return foldExplained(folding, event);
  }
};
const STDERR_KEPT = 16_384;

/** Cut between two words, because half a secret would not be recognized. */
const newestOf = (text: string): string =>
  text.length <= STDERR_KEPT ? text : text.slice(-STDERR_KEPT).replace(/^\S{1,1024}/u, "");

const foldReceived = (folding: Folding, value: Parameters<typeof decodeValue>[0]): void => {
  const decoded = decodeValue(value);
  if (decoded.kind === "message") {
    const key = keyOf(decoded.message);
    const entry = FATES[(key.startsWith("control_request/") ? "control_request" : key) as WireKey] as Entry<WireKey>;
    entry.fold(folding, decoded.message);
    return;
  }
  const { timeline } = folding;
  const reason = decoded.kind === "unknown" ? decoded.reason : decoded.kind;
  addRow(folding, { kind: "unknown", reason, value });
  timeline.setHead({ counts: { ...timeline.head.counts, unknown: timeline.head.counts.unknown + 1 } });
};

/** Prompts in imported history have run, and no result will report it. */
const foldImported = (folding: Folding, entry: JsonValue, parent?: string): void => {
  const value = messageOfEntry(entry, parent);
  const decoded = value === undefined ? undefined : decodeValue(value);
  if (decoded?.kind !== "message") return;
  const { message } = decoded;
  const sessionId = "session_id" in message ? message.session_id : undefined;
  if (sessionId !== undefined && folding.timeline.head.sessionId === undefined) folding.timeline.setHead({ sessionId });
  const later = waitingRows(folding);
  const before = folding.timeline.lastOrder;
  if (message.type === "user") foldImportedUser(folding, message);
  else if (message.type === "assistant") foldAssistant(folding, message);
  else if (message.type === "system" && message.subtype === "compact_boundary")
    notices.foldCompactBoundary(folding, message);
  folding.memory.turn = null;
  if (folding.timeline.lastOrder > before) for (const each of later) putLast(folding, each);
};

const foldSent = (folding: Folding, { message: value, by, policy }: Extract<Event, { type: "sent" }>): void => {
  const decoded = decodeValue(value, "host");
  if (decoded.kind !== "message") return;
  const { message } = decoded;
  if (message.type === "user") foldSentPrompt(folding, message, by);
  else if (message.type === "control_response") closeByAnswer(folding, message, by, policy);
  else if (message.type === "control_cancel_request") closeByCancel(folding, message, by);
  else if (message.type === "control_request") rememberAsked(folding, message as ControlRequest<HostRequest>);
};
