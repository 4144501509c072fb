// A second entry point for pages: the pure functions of protocol and session that read rows.

export {
  answersOf,
  isRecord,
  knownTool,
  mcpDisplayName,
  readExitCode,
  readNumbered,
  readPersistedOutput,
  readToolDraft,
  readToolInput,
  splitMcpName,
} from "@quarterdeck/protocol";
export type {
  KnownTool,
  PatchHunk,
  Question,
  ToolDraft,
  ToolInput,
  ToolInputs,
  ToolResult,
  ToolResults,
} from "@quarterdeck/protocol";
export {
  fieldsBesideDiff,
  isHidden,
  isInterrupted,
  parsePartialJson,
  piecesOf,
  textsIn,
  warningsOf,
} from "@quarterdeck/session";
