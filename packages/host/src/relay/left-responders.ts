// Hooks and tools of a program that drove this session and has left. The next process still has them, so that nothing runs
// unchecked. `gone-answers.ts` answers for them.

import { isRecord } from "@quarterdeck/protocol";
import type { CliRequest, JsonValue, RequestOf } from "@quarterdeck/protocol";
import { Responders } from "../session/responders.ts";
import { goneAnswer, goneText } from "./gone-answers.ts";

/** Stored with the session: which calls the program wanted to be asked about. */
export type LeftBehind = Pick<RequestOf<"initialize">, "hooks" | "sdkMcpServers">;

export const leftBehind = ({ hooks, sdkMcpServers }: LeftBehind): LeftBehind | undefined => {
  const left = {
    ...(isRecord(hooks) && Object.keys(hooks).length > 0 && { hooks }),
    ...(Array.isArray(sdkMcpServers) && sdkMcpServers.length > 0 && { sdkMcpServers }),
  };
  return Object.keys(left).length === 0 ? undefined : left;
};

export class LeftResponders extends Responders {
  readonly #left: LeftBehind;

  constructor(left: LeftBehind, asksPolicies: boolean | undefined) {
    super([], [], asksPolicies);
    this.#left = left;
  }

  override get registration(): LeftBehind {
    const { hooks: ours } = super.registration;
    const hooks = new Map(Object.entries(this.#left.hooks ?? {}));
    for (const [event, matchers] of Object.entries(ours ?? {}))
      hooks.set(event, [...(hooks.get(event) ?? []), ...matchers]);
    return { ...this.#left, ...(hooks.size > 0 && { hooks: Object.fromEntries(hooks) }) };
  }

  override answer(request: CliRequest): Promise<JsonValue> | undefined {
    if (request.subtype !== "hook_callback" && request.subtype !== "mcp_message") return undefined;
    const answer = goneAnswer(request);
    return answer === undefined ? Promise.reject(new Error(goneText(request))) : Promise.resolve(answer);
  }
}
