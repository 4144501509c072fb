// The scripted model as the simulator calls it: chooses a step, counts attempts, and returns either a failure or the
// events of a stream. It knows nothing of messages on stdout.
import { replyOf, streamEventsOf } from "./api-stream.ts";
import type { Reply, StreamEvent } from "./api-stream.ts";
import { chooseStep, withVariables } from "./scenario.ts";
import type { ApiError, ApiMessage, Failure, Pace, Scenario } from "./scenario.ts";

export type Attempt =
  | { readonly kind: "failure"; readonly failure: Failure }
  | {
      readonly kind: "stream";
      readonly reply: Reply;
      readonly requestId: string;
      readonly events: readonly StreamEvent[];
      readonly pace: Pace;
      /** The stream breaks after these events. `error` says why, if there is one. */
      readonly cut?: { readonly error?: ApiError };
    };

export class Model {
  readonly #scenario: Scenario;
  readonly #attempts = new Map<string, number>();
  #serial = 0;

  constructor(scenario: Scenario, variables: Readonly<Record<string, string>>) {
    this.#scenario = withVariables(scenario, variables);
  }

  /** Ids continue after those of a stored session. */
  continueAfter(lines: readonly unknown[]): void {
    for (const [, digits] of JSON.stringify(lines).matchAll(/"msg_sim_(\d+)"/g)) {
      this.#serial = Math.max(this.#serial, Number(digits));
    }
  }

  /** `late`: values that are only known when the step is played. An answer that is not streamed cannot be cut. */
  attempt(
    messages: readonly ApiMessage[],
    model: string,
    late: Readonly<Record<string, string>>,
    streams = true,
  ): Attempt {
    const choice = chooseStep(this.#scenario, messages);
    const step = withVariables({ name: "", scripts: [{ when: "", steps: [choice.step] }] }, late).scripts[0]!.steps[0]!;
    const attempt = this.#attempts.get(choice.key) ?? 0;
    this.#attempts.set(choice.key, attempt + 1);
    const planned = step.fail ?? [];
    const lasting = planned.findIndex((failure) => failure.always === true);
    const failure = lasting >= 0 && attempt >= lasting ? planned[lasting] : planned[attempt];
    if (failure !== undefined) return { kind: "failure", failure };
    const serial = ++this.#serial;
    const reply = replyOf(step, serial, model);
    const events = streamEventsOf(reply, step.pace?.deltaChars).filter(({ type }) => type !== "ping");
    const pace = scaled(step.pace ?? {});
    const requestId = `req_sim_${String(serial).padStart(4, "0")}`;
    if (streams && step.cut !== undefined && attempt < planned.length + (step.cut.times ?? 1)) {
      // The API counts its ping as an event.
      const kept = events.slice(0, Math.max(0, step.cut.afterEvents - 1));
      const cut = step.cut.error === undefined ? {} : { error: step.cut.error };
      return { kind: "stream", reply, requestId, events: kept, pace, cut };
    }
    return { kind: "stream", reply, requestId, events, pace };
  }
}

/** `QUARTERDECK_SIM_PACE` scales all pauses. 0 removes them. */
const scaled = (pace: Pace): Pace => {
  const factor = Number(process.env.QUARTERDECK_SIM_PACE ?? 1);
  return {
    ...pace,
    ...(pace.firstMs === undefined ? {} : { firstMs: pace.firstMs * factor }),
    ...(pace.deltaMs === undefined ? {} : { deltaMs: pace.deltaMs * factor }),
  };
};
