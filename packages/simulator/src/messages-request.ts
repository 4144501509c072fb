// What a client of the Messages API asks.
import type { ApiMessage } from "./scenario.ts";

/** A request to /v1/messages, as far as this API reads it. */
export interface MessagesRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly messages: readonly ApiMessage[];
  readonly tools: readonly { readonly name?: unknown; readonly type?: unknown }[];
  readonly outputSchema: unknown;
}
