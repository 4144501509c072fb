// The conversation: what most first screens do not have. Find, the menu of a row, rare rows, errors.

import { plural } from "../format.ts";

export const english = {
  // Below an answer with citations.
  sources: "Sources",

  // Find.
  find: "Find in this session",
  noMatches: "no matches",
  found: (at: number, count: number, isAll: boolean) => `${at} of ${count}${isAll ? "" : "+"} rows`,
  older: "Older match (Enter)",
  newer: "Newer match (Shift+Enter)",
  closeFind: "Close (Esc)",
  // The menu of a row, and its raw messages.
  row: "Row",
  copyText: "Copy text",
  copied: "Copied.",
  copyLink: "Copy link",
  linkCopied: "Link copied.",
  fork: "Fork from here",
  reviewTurn: "Review this turn",
  raw: "Raw messages",
  rawAbout: (id: string, kind: string) => `Row ${id}, ${kind}`,
  loading: "Loading…",
  noMessages: "The log has no messages for this row.",
  rowHere: "Row in Quarterdeck",
  copyAll: "Copy all",
  ways: { received: "from the CLI", sent: "to the CLI" } as Readonly<Record<string, string>>,
  // Changes to a prompt.
  editMessage: "Edit message",
  send: "Send",
  save: "Save",
  cancel: "Cancel",
  // Rare rows.
  notCompacted: (reason: string) => `Couldn't compact the context: ${reason}`,
  compacted: (isManual: boolean, before: string | undefined, after: string | undefined) =>
    `Context compacted${isManual ? "" : " automatically"}${before === undefined ? "" : `: ${before}${after === undefined ? "" : ` to ${after}`} tokens`}`,
  hideSummary: "Hide summary",
  showSummary: "Show summary",
  hook: "Hook",
  running: "running",
  failed: (exit: number | undefined) => `failed${exit === undefined ? "" : `, exit ${exit}`}`,
  done: "done",
  fates: {
    open: "needs you",
    answered: "answered",
    cancelled: "withdrawn by Claude Code",
    ended: "ended because Claude Code stopped",
  },
  fateBy: (fate: string, device: string | undefined) => `${fate}${device === undefined ? " by you" : ` on ${device}`}`,
  goToRequest: "needs you: go to the request",
  serverRequest: "MCP server request",
  cliRequest: "Claude Code request",
  unknown: "Unknown message",
  notJson: "Not JSON",
  fromClaude: "from Claude",
  // While nothing has come yet.
  working: "Working",
  sending: "Sending",
  after: (time: string) => `, ${time}`,
  phases: {
    thinking: "thinking",
    streaming: "writing",
    compacting: "making room in the conversation",
    starting: "starting Claude Code",
  } as Readonly<Record<string, string>>,
  // Errors.
  errors: {
    api: "API error",
    limit: "Usage limit reached",
    auth: "Not logged in",
    process: "Claude Code stopped unexpectedly",
    refusal: "Claude declined",
    protocol: "Claude Code rejected a message",
    memory: "This session uses too much memory",
  },
  notStarted: "Claude Code couldn't start",
  hideDetails: "Hide details",
  details: "Details",
  sendAgain: "Send again",
  logIn: "Log in on the machine: run {claude} there and type {login}. Then send the message again.",
  limitWait: "Wait, or switch to another model.",
  limitUntil: (time: string) => `The limit resets at ${time}. Another model may be available now.`,
  safeResumed: "The conversation is safe and has resumed.",
  safeFix: "The conversation is safe. Fix the problem, then resume.",
  safe: "The conversation is safe. Work in progress was lost.",
  rephrase: "Rephrase your message, or choose another model.",
  freeMemory: "Stop background tasks, or raise the limit in the server settings.",
  notAccepted: "The message was not accepted. To see it, open this row's menu and choose Raw messages.",
  retried: (attempts: number) => `Retried ${attempts === 1 ? "once" : plural(attempts, "time")}`,
  retrying: "Retrying",
  attempt: (attempt: number, of: number) => `attempt ${attempt} of ${of}`,
  inSeconds: (seconds: number) => (seconds > 0 ? `in ${seconds} s` : "now"),
  api: {
    key: {
      title: "The API key is not accepted",
      step: "Correct ANTHROPIC_API_KEY where the server starts, restart the server, then send the message again.",
    },
    credit: { title: "No credit left", step: "Add credit to the account, then send the message again." },
    long: { title: "The conversation is too long", step: "Send /compact to make room." },
    answer: { title: "The answer was too long", step: "Ask for a shorter answer, or for one part at a time." },
    model: {
      title: "This model is not available",
      step: "Choose another model, then send the message again.",
    },
    account: {
      title: "This account may not do that",
      step: "Ask the owner of the account, or choose another model.",
    },
    overloaded: {
      title: "Claude is overloaded",
      step: "Wait a minute, then send the message again. Another model may answer sooner.",
    },
    many: { title: "Too many requests", step: "Wait a minute, then send the message again." },
    late: {
      title: "No answer in time",
      step: "This is temporary. Wait a moment, then send the message again.",
    },
    network: {
      title: "No connection to the API",
      step: "Check the network of the machine that runs Claude Code, then send the message again.",
    },
    server: {
      title: "The API has a problem",
      step: "This is temporary. Wait a moment, then send the message again.",
    },
    rejected: {
      title: "The API rejected the request",
      step: "Change the message or the model, then send the message again.",
    },
    other: { title: "API error", step: "Change the message or the model, then send the message again." },
  },
};
