export { fieldsBesideDiff, hasDiff } from "./beside-diff.ts";
export { createFold, FATES, FOLD_VERSION } from "./fold.ts";
export type { Fate, Fold, FoldOptions, SavedFold } from "./fold.ts";
export { eventsOfRecording } from "./event.ts";
export { messageOf } from "./message-of.ts";
export { createTranscriptReader, eventsOfTranscript } from "./transcript.ts";
export type { TranscriptReader } from "./transcript.ts";
export { decisionWords, NO_ANSWER, NO_CHANGES, NO_REASON, placeOfRule } from "./decision-words.ts";
export type { Actor, DecidingRule, Event, Fact, PolicyMark, PromptContent, PromptPriority, Streamed } from "./event.ts";
export { isInterrupted } from "./interrupted.ts";
export { parsePartialJson } from "./partial-json.ts";
export { alarmsIn, setsAlarm } from "./alarms.ts";
export type { Alarm } from "./alarms.ts";
export { addCosts } from "./gauges.ts";
export { generatedTitle } from "./generated-title.ts";
export {
  hasFailed,
  hasFinished,
  isOver,
  isPause,
  isResting,
  isRunning,
  isWorking,
  mayBeSilent,
  worksUnseen,
} from "./phase-groups.ts";
export { canBeTakenBack, didNotRun, hasBegun, hasRun, waitsForTurn } from "./prompt-states.ts";
export { attachedName, attachedText, promptParts, typedText, withTypedText } from "./prompt-text.ts";
export { replacedHunks } from "./replaced-hunks.ts";
export type { ReplacedHunk } from "./replaced-hunks.ts";
export { findSecrets, secretRemover, shownSecret } from "./find-secrets.ts";
export type { FoundSecret } from "./find-secrets.ts";
export { playClock } from "./play-clock.ts";
export type { PlayClock } from "./play-clock.ts";
export { waitsForPerson } from "./request-kinds.ts";
export { copiedContent, noteOf, rowKindsFoundAs, searchKindOf } from "./row-kinds.ts";
export type { NotedRow } from "./row-kinds.ts";
export { sourcesOf } from "./sources.ts";
export type { Source } from "./sources.ts";
export { SEARCH_KINDS, TOOLS_BY_SEARCH_KIND } from "./search-kind.ts";
export type { SearchKind } from "./search-kind.ts";
export { HIDDEN, SECRET_KEY, SECRET_RULES, textWithoutSecrets, withoutSecrets } from "./secrets.ts";
export type { SecretRule } from "./secrets.ts";
export type { Changes, DraftGrowth } from "./timeline.ts";
export type { Draft } from "./draft.ts";
export type * from "./row.ts";
export type * from "./head.ts";
export {
  charactersOf,
  isHidden,
  mixedWordsOf,
  piecesOf,
  readableText,
  textBehind,
  textsIn,
  visibleLine,
  visibleText,
  warningsOf,
} from "./true-text.ts";
export type { Piece } from "./true-text.ts";
