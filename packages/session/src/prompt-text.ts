// A prompt as text: for readers, and for a person who edits it again. An attached file that the model reads from the disk is a
// text block in a fixed form; both sides of that form are here.

import { blockTexts, isRecord } from "@quarterdeck/protocol";
import type { PromptContent } from "./event.ts";

/** One text for each block: its words, or `[image]` or `[document: title]` if it has none. */
export const promptParts = (content: PromptContent): string[] => {
  const blocks: readonly unknown[] = typeof content === "string" ? [content] : content;
  return blocks.map((block) => blockTexts(block)[0] ?? labelOf(block));
};

const labelOf = (block: unknown): string => {
  const { type, title } = isRecord(block) ? block : {};
  return `[${typeof type === "string" ? type : "?"}${typeof title === "string" ? `: ${title}` : ""}]`;
};

/** What the person typed, without the notes about attached files. */
export const typedText = (content: PromptContent): string => blockTexts(content).filter(isTyped).join("\n");

/** The same prompt with other words. Attachments stay. */
export const withTypedText = (content: PromptContent, text: string): PromptContent => {
  const rest = typeof content === "string" ? [] : content.filter((block) => !blockTexts(block).some(isTyped));
  return rest.length === 0 ? text : [{ type: "text", text }, ...rest];
};

const isTyped = (text: string): boolean => attachedName(text) === undefined;

/** Tells the model where to read an attached file. */
export const attachedText = (name: string, path: string): string =>
  `The file ${JSON.stringify(name)} is attached: @${path}`;

/** The name of the file if `attachedText` wrote this text. */
export const attachedName = (text: string): string | undefined => {
  const name = /^The file ("(?:[^"\\]|\\.)*") is attached: @\S+$/u.exec(text)?.[1];
  if (name === undefined) return undefined;
  try {
    return JSON.parse(name) as string;
  } catch {
    // A person may type a similar text.
    return undefined;
  }
};
