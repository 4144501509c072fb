// What is known of a turn while it runs: to those who stop it, add to it, or write lines that belong to it.
import type { Json } from "./json.ts";
import type { Prompt } from "./prompt.ts";

/** What binds the lines of a turn to the prompts that it answers. */
export interface TurnMarks {
  uuids: string[];
  /** Uuids for the first line that the model writes. */
  firstMarks: Json;
  firstRequest: { readonly sentAt: number; readonly inputTokens: number; readonly cacheRead: number } | undefined;
  /** Called when the first byte of an answer arrives. */
  onFirstByte: () => void;
  /** Messages of role user that this turn wrote: `num_turns` counts them. */
  userMessages: number;
  readonly denials: Json[];
  /** A newer prompt took the turn's place: no marker, no error. */
  preempted: boolean;
  /** Answers with something that only the server's classifier could have let through. */
  uncheckedAnswers: number;
  /** Why the CLI itself ended the turn. */
  stopped: string | undefined;
  firstByteAt: number | undefined;
  firstContentAt: number | undefined;
}

/** What a turn is to those who stop it or add to it. */
export interface Turn {
  readonly abort: AbortController;
  readonly marks: TurnMarks;
  readonly prompts: readonly Prompt[];
  readonly startedAt: number;
  /** Prompts that were taken in on the way. */
  readonly folded: string[];
}

export const newTurn = (prompts: readonly Prompt[]): Turn => {
  const uuids = prompts.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]));
  return {
    abort: new AbortController(),
    prompts,
    startedAt: Date.now(),
    folded: [],
    marks: {
      uuids,
      firstMarks: uuids.length === 0 ? {} : { user_message_uuid: uuids.at(-1), user_message_uuids: [...uuids] },
      firstRequest: undefined,
      onFirstByte: () => {},
      userMessages: 0,
      denials: [],
      preempted: false,
      uncheckedAnswers: 0,
      stopped: undefined,
      firstByteAt: undefined,
      firstContentAt: undefined,
    },
  };
};
