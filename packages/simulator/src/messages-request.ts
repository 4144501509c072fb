// A request to the Messages API.
import type { ApiMessage } from "./scenario.ts";

/** The fields of a request to /v1/messages that this API reads. */
export interface MessagesRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly messages: readonly ApiMessage[];
  readonly tools: readonly { readonly name?: unknown; readonly type?: unknown }[];
  readonly outputSchema: unknown;
}
