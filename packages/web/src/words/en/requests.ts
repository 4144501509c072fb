// Requests: permissions, plans, questions, forms and dialogs.

import type { OpenRequest } from "@quarterdeck/client";
import { plural } from "../format.ts";

export type RequestKind = OpenRequest["kind"];
export type DangerKind =
  | "deletes"
  | "discards"
  | "overwrites"
  | "forces"
  | "runs"
  | "outside"
  | "network"
  | "secrets"
  | "root"
  | "unparsed";

const CLOSED: Readonly<Record<RequestKind, string>> = {
  permission: "The request",
  question: "The question",
  plan: "The plan",
  elicitation: "The elicitation",
  dialog: "The dialog",
  hook: "The hook",
  mcp: "The message",
};
/** A plan is sent back and a question dismissed: neither is denied. */
const HOW: Readonly<Partial<Record<RequestKind, { readonly allow: string; readonly deny: string }>>> = {
  plan: { allow: "approved", deny: "sent back" },
  question: { allow: "answered", deny: "dismissed" },
};

export const english = {
  // The card of a permission.
  newFile: "new file",
  wants: (wants: string) => `Claude ${wants}`,
  wantsTool: "wants to use this tool",
  wantsEdit: "Claude wants to edit",
  wantsWrite: "Claude wants to write",
  wantsRun: (commands: number) =>
    commands > 1 ? `Bash wants to run ${commands} commands` : "Bash wants to run a command",
  agent: "agent {name}",
  openFile: "Open file",
  claim: "Claude says: {words}",
  blocked: "Blocked path: {path}",
  action: "Requested action",
  toEnd: "To the end",
  lineOf: (line: number, lines: number) => `line ${line} of ${plural(lines, "line")}`,
  dangers: "Dangers",
  danger: {} as Readonly<
    Partial<Record<DangerKind, { readonly verb: string; readonly words: (subjects: readonly string[]) => string }>>
  >,
  measure: (lines: number, bytes: string) => `${plural(lines, "line")}, ${bytes} · SHA-256 {hash}…`,
  hidden: (count: number) => `${count} hidden character${count === 1 ? "" : "s"}, shown as marks`,
  hiddenInFields: (count: number) => `${count} hidden character${count === 1 ? "" : "s"}, which text fields don't show`,
  mixed: (words: string) => `letters of different alphabets in one word: ${words}`,
  look: (warnings: readonly string[]) => `Look closely: ${warnings.join("; ")}.`,
  noInput: "No input",
  nothing: "nothing",
  unreadable: "can't be read: {reason}",
  noReason: "unknown reason",
  added: "added",
  removed: "removed",
  mayNot: "This device can't answer requests.",
  fixRule: "Correct the rule first",
  typeName: "Type the name of the file first",
  fixInput: "Correct the input first",
  instead: "What should Claude do instead?",
  insteadHow: "Claude reads this and continues",
  guard: "This changes {name} and lasts beyond this session. Type its name to confirm.",
  unread: (lines: number) =>
    lines <= 0 ? "the end is unread" : lines === 1 ? "1 line is unread" : `${lines} lines are unread`,
  // Why it asks.
  why: "Why it asks:",
  stop: ". ",
  byRule: (rule: string, file: string | undefined) => `asked by rule ${rule}${file === undefined ? "" : ` in ${file}`}`,
  ruleAsks: "The rule {rule} asks, {place}.",
  inMode: (reason: string, mode: string) => `${reason} The mode is “${mode}”.`,
  noCalls: "No earlier calls to compare with.",
  matchesNone: (calls: number) => `Matches none of the last ${plural(calls, "call")}.`,
  matchesOld: (matched: number, calls: number) =>
    `Matches ${matched} of the last ${plural(calls, "call")}, all allowed anyway.`,
  matchesNew: (newly: number, calls: number) => `Would also have allowed ${newly} of the last ${plural(calls, "call")}`,
  risky: (risk: string) => `Risky: ${risk}`,
  // Ways to allow.
  howLong: "How long",
  once: "Once",
  allow: "Allow",
  session: "For this session",
  sessionAbout: "until the process stops",
  sessionButton: "Allow for this session",
  always: "Always",
  alwaysAbout: (kind: string, count: number, file: string) =>
    `adds ${count === 1 ? (kind === "rule" ? "this rule" : "this folder") : `${count} rules`} to ${file}`,
  alwaysButton: "Allow always",
  allEdits: "Allow all edits",
  mode: (mode: string) => `Switch to “${mode}”`,
  modeAbout: (mode: string, folders: readonly string[]) =>
    `switches this session to “${mode}”${folders.length === 0 ? "" : `, also in ${folders.join(", ")}`}`,
  modeButton: (mode: string) => `Allow and switch to “${mode}”`,
  alwaysAsks:
    "“Always” would change nothing: the rule {rule} asks each time, and an ask rule comes before allow rules. You can change it on the {page}.",
  rulesPage: "rules page",
  savedIn: "Saved in",
  where: "Where to save the rule",
  rule: "Rule",
  folder: "Folder",
  trueText: "Actual text: {text}",
  needsFolder: "Enter a folder.",
  badRule: (problem: string | undefined) => `Not a valid rule. ${problem ?? "Use Tool or Tool(pattern)."}`,
  // The buttons.
  deny: "Deny",
  denyThis: "Deny with this reason",
  back: "Back",
  moreAllow: "More ways to allow",
  moreAllowTip: "Once, for this session, always",
  discard: "Discard changes",
  edit: "Edit",
  moreDeny: "More ways to deny",
  moreDenyTip: "With a reason, or stop the turn",
  denies: "{key} denies",
  goesBack: "{key} goes back",
  asEdited: (button: string) => (button === "Allow" ? "Allow as edited" : `${button}, as edited`),
  again: (tap: boolean): string => (tap ? "tap again" : "press again"),
  twice: (tap: boolean): string => (tap ? "tap twice" : "press twice"),
  moment: "One moment: this request has just appeared or moved",
  anyway: "Allow anyway",
  howDeny: "How to deny",
  denyOn: "{deny} and let Claude continue",
  denyWhy: "Deny with a reason…",
  denyWhyOn: "{deny} Claude reads it and continues",
  denyStop: "Deny and stop",
  denyStopOn: "{deny} the turn",
  or: (one: string, other: string) => `${one} or ${other}`,
  // Changes to the input.
  asJson: "Input as JSON",
  editJson: "Edit as JSON",
  notObject: "The input must be a JSON object.",
  noChanges: "No changes yet",
  changes: "Your changes",
  changesTo: (field: string) => `Your changes to ${field}`,
  // Forms of MCP servers, and dialogs.
  dialog: "Dialog",
  dismiss: "Dismiss",
  needsInput: "needs your input",
  visit: "Asks you to visit {host}: {url}",
  noAddress: "an invalid address",
  answerJson: "Enter your answer as JSON. This request has no form.",
  notJson: "Not valid JSON",
  done: "Done",
  send: "Send",
  decline: "Decline",
  cancel: "Cancel",
  required: " required",
  choose: "Choose…",
  isRequired: "is required",
  whole: "must be a whole number",
  atLeast: (count: number, of: string) => `must be at least ${count}${of === "" ? "" : ` ${of}`}`,
  atMost: (count: number, of: string) => `must be at most ${count}${of === "" ? "" : ` ${of}`}`,
  fieldProblem: (field: string, problem: string) => `${field} ${problem}.`,
  // Plans.
  plan: "Plan",
  planReady: "Plan ready for review",
  planTold: "The plan is in the conversation. Claude did not write it to a file.",
  planWords: "Say what to change, or press “Keep planning” again",
  planChanges: "Changes to request (optional)",
  approve: "Approve",
  approveAnyway: "Approve anyway",
  thenUse: "then use",
  modeAfter: "Mode after the plan",
  keepPlanning: "Keep planning",
  reject: "Reject and stop",
  // Questions.
  question: "Question",
  questions: "Questions",
  rawQuestion: "This page can't show this question. Here is its raw form.",
  answered: ", answered",
  yourAnswer: "Your answer",
  other: "Other",
  addNote: "Add a note",
  note: "Note",
  preview: (label: string) => `Preview of ${label}`,
  sendAnswers: "Send answers",
  answer: "Answer",
  next: "Next",
  skip: "Skip this one",
  // Around the card.
  previous: "Previous request",
  nextRequest: "Next request",
  place: (at: number, count: number) => `${at} of ${count}`,
  needsYou: (count: number) => (count === 1 ? "Needs you" : `${count} requests need you`),
  permissionNeedsYou: (tool: string) => `A permission request for ${tool} needs you`,
  kindNeedsYou: (kind: RequestKind) => `A ${kind} needs you`,
  withdrawn: (kind: RequestKind) => `${CLOSED[kind]} was withdrawn.`,
  ended: (kind: RequestKind) => `${CLOSED[kind]} ended because Claude Code stopped.`,
  closed: (kind: RequestKind, behavior: string | undefined, device: string | undefined, time: string) => {
    const { allow, deny } = HOW[kind] ?? { allow: "allowed", deny: "denied" };
    const how = behavior === "allow" ? allow : behavior === "deny" ? deny : "answered";
    return `${CLOSED[kind]} was ${how}${device === undefined ? "" : ` on ${device}`} at ${time}.`;
  },
  late: (device: string | undefined, time: string | undefined) =>
    `Already answered${device === undefined ? "" : ` on ${device}`}${time === undefined ? "" : ` at ${time}`}.`,
  otherDevice: "another device",
};
