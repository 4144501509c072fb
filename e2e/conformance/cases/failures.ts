import type { Failure } from "@quarterdeck/simulator";
import { OLD, PARTIAL, STDIO_PROMPTS, bash, casesOf, says, script } from "../case.ts";
import { turn } from "../host-script.ts";
import { absent, has } from "../match.ts";

const ASK = [PARTIAL, ...STDIO_PROMPTS];
const hello = script("say hello", says("Hello."));
const failing = (...fail: Failure[]) => script("fail it", { ...says("At last."), fail });
const API_ERROR = { subtype: "success", is_error: true };
const RETRY = { type: "system", subtype: "api_retry" };
const always = (status: number, message?: string): Failure => ({
  status,
  always: true,
  ...(message !== undefined && { message }),
});
const NO_RETRY_EVENTS = "retries are not shown yet";

/** Slow enough that a CLI on a busy machine has read everything before the cut. */
const CUT_AFTER = (afterEvents: number) => ({ pace: { deltaMs: 500 }, cut: { afterEvents } });

const SAID_AGAIN = "the answer is asked for again without streaming, and what was said is said again";
const GO_ON = {
  type: "user",
  isSynthetic: true,
  message: { content: [{ text: has("Your response above was cut off mid-stream.") }] },
};

export const errorCases = casesOf("errors and limits", [
  {
    name: "error-400",
    about: "A bad request ends the turn as a success with is_error; the session continues.",
    scripts: [failing(always(400, "this is a bad request")), hello],
    args: ASK,
    host: [...turn("fail it"), ...turn("say hello")],
    expect: {
      results: [
        { ...API_ERROR, api_error_status: 400 },
        { subtype: "success", is_error: false },
      ],
      see: [{ type: "assistant", is_api_error_message: true, message: { model: "<synthetic>" } }],
    },
    differs: [
      {
        versions: OLD,
        why: "the error is told as text only",
        expect: {
          results: [API_ERROR, { subtype: "success", is_error: false }],
          see: [{ type: "assistant", message: { model: "<synthetic>" } }],
        },
      },
    ],
    simulator: true,
    fast: true,
  },
  {
    name: "error-401",
    about: "A key that is refused.",
    scripts: [failing(always(401, "invalid x-api-key"))],
    args: ASK,
    host: turn("fail it"),
    expect: { results: [{ ...API_ERROR, api_error_status: 401 }], exits: [1] },
    differs: [{ versions: OLD, why: "no api_error_status yet", expect: { results: [API_ERROR] } }],
    simulator: true,
  },
  {
    name: "error-404",
    about: "A model that does not exist.",
    scripts: [failing(always(404, "model: no-such-model"))],
    args: ASK,
    host: turn("fail it"),
    expect: { results: [{ ...API_ERROR, api_error_status: 404 }], exits: [1] },
    differs: [{ versions: OLD, why: "no api_error_status yet", expect: { results: [API_ERROR] } }],
    simulator: true,
  },
  {
    name: "error-413",
    about: "A request that is too large.",
    scripts: [failing(always(413, "request too large"))],
    args: ASK,
    host: turn("fail it"),
    expect: { results: [API_ERROR], exits: [1] },
    simulator: true,
  },
  {
    name: "error-429-retried",
    about: "Too many requests, then well: the retry is shown, the answer comes.",
    scripts: [failing({ status: 429, headers: { "retry-after": "0" } })],
    args: ASK,
    host: turn("fail it"),
    expect: { see: [{ ...RETRY, error_status: 429, attempt: 1, max_retries: 2 }] },
    differs: [{ versions: OLD, why: NO_RETRY_EVENTS, expect: { see: [] } }],
    simulator: true,
  },
  {
    name: "error-500-lasting",
    about: "A server error that lasts: retries, then an error result and exit 1.",
    scripts: [failing(always(500))],
    args: ASK,
    host: turn("fail it"),
    expect: { results: [{ ...API_ERROR, api_error_status: 500 }], exits: [1], count: [{ of: RETRY, is: 2 }] },
    differs: [{ versions: OLD, why: NO_RETRY_EVENTS, expect: { results: [API_ERROR], count: [] } }],
    simulator: true,
  },
  {
    name: "error-529-retried",
    about: "Overloaded, then well.",
    scripts: [failing({ status: 529 })],
    args: ASK,
    host: turn("fail it"),
    expect: { see: [{ ...RETRY, error_status: 529 }] },
    differs: [{ versions: OLD, why: NO_RETRY_EVENTS, expect: { see: [] } }],
    simulator: true,
  },
  {
    name: "error-no-answer",
    about: "A connection that is closed without an answer is retried.",
    scripts: [failing({ status: 0 })],
    args: ASK,
    host: turn("fail it"),
    expect: { see: [{ ...RETRY, error_status: null }] },
    differs: [{ versions: OLD, why: NO_RETRY_EVENTS, expect: { see: [] } }],
    simulator: true,
  },
  {
    name: "error-cut",
    about: "A stream that breaks off: the answer comes in the end.",
    scripts: [
      script("break off", {
        ...says("The whole of the answer, from the first word to the last."),
        pace: { deltaMs: 500 },
        cut: { afterEvents: 5 },
      }),
    ],
    args: ASK,
    host: turn("break off"),
    expect: { results: [{ subtype: "success", is_error: false }] },
    simulator: true,
  },
  {
    name: "error-cut-early",
    about: "A stream that breaks off before its first block.",
    scripts: [script("break off", { ...says("The whole of the answer."), ...CUT_AFTER(2) })],
    args: ASK,
    host: turn("break off"),
    expect: { results: [{ subtype: "success", is_error: false }] },
    simulator: true,
  },
  {
    name: "error-cut-second-block",
    about: "A stream that breaks off in its second block: the first one stays, and the model is told to go on.",
    scripts: [
      script("break off", { ...says("First.", "Second, and the rest of it."), ...CUT_AFTER(7) }, says("The rest.")),
    ],
    args: ASK,
    host: turn("break off"),
    expect: { partial: ["break off#0"], see: [GO_ON] },
    differs: [{ versions: OLD, why: SAID_AGAIN, expect: { partial: ["break off#0", "break off#1"], see: [] } }],
    simulator: true,
  },
  {
    name: "error-cut-in-tool",
    about: "A stream that breaks off in the input of a tool: the tool is forgotten.",
    scripts: [
      script("break off", { ...says("I look.", bash("echo one two three")), ...CUT_AFTER(8) }, says("Looked.")),
    ],
    args: ASK,
    host: turn("break off"),
    expect: { partial: ["break off#0"], see: [GO_ON] },
    differs: [{ versions: OLD, why: SAID_AGAIN, expect: { partial: ["break off#0", "break off#1"], see: [] } }],
    simulator: true,
  },
  {
    name: "error-cut-after-tool",
    about: "A stream that breaks off when a tool has its whole input: the tool runs, and the answer is marked.",
    scripts: [
      script(
        "break off",
        {
          ...says(bash("echo one", { description: "x" }), "The rest of it, which goes on and on and on."),
          ...CUT_AFTER(13),
        },
        says("Looked."),
      ),
    ],
    args: ASK,
    host: turn("break off"),
    expect: {
      partial: ["break off#0"],
      see: [{ type: "assistant", message: { model: "<synthetic>", content: [{ text: has("lost mid-response") }] } }],
    },
    differs: [{ versions: OLD, why: SAID_AGAIN, expect: { openTools: 1, see: [] } }],
    simulator: true,
  },
  {
    name: "error-cut-whole",
    about: "A stream that breaks off in its second block, without partial messages.",
    scripts: [
      script("break off", { ...says("First.", "Second, and the rest of it."), ...CUT_AFTER(7) }, says("The rest.")),
    ],
    args: STDIO_PROMPTS,
    host: turn("break off"),
    expect: { partial: ["break off#0"], see: [GO_ON] },
    differs: [{ versions: OLD, why: SAID_AGAIN, expect: { partial: ["break off#0", "break off#1"], see: [] } }],
    simulator: true,
  },
  {
    name: "error-in-stream-second-block",
    about: "An error event in the second block of a stream.",
    scripts: [
      script(
        "break off",
        {
          ...says("First.", "Second, and the rest of it."),
          cut: { afterEvents: 7, error: { type: "overloaded_error", message: "Overloaded" } },
        },
        says("The rest."),
      ),
    ],
    args: ASK,
    host: turn("break off"),
    expect: { partial: ["break off#0"], see: [GO_ON] },
    differs: [{ versions: OLD, why: SAID_AGAIN, expect: { partial: ["break off#0", "break off#1"], see: [] } }],
    simulator: true,
  },
  {
    name: "error-in-stream-after-tool",
    about: "An error event when a tool has its whole input.",
    scripts: [
      script(
        "break off",
        {
          ...says(bash("echo one", { description: "x" }), "The rest of it, not short."),
          cut: { afterEvents: 11, error: { type: "overloaded_error", message: "Overloaded" } },
        },
        says("Looked."),
      ),
    ],
    args: ASK,
    host: turn("break off"),
    expect: {
      partial: ["break off#0"],
      see: [{ type: "assistant", message: { model: "<synthetic>", content: [{ text: has("error mid-response") }] } }],
    },
    differs: [{ versions: OLD, why: SAID_AGAIN, expect: { openTools: 1, see: [] } }],
    simulator: true,
  },
  {
    name: "error-cut-late",
    about: "A stream that breaks off before its message_stop alone has said everything.",
    scripts: [script("break off", { ...says("All of it."), ...CUT_AFTER(6) })],
    args: ASK,
    host: turn("break off"),
    differs: [{ versions: OLD, why: SAID_AGAIN, expect: { plays: { "break off": 2 } } }],
    simulator: true,
  },
  {
    name: "error-cut-thinking",
    about: "A stream that breaks off after its thoughts: they are shown, but the model starts again.",
    scripts: [script("break off", { ...says({ thinking: "Hm, hm." }, "Then the words of it."), ...CUT_AFTER(8) })],
    args: ASK,
    host: turn("break off"),
    expect: { partial: ["break off#0"], see: [GO_ON] },
    differs: [{ versions: OLD, why: SAID_AGAIN, expect: { see: [] } }],
    simulator: true,
  },
  {
    name: "error-cut-too-often",
    about: "Answers that break off again and again: after the third time the turn ends.",
    scripts: [
      script(
        "break off",
        ...["One.", "Two.", "Three.", "Four."].map((word) => ({
          ...says(word, "And then the rest of it."),
          ...CUT_AFTER(7),
        })),
      ),
    ],
    args: ASK,
    host: turn("break off"),
    expect: {
      partial: ["break off#0", "break off#1", "break off#2", "break off#3"],
      results: [{ ...API_ERROR, api_error: "connection_failed" }],
      count: [{ of: GO_ON, is: 3 }],
      exits: [1],
    },
    differs: [
      {
        versions: OLD,
        why: SAID_AGAIN,
        expect: { results: [{ subtype: "success", is_error: false }], count: [], exits: [0] },
      },
    ],
    simulator: true,
  },
  {
    name: "error-cut-in-agent",
    about: "A subagent's stream that breaks off: it is asked for the whole again.",
    scripts: [
      script(
        "start it",
        says({
          tool: "Task",
          input: {
            description: "Inner work",
            prompt: "do the inner work",
            subagent_type: "general-purpose",
            run_in_background: false,
          },
        }),
        says("Ended."),
      ),
      script("do the inner work", { ...says("First.", "Second, and the rest."), ...CUT_AFTER(7) }, says("Inner end.")),
    ],
    args: ASK,
    host: turn("start it"),
    expect: { subagents: ["do the inner work"], partial: ["do the inner work#0"] },
    simulator: true,
  },
  {
    name: "error-cut-lasting",
    about: "Streams that break off again and again.",
    scripts: [
      script("break off", {
        ...says("The whole of the answer, from the first word to the last."),
        pace: { deltaMs: 500 },
        cut: { afterEvents: 5, times: 9 },
      }),
    ],
    args: ASK,
    host: turn("break off"),
    expect: { results: [{ subtype: "success" }] },
    simulator: true,
  },
  {
    name: "error-in-stream",
    about: "An error event in the middle of a stream.",
    scripts: [
      script("break off", {
        ...says("The whole of the answer, from the first word to the last."),
        cut: { afterEvents: 5, error: { type: "overloaded_error", message: "Overloaded" } },
      }),
    ],
    args: ASK,
    host: turn("break off"),
    expect: { results: [{ subtype: "success", is_error: false }] },
    simulator: true,
  },
  {
    name: "error-max-tokens",
    about: "An answer that was cut by max_tokens.",
    scripts: [script("say it all", { ...says("This is all that fits"), stop: "max_tokens" }, says("And the rest."))],
    args: ASK,
    host: turn("say it all"),
    expect: { see: [{ type: "user", isSynthetic: true }] },
    differs: [
      {
        versions: OLD,
        why: "an error message ends the turn",
        expect: { partial: ["say it all#1"], see: [], results: [{ subtype: "success" }] },
      },
    ],
    simulator: true,
  },
  {
    name: "error-refusal",
    about: "The model is stopped in mid-answer by a refusal: it may go on once.",
    scripts: [script("do harm", { ...says("No"), stop: "refusal" }, says("Something harmless."))],
    args: ASK,
    host: turn("do harm"),
    expect: {
      see: [
        { type: "system", subtype: "informational", level: "notice" },
        { type: "user", message: { content: [{ text: has("stopped by a safety classifier") }] } },
      ],
    },
    differs: [
      {
        versions: OLD,
        why: "a refusal ends the turn with an error message",
        expect: {
          partial: ["do harm#1"],
          results: [{ subtype: "success" }],
          exits: [1],
          see: [{ type: "assistant", message: { model: "<synthetic>" } }],
        },
      },
    ],
    simulator: true,
  },
  {
    name: "error-refusal-at-once",
    about: "The model refuses and says nothing: an error names the refusal.",
    scripts: [script("do harm", { stop: "refusal" })],
    args: ASK,
    host: turn("do harm"),
    expect: {
      results: [{ subtype: "success", is_error: true }],
      see: [{ type: "system", subtype: "model_refusal_no_fallback" }],
      exits: [1],
    },
    differs: [{ versions: OLD, why: "no event of its own yet", expect: { see: [] } }],
    simulator: true,
  },
  {
    name: "limit-turns",
    about: "--max-turns 1 stops after the first tool; the session stays usable.",
    scripts: [script("echo it", says(bash("echo one")), says("Never said.")), hello],
    args: [...ASK, "--max-turns", "1"],
    host: [...turn("echo it"), ...turn("say hello")],
    expect: {
      partial: ["echo it#1"],
      results: [{ subtype: "error_max_turns", result: absent }, { subtype: "success" }],
    },
    simulator: true,
  },
  {
    name: "limit-budget",
    about: "--max-budget-usd: over the budget every turn fails.",
    scripts: [
      script("spend it", { ...says("Spent."), usage: { input_tokens: 100_000, output_tokens: 100_000 } }),
      hello,
    ],
    args: [...ASK, "--max-budget-usd", "0.01"],
    host: [...turn("spend it"), ...turn("say hello")],
    expect: {
      partial: ["say hello#0"],
      results: [{ subtype: "error_max_budget_usd", is_error: true }, { subtype: "error_max_budget_usd" }],
      exits: [1],
    },
    differs: [
      {
        versions: OLD,
        why: "is_error is false and so the exit code is 0",
        expect: {
          results: [{ subtype: "error_max_budget_usd", is_error: false }, { subtype: "error_max_budget_usd" }],
          exits: [0],
        },
      },
    ],
    simulator: true,
  },
  {
    name: "limit-rate-headers",
    about: "Rate limit headers with an API key change nothing on the wire.",
    scripts: [
      script("say hello", {
        ...says("Hello."),
        headers: {
          "anthropic-ratelimit-requests-remaining": "1",
          "anthropic-ratelimit-unified-status": "allowed_warning",
        },
      }),
    ],
    args: ASK,
    host: turn("say hello"),
    expect: { never: [{ type: "rate_limit_event" }] },
    simulator: true,
  },
  {
    name: "error-no-key",
    about: "No key at all: a turn that says so.",
    scripts: [],
    env: { ANTHROPIC_API_KEY: "" },
    args: ASK,
    host: turn("say hello"),
    expect: {
      results: [{ subtype: "success", is_error: true }],
      see: [{ type: "assistant", error: "authentication_failed", message: { model: "<synthetic>" } }],
      exits: [1],
    },
    simulator: true,
  },
]);
