export { Host } from "./host.ts";
export type { CliProgram, ForkOptions, HostOptions, ResumeOptions, StartOptions } from "./host.ts";
export { Checkpoints } from "./checkpoints/checkpoints.ts";
export type { CheckpointsOptions } from "./checkpoints/checkpoints.ts";
export { DEFAULT_SNAPSHOT_LIMITS, FolderSnapshots } from "./checkpoints/folder-snapshots.ts";
export type { Snapshot, SnapshotLimits } from "./checkpoints/folder-snapshots.ts";
export { hunkPlaceOf } from "./checkpoints/hunk-place.ts";
export type { HunkPlace } from "./checkpoints/hunk-place.ts";
export type { ChangeOrigin, Totals } from "./checkpoints/journal.ts";
export type { LeftOut } from "./checkpoints/left-out.ts";
export { SnapshotError } from "./checkpoints/private-git.ts";
export type { SnapshotProblem } from "./checkpoints/private-git.ts";
export { chunksOf } from "./checkpoints/tree-diff.ts";
export type { FileDiff, Review, ReviewedFile, ReviewedTurn, Reviews } from "./checkpoints/review.ts";
export type {
  WayBackResult,
  WayBackPlan,
  PlannedFile,
  RevertWish,
  RewindWish,
  WayBack,
} from "./checkpoints/way-back.ts";
export type { MemoryLimit } from "./live/live-watch.ts";
export type { SessionOverview } from "./live/session-overview.ts";
export { listHolders } from "./live/session-holder.ts";
export type { SessionHolder } from "./live/session-holder.ts";
export type { ReadableSession } from "./session/readable-session.ts";
export { defaultDataDir, openHost, VARIABLES_FILE } from "./open-host.ts";
export type { OpenHostOptions } from "./open-host.ts";
export { draftInput, listen } from "./session/listen.ts";
export type { Callbacks } from "./session/listen.ts";
export { SessionError } from "./session/session-error.ts";
export type { SessionErrorCode } from "./session/session-error.ts";
export { findClaude, FindClaudeError } from "./process/find-claude.ts";
export type { ClaudeProgram } from "./process/find-claude.ts";
export { openProjectVariables } from "./process/project-variables.ts";
export type { ProjectVariables, VariablesByFolder } from "./process/project-variables.ts";
export { openBudgets } from "./budgets/budget-store.ts";
export type { BudgetLimits, BudgetStore } from "./budgets/budget-store.ts";
export type { BudgetNotedFact, Budgets } from "./budgets/budgets.ts";
export { fileTrustStore, isTrusted, obstacleIn, readFolder, trust, trustIn, trustOf } from "./trust/folder-trust.ts";
export type {
  FolderContents,
  FolderFile,
  FolderFileKind,
  FolderTrust,
  ListedTrustStore,
  TrustStore,
} from "./trust/folder-trust.ts";
export { entriesOf, FileError, isInside, openRegular, openWhere, readRegular } from "./trust/contained-file.ts";
export type { FileProblem, OpenedFile } from "./trust/contained-file.ts";
export {
  managedFolder,
  previewSettings,
  readSettingsFiles,
  readSettingsFile,
  settingsPlace,
  writeSettings,
} from "./rules/settings-files.ts";
export type {
  SettingsEdit,
  SettingsFile,
  SettingsFolders,
  SettingsPlace,
  SettingsPreview,
} from "./rules/settings-files.ts";
export { decideOver } from "./policies/decide.ts";
export { openPolicies } from "./policies/policy-store.ts";
export type { PolicyChange, PolicyStore } from "./policies/policy-store.ts";
export { appliesTo, PRESETS, policyStateOf } from "./policies/policy.ts";
export type { NewPolicy, Policy, PolicyBehavior, PolicyPreset, PolicyState } from "./policies/policy.ts";
export { ruleSourcesOf } from "./rules/explained-calls.ts";
export { realPath } from "./rules/real-path.ts";
export { makeFolder } from "./process/make-folder.ts";
export { gitRunsIn } from "./trust/git-trust.ts";
export { cleanPath } from "./trust/clean-path.ts";
export { spawnEnvironment } from "./process/spawn-environment.ts";
export { openRelay } from "./relay/open-relay.ts";
export type { OpenRelayOptions } from "./relay/open-relay.ts";
export { Relay } from "./relay/relay.ts";
export type { RelayEnd, RelayExit } from "./relay/relay.ts";
export { relayedCall } from "./relay/relayed-call.ts";
export type { RelayedCall } from "./relay/relayed-call.ts";
export { Session } from "./session/session.ts";
export type { CloseSessionOptions, InterruptOptions } from "./session/session.ts";
export { requestHash } from "./session/answers.ts";
export type { Answer, AnswerBinding, Answered } from "./session/answers.ts";
export type { PromptOptions } from "./session/prompt-queue.ts";
export type { Reply } from "./session/replies.ts";
export type { Controls } from "./session/controls.ts";
export type { JsonSchema, OutputSchema } from "./session/output-schema.ts";
export { HostError } from "./host-error.ts";
export type {
  CallErrorCode,
  CliProcessErrorCode,
  FindClaudeErrorCode,
  HostErrorCode,
  StoreErrorCode,
} from "./host-error.ts";
export { CliProcessError } from "./process/cli-process-error.ts";
export { DEFAULT_LIMITS } from "./session/time-limits.ts";
export type { TimeLimits } from "./session/time-limits.ts";
export type { FileScope, WritableScope } from "@quarterdeck/permissions/words";
export { createFold, eventsOfRecording, FOLD_VERSION, messageOf, parsePartialJson } from "@quarterdeck/session";
export type { AssistantMessage, Message, MessageOf, ResultMessage, UserMessage } from "@quarterdeck/protocol";
export type {
  About,
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
  PolicyMark,
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
export { defineTool } from "./session/responders.ts";
export type { Hook, HookCallback, InProcessServer, InProcessTool, ToolOutput } from "./session/responders.ts";
export type { RequestOptions } from "./session/pending-requests.ts";
export { createMemoryStore } from "./store/memory-store.ts";
export { openSqliteStore } from "./store/sqlite-store.ts";
export { StoreError } from "./store/event-store.ts";
export type {
  EventStore,
  Found,
  FoundAnywhere,
  FoundRow,
  NewFact,
  RowPage,
  RowWindow,
  SearchFilter,
  SessionEntry,
  SessionRecord,
  StoredChanges,
  StoredFold,
  StoredHead,
} from "./store/event-store.ts";
export type { SqliteStore, SqliteStoreOptions } from "./store/sqlite-store.ts";
export { deleteByPolicy } from "./store/retention.ts";
export type { RetentionPolicy } from "./store/retention.ts";
export { rowMatcher } from "./store/search-words.ts";
export { summaryOf } from "./store/session-summary.ts";
export type { StoredSummary, Summarized } from "./store/session-summary.ts";
export { configFolder, followTranscript, listTranscripts, readTranscript } from "./past/transcripts.ts";
export type { Transcript } from "./past/transcripts.ts";
