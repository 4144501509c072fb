// A session as Markdown. Text stays as it was written, unless it would load something, mislead or pass for another
// speaker. Tool calls are fenced, so that nothing in them is read as Markdown. Invisible characters become marks.

import { readableText } from "@quarterdeck/session";
import type { Exported } from "./exported.ts";
import { proseMarkdown, safeLine } from "./prose-markdown.ts";

export function* markdownOf({ title, cwd, createdAt, head, rows }: Exported): Generator<string> {
  const facts = [
    ["Folder", cwd],
    ["Begun", new Date(createdAt).toISOString()],
    ["Model", head.model],
    ["Cost", head.gauges.costUsd === 0 ? undefined : `$${head.gauges.costUsd.toFixed(2)}`],
  ].filter(([, value]) => value !== undefined);
  yield `# ${oneLine(title)}\n\n${facts.map(([name, value]) => `- ${name}: ${oneLine(value!)}\n`).join("")}\n`;
  for (const words of rows) {
    const depth = words.isInner ? "###" : "##";
    yield `${depth} ${oneLine(words.who)}\n\n`;
    if (words.prose !== undefined) {
      const prose = proseMarkdown(readableText(inLines(words.prose)));
      yield `${words.kind === "thinking" ? quoted(prose) : prose}\n\n`;
    }
    for (const { name, text, isDiff } of words.blocks)
      yield `${name}:\n\n${fenced(readableText(inLines(text)), isDiff === true ? "diff" : "")}\n\n`;
  }
}

const oneLine = (text: string): string => safeLine(readableText(text.replaceAll(/\s+/g, " ").trim()));

/** In Markdown, a carriage return ends a line too. */
const inLines = (text: string): string => text.replaceAll(/\r\n?/gu, "\n");

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

/** Uses a fence with more backticks than the text contains. */
const fenced = (text: string, language: string): string => {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
};
