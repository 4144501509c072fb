export { DEFAULT_MAX_LINE_BYTES, LineSplitter } from "./line-splitter.ts";
export type { Line, LineSplitterOptions, OversizedLine } from "./line-splitter.ts";
export { decodeLine, decodeValue } from "./decode.ts";
export type { Decoded, DecodedMessage, DecodedNoise, DecodedUnknown, Writer } from "./decode.ts";
export type { Dialect } from "./dialects.ts";
export { encodeLine } from "./encode.ts";
export { ProtocolError } from "./protocol-error.ts";
export type { ProtocolErrorCode } from "./protocol-error.ts";
export {
  allow,
  cancelRequest,
  controlRequest,
  deny,
  dialogAnswer,
  documentBlock,
  elicitationAnswer,
  hookAnswer,
  imageBlock,
  keepAlive,
  mcpAnswer,
  refusal,
  textBlock,
  userMessage,
} from "./stdin.ts";
export type { AllowOptions, ImageMediaType, PromptBlock, PromptOptions, StdinMessage } from "./stdin.ts";
export type {
  AssistantMessage,
  ControlRequest,
  ControlResponse,
  Message,
  MessageOf,
  Origin,
  ResultMessage,
  StreamEventMessage,
  UserMessage,
} from "./stdout.ts";
export type { SystemMessage, SystemSubtype } from "./system.ts";
export { CONTROL, INTERNAL_CONTROL, isResponseOf } from "./control.ts";
export type {
  CliRequest,
  CliSubtype,
  ControlSubtype,
  HostRequest,
  HostSubtype,
  InitializeResponse,
  McpServerStatus,
  RequestOf,
  ResponseOf,
} from "./control.ts";
export type {
  ApiMessage,
  Content,
  ContentBlock,
  Delta,
  DocumentBlock,
  ImageBlock,
  ModelUsage,
  OtherBlock,
  RedactedThinkingBlock,
  ServerToolUseBlock,
  StreamEvent,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  Usage,
} from "./content.ts";
export { HOOK_EVENTS } from "./hooks.ts";
export type { HookEvent, HookInput, HookMatcher, HookOutput } from "./hooks.ts";
export { PERMISSION_MODES } from "./permission.ts";
export type {
  PermissionDenial,
  PermissionDestination,
  PermissionMode,
  PermissionResult,
  PermissionRule,
  PermissionSuggestion,
  PermissionUpdate,
} from "./permission.ts";
export { isRecord } from "./json.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { keyOf, MESSAGE_KEYS, SCHEMAS, SOURCES } from "./catalogue.ts";
export type { MessageKey, Source } from "./catalogue.ts";
export type { Schema } from "./schema.ts";
