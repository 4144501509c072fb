// A session as updates of the Agent Client Protocol. It projects rows, drafts and head, never messages of the wire. So
// a client that was away or slow gets what is missing, and nothing twice. Pure: it keeps what it has told, and sends
// nothing itself.

import type { ContentBlock, SessionUpdate, ToolCall } from "@agentclientprotocol/sdk/unstable";
import type { SessionSnapshot } from "@quarterdeck/client";
import { blockTexts, isRecord } from "@quarterdeck/protocol";
import { noteOf } from "@quarterdeck/session";
import type {
  CompactionRow,
  Draft,
  Head,
  NotedRow,
  PromptRow,
  Row,
  Task,
  TextRow,
  ToolRow,
} from "@quarterdeck/session";
import type { Abilities } from "./abilities.ts";
import { commandsOf, configOptions, modeState, planOf, usageOf } from "./session-state.ts";
import { GrowingText, shown, shownTitle } from "./shown-text.ts";
import { beginningOf, callTitle, toolKindOf, toolCallOf } from "./tool-call.ts";

export interface ProjectionOptions {
  readonly abilities: Abilities;
  /** Folders that the editor works in. The first is the session's own. */
  readonly folders: readonly string[];
  /** A prompt that this editor sent. The editor shows it itself. */
  readonly isOwn: (prompt: PromptRow) => boolean;
}

/** Characters of a subagent's words. Its last ones are shown. */
const MOST_WORDS = 20_000;

type Level = "info" | "warning" | "error";
type Seen = Pick<SessionSnapshot, "head" | "rows" | "drafts">;

export class Projection {
  readonly #options: ProjectionOptions;
  readonly #rows = new Map<string, Row>();
  readonly #texts = new Map<string, GrowingText>();
  readonly #calls = new Map<string, ToolCall>();
  /** Calls that may run a subagent, and what it has written. */
  readonly #callRows = new Map<string, ToolRow>();
  readonly #subagents = new Map<string, string>();
  readonly #retried = new Set<string>();
  #tasks: ReadonlyMap<string, Task> | undefined;
  /** What was sent of the head, by kind of update, as JSON. */
  readonly #told = new Map<string, string>();

  constructor(options: ProjectionOptions) {
    this.#options = options;
  }

  /** What is new in the conversation. */
  conversation({ rows, drafts, head }: Seen): SessionUpdate[] {
    const updates = rows.flatMap((row) => this.#row(row));
    for (const draft of drafts) updates.push(...this.#draft(draft));
    updates.push(...this.#taskNews(head.tasks));
    const plan = planOf(head);
    // An empty plan is sent only to end an earlier plan.
    if (plan.length > 0 || this.#told.has("plan"))
      updates.push(...this.#once("plan", { sessionUpdate: "plan", entries: plan }));
    for (const update of usageOf(head)) updates.push(...this.#once("usage", update));
    return updates;
  }

  /** What an editor may get at any time. */
  state(head: Head): SessionUpdate[] {
    const { currentModeId } = modeState(head);
    return [
      ...(head.commands.length > 0 || this.#told.has("commands")
        ? this.#once("commands", {
            sessionUpdate: "available_commands_update",
            availableCommands: commandsOf(head),
          })
        : []),
      ...this.#once("mode", { sessionUpdate: "current_mode_update", currentModeId }),
      ...this.#once("options", { sessionUpdate: "config_option_update", configOptions: configOptions(head) }),
      ...(head.title === undefined
        ? []
        : this.#once("title", { sessionUpdate: "session_info_update", title: shownTitle(head.title) })),
    ];
  }

  /** The answer to a request carries mode and options, so they need no update. */
  answeredWith(head: Head): void {
    const { currentModeId } = modeState(head);
    this.#once("mode", { sessionUpdate: "current_mode_update", currentModeId });
    this.#once("options", { sessionUpdate: "config_option_update", configOptions: configOptions(head) });
  }

  /** The conversation so far is known to the editor. */
  skip({ rows, drafts, head }: Seen): void {
    this.conversation({ rows, drafts, head });
  }

  /** Words of ours in the conversation. */
  say(id: string, level: Level, words: string): SessionUpdate[] {
    const { notices } = this.#options.abilities;
    const text = shown(words);
    if (notices) return [{ sessionUpdate: "notice", severity: level, title: shownTitle(text), description: text }];
    return [chunk("agent_message_chunk", id, `\n\nQuarterdeck: ${text}\n\n`)];
  }

  #once(key: string, update: SessionUpdate): SessionUpdate[] {
    const json = JSON.stringify(update);
    if (this.#told.get(key) === json) return [];
    this.#told.set(key, json);
    return [update];
  }

  #row(row: Row): SessionUpdate[] {
    const before = this.#rows.get(row.id);
    if (before === row) return [];
    this.#rows.set(row.id, row);
    const isFirst = before === undefined;
    // A subagent's words are the content of its call until it ends. Its own calls are calls of the conversation.
    if (row.parent !== undefined && row.kind !== "tool") return row.kind === "text" ? this.#said(row) : [];
    switch (row.kind) {
      case "prompt":
        return isFirst ? this.#prompt(row) : [];
      case "text":
        return this.#grown("agent_message_chunk", row.id, row.messageId, row.text, true);
      case "thinking":
        return this.#grown("agent_thought_chunk", row.id, row.messageId, row.text, true);
      case "tool":
        if (toolKindOf(row.name) === "think") this.#callRows.set(row.toolUseId, row);
        return this.#call(row.toolUseId, toolCallOf(row, this.#looks), row);
      case "block":
        return isFirst ? imageOf(row.messageId, row.block) : [];
      case "command":
        return isFirst && row.text !== "" ? [chunk("agent_message_chunk", row.id, shown(row.text))] : [];
      case "compaction":
        return this.#compaction(row, isFirst);
      case "error":
        return isFirst ? this.say(row.id, "error", row.text) : [];
      case "notice":
        return isFirst && row.level !== "info" ? this.say(row.id, row.level, row.text) : [];
      case "retry": {
        if (this.#retried.has(row.id)) return [];
        this.#retried.add(row.id);
        return this.say(row.id, "warning", noteOf(row));
      }
      case "mark":
        return isFirst && row.what === "cleared" ? this.say(row.id, "info", "The conversation was cleared.") : [];
      case "turn":
      case "hook":
      case "request":
      case "unknown":
      case "noise":
        return [];
      default:
        return isFirst ? this.#note(row) : [];
    }
  }

  /** A kind without a special form here uses the sentence of `row-kinds.ts`. */
  #note(row: NotedRow): SessionUpdate[] {
    return this.say(row.id, "info", noteOf(row));
  }

  get #looks() {
    const { folders, abilities } = this.#options;
    const { terminals, terminalDeltas } = abilities;
    return { folders, terminals, terminalDeltas, wordsOf: (call: string) => this.#subagents.get(call) ?? "" };
  }

  /** Words of a subagent, in the call that runs it. */
  #said({ parent = "", text }: TextRow): SessionUpdate[] {
    const words = [this.#subagents.get(parent), shown(text)].filter((part) => part !== undefined && part !== "");
    this.#subagents.set(parent, words.join("\n\n").slice(-MOST_WORDS));
    const call = this.#callRows.get(parent);
    return call === undefined ? [] : this.#call(parent, toolCallOf(call, this.#looks), call);
  }

  #prompt(row: PromptRow): SessionUpdate[] {
    if (this.#options.isOwn(row) || row.origin !== undefined) return [];
    const blocks: readonly unknown[] = typeof row.content === "string" ? [row.content] : row.content;
    return blocks.flatMap((block): SessionUpdate[] => {
      const content = contentOf(block);
      return content === undefined ? [] : [{ sessionUpdate: "user_message_chunk", messageId: row.id, content }];
    });
  }

  #draft({ id, kind, messageId, text, name, toolUseId }: Draft): SessionUpdate[] {
    if (this.#rows.has(id)) return [];
    switch (kind) {
      case "text":
        return this.#grown("agent_message_chunk", id, messageId, text, false);
      case "thinking":
        return this.#grown("agent_thought_chunk", id, messageId, text, false);
      case "tool":
        if (toolUseId === undefined || name === undefined || this.#calls.has(toolUseId)) return [];
        return this.#call(toolUseId, {
          toolCallId: toolUseId,
          title: callTitle(name, {}),
          name,
          kind: toolKindOf(name),
          status: "pending",
        });
    }
  }

  #grown(
    kind: "agent_message_chunk" | "agent_thought_chunk",
    id: string,
    messageId: string,
    text: string,
    isWhole: boolean,
  ): SessionUpdate[] {
    const growing = this.#texts.get(id) ?? new GrowingText();
    this.#texts.set(id, growing);
    const part = growing.next(text, isWhole);
    return part === "" ? [] : [chunk(kind, messageId, part)];
  }

  /** A new call as a whole, then only the fields that changed. */
  #call(id: string, call: ToolCall, row?: ToolRow): SessionUpdate[] {
    // The plan says it.
    if (row?.name === "TodoWrite" && row.state !== "failed" && row.state !== "denied") return [];
    const before = this.#calls.get(id);
    this.#calls.set(id, call);
    if (before === undefined) {
      const begun = beginningOf(call);
      if (begun === undefined) return [{ sessionUpdate: "tool_call", ...call }];
      this.#calls.set(id, begun);
      return [{ sessionUpdate: "tool_call", ...begun }, ...this.#call(id, call)];
    }
    // A dialog replaced the content by what was asked.
    const isDecided = before.status === "pending" && call.status !== "pending";
    const fields = Object.entries(call).filter(
      ([name, value]) =>
        (isDecided && (name === "content" || name === "title" || name === "rawInput")) ||
        JSON.stringify(value) !== JSON.stringify(before[name as keyof ToolCall]),
    );
    if (fields.length === 0) return [];
    // Editors close a dialog that was answered elsewhere when its call ends. agent-shell opens it again for a later update
    // without a status.
    const end = call.status === "completed" || call.status === "failed" ? { status: call.status } : {};
    return [{ sessionUpdate: "tool_call_update", ...Object.fromEntries(fields), ...end, toolCallId: id }];
  }

  #compaction({ id, summary, failed, after, trigger }: CompactionRow, isFirst: boolean): SessionUpdate[] {
    if (!this.#options.abilities.compactions)
      return isFirst ? this.say(id, failed === undefined ? "info" : "warning", compactionWords(failed, after)) : [];
    return [
      {
        sessionUpdate: "compaction_update",
        compactionId: id,
        status: failed === undefined ? "completed" : "failed",
        ...(summary !== undefined && { summary: [{ type: "text", text: shown(summary) }] }),
        ...(failed !== undefined && { error: shown(failed) }),
        ...(trigger !== undefined && { _meta: { quarterdeck: { trigger } } }),
      },
    ];
  }

  /** Tasks in the background: which still run when a session is opened, and each that ends later. */
  #taskNews(tasks: readonly Task[]): SessionUpdate[] {
    const before = this.#tasks;
    this.#tasks = new Map(tasks.map((task) => [task.id, task]));
    return tasks.flatMap((task) => {
      if (!task.background) return [];
      const isOver = task.endedAt !== undefined;
      const wasOver = before?.get(task.id)?.endedAt !== undefined;
      if (before === undefined ? isOver : !isOver || wasOver) return [];
      return this.say(`task-${task.id}`, "info", taskWords(task));
    });
  }
}

const chunk = (
  sessionUpdate: "agent_message_chunk" | "agent_thought_chunk",
  messageId: string,
  text: string,
): SessionUpdate => ({ sessionUpdate, messageId, content: { type: "text", text } });

const compactionWords = (failed: string | undefined, after: number | undefined): string => {
  if (failed !== undefined) return `The context could not be compacted: ${failed}`;
  return after === undefined ? "The context was compacted." : `The context was compacted to ${String(after)} tokens.`;
};

const taskWords = ({ description, status, endedAt, summary }: Task): string =>
  endedAt === undefined
    ? `A background task runs: ${description}`
    : `A background task has ended (${status}): ${description}${summary === undefined ? "" : `. ${summary}`}`;

/** A block of a prompt. */
const contentOf = (block: unknown): ContentBlock | undefined => {
  const image = imageIn(block);
  if (image !== undefined) return image;
  const [text] = blockTexts(block);
  if (text !== undefined) return { type: "text", text: shown(text) };
  const { type, title } = isRecord(block) ? block : {};
  if (typeof type !== "string") return undefined;
  return { type: "text", text: shown(`[${type}${typeof title === "string" ? `: ${title}` : ""}]`) };
};

const imageOf = (messageId: string, block: unknown): SessionUpdate[] => {
  const content = imageIn(block);
  return content === undefined ? [] : [{ sessionUpdate: "agent_message_chunk", messageId, content }];
};

const imageIn = (block: unknown): ContentBlock | undefined => {
  if (!isRecord(block) || block["type"] !== "image" || !isRecord(block["source"])) return undefined;
  const { data, media_type: mimeType } = block["source"];
  return typeof data === "string" && typeof mimeType === "string" ? { type: "image", data, mimeType } : undefined;
};
