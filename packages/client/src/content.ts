// What a page needs to read rows: the pure readers of the protocol and the session, through one door.

export {
  answersOf,
  blockTexts,
  isRecord,
  knownTool,
  mcpDisplayName,
  parseRule,
  readExitCode,
  readNumbered,
  readPersistedOutput,
  readToolDraft,
  readToolInput,
  ruleText,
  splitMcpName,
  toolSubject,
  toolTitle,
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
  attachedName,
  fieldsBesideDiff,
  isHidden,
  isInterrupted,
  isResting,
  isRunning,
  parsePartialJson,
  piecesOf,
  textsIn,
  typedText,
  warningsOf,
  withTypedText,
} from "@quarterdeck/session";
