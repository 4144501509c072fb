// The tab that shows what fills the context.

import { plural } from "../format.ts";

export const english = {
  context: "Context",
  notYet: "Claude Code reports its context with the first answer.",
  tokensWithoutWindow: "{tokens} tokens. This version of Claude Code does not report its window.",
  tokensOfWindow: (window: string, share: string) => `{tokens} of ${window} tokens, ${share}`,
  noAnswer: "This version of Claude Code does not answer what its context holds. Send /context for its table.",
  ended: "The process has ended. These are the last figures that it reported.",
  compactsAt: (tokens: string) => `auto-compact at ${tokens}`,
  used: (share: string) => `${share} of the context used`,
  nearlyFull: "⚠ The context is more than 80 % full. ",
  /** `turns`: about so many more turns, if that is known. */
  left: (tokens: string, compacts: boolean, turns?: number) => {
    const end = compacts ? "before auto-compaction" : "before the window is full";
    if (turns === undefined) return `${tokens} left ${end}.`;
    if (turns === 0) return `${tokens} left ${end}: the next turn may reach it.`;
    return `${tokens} left ${end}: about ${plural(turns, "turn")} like the last ones.`;
  },
  since: (ago: string) => `Since the last report (${ago})`,
  free: "Free",
  keptFree: "Kept free for compaction",
  parts: "Parts of the context",
  deferred: "Not loaded: deferred tools",
  notUsed: "not used",
  byTurn: "By turn",
  now: (tokens: string) => `${tokens} now`,
  tokens: (count: string) => `${count} tokens`,
  tokensCompacted: (count: string) => `${count} tokens, after a compaction`,
  turnTokens: (turn: number, count: string) => `Turn ${turn}: ${count} tokens`,
  turnTokensCompacted: (turn: number, count: string) => `Turn ${turn}: ${count} tokens, after a compaction`,
  lastTurns: (count: number) => `last ${plural(count, "turn")}`,
  firstTurn: "turn 1",
  next: "next",
  lists: {
    messages: "Messages",
    messageTools: "Tools in messages",
    memory: "Memory files",
    mcpTools: "MCP tools",
    systemTools: "System tools",
    skills: "Skills",
    agents: "Agents",
  },
  /** Names that Claude Code and the server give to parts. */
  names: {
    "System prompt": "System prompt",
    "System tools": "System tools",
    "MCP tools": "MCP tools",
    "Memory files": "Memory files",
    "Custom agents": "Custom agents",
    Skills: "Skills",
    Messages: "Messages",
    "Free space": "Free space",
    "Your messages": "Your messages",
    "Claude's messages": "Claude's messages",
    "Tool calls": "Tool calls",
    "Tool results": "Tool results",
    Attachments: "Attachments",
  },
  open: "Open",
  showAll: (count: number) => `Show all ${count}`,
  compactMenu: "Compact now…",
  compactTitle: "Compact the conversation",
  compactAbout: "Claude replaces the conversation with a summary and continues. The timeline here stays complete.",
  cancel: "Cancel",
  compactAfter: "Compact after this turn",
  compactNow: "Compact now",
  keep: "What to keep (optional)",
};
