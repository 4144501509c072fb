// What a page needs to read rows: the pure readers of the protocol and the session, through one door.

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
  readableText,
  textsIn,
  warningsOf,
} from "@quarterdeck/session";
