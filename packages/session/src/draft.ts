// A block that the model is still writing.

/** The streamed part of a block that is not complete yet. Its `id` is that of the later row. */
export interface Draft {
  readonly id: string;
  readonly kind: "text" | "thinking" | "tool";
  readonly messageId: string;
  readonly index: number;
  readonly at: number;
  /** Text, thinking, or the JSON of a tool's input so far. */
  readonly text: string;
  readonly toolUseId?: string;
  readonly name?: string;
  readonly tokens?: number;
}
