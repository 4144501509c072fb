import { OLD, PARTIAL, REPLAY, casesOf, says, script } from "../case.ts";
import { eof, exit, prompt, see, settled, turn } from "../host-script.ts";
import { has } from "../match.ts";

const U1 = "11111111-1111-4111-8111-111111111111";
const U2 = "22222222-2222-4222-8222-222222222222";
const INIT = { type: "system", subtype: "init" };

const two = [
  script("say hello", says("Hello, this is the first answer.")),
  script("say more", says("And the second one.")),
];

export const plainCases = casesOf("plain", [
  {
    name: "plain-partial",
    about: "Two turns with partial messages: init before each, one stream and one message for each block.",
    scripts: two,
    args: [PARTIAL],
    host: [...turn("say hello"), ...turn("say more")],
    expect: {
      count: [
        { of: INIT, is: 2 },
        { of: { type: "stream_event", event: { type: "message_start" } }, is: 2 },
        { of: { type: "stream_event", event: { type: "message_stop" } }, is: 2 },
      ],
      order: [
        INIT,
        { type: "stream_event", event: { type: "content_block_delta" } },
        { type: "assistant" },
        { type: "result" },
      ],
    },
    simulator: true,
    fast: true,
  },
  {
    name: "plain-whole",
    about: "Two turns without partial messages: no stream events.",
    scripts: two,
    host: [...turn("say hello"), ...turn([{ type: "text", text: "say more" }])],
    expect: {
      never: [{ type: "stream_event" }],
      results: [
        { subtype: "success", result: "Hello, this is the first answer.", num_turns: 1 },
        { subtype: "success", result: "And the second one." },
      ],
    },
    simulator: true,
  },
  {
    name: "plain-print-flag",
    about: "-p changes nothing with stream-json input.",
    scripts: two,
    args: ["-p"],
    host: [...turn("say hello"), ...turn("say more")],
    simulator: true,
  },
  {
    name: "plain-replay",
    about: "Prompts with a uuid are echoed with it, and followed from queued to completed.",
    scripts: two,
    args: [REPLAY],
    host: [...turn("say hello", { uuid: U1 }), ...turn("say more", { uuid: U2 })],
    expect: {
      see: [
        { type: "user", isReplay: true, uuid: U1 },
        { type: "user", isReplay: true, uuid: U2 },
        { type: "command_lifecycle", command_uuid: U1, state: "completed" },
      ],
      order: [
        { type: "command_lifecycle", command_uuid: U2, state: "queued" },
        { type: "command_lifecycle", command_uuid: U2, state: "started" },
        { type: "command_lifecycle", command_uuid: U2, state: "completed" },
      ],
    },
    differs: [
      {
        versions: OLD,
        why: "no command_lifecycle yet",
        expect: { order: [], see: [{ type: "user", isReplay: true, uuid: U1 }] },
      },
    ],
    simulator: true,
    fast: true,
  },
  {
    name: "plain-repeated-uuid",
    about: "A prompt with a uuid that was used before is echoed, but not run again.",
    scripts: two,
    args: [REPLAY],
    host: [...turn("say hello", { uuid: U1 }), prompt("say hello", { uuid: U1 }), ...turn("say more", { uuid: U2 })],
    expect: {
      results: [{ subtype: "success" }, { subtype: "success", result: "And the second one." }],
      count: [{ of: { type: "user", isReplay: true, uuid: U1 }, is: 2 }],
    },
    simulator: true,
  },
  {
    name: "plain-no-verbose",
    about: "Without --verbose the CLI refuses to stream.",
    scripts: [],
    bareArgs: true,
    args: ["-p", "--output-format", "stream-json", "--input-format", "stream-json"],
    host: [exit],
    expect: { exits: [1], results: [], stderr: "--verbose" },
    simulator: true,
  },
  {
    name: "plain-argv-prompt",
    about: "A prompt in argv without stream-json input streams one turn and ends by itself.",
    scripts: two,
    bareArgs: true,
    args: ["-p", "say hello", "--output-format", "stream-json", "--verbose"],
    host: [eof, see({ type: "result" }), exit],
    expect: { plays: { "say more": 0 }, results: [{ subtype: "success", result: "Hello, this is the first answer." }] },
    simulator: true,
  },
  {
    name: "plain-argv-prompt-ignored",
    about: "A prompt in argv beside stream-json input is passed over in silence.",
    scripts: two,
    args: ["say more"],
    host: turn("say hello"),
    expect: { plays: { "say more": 0 } },
    simulator: true,
  },
  {
    name: "plain-hard-text",
    about: "Line separators, emoji, quotes and control characters come through unharmed.",
    scripts: [
      script("hard text", says('a\u2028b\u2029c \u{1F6A2} "q" \\ \u0007 \t end')),
      script("say more", says("Plain again.")),
    ],
    args: [PARTIAL],
    host: [prompt("hard text \u2028 \u{1F6A2}"), settled, ...turn("say more")],
    expect: { see: [{ type: "assistant", message: { content: [{ text: has("\u2028") }] } }] },
    simulator: true,
  },
  {
    name: "plain-several-blocks",
    about: "Several text blocks of one answer: one message each, with the same id.",
    scripts: [script("three blocks", says("One.", "Two.", "Three."))],
    args: [PARTIAL],
    host: turn("three blocks"),
    expect: { count: [{ of: { type: "assistant" }, is: 3 }] },
    simulator: true,
  },
]);

export const thinkingCases = casesOf("thinking", [
  {
    name: "thinking-partial",
    about: "Thinking, then text, with partial messages and a signature.",
    scripts: [script("think first", says({ thinking: "Let me think about this for a while." }, "Thought about."))],
    args: [PARTIAL],
    host: turn("think first"),
    expect: {
      see: [
        { type: "stream_event", event: { delta: { type: "thinking_delta" } } },
        { type: "stream_event", event: { delta: { type: "signature_delta" } } },
        { type: "system", subtype: "thinking_tokens" },
      ],
    },
    differs: [
      {
        versions: OLD,
        why: "no thinking_tokens yet",
        expect: { see: [{ type: "stream_event", event: { delta: { type: "thinking_delta" } } }] },
      },
    ],
    simulator: true,
  },
  {
    name: "thinking-whole",
    about: "The same without partial messages: the thinking block is a message of its own.",
    scripts: [script("think first", says({ thinking: "A short thought." }, "Thought about."))],
    host: turn("think first"),
    expect: { count: [{ of: { type: "assistant" }, is: 2 }] },
    simulator: true,
  },
  {
    name: "thinking-redacted",
    about: "A redacted thinking block keeps its data.",
    scripts: [script("think in secret", says({ redactedThinking: "c2VjcmV0" }, "Thought in secret."))],
    args: [PARTIAL],
    host: turn("think in secret"),
    expect: { see: [{ type: "assistant", message: { content: [{ type: "redacted_thinking", data: "c2VjcmV0" }] } }] },
    simulator: true,
  },
]);
