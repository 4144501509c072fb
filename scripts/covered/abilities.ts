// What the whole can do, each with the code that does it and the tests that show it. Sections of the sources name these.
// A file, a symbol or a title that is gone fails scripts/coverage.test.ts.

import { PAGE_ABILITIES } from "./page-abilities.ts";
import type { Ability, Code, Shown } from "./repository.ts";

const cases = (file: string, ...names: readonly string[]): readonly Shown[] =>
  names.map((name): Shown => `e2e/conformance/cases/${file}.ts ${name}`);
const protocol = (ref: Code): Code => `packages/protocol/src/${ref}`;
const session = (ref: Code): Code => `packages/session/src/${ref}`;
const host = (ref: Code): Code => `packages/host/src/${ref}`;
const server = (ref: Code): Code => `packages/server/src/${ref}`;
const permissions = (ref: Code): Code => `packages/permissions/src/${ref}`;

const SESSION_RULES = "packages/session/src/rules.test.ts";

export const ABILITIES = {
  ...PAGE_ABILITIES,

  // The command line and the process.
  spawn: {
    code: [host("process/cli-process.ts startCliProcess"), host("process/launch-plan.ts planLaunch")],
    tests: [
      "packages/host/src/process/launch-plan.test.ts [H28]",
      ...cases("plain", "plain-partial", "plain-print-flag"),
    ],
  },
  flags: {
    code: [protocol("flags.ts FLAGS"), protocol("argv.ts argvOf"), protocol("argv-options.ts HOST_OPTIONS")],
    tests: [
      "packages/protocol/src/flags.test.ts has every flag that S0 to S4 name",
      "packages/protocol/src/argv.test.ts refuse what we refuse, and accept what we accept",
    ],
  },
  "start settings": {
    code: [session("bridge/start-settings.ts StartSettings"), "packages/web/src/sessions/start-dialog.tsx StartDialog"],
    tests: ["packages/web/src/sessions/start-settings.test.ts says all that was", "e2e/bridge/roles.test.ts [E34]"],
  },
  end: {
    code: [session("turns.ts foldProcessExited"), host("process/cli-process.ts CliProcess")],
    tests: [`${SESSION_RULES} [L3]`, ...cases("input-and-end", "signal-int-in-turn", "end-in-turn")],
  },
  crash: {
    code: [session("turns.ts foldProcessExited"), host("session/session-process.ts SessionProcess")],
    tests: ["packages/host/src/host.cli.test.ts [H11]", `${SESSION_RULES} [F13]`],
  },

  // The wire.
  lines: {
    code: [
      protocol("line-splitter.ts LineSplitter"),
      protocol("decode.ts decodeLine"),
      protocol("encode.ts encodeLine"),
    ],
    tests: [
      "packages/protocol/src/line-splitter.test.ts gives the same lines for any bytes in any chunks",
      "packages/protocol/src/decode.test.ts never throws and never drops, for any JSON",
      "packages/protocol/src/encode.test.ts refuses lines that would end the CLI or be ignored",
    ],
  },
  "older forms": {
    code: [protocol("dialects.ts modernise")],
    tests: [
      "packages/protocol/src/dialects.test.ts the sources S0 to S4",
      "packages/protocol/src/dialects.test.ts an older form decodes to today's",
    ],
  },
  types: {
    code: [protocol("stdout.ts Message"), protocol("system.ts SYSTEM"), protocol("control.ts CONTROL")],
    tests: ["packages/protocol/src/decode.test.ts decodes as a message, or is on the list of exceptions"],
  },
  fates: {
    code: [session("fold.ts FATES")],
    tests: ["packages/session/src/fates.test.ts [F10]", `${SESSION_RULES} [F5]`],
  },
  init: {
    code: [session("notices.ts foldInit")],
    tests: [`${SESSION_RULES} [L2]`, "packages/session/src/fates.test.ts [F10]"],
  },
  "stream of text": {
    code: [session("streamed-drafts.ts foldStreamEvent"), "packages/web/src/timeline/rows/said.tsx Said"],
    tests: [
      `${SESSION_RULES} [F2]`,
      "e2e/page/real-cli.test.ts shows text while it is written",
      ...cases("plain", "plain-partial"),
    ],
  },
  "whole messages": {
    code: [session("conversation.ts foldAssistant")],
    tests: ["packages/session/src/fold.test.ts [F1]", ...cases("plain", "plain-whole", "plain-several-blocks")],
  },
  thinking: {
    code: [session("streamed-drafts.ts foldStreamEvent"), "packages/web/src/timeline/rows/said.tsx Thought"],
    tests: [...cases("plain", "thinking-partial", "thinking-redacted"), "e2e/timeline/timeline.test.ts [E30]"],
  },
  results: {
    code: [session("conversation.ts foldUser"), protocol("tools/read-tool-result.ts readToolResult")],
    tests: [
      "packages/session/src/fold.test.ts [F1]",
      "packages/protocol/src/tools/read-tool-result.test.ts is read without losing a line of its text",
    ],
  },
  "turn result": {
    code: [session("turns.ts foldResult"), "packages/web/src/timeline/rows/events.tsx TurnView"],
    tests: [`${SESSION_RULES} [L1]`, "packages/session/src/fates.test.ts [F10]"],
  },
  liveness: {
    code: [session("phase.ts phaseOf"), "packages/web/src/words/names.ts PHASE_WORDS"],
    tests: [`${SESSION_RULES} [L1]`, `${SESSION_RULES} [L2]`, `${SESSION_RULES} [L3]`],
  },
  prompts: {
    code: [
      protocol("stdin.ts userMessage"),
      host("session/prompt-queue.ts PromptQueue"),
      session("prompts.ts acceptPrompt"),
    ],
    tests: [
      "packages/protocol/src/encode.test.ts always give a prompt the role that the CLI accepts",
      "packages/host/src/host.test.ts [H1]",
      `${SESSION_RULES} [P1]`,
    ],
  },
  replay: {
    code: [session("prompts.ts foldReplay")],
    tests: [`${SESSION_RULES} [P1]`, ...cases("plain", "plain-replay", "plain-repeated-uuid")],
  },
  queue: {
    code: [host("session/prompt-queue.ts PromptQueue"), "packages/web/src/composer/queue-pill.tsx QueuePill"],
    tests: ["e2e/page/composer.test.ts [E6]", ...cases("queue", "queue-next-turn", "queue-fold")],
  },
  interrupt: {
    code: [host("session/session.ts interrupt"), "packages/web/src/composer/escape.ts escapeAction"],
    tests: [
      "e2e/page/composer.test.ts [E6]",
      "packages/host/src/host-resume.cli.test.ts [H15]",
      ...cases("queue", "interrupt-streaming"),
    ],
  },
  "interrupt at a request": {
    code: [host("session/session.ts interrupt"), protocol("stdin.ts cancelRequest"), protocol("stdin.ts deny")],
    tests: [
      ...cases("permissions", "permission-deny-interrupt", "permission-interrupt-open", "permission-host-cancel"),
      "e2e/page/requests.test.ts is denied, and the turn is stopped",
    ],
  },
  withdrawal: {
    code: [session("requests.ts closeByCancel")],
    tests: [`${SESSION_RULES} [R1]`, `${SESSION_RULES} [R5]`],
  },
  controls: {
    code: [host("session/controls.ts controlsOver"), server("bridge/methods/session.ts session/request")],
    tests: [
      "packages/host/src/session/session.test.ts [H18]",
      "e2e/bridge/sessions.test.ts is controlled: model, mode, thinking",
    ],
  },
  model: {
    code: [host("session/session.ts setModel"), "packages/web/src/composer/pickers.tsx ModelPicker"],
    tests: [
      ...cases("control", "control-set-model"),
      "e2e/bridge/sessions.test.ts is controlled: model, mode, thinking",
    ],
  },
  mode: {
    code: [host("session/session.ts setPermissionMode"), "packages/web/src/composer/pickers.tsx ModePicker"],
    tests: [...cases("control", "control-set-mode"), "e2e/page/hands.test.ts [E22]"],
  },
  "thinking limit": {
    code: [host("session/session.ts setThinking")],
    tests: [
      ...cases("control", "control-thinking-tokens"),
      "e2e/bridge/sessions.test.ts is controlled: model, mode, thinking",
    ],
  },
  "stop a task": {
    code: ["packages/web/src/workbench/background/background-tab.tsx BackgroundTab"],
    tests: [
      "e2e/page/panels.long.test.ts show a shell in the background with its output, and stop it",
      ...cases("control-questions", "control-tasks"),
    ],
  },
  rewind: {
    code: [
      host("checkpoints/way-back.ts WayBack"),
      "packages/web/src/workbench/changes/rewind-dialog.tsx RewindDialog",
    ],
    tests: [
      "e2e/page/changes.test.ts [E138]",
      "e2e/bridge/review.test.ts [E132]",
      ...cases("control", "control-rewind"),
    ],
  },
  "unanswered requests": {
    code: [host("session/answers.ts offer"), protocol("stdin.ts refusal")],
    tests: ["packages/host/src/session/session.test.ts [H52]"],
  },

  // Errors and limits.
  "API errors": {
    code: [session("conversation.ts foldAssistant"), "packages/web/src/timeline/rows/trouble.tsx ErrorView"],
    tests: [
      ...cases("failures", "error-400", "error-529-retried"),
      "packages/protocol/src/dialects.test.ts S1: an API error as text under success",
    ],
  },
  "tool errors": {
    code: [
      protocol("tools/result-text.ts readToolUseError"),
      "packages/web/src/timeline/tools/tool-card.tsx ToolError",
    ],
    tests: [
      "packages/protocol/src/tools/read-tool-result.test.ts unwraps a failure, with `is_error` and without",
      ...cases("tools", "files-unread-edit"),
    ],
  },
  limits: {
    code: [session("turns.ts foldResult"), session("bridge/start-settings.ts StartSettings")],
    tests: [...cases("failures", "limit-turns", "limit-budget"), "packages/session/src/fates.test.ts [F10]"],
  },
  login: {
    code: [server("agent.ts watchLogin"), "packages/web/src/app/agent-words.ts agentNote"],
    tests: ["e2e/page/agent.test.ts [E19]", ...cases("failures", "error-no-key")],
  },
  "bad input": {
    code: [protocol("encode.ts encodeLine"), session("fold.ts error")],
    tests: [
      ...cases("input-and-end", "input-bad-json", "input-unknown-type"),
      "packages/session/src/fates.test.ts [F10]",
    ],
  },

  // Sessions.
  "new session": {
    code: [host("host.ts start"), "packages/web/src/sessions/start-dialog.tsx StartDialog"],
    tests: ["e2e/page/first-start.test.ts [E16]", ...cases("sessions", "session-id")],
  },
  resume: {
    code: [host("host.ts resume"), "packages/web/src/sessions/session-commands.ts resume"],
    tests: [
      "packages/host/src/host-resume.cli.test.ts [H7]",
      ...cases("sessions", "session-resume"),
      "e2e/page/sessions.test.ts ends its process and gets another",
    ],
  },
  continue: {
    code: [host("host.ts start")],
    tests: [
      "e2e/bridge/sessions.test.ts continues the folder's newest conversation",
      ...cases("sessions", "session-continue"),
    ],
  },
  fork: {
    code: [host("past/session-past.ts forkFrom"), "packages/web/src/sessions/session-commands.ts fork"],
    tests: ["e2e/page/sessions.test.ts [E10]", ...cases("sessions", "session-fork")],
  },
  "session list": {
    code: [server("bridge/list-feed.ts ListFeed"), "packages/web/src/sessions/rail.tsx Rail"],
    tests: [
      "e2e/bridge/sessions.test.ts [E39]",
      "packages/web/src/sessions/group-sessions.test.ts has what waits first",
    ],
  },
  "sessions of a terminal": {
    code: [host("past/transcripts.ts listTranscripts"), "packages/web/src/sessions/session-commands.ts takeOver"],
    tests: ["e2e/page/sessions.test.ts [E13]", "packages/session/src/transcript.test.ts [T1]"],
  },
  "several turns": {
    code: [host("session/session.ts Session")],
    tests: [...cases("queue", "queue-next-turn", "queue-two-at-start"), `${SESSION_RULES} [P6]`],
  },
  "one process per session": {
    code: [host("live/live-sessions.ts LiveSessions"), host("live/live-slots.ts LiveSlots")],
    tests: [
      "packages/host/src/live/live-sessions.test.ts [H10]",
      "packages/host/src/live/session-holder.test.ts [H21]",
    ],
  },

  // Tools.
  tools: {
    code: [protocol("tools/tool-inputs.ts TOOL_INPUTS"), "packages/web/src/timeline/tools/tool-view.tsx ToolView"],
    tests: [
      "packages/protocol/src/tools/read-tool-input.test.ts has the tools of the SDK, of S0 to S4 and of older CLIs",
      "e2e/timeline/timeline.test.ts [E30]",
    ],
  },
  "parallel tools": {
    code: [protocol("tools/read-tool-result.ts toolResultsOf")],
    tests: [
      ...cases("tools", "parallel-safe", "parallel-prompts"),
      "packages/protocol/src/tools/read-tool-result.test.ts gives the only structured result to no block of a batch",
    ],
  },
  subagents: {
    code: [session("work.ts foldTaskStarted"), "packages/web/src/timeline/tools/agent.tsx AgentCard"],
    tests: [...cases("agents", "agent-foreground", "agent-two-parallel"), `${SESSION_RULES} [R6]`],
  },
  compaction: {
    code: [session("notices.ts foldCompactBoundary"), "packages/web/src/timeline/rows/rare.tsx CompactionView"],
    tests: [`${SESSION_RULES} [S1]`, ...cases("sessions", "compact")],
  },
  "slash commands": {
    code: [protocol("tools/command-text.ts readCommandText"), session("conversation.ts foldCommandOutput")],
    tests: [`${SESSION_RULES} [S1]`, ...cases("sessions", "slash-cost", "slash-context", "slash-custom")],
  },
  "context table": {
    code: [protocol("tools/context-table.ts readContextTable"), session("gauges.ts foldContextTable")],
    tests: ["packages/protocol/src/tools/command-text.test.ts reads the table of 2.1.38", `${SESSION_RULES} [G1]`],
  },
  gauges: {
    code: [session("gauges.ts foldUsage"), "packages/web/src/app/status-line.tsx StatusLine"],
    tests: [
      `${SESSION_RULES} [G3]`,
      "packages/session/src/fold.test.ts [F4]",
      "e2e/page/context-cost.long.test.ts [E171]",
    ],
  },

  // Permissions.
  modes: {
    code: [permissions("modes.ts MODES"), protocol("permission.ts PERMISSION_MODES")],
    tests: [
      "packages/permissions/src/agreement.test.ts [K1]",
      ...cases("permissions", "permission-mode-accept-edits", "permission-mode-dont-ask"),
    ],
  },
  rules: {
    code: [permissions("rule.ts parseRule"), permissions("bash-match.ts matchWide")],
    tests: ["packages/permissions/src/rule.test.ts [R1]", "packages/permissions/src/matching.test.ts [R4]"],
  },
  scopes: {
    code: [permissions("scopes.ts SCOPES"), host("rules/settings-files.ts readSettingsFiles")],
    tests: ["packages/permissions/src/settings.test.ts [S6]", "packages/host/src/rules/settings-files.test.ts [H36]"],
  },
  "rule context": {
    code: [permissions("context.ts contextOf"), permissions("context.ts applyUpdate")],
    tests: ["packages/permissions/src/settings.test.ts [S1]", "packages/permissions/src/check.test.ts [S5]"],
  },
  check: {
    code: [permissions("check.ts check")],
    tests: [
      "packages/permissions/src/agreement.test.ts [K1]",
      "packages/permissions/src/agreement.test.ts [K2]",
      "packages/permissions/src/check.test.ts [C1]",
    ],
  },
  "settings files": {
    code: [permissions("settings-text.ts settingsWith"), server("rules/rule-changes.ts RuleChanges")],
    tests: ["packages/permissions/src/settings.test.ts [S2]", "e2e/bridge/rules.test.ts [E112]"],
  },
  "session rules": {
    code: [session("session-rules.ts foldSessionRules"), "packages/web/src/requests/asked.ts ownSettingsRule"],
    tests: [`${SESSION_RULES} [R7]`, "e2e/page/real-cli.test.ts may change its own settings for the session"],
  },
  suggestions: {
    code: ["packages/web/src/requests/allow-choices.tsx AllowChoices", permissions("suggestions.ts suggestionsFor")],
    tests: [
      "e2e/page/requests.test.ts is allowed for this session, and not asked for again",
      "packages/permissions/src/suggestions.test.ts [G1]",
    ],
  },

  // The protocol of ccpocket.
  "ccpocket requests": {
    code: [server("ccpocket/client-message.ts ClientMessage"), server("ccpocket/requests.ts answersSoFar")],
    tests: ["e2e/ccpocket/ccpocket.test.ts [E62]", "e2e/ccpocket/ccpocket.test.ts [E63]"],
  },
  "ccpocket messages": {
    code: [server("ccpocket/translate.ts pocketStatusOf")],
    tests: [
      "e2e/ccpocket/ccpocket.test.ts [E62]",
      "packages/server/src/ccpocket/translate.test.ts has a request, its resolution",
    ],
  },

  // Finding out.
  sources: {
    code: [protocol("catalogue.ts SOURCES")],
    tests: ["scripts/protocol-table.test.ts has one row for each message, each with its source"],
  },
  probe: {
    code: ["packages/cli/src/probe/probe.ts probe", "packages/cli/src/probe/binary-names.ts namesInFile"],
    tests: ["packages/cli/src/run/real-claude.cli.test.ts probe of"],
  },
  "hook effects": {
    code: [session("decisions.ts saidDecision"), "packages/web/src/timeline/rows/hook-reason.ts hookReason"],
    tests: [
      ...cases("hooks-and-mcp", "hooks-pre-deny", "hooks-stop-block", "hooks-prompt-block"),
      "packages/session/src/decisions.test.ts [R8]",
      `${SESSION_RULES} [P3]`,
    ],
  },
  "images and files": {
    code: [protocol("stdin.ts imageBlock"), server("bridge/prompt-content.ts promptContent")],
    tests: [
      "e2e/bridge/files.test.ts [E38]",
      ...cases("sessions", "image-block", "file-mention", "document-block"),
      "e2e/page/composer.test.ts [E7]",
    ],
  },
} as const satisfies Readonly<Record<string, Ability>>;

export type AbilityName = keyof typeof ABILITIES;
