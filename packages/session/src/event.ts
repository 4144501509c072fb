// Events: what happened to a session, in order. The log keeps the raw messages, not our interpretation, plus what only the
// host knows. `at` is a time in milliseconds, for display. `seq` is the order.

import { isRecord } from "@quarterdeck/protocol";
import type { JsonValue } from "@quarterdeck/protocol";
import type { Draft } from "./draft.ts";

/** A fact of the log. `seq` is dense, from 1. */
export type Event = { readonly seq: number; readonly at: number } & Fact;

/** A delta of a block: shown at once, never logged. The complete block contains it. */
export interface Streamed {
  readonly type: "streamed";
  readonly at: number;
  readonly message: JsonValue;
}

/** Who did something: a device, a program, a rule. */
export interface Actor {
  readonly id: string;
  readonly name?: string;
}

export type Fact =
  /** A line of JSON from the CLI, known or not. */
  | { readonly type: "received"; readonly message: JsonValue }
  /** A line that is not JSON; its bytes in base64. */
  | { readonly type: "noise"; readonly bytes: string; readonly size: number; readonly reason: string }
  /** A line to the CLI, and who caused it: a device, or a policy that decided by itself. */
  | { readonly type: "sent"; readonly message: JsonValue; readonly by?: Actor; readonly policy?: PolicyMark }
  | {
      readonly type: "process-started";
      readonly pid?: number;
      readonly version?: string;
      readonly cwd?: string;
      /** This process got the session permissions of the last one, because the CLI forgets them. */
      readonly keptPermissions?: true;
      /** Files of the folder that this process ignores, because they are not trusted or the user chose to start without them. */
      readonly leftOut?: readonly string[];
      /** The permission mode that its flags and settings name. The process itself reports it later. */
      readonly mode?: string;
      /** It can switch to the mode that asks nobody, because an admin chose that at its start. */
      readonly canBypass?: true;
      /** It asks the policies of the host before each call. Without it, a policy sees only calls that the CLI asks about. */
      readonly asksPolicies?: true;
      /** Its settings name this mode. The host did not take it, because it asks nobody. */
      readonly ignoredMode?: string;
      /** The CLI writes its debug log here. */
      readonly debugFile?: string;
    }
  | { readonly type: "stdin-closed" }
  | { readonly type: "signal-sent"; readonly signal: string }
  /** The streamed part of blocks that will not be completed, because the process ended or was interrupted. */
  | { readonly type: "drafts-left"; readonly drafts: readonly Draft[] }
  | {
      readonly type: "process-exited";
      readonly code: number | null;
      readonly signal: string | null;
      /** Why it never ran. */
      readonly reason?: string;
    }
  | { readonly type: "stderr"; readonly text: string }
  /** An entry of the CLI's own transcript from a time without this host. A subagent's entry has its tool call. */
  | { readonly type: "imported"; readonly entry: JsonValue; readonly parent?: string }
  /** A prompt, durable before it is acknowledged. `sent` follows when the process gets it. */
  | {
      readonly type: "prompt-accepted";
      readonly uuid: string;
      readonly content: PromptContent;
      readonly priority?: PromptPriority;
      readonly by?: Actor;
    }
  | { readonly type: "prompt-edited"; readonly uuid: string; readonly content: PromptContent; readonly by?: Actor }
  /** Stopped before it ran, and kept for its author. */
  | { readonly type: "prompt-held"; readonly uuid: string }
  | { readonly type: "prompt-withdrawn"; readonly uuid: string; readonly by?: Actor }
  /** The session uses more memory than the user allowed. Its processes end only if the user chose that. */
  | { readonly type: "memory-exceeded"; readonly bytes: number; readonly limitBytes: number; readonly ends: boolean }
  /** The folder would now run something that was not trusted. The host ends the process first. */
  | { readonly type: "folder-changed"; readonly files: readonly string[] }
  /** What the budget of the session or of the day says now. `free`: nothing to report any more. */
  | {
      readonly type: "budget-noted";
      readonly state: "free" | "near" | "reached";
      readonly scope: "session" | "day";
      readonly spentUsd: number;
      readonly limitUsd: number;
    }
  /** What stands before this was copied from another session. */
  | { readonly type: "forked"; readonly from: string }
  /** What the session has changed in its folder so far, by its tools and commands. */
  | { readonly type: "changes-counted"; readonly files: number; readonly added: number; readonly removed: number }
  /** Why the CLI decided about a call without asking, as the rules of that moment say. */
  | {
      readonly type: "call-explained";
      readonly toolUseId: string;
      readonly behavior: "allow" | "deny";
      readonly kind: "rule" | "mode" | "read-only";
      readonly rule?: DecidingRule;
      readonly mode?: string;
    };

/** A policy of the host that decided by itself. `rule` is the part of it that matched. */
export interface PolicyMark {
  readonly id: string;
  readonly name: string;
  readonly behavior: "allow" | "deny" | "ask";
  readonly rule?: string;
}

/** A rule of the CLI, and where it stands. */
export interface DecidingRule {
  readonly text: string;
  readonly scope: string;
  readonly path?: string;
  readonly line?: number;
}

export type PromptContent = string | readonly JsonValue[];
/** Default: at the next tool boundary. `later`: after the turn. `now`: interrupts the turn and runs next. */
export type PromptPriority = "now" | "next" | "later";

interface RecordedLine {
  readonly t?: unknown;
  readonly dir?: unknown;
  readonly msg?: JsonValue;
  readonly raw?: unknown;
}

/** Events of a recording (`{t,dir,msg}` per line) or of an export (one event per line). Other lines are ignored. */
export const eventsOfRecording = (text: string): (Event | Streamed)[] => {
  const events: (Event | Streamed)[] = [];
  let seq = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const entry = JSON.parse(line) as RecordedLine & { readonly seq?: unknown };
    if (typeof entry.seq === "number") {
      events.push(entry as unknown as Event);
      seq = entry.seq;
      continue;
    }
    const at = typeof entry.t === "number" ? entry.t : 0;
    if (isStreamEvent(entry)) events.push({ type: "streamed", at, message: entry.msg! });
    else events.push({ seq: ++seq, at, ...factOf(entry) });
  }
  return events;
};

const typeOf = (message: JsonValue | undefined): unknown => (isRecord(message) ? message["type"] : undefined);

const isStreamEvent = (entry: RecordedLine): boolean => entry.dir === "out" && typeOf(entry.msg) === "stream_event";

const factOf = (entry: RecordedLine): Fact => {
  if (entry.msg === undefined) {
    const raw = typeof entry.raw === "string" ? entry.raw : "";
    return { type: "noise", bytes: base64(new TextEncoder().encode(raw)), size: raw.length, reason: "not-json" };
  }
  const type = typeOf(entry.msg);
  if (type === "__eof") return { type: "stdin-closed" };
  if (type === "__signal") {
    const { signal } = entry.msg as { signal?: JsonValue };
    return { type: "signal-sent", signal: typeof signal === "string" ? signal : "" };
  }
  return entry.dir === "in" ? { type: "sent", message: entry.msg } : { type: "received", message: entry.msg };
};

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A pure package has neither Node's Buffer nor a browser's btoa. */
export const base64 = (bytes: Uint8Array): string => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [a, b, c] = [bytes[at]!, bytes[at + 1], bytes[at + 2]];
    const group = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    text += ALPHABET[group >> 18]! + ALPHABET[(group >> 12) & 63]!;
    text += b === undefined ? "=" : ALPHABET[(group >> 6) & 63]!;
    text += c === undefined ? "=" : ALPHABET[group & 63]!;
  }
  return text;
};
