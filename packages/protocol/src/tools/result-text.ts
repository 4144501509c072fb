// Reads the text that the CLI wraps around a tool result, as fields. Each reader handles one wrapper, and returns
// undefined if it is missing. The caller decides whether to believe a wrapper, because a tool's own output can look
// like one.

/** The content of `<tag>…</tag>` if the text has nothing else. */
const inside = (tag: string, text: string): string | undefined => {
  const body = text.trim();
  const open = `<${tag}>`;
  const close = `</${tag}>`;
  if (!body.startsWith(open) || !body.endsWith(close) || body.length < open.length + close.length) return undefined;
  return body.slice(open.length, -close.length);
};

export const readToolUseError = (text: string): string | undefined => inside("tool_use_error", text);

const INTERRUPTED = /^\[Request interrupted by user[^\]\n]*\](?:\n|$)/;
const ABORTED = /(?:^|\n)<error>Command was aborted before completion<\/error>(?=\n|$)/;

export interface ExitText {
  exitCode: number;
  output: string;
}
export const readExitCode = (text: string): ExitText | undefined => {
  const match = /^Exit code (-?\d+)(?:\n|$)/.exec(text);
  if (match === null) return undefined;
  return { exitCode: Number(match[1]), output: text.slice(match[0].length) };
};

/** The text of a stopped command, without the marker that says so. */
export const readInterrupted = (text: string): string | undefined => {
  if (INTERRUPTED.test(text)) return text.replace(INTERRUPTED, "");
  if (ABORTED.test(text)) return text.replace(ABORTED, "");
  return undefined;
};

export interface BackgroundText {
  taskId: string;
  outputFile?: string;
}
/** "Command running in background with ID: b1. Output is being written to: …", in the texts of all versions. */
export const readBackground = (text: string): BackgroundText | undefined => {
  const match =
    /(?:^|\n)Command [^\n]*?(?:with ID: |\(ID: )([\w-]+)(?:[^\n]*?Output is being written to: ([^\n]*?\.output)(?=[.\s]|$))?/.exec(
      text,
    );
  if (match === null || match[1] === undefined) return undefined;
  return { taskId: match[1], ...(match[2] !== undefined && { outputFile: match[2] }) };
};

export interface PersistedOutput {
  path: string;
  /** Bytes. Rounded if the CLI printed only a text ("106.3KB"). */
  size?: number;
  preview: string;
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ["bytes", 1],
  ["byte", 1],
  ["kb", 1024],
  ["mb", 1024 ** 2],
  ["gb", 1024 ** 3],
]);
const bytesOf = (words: string): number | undefined => {
  const match = /^([\d.,]+) ?([a-z]+)$/i.exec(words.trim());
  const unit = UNITS.get(match?.[2]?.toLowerCase() ?? "");
  const amount = Number(match?.[1]?.replaceAll(",", ""));
  return unit === undefined || !Number.isFinite(amount) ? undefined : Math.round(amount * unit);
};

export const readPersistedOutput = (text: string): PersistedOutput | undefined => {
  const body = inside("persisted-output", text);
  if (body === undefined) return undefined;
  const saved = /(?:^|\n)[^\n]*?saved to: ([^\n]+)/.exec(body);
  if (saved?.[1] === undefined) return undefined;
  const said = /^\s*Output too large \(([^)\n]+)\)/.exec(body);
  const size = said?.[1] === undefined ? undefined : bytesOf(said[1]);
  const preview = /\nPreview \([^)\n]*\):\n/.exec(body);
  const shown = preview === null ? "" : body.slice(preview.index + preview[0].length);
  return { path: saved[1].trim(), ...(size !== undefined && { size }), preview: shown.replace(/\n(?:\.\.\.\n)?$/, "") };
};

export interface NumberedText {
  startLine: number;
  lines: string[];
  /** The text before and after the numbered lines: notices, and reminders without their tags. */
  notes: string[];
}

const notesOf = (text: string): string[] =>
  text
    .split(/<\/?system-reminder>/)
    .map((note) => note.trim())
    .filter((note) => note !== "");

/**
 * A file as `Read` prints it: "     1→text" (until 2.1.38), "1\ttext", or "1:text" if lines begin with a tab. Every
 * line of the file has its number, so nothing inside the file can end the listing or look like a reminder.
 */
export const readNumbered = (text: string, startLine?: number): NumberedText | undefined => {
  const all = text.split("\n");
  const numbered = (line: string) => /^ *(\d+)([→\t:])/.exec(line);
  const first = all.findIndex((line) => {
    const match = numbered(line);
    return match !== null && (startLine === undefined || Number(match[1]) === startLine);
  });
  const head = numbered(all[first] ?? "");
  if (head === null || (first > 0 && all[first - 1] !== "")) return undefined;
  const start = Number(head[1]);
  const lines: string[] = [];
  for (const line of all.slice(first)) {
    const match = numbered(line);
    if (match === null || Number(match[1]) !== start + lines.length || match[2] !== head[2]) break;
    lines.push(line.slice(match[0].length));
  }
  const before = all.slice(0, first).join("\n");
  const after = all.slice(first + lines.length).join("\n");
  return { startLine: start, lines, notes: [...notesOf(before), ...notesOf(after)] };
};

/** The notes of a `Read` that printed no line: an empty file, or an offset past the end. */
export const readReminderOnly = (text: string): string[] | undefined =>
  /^\s*<system-reminder>[\s\S]*<\/system-reminder>\s*$/.test(text) ? notesOf(text) : undefined;

export interface AgentReport {
  report: string;
  agentId?: string;
  totalTokens?: number;
  totalToolUseCount?: number;
  totalDurationMs?: number;
}

const FRAME = /^\[Subagent hand-back\][^\n]*\n/m;
const TOOLS_USED = /^ *<tools-used-before-summary>[^<]*<\/tools-used-before-summary>\s*/;
const TRAILER = /(?:^|\n)agentId: (\S+) \([^\n]*\)(?:\n<usage>([^<]*)<\/usage>)?\s*$/;

export const isToolsUsedLine = (text: string): boolean => text.replace(TOOLS_USED, "") === "" && text.trim() !== "";

/** A subagent's report between the CLI's notes to the model: the frame since 2.1.3xx, the agent's id, the usage. */
export const readAgentReport = (text: string): AgentReport => {
  const trailer = TRAILER.exec(text);
  const body = trailer === null ? text : text.slice(0, trailer.index);
  const frame = FRAME.exec(body);
  const framed = frame === null ? undefined : body.slice(frame.index + frame[0].length);
  const count = (key: string): number | undefined => {
    const value = new RegExp(`(?:^|\\n)${key}: (\\d+)`).exec(trailer?.[2] ?? "")?.[1];
    return value === undefined ? undefined : Number(value);
  };
  const totalTokens = count("(?:total|subagent)_tokens");
  const totalToolUseCount = count("tool_uses");
  const totalDurationMs = count("duration_ms");
  return {
    report: (framed?.replace(/^ {2}/gm, "") ?? body).replace(TOOLS_USED, ""),
    ...(trailer?.[1] !== undefined && { agentId: trailer[1] }),
    ...(totalTokens !== undefined && { totalTokens }),
    ...(totalToolUseCount !== undefined && { totalToolUseCount }),
    ...(totalDurationMs !== undefined && { totalDurationMs }),
  };
};

export interface AgentLaunch {
  agentId: string;
  outputFile?: string;
}
export const readAgentLaunch = (text: string): AgentLaunch | undefined => {
  if (!text.startsWith("Async agent launched successfully")) return undefined;
  const agentId = /\nagentId: (\S+)/.exec(text)?.[1];
  const outputFile = /\noutput_file: ([^\n]+)/.exec(text)?.[1];
  return agentId === undefined ? undefined : { agentId, ...(outputFile !== undefined && { outputFile }) };
};
