// The command line as one typed object. Its fields come from `FLAGS`, with their documentation.

import type { FLAGS, Flag, OptionKey } from "./flags.ts";

export type JsonOption = Readonly<Record<string, unknown>>;

interface Taken {
  nothing: boolean;
  switch: boolean;
  text: string;
  word: string;
  path: string;
  uuid: string;
  tool: string;
  integer: number;
  number: number;
  json: JsonOption;
  "json-or-path": JsonOption | string;
}
type One<F extends Flag> = F extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Taken[Exclude<F["takes"], "choice">];
type Value<F extends Flag> =
  | (F extends { readonly list: string } ? readonly One<F>[] : One<F>)
  | (F extends { readonly optional: true } ? true : never);

type FlagOptions = { -readonly [Key in OptionKey]?: Value<(typeof FLAGS)[Key]> };

/** One field for each flag of `FLAGS`, and the prompt. `false` and an absent field are the same. */
export interface ClaudeOptions extends FlagOptions {
  /** The positional prompt. With stream-json input the CLI ignores it silently, so it is refused there. */
  prompt?: string;
}

/** The options with which a host spawns a session that it shows and answers. */
export const HOST_OPTIONS = {
  inputFormat: "stream-json",
  outputFormat: "stream-json",
  verbose: true,
  includePartialMessages: true,
  replayUserMessages: true,
  permissionPromptTool: "stdio",
} as const satisfies ClaudeOptions;
