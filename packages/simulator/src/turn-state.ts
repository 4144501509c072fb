// The state of a running turn, for code that stops it, adds to it, or writes its lines.
import type { Json } from "./json.ts";
import type { Prompt } from "./prompt.ts";

/** What connects the lines of a turn with the prompts that it answers. */
export interface TurnMarks {
  uuids: string[];
  /** Uuids for the model's first line. */
  firstMarks: Json;
  firstRequest: { readonly sentAt: number; readonly inputTokens: number; readonly cacheRead: number } | undefined;
  /** Called when the first byte of an answer arrives. */
  onFirstByte: () => void;
  /** Number of messages of role user that this turn wrote: `num_turns` counts them. */
  userMessages: number;
  readonly denials: Json[];
  /** A newer prompt replaced the turn: no marker, no error. */
  preempted: boolean;
  /** Number of answers with something that only the server's classifier could allow. */
  uncheckedAnswers: number;
  /** Why the CLI itself ended the turn. */
  stopped: string | undefined;
  firstByteAt: number | undefined;
  firstContentAt: number | undefined;
}

/** A turn, for code that stops it or adds to it. */
export interface Turn {
  readonly abort: AbortController;
  readonly marks: TurnMarks;
  readonly prompts: readonly Prompt[];
  readonly startedAt: number;
  /** Uuids of prompts that joined the turn. */
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
