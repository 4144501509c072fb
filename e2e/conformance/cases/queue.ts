import { OLD, PARTIAL, REPLAY, STDIO_PROMPTS, bash, casesOf, says, script } from "../case.ts";
import { initialize, interrupt, prompt, request, see, settled, turn } from "../host-script.ts";
import { present } from "../match.ts";

const U = (n: number) => `${String(n).repeat(8)}-0000-4000-8000-000000000000`;
const [U1, U2, U3] = [U(1), U(2), U(3)];
const ASK = [PARTIAL, ...STDIO_PROMPTS, REPLAY];
const LONG = "This answer takes its time, word by word, so that something can happen in the middle of it. ".repeat(3);
const slowly = (...say: Parameters<typeof says>) => ({ ...says(...say), pace: { deltaMs: 100, deltaChars: 8 } });
const STREAMING = { type: "stream_event", event: { type: "content_block_delta" } };
const slow = script("take long", slowly(LONG));
const next = script("say next", says("Next it is."));
const also = script("say also", says("Also said."));
const state = (uuid: string, name: string) => ({ type: "command_lifecycle", command_uuid: uuid, state: name });
const INTERRUPTED = { subtype: "error_during_execution", is_error: true };
const OLD_INTERRUPTED = { subtype: "error_during_execution", is_error: false };

export const queueCases = casesOf("queue and interrupts", [
  {
    name: "interrupt-streaming",
    about: "An interrupt in the middle of a stream: the text so far is kept, and the session continues.",
    scripts: [slow, next],
    args: ASK,
    host: [prompt("take long", { uuid: U1 }), see(STREAMING), interrupt, settled, ...turn("say next", { uuid: U2 })],
    expect: {
      partial: ["take long#0"],
      results: [INTERRUPTED, { subtype: "success" }],
      order: [
        { type: "control_response" },
        { type: "assistant", aborted: true },
        { type: "user", message: { content: [{ type: "text", text: "[Request interrupted by user]" }] } },
        { type: "result" },
        state(U2, "completed"),
      ],
    },
    differs: [
      {
        versions: OLD,
        why: "no aborted message with what was said so far, and is_error is false",
        expect: { results: [OLD_INTERRUPTED, { subtype: "success" }], order: [{ type: "result" }, { type: "result" }] },
      },
    ],
    simulator: true,
    fast: true,
  },
  {
    name: "interrupt-whole",
    about: "The same without partial messages, as the last turn: the exit code shows it.",
    scripts: [slow],
    args: [...STDIO_PROMPTS],
    host: [initialize(), prompt("take long"), see({ type: "system", subtype: "init" }), interrupt, settled],
    expect: { partial: ["take long#0"], results: [INTERRUPTED], exits: [1] },
    differs: [
      {
        versions: OLD,
        why: "is_error is false and so the exit code is 0",
        expect: { results: [OLD_INTERRUPTED], exits: [0] },
      },
    ],
    simulator: true,
  },
  {
    name: "interrupt-idle",
    about: "An interrupt while nothing runs succeeds and changes nothing.",
    scripts: [next],
    args: ASK,
    host: [initialize(), interrupt, ...turn("say next")],
    simulator: true,
  },
  {
    name: "interrupt-tool",
    files: { "wait.js": "setTimeout(() => undefined, 30_000);\n" },
    about: "An interrupt while a command runs: the tool has a result, the turn ends.",
    scripts: [script("run long", says(bash("node wait.js")), says("Never said.")), next],
    args: [...ASK, "--allowedTools", "Bash"],
    host: [
      prompt("run long"),
      see({ type: "assistant", message: { content: [{ type: "tool_use" }] } }),
      see({ type: "stream_event", event: { type: "message_stop" } }),
      interrupt,
      settled,
      ...turn("say next"),
    ],
    expect: {
      partial: ["run long#1"],
      results: [{ ...INTERRUPTED, terminal_reason: "aborted_tools" }, { subtype: "success" }],
    },
    differs: [
      {
        versions: OLD,
        why: "is_error is false, no terminal_reason",
        expect: { results: [OLD_INTERRUPTED, { subtype: "success" }] },
      },
    ],
    simulator: true,
  },
  {
    name: "queue-next-turn",
    about: "A prompt sent while text streams runs as the next turn.",
    scripts: [slow, next],
    args: ASK,
    host: [prompt("take long", { uuid: U1 }), see(STREAMING), prompt("say next", { uuid: U2 }), settled, settled],
    expect: { order: [state(U2, "queued"), { type: "result" }, state(U2, "started"), { type: "result" }] },
    differs: [
      { versions: OLD, why: "no command_lifecycle yet", expect: { order: [{ type: "result" }, { type: "result" }] } },
    ],
    simulator: true,
    fast: true,
  },
  {
    name: "queue-fold",
    about: "A prompt sent before a tool boundary is folded into the running turn.",
    scripts: [script("long then tool", slowly(LONG, bash("echo boundary")), says("Went on, minding both."))],
    args: ASK,
    host: [prompt("long then tool", { uuid: U1 }), see(STREAMING), prompt("mind this too", { uuid: U2 }), settled],
    expect: {
      results: [{ subtype: "success" }],
      see: [state(U1, "completed"), state(U2, "completed"), { type: "user", isReplay: true, uuid: U2 }],
    },
    differs: [{ versions: OLD, why: "no command_lifecycle yet", expect: { see: [] } }],
    simulator: true,
  },
  {
    name: "queue-coalesce",
    about: "Two prompts that wait run as one turn.",
    scripts: [slow, next, also],
    args: ASK,
    host: [
      prompt("take long", { uuid: U1 }),
      see(STREAMING),
      prompt("say next", { uuid: U2 }),
      prompt("say also", { uuid: U3 }),
      settled,
      settled,
    ],
    expect: {
      plays: { "say next": 0 },
      results: [{ subtype: "success" }, { subtype: "success", result: "Also said." }],
      see: [state(U2, "completed"), state(U3, "completed")],
    },
    differs: [
      {
        versions: OLD,
        why: "each waiting prompt runs as a turn of its own; no command_lifecycle yet",
        expect: {
          plays: {},
          see: [],
          results: [{ subtype: "success" }, { subtype: "success" }, { subtype: "success" }],
        },
      },
    ],
    simulator: true,
  },
  {
    name: "queue-cancel",
    about: "cancel_async_message takes a waiting prompt back.",
    scripts: [slow, next],
    args: ASK,
    host: [
      prompt("take long", { uuid: U1 }),
      see(STREAMING),
      prompt("say next", { uuid: U2 }),
      see(state(U2, "queued")),
      request(
        { subtype: "cancel_async_message", message_uuid: U2 },
        { subtype: "success", response: { cancelled: true } },
      ),
      settled,
    ],
    expect: { plays: { "say next": 0 }, results: [{ subtype: "success" }], see: [state(U2, "cancelled")] },
    excluded: [{ versions: OLD, why: "no command_lifecycle, by which a prompt is seen to wait" }],
    simulator: true,
  },
  {
    name: "queue-priority-now",
    about: "priority now ends the running turn and runs at once.",
    scripts: [slow, next],
    args: ASK,
    host: [
      prompt("take long", { uuid: U1 }),
      see(STREAMING),
      prompt("say next", { uuid: U2, priority: "now" }),
      settled,
      settled,
    ],
    expect: {
      partial: ["take long#0"],
      results: [
        { subtype: "success", is_error: false, terminal_reason: "aborted_streaming" },
        { subtype: "success", result: "Next it is." },
      ],
    },
    differs: [
      {
        versions: OLD,
        why: "priority is not known: it runs as the next turn",
        expect: { results: [{ subtype: "success" }, { subtype: "success" }] },
      },
    ],
    simulator: true,
  },
  {
    name: "queue-priority-later",
    about: "priority later waits for the end of the turn, past its tool boundaries.",
    scripts: [script("long then tool", slowly(LONG, bash("echo boundary")), says("Went on alone.")), next],
    args: ASK,
    host: [
      prompt("long then tool", { uuid: U1 }),
      see(STREAMING),
      prompt("say next", { uuid: U2, priority: "later" }),
      settled,
      settled,
    ],
    excluded: [{ versions: OLD, why: "priority is not known yet: the prompt is folded in at the tool boundary" }],
    simulator: true,
  },
  {
    name: "queue-survives-interrupt",
    about: "A plain interrupt leaves what waits: it runs at once.",
    scripts: [slow, next],
    args: ASK,
    host: [
      prompt("take long", { uuid: U1 }),
      see(STREAMING),
      prompt("say next", { uuid: U2 }),
      see(state(U2, "queued")),
      request({ subtype: "interrupt" }, { subtype: "success", response: { still_queued: [U2] } }),
      settled,
      settled,
    ],
    expect: { partial: ["take long#0"], results: [INTERRUPTED, { subtype: "success" }] },
    excluded: [{ versions: OLD, why: "no command_lifecycle, by which a prompt is seen to wait" }],
    simulator: true,
  },
  {
    name: "queue-cancelled-by-interrupt",
    about: "interrupt with cancel_queued takes back what waits.",
    scripts: [slow, next, also],
    args: ASK,
    host: [
      prompt("take long", { uuid: U1 }),
      see(STREAMING),
      prompt("say next", { uuid: U2 }),
      see(state(U2, "queued")),
      request({ subtype: "interrupt", cancel_queued: true }, { subtype: "success", response: { cancelled: [U2] } }),
      settled,
      ...turn("say also", { uuid: U3 }),
    ],
    expect: {
      partial: ["take long#0"],
      plays: { "say next": 0 },
      results: [INTERRUPTED, { subtype: "success" }],
      see: [state(U2, "cancelled")],
    },
    excluded: [{ versions: OLD, why: "no command_lifecycle, by which a prompt is seen to wait" }],
    simulator: true,
  },
  {
    name: "queue-store-only",
    about: "shouldQuery false stores a prompt without an answer; the next turn sees it.",
    scripts: [next],
    args: ASK,
    host: [...turn("remember this", { uuid: U1, shouldQuery: false }), ...turn("say next", { uuid: U2 })],
    expect: { results: [{ subtype: "success", num_turns: 0 }, { subtype: "success" }] },
    excluded: [{ versions: OLD, why: "shouldQuery is not known yet: the prompt is answered" }],
    simulator: true,
  },
  {
    name: "queue-two-at-start",
    about: "Two prompts before anything runs.",
    scripts: [next, also],
    args: ASK,
    host: [prompt("say next", { uuid: U1 }), prompt("say also", { uuid: U2 }), see(state(U2, "completed"))],
    expect: {
      results: [{ subtype: "success" }, { subtype: "success" }],
      see: [{ type: "result", user_message_uuid: present }],
    },
    excluded: [{ versions: OLD, why: "no command_lifecycle to wait for" }],
    simulator: true,
  },
]);
