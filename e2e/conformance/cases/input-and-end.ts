import { OLD, PARTIAL, STDIO_PROMPTS, bash, casesOf, says, script } from "../case.ts";
import { eof, exit, prompt, raw, request, see, settled, signal, turn, write } from "../host-script.ts";
import { has, present } from "../match.ts";

const ASK = [PARTIAL, ...STDIO_PROMPTS];
const hello = script("say hello", says("Hello."));
const more = script("say more", says("More."));
const LONG = "This answer takes its time, word by word, so that something can happen in the middle of it. ".repeat(3);
const slow = script("take long", { ...says(LONG), pace: { deltaMs: 100, deltaChars: 8 } });
const STREAMING = { type: "stream_event", event: { type: "content_block_delta" } };

export const inputCases = casesOf("input, end and signals", [
  {
    name: "input-bad-json",
    about: "A line that is not JSON ends the process at once.",
    scripts: [],
    host: [raw("this is { not json"), exit],
    expect: { results: [], exits: [1], stderr: "Error parsing" },
    simulator: true,
  },
  {
    name: "input-bad-role",
    about: "A user message with another role ends the process.",
    scripts: [],
    host: [write({ type: "user", message: { role: "assistant", content: "x" } }), exit],
    expect: { results: [], exits: [1], stderr: "role" },
    simulator: true,
  },
  {
    name: "input-unknown-type",
    about: "Unknown types, blank lines and keep_alive are ignored.",
    scripts: [hello],
    host: [write({ type: "keep_alive" }), raw(""), write({ type: "no_such_type", x: 1 }), ...turn("say hello")],
    excluded: [{ versions: OLD, why: "a blank line counts as bad JSON and ends the process with exit 1" }],
    simulator: true,
  },
  {
    name: "input-empty",
    about: "An empty prompt is a prompt.",
    scripts: [hello],
    otherwise: [says("You said nothing.")],
    host: [prompt(""), settled, ...turn("say hello")],
    simulator: true,
  },
  {
    name: "end-no-input",
    about: "EOF before any prompt: a clean exit without output.",
    scripts: [],
    host: [eof, exit],
    expect: { results: [] },
    simulator: true,
  },
  {
    name: "end-in-turn",
    about: "EOF in the middle of a turn: the turn is finished first.",
    scripts: [slow],
    args: ASK,
    host: [prompt("take long"), see(STREAMING), eof, exit],
    simulator: true,
    fast: true,
  },
  {
    name: "end-open-question",
    about: "EOF while a question is open: it fails, and the model continues.",
    scripts: [script("touch it", says(bash("touch a.txt")), says("It could not be asked."))],
    args: ASK,
    answers: [{ to: "tool", tool: "Bash", reply: { silent: true } }],
    host: [prompt("touch it"), see({ type: "control_request" }), eof, exit],
    expect: {
      files: { "a.txt": null },
      see: [{ type: "user", message: { content: [{ type: "tool_result", is_error: true }] } }],
    },
    simulator: true,
  },
  {
    name: "signal-int-in-turn",
    about: "SIGINT in a turn: what was said, a result, exit 0.",
    scripts: [slow],
    args: ASK,
    host: [prompt("take long"), see(STREAMING), signal("SIGINT"), exit],
    expect: { partial: ["take long#0"], results: [{ subtype: "error_during_execution", is_error: true }] },
    differs: [{ versions: OLD, why: "it ends at once without a result", expect: { results: [] } }],
    simulator: true,
  },
  {
    name: "signal-term-in-turn",
    about: "SIGTERM in a turn: no result, exit 143.",
    scripts: [slow],
    args: ASK,
    host: [prompt("take long"), see(STREAMING), signal("SIGTERM"), exit],
    expect: { partial: ["take long#0"], results: [], exits: [143] },
    simulator: true,
  },
  {
    name: "signal-int-idle",
    about: "SIGINT while nothing runs: exit 0.",
    scripts: [hello],
    args: ASK,
    host: [...turn("say hello"), signal("SIGINT"), exit],
    simulator: true,
  },
  {
    name: "start-bad-combination",
    about: "stream-json input without stream-json output is refused.",
    scripts: [],
    bareArgs: true,
    args: ["-p", "--input-format", "stream-json", "--verbose"],
    host: [exit],
    expect: { results: [], exits: [1], stderr: "output-format" },
    simulator: true,
  },
  {
    name: "start-unknown-flag",
    about: "A flag that does not exist is refused.",
    scripts: [],
    args: ["--no-such-flag"],
    host: [exit],
    expect: { results: [], exits: [1], stderr: "no-such-flag" },
    simulator: true,
  },
]);

const SCHEMA = {
  type: "object",
  properties: { colour: { type: "string" } },
  required: ["colour"],
  additionalProperties: false,
};

export const structuredCases = casesOf("structured output", [
  {
    name: "structured-output",
    about: "--json-schema: the hidden tool's input becomes structured_output.",
    scripts: [
      script("which colour", says({ tool: "StructuredOutput", input: { colour: "blue" } }), says("Blue it is.")),
    ],
    args: [...ASK, "--json-schema", JSON.stringify(SCHEMA)],
    host: turn("which colour"),
    expect: { partial: ["which colour#1"], results: [{ subtype: "success", structured_output: { colour: "blue" } }] },
    simulator: true,
  },
  {
    name: "structured-output-wrong",
    about: "Output that never fits the schema: the turn ends after five tries.",
    scripts: [
      script(
        "which colour",
        ...Array.from({ length: 6 }, () => says({ tool: "StructuredOutput", input: { shade: 7 } })),
      ),
    ],
    args: [...ASK, "--json-schema", JSON.stringify(SCHEMA)],
    host: turn("which colour"),
    expect: {
      partial: Array.from({ length: 6 }, (_, step) => `which colour#${String(step)}`),
      results: [{ subtype: "error_max_structured_output_retries", is_error: true }],
      exits: [1],
    },
    differs: [
      {
        versions: ["2.1.22"],
        why: "is_error is false and so the exit code is 0",
        expect: { results: [{ subtype: "error_max_structured_output_retries", is_error: false }], exits: [0] },
      },
    ],
    simulator: true,
  },
]);

const state = (name: string) => ({ type: "system", subtype: "session_state_changed", state: name });

export const environmentCases = casesOf("events by environment", [
  {
    name: "events-session-state",
    about: "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: running, requires_action, idle.",
    scripts: [script("touch it", says(bash("touch a.txt")), says("Touched."))],
    env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" },
    args: ASK,
    answers: [{ to: "tool", tool: "Bash", reply: { allow: {} } }],
    host: [...turn("touch it"), see(state("idle"))],
    expect: { order: [state("running"), state("requires_action"), state("running"), state("idle")] },
    excluded: [{ versions: OLD, why: "the event does not exist yet" }],
    simulator: true,
  },
  {
    name: "events-tool-summaries",
    about: "CLAUDE_CODE_EMIT_TOOL_USE_SUMMARIES: a summary of the tools, by a call of its own.",
    scripts: [script("echo it", says(bash("echo one")), says("Echoed."))],
    env: { CLAUDE_CODE_EMIT_TOOL_USE_SUMMARIES: "1" },
    args: ASK,
    host: turn("echo it"),
    expect: { see: [{ type: "tool_use_summary", summary: has("scripted tool"), preceding_tool_use_ids: present }] },
    excluded: [{ versions: OLD, why: "the event is not shown here yet" }],
    simulator: "the summary is a call of the CLI's own, which no scenario answers",
  },
  {
    name: "events-none",
    about: "Without the environment neither event shows.",
    scripts: [script("echo it", says(bash("echo one")), says("Echoed.")), more],
    args: ASK,
    host: [...turn("echo it"), request({ subtype: "interrupt" }), ...turn("say more")],
    expect: { never: [{ type: "system", subtype: "session_state_changed" }, { type: "tool_use_summary" }] },
    simulator: true,
  },
]);
