// Translates facts of the log into ccpocket messages. `historySeq` is the fact's `seq`, so history is the whole log and stays the
// same after a restart. Pure: one translator follows one session from its first fact.

import { blockTexts, isRecord } from "@quarterdeck/protocol";
import { isRunning } from "@quarterdeck/session";
import type { Draft, Event, Head, OpenRequest, Phase } from "@quarterdeck/session";
import { elicitationInput, isElicitation } from "./elicitations.ts";
import type { Elicitation } from "./elicitations.ts";
import type { ImageRef } from "./pocket-images.ts";

/** A message to the app. The connection adds `sessionId` and `historySeq`. */
export type PocketMessage = { readonly type: string } & Readonly<Record<string, unknown>>;

export type PocketStatus = "starting" | "idle" | "running" | "waiting_approval" | "compacting";

export const pocketStatusOf = (phase: Phase): PocketStatus => {
  switch (phase) {
    case "starting":
      return "starting";
    case "awaiting":
      return "waiting_approval";
    case "compacting":
      return "compacting";
    default:
      return isRunning(phase) ? "running" : "idle";
  }
};

export interface TranslatorOptions {
  /** Keeps a picture for the app. Without it, results have no pictures. */
  readonly keepImage?: (base64: string) => ImageRef | undefined;
}

export class Translator {
  readonly #options: TranslatorOptions;
  /** Tool names and toolUseIds of open requests. Results and answers do not contain them. */
  readonly #tools = new Map<string, string>();
  readonly #asked = new Map<string, string>();
  /** Somebody wants the process to end. */
  #isEnding = false;
  #lastError = "";

  constructor(options: TranslatorOptions = {}) {
    this.#options = options;
  }

  /** For facts that are read again. It knows the same, and what it reads changes nothing here. */
  copy(): Translator {
    const copy = new Translator(this.#options);
    for (const [toolUseId, name] of this.#tools) copy.#tools.set(toolUseId, name);
    for (const [requestId, toolUseId] of this.#asked) copy.#asked.set(requestId, toolUseId);
    return copy;
  }

  knows(toolUseId: string, name: string): void {
    this.#tools.set(toolUseId, name);
  }

  /** Open requests from before this translator started. */
  isAsked(open: Answerable): PocketMessage {
    this.#asked.set(open.id, pocketIdOf(open));
    return askedOf(open);
  }

  messagesOf(event: Event): PocketMessage[] {
    switch (event.type) {
      case "received":
        return isRecord(event.message) ? this.#received(event.message) : [];
      case "imported":
        return isRecord(event.entry) && event.parent === undefined ? this.#received(event.entry) : [];
      case "sent":
        return isRecord(event.message) && event.message["type"] === "control_response"
          ? this.#resolved(requestIdOf(event.message["response"]))
          : [];
      case "prompt-accepted":
        return [
          {
            type: "user_input",
            text: blockTexts(event.content).join("\n"),
            clientMessageId: event.uuid,
            userMessageUuid: event.uuid,
            timestamp: new Date(event.at).toISOString(),
            ...imagesIn(event.content),
          },
        ];
      case "process-started":
        this.#isEnding = false;
        this.#lastError = "";
        return [];
      case "stdin-closed":
      case "signal-sent":
        this.#isEnding = true;
        return [];
      case "stderr":
        this.#lastError = event.text.trim().split("\n").at(-1)?.slice(0, 500) ?? "";
        return [];
      case "drafts-left":
        return event.drafts.flatMap(cutOff);
      case "process-exited": {
        const open = [...this.#asked.keys()].flatMap((id) => this.#resolved(id));
        return this.#isEnding || event.code === 0 ? open : [...open, this.#death(event)];
      }
      default:
        return [];
    }
  }

  #death({ code, signal, reason }: Extract<Event, { type: "process-exited" }>): PocketMessage {
    const how = signal === null ? `exit code ${String(code)}` : `signal ${signal}`;
    const why = reason ?? this.#lastError;
    const words = `Claude Code stopped unexpectedly (${how}). The conversation is safe. Your next message resumes it.`;
    return { type: "error", message: why === "" ? words : `${words}\n${why}`, errorCode: "process_died" };
  }

  #received(message: Record<string, unknown>): PocketMessage[] {
    switch (message["type"]) {
      case "assistant":
        return this.#assistant(message);
      case "user":
        return this.#user(message);
      case "result":
        return [resultOf(message)];
      case "system":
        return systemOf(message);
      case "control_request":
        return this.#asks(message);
      case "control_cancel_request":
        return this.#resolved(String(message["request_id"]));
      case "tool_use_summary":
        return [
          {
            type: "tool_use_summary",
            summary: message["summary"],
            precedingToolUseIds: message["preceding_tool_use_ids"] ?? [],
          },
        ];
      default:
        return [];
    }
  }

  #assistant(message: Record<string, unknown>): PocketMessage[] {
    const inner = message["message"];
    if (!isRecord(inner) || message["parent_tool_use_id"] != null) return [];
    for (const block of blocksOf(inner["content"]))
      if (block["type"] === "tool_use") this.#tools.set(String(block["id"]), String(block["name"]));
    const uuid = message["uuid"];
    return [{ type: "assistant", message: inner, ...(typeof uuid === "string" && { messageUuid: uuid }) }];
  }

  #user(message: Record<string, unknown>): PocketMessage[] {
    const inner = message["message"];
    if (!isRecord(inner) || message["parent_tool_use_id"] != null) return [];
    return blocksOf(inner["content"]).flatMap((block): PocketMessage[] => {
      if (block["type"] !== "tool_result") return [];
      const toolUseId = String(block["tool_use_id"]);
      const toolName = this.#tools.get(toolUseId);
      const images = blocksOf(block["content"]).flatMap(({ type, source }) =>
        type === "image" && isRecord(source) && typeof source["data"] === "string"
          ? (this.#options.keepImage?.(source["data"]) ?? [])
          : [],
      );
      return [
        {
          type: "tool_result",
          toolUseId,
          content: blockTexts(block["content"]).join("\n"),
          ...(toolName !== undefined && { toolName }),
          ...(images.length > 0 && { images }),
          ...(Array.isArray(block["content"]) && { rawContentBlocks: block["content"] }),
        },
      ];
    });
  }

  #asks(message: Record<string, unknown>): PocketMessage[] {
    const request = message["request"];
    if (!isRecord(request)) return [];
    if (request["subtype"] === "elicitation") {
      const id = String(message["request_id"]);
      this.#asked.set(id, id);
      return [elicitationOf(request, id)];
    }
    if (request["subtype"] !== "can_use_tool") return [];
    const toolUseId = String(request["tool_use_id"]);
    this.#asked.set(String(message["request_id"]), toolUseId);
    return [permissionOf(request, toolUseId)];
  }

  /** Every client learns that the request is closed. */
  #resolved(requestId: string | undefined): PocketMessage[] {
    const toolUseId = requestId === undefined ? undefined : this.#asked.get(requestId);
    if (requestId === undefined || toolUseId === undefined) return [];
    this.#asked.delete(requestId);
    return [{ type: "permission_resolved", toolUseId }];
  }
}

/** Adds what ccpocket's own bridge leaves out: the reason, and the suggested rules. */
const permissionOf = (request: Record<string, unknown>, toolUseId: string): PocketMessage => ({
  type: "permission_request",
  toolUseId,
  toolName: request["tool_name"],
  input: request["input"],
  ...given(request, {
    title: "title",
    description: "description",
    decisionReason: "decision_reason",
    blockedPath: "blocked_path",
    suggestions: "permission_suggestions",
    agentId: "agent_id",
  }),
});

const elicitationOf = (request: Record<string, unknown>, id: string): PocketMessage => ({
  type: "permission_request",
  toolUseId: id,
  toolName: "McpElicitation",
  input: elicitationInput(request),
});

/** Text that the model had streamed when its process ended or was interrupted. */
const cutOff = ({ id, kind, text }: Draft): PocketMessage[] => {
  if (kind === "tool" || text === "") return [];
  const content = kind === "text" ? { type: "text", text } : { type: "thinking", thinking: text };
  return [{ type: "assistant", message: { id, role: "assistant", content: [content], model: "" } }];
};

/** What an app can answer. */
export type Answerable = Permission | Elicitation;
export const isAnswerable = (open: OpenRequest): open is Answerable => isPermission(open) || isElicitation(open);

/** Apps name a request by its tool call. An elicitation has none. */
export const pocketIdOf = (open: Answerable): string => (isElicitation(open) ? open.id : open.request.tool_use_id);

const askedOf = (open: Answerable): PocketMessage =>
  isElicitation(open) ? elicitationOf(open.request, open.id) : permissionOf(open.request, open.request.tool_use_id);

export const openPermissionOf = ({ requests }: Pick<Head, "requests">): PocketMessage | undefined => {
  const open = requests.find(isAnswerable);
  return open && askedOf(open);
};

export type Permission = OpenRequest & { readonly request: { readonly subtype: "can_use_tool" } };
export const isPermission = (open: OpenRequest): open is Permission => open.request.subtype === "can_use_tool";

const resultOf = (message: Record<string, unknown>): PocketMessage => {
  const usage = isRecord(message["usage"]) ? message["usage"] : {};
  const failed = message["is_error"] === true || message["subtype"] !== "success";
  const words = message["result"] ?? (Array.isArray(message["errors"]) ? message["errors"].join("\n") : undefined);
  return {
    type: "result",
    subtype: failed && message["subtype"] === "success" ? "error" : message["subtype"],
    ...(words !== undefined && { [failed ? "error" : "result"]: words }),
    ...given(message, { cost: "total_cost_usd", duration: "duration_ms", stopReason: "stop_reason" }),
    ...given(usage, {
      inputTokens: "input_tokens",
      cachedInputTokens: "cache_read_input_tokens",
      outputTokens: "output_tokens",
    }),
    ...(message["session_id"] !== undefined && { claudeSessionId: message["session_id"] }),
  };
};

const systemOf = (message: Record<string, unknown>): PocketMessage[] => {
  if (message["subtype"] !== "init") return [];
  return [
    {
      type: "system",
      subtype: "init",
      provider: "claude",
      claudeSessionId: message["session_id"],
      ...given(message, {
        model: "model",
        projectPath: "cwd",
        permissionMode: "permissionMode",
        slashCommands: "slash_commands",
        skills: "skills",
      }),
    },
  ];
};

const given = (
  from: Record<string, unknown>,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([ours, theirs]) => (from[theirs] == null ? [] : [[ours, from[theirs]]])),
  );

const requestIdOf = (response: unknown): string | undefined =>
  isRecord(response) && typeof response["request_id"] === "string" ? response["request_id"] : undefined;

const blocksOf = (content: unknown): Record<string, unknown>[] =>
  Array.isArray(content) ? content.filter((block) => isRecord(block)) : [];

const imagesIn = (content: unknown): { readonly imageCount?: number } => {
  const count = blocksOf(content).filter((block) => block["type"] === "image").length;
  return count === 0 ? {} : { imageCount: count };
};
