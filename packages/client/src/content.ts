// A second entry point for pages: the pure functions of protocol and session that read rows.

export {
  answersOf,
  blockTexts,
  isRecord,
  knownTool,
  mcpDisplayName,
  readExitCode,
  readNumbered,
  readPersistedOutput,
  readToolDraft,
  readToolInput,
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
  decisionWords,
  fieldsBesideDiff,
  isHidden,
  isInterrupted,
  isResting,
  isRunning,
  parsePartialJson,
  piecesOf,
  placeOfRule,
  readableText,
  textsIn,
  typedText,
  warningsOf,
  withTypedText,
} from "@quarterdeck/session";
