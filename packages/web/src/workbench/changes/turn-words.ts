import type { SessionView } from "@quarterdeck/client";
import { typedText } from "@quarterdeck/client/content";
import { readPrompts } from "../../store/session.ts";
import { WORDS } from "./words.ts";

const LONGEST = 60;

/** All that the prompt says, where its row is loaded. */
export const typedInPrompt = (view: SessionView, prompt: string): string => {
  const row = readPrompts(view).find(({ uuid }) => uuid === prompt);
  return row === undefined ? "" : typedText(row.content);
};

/** Its first words. */
export const turnWords =
  (view: SessionView) =>
  (prompt: string): string => {
    const [line = ""] = typedInPrompt(view, prompt).trim().split("\n", 1);
    if (line === "") return WORDS.earlier;
    return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
  };
