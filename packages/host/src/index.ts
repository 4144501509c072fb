export { Host } from "./host.ts";
export type { CliProgram, ForkOptions, HostOptions, ResumeOptions, StartOptions } from "./host.ts";
export type { MemoryLimit } from "./live-watch.ts";
export type { SessionOverview } from "./session-overview.ts";
export type { ReadableSession } from "./session-view.ts";
export { listHolders } from "./session-holder.ts";
export type { SessionHolder } from "./session-holder.ts";
export { defaultDataDir, openHost } from "./open-host.ts";
export type { OpenHostOptions } from "./open-host.ts";
export { draftInput, listen } from "./listen.ts";
export type { Callbacks } from "./listen.ts";
export { findClaude, FindClaudeError } from "./find-claude.ts";
export type { ClaudeProgram } from "./find-claude.ts";
export { fileTrustStore, isTrusted, obstacleIn, readFolder, trust, trustIn, trustOf } from "./folder-trust.ts";
export type { FolderContents, FolderFile, FolderFileKind, FolderTrust, TrustStore } from "./folder-trust.ts";
export { entriesOf, FileError, isInside, openRegular, openWhere, readRegular } from "./contained-file.ts";
export type { FileProblem, OpenedFile } from "./contained-file.ts";
export { makeFolder } from "./make-folder.ts";
export { gitRunsIn } from "./git-trust.ts";
export { cleanPath } from "./clean-path.ts";
export { spawnEnvironment } from "./spawn-environment.ts";
export { Session } from "./session.ts";
export type { CloseSessionOptions, InterruptOptions } from "./session.ts";
export { requestHash } from "./answers.ts";
export type { Answer, AnswerBinding, Answered } from "./answers.ts";
export type { PromptOptions } from "./prompt-queue.ts";
export type { Reply } from "./replies.ts";
export type { Controls } from "./controls.ts";
export type { JsonSchema, OutputSchema } from "./output-schema.ts";
export { HostError } from "./host-error.ts";
export type {
  CallErrorCode,
  CliProcessErrorCode,
  FindClaudeErrorCode,
  HostErrorCode,
  StoreErrorCode,
} from "./host-error.ts";
export { CliProcessError } from "./cli-process-error.ts";
export { DEFAULT_LIMITS } from "./time-limits.ts";
export type { TimeLimits } from "./time-limits.ts";
export { createFold, eventsOfRecording, FOLD_VERSION, parsePartialJson } from "@quarterdeck/session";
export type {
  Actor,
  BlockRow,
  Changes,
  ClosedRequest,
  Command,
  CommandRow,
  CompactionRow,
  Draft,
  DraftGrowth,
  ErrorRow,
  Event,
  Fact,
  Fold,
  FoldOptions,
  Gauges,
  Head,
  HookRow,
  MarkRow,
  ModelCost,
  NoiseRow,
  NoticeRow,
  OpenRequest,
  Phase,
  PromptContent,
  PromptPriority,
  PromptRow,
  PromptState,
  QueuedPrompt,
  RequestFate,
  RequestKind,
  RequestRow,
  RetryRow,
  Row,
  RowBase,
  SavedFold,
  SessionRules,
  Streamed,
  Task,
  TextRow,
  ThinkingRow,
  Todo,
  Tokens,
  ToolDecision,
  ToolRow,
  ToolState,
  TouchedFile,
  TurnRow,
  UnknownRow,
} from "@quarterdeck/session";
export { defineTool } from "./responders.ts";
export type { Hook, HookCallback, InProcessServer, InProcessTool, ToolOutput } from "./responders.ts";
export type { RequestOptions } from "./pending-requests.ts";
export { createMemoryStore } from "./memory-store.ts";
export { openSqliteStore } from "./sqlite-store.ts";
export { StoreError } from "./event-store.ts";
export type {
  EventStore,
  FoundRow,
  NewFact,
  RowPage,
  RowWindow,
  SessionEntry,
  SessionRecord,
  StoredChanges,
  StoredFold,
  StoredHead,
} from "./event-store.ts";
export type { SqliteStore, SqliteStoreOptions } from "./sqlite-store.ts";
export { deleteByPolicy } from "./retention.ts";
export type { RetentionPolicy } from "./retention.ts";
export { summaryOf } from "./session-summary.ts";
export type { SessionSummary, Summarized } from "./session-summary.ts";
export { configFolder, followTranscript, listTranscripts, readTranscript } from "./transcripts.ts";
export type { Transcript } from "./transcripts.ts";
