// The kinds that a search can be limited to. Every row has exactly one, so that the kinds together are all rows.

import type { Row } from "./row.ts";

export const SEARCH_KINDS = ["prompt", "answer", "thinking", "command", "file", "tool", "other"] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** Tools that run a command line, and tools that name a file or look for one. All others are `tool`. */
export const TOOLS_BY_SEARCH_KIND = {
  command: ["Bash", "PowerShell", "Monitor"],
  file: ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LSP", "LS"],
} as const satisfies Partial<Record<SearchKind, readonly string[]>>;

const KIND_OF_TOOL: ReadonlyMap<string, SearchKind> = new Map([
  ...TOOLS_BY_SEARCH_KIND.command.map((name) => [name, "command"] as const),
  ...TOOLS_BY_SEARCH_KIND.file.map((name) => [name, "file"] as const),
]);

export const searchKindOf = (row: Row): SearchKind => {
  switch (row.kind) {
    case "prompt":
      return "prompt";
    case "text":
      return "answer";
    case "thinking":
      return "thinking";
    case "tool":
      return KIND_OF_TOOL.get(row.name) ?? "tool";
    case "command":
      return "command";
    default:
      return "other";
  }
};
