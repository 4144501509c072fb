// What Claude Code logged about an MCP server. It keeps a file of JSON lines for each process, in its cache.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { openRegular } from "@quarterdeck/host";
import { isRecord } from "@quarterdeck/protocol";
import { textWithoutSecrets } from "@quarterdeck/session";

export interface McpLogLine {
  readonly at?: number;
  readonly level: "error" | "debug";
  readonly text: string;
}

const MOST_BYTES = 64 * 1024;
const MOST_LINES = 100;
const MOST_CHARACTERS = 2000;

/** `server` is a name without slashes. */
export const readMcpLog = async (
  cache: string,
  cwd: string,
  server: string,
): Promise<{ readonly path?: string; readonly lines: McpLogLine[] }> => {
  const folder = join(cache, "claude-cli-nodejs", cwd.replaceAll(/[^a-zA-Z0-9]/gu, "-"), `mcp-logs-${server}`);
  const names = await readdir(folder).catch(() => []);
  // Their names are times.
  const newest = names
    .filter((name) => /^[\w.-]+\.(?:jsonl|txt|json)$/u.test(name))
    .toSorted()
    .at(-1);
  if (newest === undefined) return { lines: [] };
  const path = join(folder, newest);
  return { path, lines: linesOf(await endOf(path)) };
};

const endOf = async (path: string): Promise<string> => {
  const file = await openRegular(path);
  try {
    const { size } = await file.handle.stat();
    const length = Math.min(size, MOST_BYTES);
    const { buffer } = await file.handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString("utf8");
  } finally {
    await file.handle.close();
  }
};

const linesOf = (text: string): McpLogLine[] =>
  text
    .split("\n")
    .flatMap((line): McpLogLine[] => {
      let entry: unknown;
      try {
        entry = JSON.parse(line);
      } catch {
        // The first line may be cut.
        return [];
      }
      if (!isRecord(entry)) return [];
      const { error, debug, timestamp } = entry;
      const said = typeof error === "string" ? error : typeof debug === "string" ? debug : undefined;
      if (said === undefined) return [];
      const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
      return [
        {
          ...(Number.isFinite(at) && { at }),
          level: typeof error === "string" ? "error" : "debug",
          text: textWithoutSecrets(said).slice(0, MOST_CHARACTERS),
        },
      ];
    })
    .slice(-MOST_LINES);
