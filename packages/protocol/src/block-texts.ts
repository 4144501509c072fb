// The texts in a message's content, without images, documents and tool results.

import { isRecord } from "./json.ts";

/** The text of every block that has one, in order. A content that is a string is one text. */
export const blockTexts = (content: unknown): string[] => {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block) => {
    const text = isRecord(block) ? block["text"] : block;
    return typeof text === "string" ? [text] : [];
  });
};
