// The calls that a real CLI makes for itself beside the conversation (a title, a summary for compaction, a search), and
// what they are answered. They carry the user's words, so that without this list a scenario would answer them.
import type { MessagesRequest } from "./api.ts";
import type { Step } from "./scenario.ts";

export interface SideCall {
  readonly name: string;
  readonly step: Step;
}

export const sideCallOf = (_request: MessagesRequest): SideCall | undefined => undefined;
