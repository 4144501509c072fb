// A waiting prompt, from the host or from a task that ended.
import type { Json } from "./json.ts";
import { isRecord, textAt } from "./json.ts";
import type { ApiMessage } from "./scenario.ts";

export type Priority = "now" | "next" | "later";

export interface Prompt {
  readonly uuid: string | undefined;
  readonly content: ApiMessage["content"];
  readonly priority: Priority | undefined;
  readonly origin: Json | undefined;
  readonly shouldQuery: boolean;
  readonly clientComposed: boolean;
  /** The CLI wrote it itself, so its state is not reported. */
  readonly isNotice: boolean;
}

export const promptOf = (message: Json): Prompt => {
  const content = isRecord(message.message) ? message.message.content : "";
  return {
    uuid: textAt(message, "uuid"),
    content: (typeof content === "string" || Array.isArray(content) ? content : "") as ApiMessage["content"],
    priority: textAt(message, "priority") as Priority | undefined,
    origin: isRecord(message.origin) ? message.origin : undefined,
    shouldQuery: message.shouldQuery !== false,
    clientComposed: message.client_composed === true,
    isNotice: false,
  };
};

export const noticeOf = (text: string, runId: string): Prompt => ({
  uuid: undefined,
  content: text,
  priority: undefined,
  origin: { kind: "task-notification", producer: "session-task", runId },
  shouldQuery: true,
  clientComposed: false,
  isNotice: true,
});

export const textOf = ({ content }: Pick<Prompt, "content">): string =>
  typeof content === "string"
    ? content
    : content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join("\n");

export const isSlash = (prompt: Prompt): boolean =>
  !prompt.clientComposed && !prompt.isNotice && /^\/[a-zA-Z_]/.test(textOf(prompt));

const RANK: Readonly<Record<Priority, number>> = { now: 0, next: 1, later: 2 };
const rank = ({ priority }: Prompt): number => RANK[priority ?? "next"];

/** Waiting prompts, in the order in which they will be taken. */
export class PromptQueue {
  #waiting: Prompt[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get uuids(): readonly string[] {
    return this.#waiting.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]));
  }

  /** Counts only prompts whose origin is a person. */
  get humans(): number {
    return this.#waiting.filter(({ origin }) => origin?.kind === "human").length;
  }

  add(prompt: Prompt): void {
    const at = this.#waiting.findIndex((other) => rank(other) > rank(prompt));
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, prompt);
  }

  /** The prompts of the next turn: one, or several that can be joined. */
  takeTurn(): readonly Prompt[] {
    const first = this.#waiting.shift();
    if (first === undefined) return [];
    const batch = [first];
    const joins = (prompt: Prompt): boolean => !isSlash(prompt) && !prompt.isNotice && prompt.shouldQuery;
    while (
      joins(first) &&
      this.#waiting[0] !== undefined &&
      joins(this.#waiting[0]) &&
      rank(this.#waiting[0]) === rank(first)
    ) {
      batch.push(this.#waiting.shift()!);
    }
    return batch;
  }

  /** Prompts that a running turn takes between two requests. */
  takeFoldable(): readonly Prompt[] {
    const folds = (prompt: Prompt): boolean => prompt.priority !== "later" && !isSlash(prompt) && prompt.shouldQuery;
    const taken = this.#waiting.filter(folds);
    this.#waiting = this.#waiting.filter((prompt) => !folds(prompt));
    return taken;
  }

  /** Returns false if the prompt is not waiting. */
  cancel(uuid: string): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((prompt) => prompt.uuid !== uuid);
    return this.#waiting.length < before;
  }

  cancelAll(): readonly string[] {
    const { uuids } = this;
    this.#waiting = this.#waiting.filter(({ isNotice }) => isNotice);
    return uuids;
  }
}
