export { DEFAULT_MAX_LINE_BYTES, LineSplitter } from "./line-splitter.ts";
export type { Line, LineSplitterOptions, OversizedLine } from "./line-splitter.ts";
export { decodeLine, decodeValue } from "./decode.ts";
export type { Decoded, DecodedMessage, DecodedNoise, DecodedUnknown, LineWriter } from "./decode.ts";
export type { Dialect } from "./dialects.ts";
export { encodeLine } from "./encode.ts";
export type { EncodeOptions } from "./encode.ts";
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
export { IMAGE_MEDIA_TYPES, isImageMediaType } from "./image-types.ts";
export type { ImageMediaType } from "./image-types.ts";
export type { AllowOptions, PromptBlock, PromptOptions, StdinMessage } from "./stdin.ts";
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
  RequestOf,
  ResponseOf,
} from "./control.ts";
export type { InitializeResponse, McpServerStatus } from "./control-answers.ts";
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
export { blockTexts } from "./block-texts.ts";
export { isRecord } from "./json.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { keyOf, MESSAGE_KEYS, SCHEMAS, SOURCES } from "./catalogue.ts";
export type { MessageKey, MessageSource } from "./catalogue.ts";
export type { Schema } from "./schema.ts";
export { readCommandText } from "./tools/command-text.ts";
export type { CommandText } from "./tools/command-text.ts";
export { readContextTable, readTokenCount } from "./tools/context-table.ts";
export type { ContextCategory, ContextTable } from "./tools/context-table.ts";
export { isMcpName, mcpDisplayName, mcpToolName, mcpWireServer, splitMcpName } from "./tools/mcp-names.ts";
export type { McpName } from "./tools/mcp-names.ts";
export { answerQuestions, answersOf } from "./tools/questions.ts";
export { readToolDraft, readToolInput } from "./tools/read-tool-input.ts";
export type { KnownToolInput, OtherToolInput, ToolDraft, ToolInput } from "./tools/read-tool-input.ts";
export { readToolResult, toolResultsOf } from "./tools/read-tool-result.ts";
export type {
  KnownToolResult,
  OtherToolResult,
  ToolResult,
  ToolResultOf,
  ToolResultText,
} from "./tools/read-tool-result.ts";
export {
  readAgentReport,
  readBackground,
  readExitCode,
  readInterrupted,
  readNumbered,
  readPersistedOutput,
  readToolUseError,
} from "./tools/result-text.ts";
export type { ListedTask, PatchHunk, TaskDetail } from "./tools/result-shapes.ts";
export { filePathIn, toolSubject, toolTitle } from "./tools/tool-subject.ts";
export { KNOWN_TOOLS, knownTool, TOOL_ALIASES } from "./tools/tool-inputs.ts";
export type {
  Finding,
  KnownTool,
  Question,
  QuestionAnnotation,
  QuestionOption,
  Todo,
  ToolInputs,
} from "./tools/tool-inputs.ts";
export type { ToolResults } from "./tools/tool-results.ts";
export { argvOf, ArgvError } from "./argv.ts";
export type { ArgvErrorCode, LackingFlag } from "./argv.ts";
export { HOST_OPTIONS } from "./argv-options.ts";
export type { ClaudeOptions, JsonOption } from "./argv-options.ts";
export { parseArgv } from "./argv-parse.ts";
export type { ParsedArgv } from "./argv-parse.ts";
export { EVERY_FLAG, FLAGS, isInVersion, MEASURED_VERSIONS } from "./flags.ts";
export type { Flag, MeasuredVersion } from "./flags.ts";
