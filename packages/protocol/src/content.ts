// Content of the Messages API on the wire: blocks, deltas, stream events, usage.

import {
  anything,
  array,
  boolean,
  byTag,
  either,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
} from "./schema.ts";
import type { Infer } from "./schema.ts";

export const Base64Source = object({ type: literal("base64"), media_type: string, data: string });
export const UrlSource = object({ type: literal("url"), url: string });
const OtherSource = object({ type: string });

export const TextBlock = object({ type: literal("text"), text: string, citations: optional(nullable(array(record))) });
export type TextBlock = Infer<typeof TextBlock>;
export const ThinkingBlock = object({ type: literal("thinking"), thinking: string, signature: optional(string) });
export type ThinkingBlock = Infer<typeof ThinkingBlock>;
export const RedactedThinkingBlock = object({ type: literal("redacted_thinking"), data: string });
export type RedactedThinkingBlock = Infer<typeof RedactedThinkingBlock>;
export const ToolUseBlock = object({ type: literal("tool_use"), id: string, name: string, input: record });
export type ToolUseBlock = Infer<typeof ToolUseBlock>;
export const ServerToolUseBlock = object({ type: literal("server_tool_use"), id: string, name: string, input: record });
export type ServerToolUseBlock = Infer<typeof ServerToolUseBlock>;
export const ImageBlock = object({
  type: literal("image"),
  source: byTag("type", { base64: Base64Source, url: UrlSource }, OtherSource),
});
export type ImageBlock = Infer<typeof ImageBlock>;
export const DocumentBlock = object({
  type: literal("document"),
  source: byTag(
    "type",
    { base64: Base64Source, url: UrlSource, text: object({ type: literal("text"), media_type: string, data: string }) },
    OtherSource,
  ),
  title: optional(nullable(string)),
  context: optional(nullable(string)),
});
export type DocumentBlock = Infer<typeof DocumentBlock>;
/** A block of an unknown type. It stays in its message unchanged. */
export const OtherBlock = object({ type: string });
export type OtherBlock = Infer<typeof OtherBlock>;

const ResultPart = byTag(
  "type",
  {
    text: TextBlock,
    image: ImageBlock,
    document: DocumentBlock,
    tool_reference: object({ type: literal("tool_reference"), tool_name: string }),
    search_result: object({ type: literal("search_result"), source: string, title: string, content: array(record) }),
  },
  OtherBlock,
);
export const ToolResultBlock = object({
  type: literal("tool_result"),
  tool_use_id: string,
  content: optional(either(string, array(ResultPart))),
  is_error: optional(nullable(boolean)),
});
export type ToolResultBlock = Infer<typeof ToolResultBlock>;

/** Results of tools that the API itself runs: one block type per tool. */
const serverToolResult = <const T extends string>(type: T) =>
  object({ type: literal(type), tool_use_id: string, content: anything });

export const ContentBlock = byTag(
  "type",
  {
    text: TextBlock,
    thinking: ThinkingBlock,
    redacted_thinking: RedactedThinkingBlock,
    tool_use: ToolUseBlock,
    tool_result: ToolResultBlock,
    image: ImageBlock,
    document: DocumentBlock,
    server_tool_use: ServerToolUseBlock,
    web_search_tool_result: serverToolResult("web_search_tool_result"),
    web_fetch_tool_result: serverToolResult("web_fetch_tool_result"),
    code_execution_tool_result: serverToolResult("code_execution_tool_result"),
    bash_code_execution_tool_result: serverToolResult("bash_code_execution_tool_result"),
    text_editor_code_execution_tool_result: serverToolResult("text_editor_code_execution_tool_result"),
    tool_search_tool_result: serverToolResult("tool_search_tool_result"),
    mcp_tool_use: object({
      type: literal("mcp_tool_use"),
      id: string,
      name: string,
      server_name: string,
      input: record,
    }),
    mcp_tool_result: object({
      type: literal("mcp_tool_result"),
      tool_use_id: string,
      content: anything,
      is_error: optional(boolean),
    }),
    container_upload: object({ type: literal("container_upload"), file_id: string }),
    search_result: object({ type: literal("search_result"), source: string, title: string, content: array(record) }),
  },
  OtherBlock,
);
export type ContentBlock = Infer<typeof ContentBlock>;

export const Content = either(string, array(ContentBlock));
export type Content = Infer<typeof Content>;

export const Usage = object({
  input_tokens: optional(nullable(number)),
  output_tokens: optional(nullable(number)),
  cache_creation_input_tokens: optional(nullable(number)),
  cache_read_input_tokens: optional(nullable(number)),
  server_tool_use: optional(nullable(record)),
  service_tier: optional(nullable(string)),
});
export type Usage = Infer<typeof Usage>;

/** A message of the API. Older descriptions omit fields that the CLI always sends, so few fields are required. */
export const ApiMessage = object({
  id: optional(string),
  role: optional(literal("assistant")),
  model: optional(string),
  content: Content,
  stop_reason: optional(nullable(string)),
  stop_sequence: optional(nullable(string)),
  usage: optional(Usage),
});
export type ApiMessage = Infer<typeof ApiMessage>;

export const Delta = byTag("type", {
  text_delta: object({ type: literal("text_delta"), text: string }),
  thinking_delta: object({
    type: literal("thinking_delta"),
    thinking: string,
    estimated_tokens: optional(nullable(number)),
  }),
  signature_delta: object({ type: literal("signature_delta"), signature: string }),
  input_json_delta: object({ type: literal("input_json_delta"), partial_json: string }),
  citations_delta: object({ type: literal("citations_delta"), citation: record }),
  compaction_delta: object({ type: literal("compaction_delta"), content: nullable(string) }),
});
export type Delta = Infer<typeof Delta>;

export const StreamEvent = byTag("type", {
  message_start: object({ type: literal("message_start"), message: ApiMessage }),
  content_block_start: object({ type: literal("content_block_start"), index: number, content_block: ContentBlock }),
  content_block_delta: object({ type: literal("content_block_delta"), index: number, delta: Delta }),
  content_block_stop: object({ type: literal("content_block_stop"), index: number }),
  message_delta: object({
    type: literal("message_delta"),
    delta: object({ stop_reason: optional(nullable(string)), stop_sequence: optional(nullable(string)) }),
    usage: optional(Usage),
  }),
  message_stop: object({ type: literal("message_stop") }),
  ping: object({ type: literal("ping") }),
  error: object({
    type: literal("error"),
    error: object({ type: oneOf("overloaded_error", "api_error"), message: string }),
  }),
});
export type StreamEvent = Infer<typeof StreamEvent>;

export const ModelUsage = object({
  inputTokens: number,
  outputTokens: number,
  cacheReadInputTokens: optional(number),
  cacheCreationInputTokens: optional(number),
  webSearchRequests: optional(number),
  costUSD: number,
  contextWindow: optional(number),
  maxOutputTokens: optional(number),
  thinkingTokens: optional(number),
  canonicalModel: optional(string),
  provider: optional(string),
  costBasis: optional(string),
});
export type ModelUsage = Infer<typeof ModelUsage>;
