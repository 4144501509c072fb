// Notes in place of a conversation, or above its composer.

export const english = {
  notFound: "Session not found",
  notShown: "This session can't be shown",
  deleted: "It was deleted, or it's on another machine.",
  all: "All sessions",
  browse: "Browse terminal sessions",
  bySignal: (signal: string) => `Claude Code stopped unexpectedly (signal ${signal}).`,
  byCode: (code: number) => `Claude Code stopped unexpectedly (exit code ${code}).`,
  stopped: "Claude Code is not running.",
  safe: "The conversation is safe.",
  archived: "This session is archived.",
  hidden: "It's hidden in the lists. You can still read it and continue it.",
  held: "Open in a terminal.",
  follow: "You can follow along here.",
  answers: "This device can read and answer requests.",
  readOnly: "This device is read-only.",
  role: "To send messages, pair it again with another role from an admin's device.",
  away: "Continues in a terminal.",
  awayHow: "What happens there appears here. Paste this command to open it:",
  takeBack: "Take back",
};
