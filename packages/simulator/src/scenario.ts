// The scenario format: what the model says, as data that can be stored in a JSON file. It knows nothing of HTTP or the
// CLI. `api` plays it to a real CLI, and the simulator plays it itself, both through `Model`.
//
// The newest user text that contains a script's `when` chooses the script. The step is the number of assistant messages
// since. So one scenario serves a conversation, a queue of prompts, a resumed session and every subagent, whose first
// user text is the prompt of the Task call. No player needs a cursor.

export interface Scenario {
  readonly name: string;
  readonly description?: string;
  readonly scripts: readonly Script[];
  /** What the model says if no script matches. Default: one short line of text. */
  readonly otherwise?: readonly Step[];
}

export interface Script {
  /** Part of a user text that starts this script. */
  readonly when: string;
  readonly steps: readonly Step[];
}

/** One answer of the model: one API response, one `message.id`. */
export interface Step {
  readonly say?: readonly Block[];
  /** Default: `tool_use` if a tool is used, else `end_turn`. */
  readonly stop?: "end_turn" | "tool_use" | "max_tokens" | "stop_sequence" | "refusal" | "pause_turn";
  readonly usage?: Usage;
  readonly pace?: Pace;
  /** HTTP headers of the answer, for example rate limits. The simulator has no HTTP and ignores them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Each entry fails one attempt at this step, in order. Then the step is played. */
  readonly fail?: readonly Failure[];
  /** Breaks the stream of the first attempts after this many stream events. */
  readonly cut?: {
    readonly afterEvents: number;
    readonly times?: number;
    readonly error?: ApiError;
  };
}

export type Block =
  | { readonly text: string }
  | { readonly thinking: string; readonly signature?: string }
  | { readonly redactedThinking: string }
  | {
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly id?: string;
    };

export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
}

export interface Pace {
  /** Delay before the first byte of the answer. */
  readonly firstMs?: number;
  /** Delay between two deltas. */
  readonly deltaMs?: number;
  /** Characters per delta. Default: 12. */
  readonly deltaChars?: number;
}

export interface ApiError {
  readonly type: string;
  readonly message: string;
}

export interface Failure extends Partial<ApiError> {
  /** HTTP status. 0 closes the connection without an answer. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fails every later attempt too. */
  readonly always?: boolean;
}

/** The fields of an API message that are needed to choose a step. */
export interface ApiMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly ApiBlock[];
}
export interface ApiBlock {
  readonly type: string;
  readonly text?: string;
  readonly content?: unknown;
}

export interface ChosenStep {
  readonly step: Step;
  /** The same for each attempt at one step of a conversation. Used to count attempts. */
  readonly key: string;
}

const DEFAULT_STEP: Step = { say: [{ text: "Nothing in the scenario answers this." }] };
const AFTER_THE_LAST: Step = { say: [{ text: "Done." }] };

export const chooseStep = (scenario: Scenario, messages: readonly ApiMessage[]): ChosenStep => {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (message.role !== "user") continue;
    const text = userTextOf(message);
    const script = text === "" ? undefined : newestMatch(scenario.scripts, text);
    if (script !== undefined) {
      const taken = assistantMessagesAfter(messages, at);
      return { step: script.steps[taken] ?? AFTER_THE_LAST, key: `${script.when}#${at}#${taken}` };
    }
  }
  const taken = assistantMessagesAfter(messages, -1);
  return {
    step: scenario.otherwise?.[taken] ?? scenario.otherwise?.at(-1) ?? DEFAULT_STEP,
    key: `otherwise#${taken}`,
  };
};

/** Replaces `{{name}}` in every string of the scenario, for example `{{cwd}}`. */
export const withVariables = (scenario: Scenario, variables: Readonly<Record<string, string>>): Scenario =>
  replaceIn(scenario, (text) =>
    text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => variables[name] ?? whole),
  ) as Scenario;

const replaceIn = (value: unknown, replace: (text: string) => string): unknown => {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return value.map((entry) => replaceIn(entry, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, replaceIn(entry, replace)]));
};

/** If a text starts several scripts, takes the last match: joined prompts end with the newest. */
const newestMatch = (scripts: readonly Script[], text: string): Script | undefined => {
  let best: Script | undefined;
  let bestAt = -1;
  for (const script of scripts) {
    const at = text.lastIndexOf(script.when);
    if (at > bestAt) [best, bestAt] = [script, at];
  }
  return best;
};

/** The user's own words. Reminders that the CLI adds do not count, but the notice that a task ended does. */
const userTextOf = (message: ApiMessage): string => {
  const texts =
    typeof message.content === "string"
      ? [message.content]
      : message.content.flatMap((block) => (block.type === "text" && block.text !== undefined ? [block.text] : []));
  return texts
    .filter((text) => !text.startsWith("<system-reminder>") || text.includes("<task-notification>"))
    .join("\n");
};

const assistantMessagesAfter = (messages: readonly ApiMessage[], at: number): number =>
  messages.slice(at + 1).filter((message) => message.role === "assistant").length;
