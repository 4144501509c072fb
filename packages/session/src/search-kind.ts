// The kinds that a search can be limited to. Every row has exactly one, so that the kinds together are all rows.
// `row-kinds.ts` says which kind a row has. It imports nothing.

export const SEARCH_KINDS = ["prompt", "answer", "thinking", "command", "file", "tool", "other"] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** Tools that run a command line, and tools that name a file or look for one. All others are `tool`. */
export const TOOLS_BY_SEARCH_KIND = {
  command: ["Bash", "PowerShell", "Monitor"],
  file: ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LSP", "LS"],
} as const satisfies Partial<Record<SearchKind, readonly string[]>>;

export const searchKindOfTool = (name: string): SearchKind => {
  const { command, file }: Readonly<Record<"command" | "file", readonly string[]>> = TOOLS_BY_SEARCH_KIND;
  return command.includes(name) ? "command" : file.includes(name) ? "file" : "tool";
};
