// A block that the model is still writing.

/** What has been streamed of a block that is not complete yet; its `id` is the one that the row will have. */
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
