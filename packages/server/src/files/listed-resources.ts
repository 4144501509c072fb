// Resources that MCP servers listed in a session. The CLI lists them only with its tool `ListMcpResourcesTool`, so those are known that
// the rows show. Pure.

import { isRecord } from "@quarterdeck/protocol";
import type { Row, ToolRow } from "@quarterdeck/session";
import type { FileSuggestion } from "@quarterdeck/session/bridge";

export type ListedResource = Pick<FileSuggestion, "kind" | "value" | "about">;

const MOST = 200;

export const resourcesOfRows = (rows: readonly Row[]): readonly ListedResource[] => {
  const found = new Map<string, ListedResource>();
  for (const row of rows) {
    if (row.kind !== "tool" || row.name !== "ListMcpResourcesTool") continue;
    for (const { uri, name, server } of resourcesIn(row)) {
      if (typeof uri !== "string" || typeof server !== "string") continue;
      const value = `${server}:${uri}`;
      found.set(value, { kind: "resource", value, ...(typeof name === "string" && { about: name }) });
    }
  }
  return [...found.values()].slice(-MOST);
};

/** As data where the CLI gives it, else as the text that the model got. */
const resourcesIn = ({ result }: ToolRow): readonly Readonly<Record<string, unknown>>[] => {
  if (result === undefined) return [];
  if (Array.isArray(result.structured)) return (result.structured as unknown[]).filter(isRecord);
  try {
    const read: unknown = JSON.parse(result.text);
    return Array.isArray(read) ? read.filter(isRecord) : [];
  } catch {
    // A message, for example that no task exists.
    return [];
  }
};
