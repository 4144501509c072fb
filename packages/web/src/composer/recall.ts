// Up in an empty composer recalls earlier messages, and Down goes back. Text that the user typed is never replaced.

export interface Recalled {
  /** Counted from the newest. */
  readonly index: number;
  readonly text: string;
}

/** Newest first, without repeats in a row. */
export const historyOf = (sent: readonly string[]): readonly string[] =>
  sent.toReversed().filter((text, at, all) => text.trim() !== "" && text !== all[at - 1]);

/** `undefined`: the key is not handled here. An index of -1 means the empty composer. */
export const recall = (
  history: readonly string[],
  before: Recalled | undefined,
  value: string,
  step: 1 | -1,
): Recalled | undefined => {
  const going = before !== undefined && value === before.text;
  if (!going && value !== "") return undefined;
  if (!going && step === -1) return undefined;
  const index = (going ? before.index : -1) + step;
  if (index < 0) return { index: -1, text: "" };
  const text = history[index];
  return text === undefined ? undefined : { index, text };
};
