// What the words of the bridge mean: phases, states, answers, HTTP statuses, and the test vectors of hashes. The compiler asks for
// a line when a phase, a state or a kind is added.

import { createHash } from "node:crypto";
import { canonicalJson } from "@quarterdeck/session/bridge";
import type { Phase, PromptState, RequestFate, RequestKind, ToolState } from "@quarterdeck/session";

const PHASES: Readonly<Record<Phase, string>> = {
  starting: "The process starts, or none has started yet.",
  ready: "The process is up and has had no turn.",
  thinking: "A turn runs, and no text is streamed: the model thinks or is asked.",
  streaming: "The model writes text or the input of a tool.",
  tool: "A tool runs.",
  awaiting: "A request waits for a person: see `head.requests`.",
  compacting: "The CLI summarizes the conversation.",
  retrying: "The API failed, and the CLI tries again: see `head.retry`.",
  idle: "The last turn ended well or was stopped. A prompt starts the next one.",
  error: "The last turn failed. A prompt starts the next one.",
  ended: "The process ended in order. A prompt or `sessions/resume` starts another one.",
  died: "The process ended by itself. The rows say why. A prompt or `sessions/resume` starts another one.",
};

const TOOL_STATES: Readonly<Record<ToolState, string>> = {
  asking: "A request about this call is open.",
  running: "It runs, or waits for the CLI.",
  done: "It has a result.",
  failed: "Its result is an error.",
  denied: "A person, a rule or a policy denied it.",
  interrupted: "The turn was stopped before it had a result.",
  unfinished: "The process ended before it had a result.",
};

const PROMPT_STATES: Readonly<Record<PromptState, string>> = {
  accepted: "Saved, and not yet with the CLI.",
  sent: "Written to the CLI.",
  queued: "In the queue of the CLI.",
  folded: "Added to the running turn.",
  started: "Its turn runs.",
  done: "Its turn ended well.",
  failed: "Its turn ended with an error.",
  interrupted: "Its turn was stopped, or the process ended during it.",
  cancelled: "Withdrawn before it started.",
  held: "Stopped before it started, and kept for its author. `session/editPrompt` sends it.",
  blocked: "A hook refused it. `reason` says why.",
  refused: "The CLI refused it.",
  discarded: "The CLI dropped it.",
};

const FATES: Readonly<Record<RequestFate, string>> = {
  open: "It waits.",
  answered: "Somebody answered it.",
  cancelled: "The CLI withdrew it, or the turn was stopped.",
  ended: "It was closed with its process.",
};

/** Kind of the request, answers that it takes, and what they mean. */
const ANSWERS: Readonly<Record<RequestKind, readonly [answers: string, about: string]>> = {
  permission: ["`allow`, `deny`", "Role `answer`. See below for what needs more."],
  plan: [
    "`allow`, `deny`",
    "`allow` starts the work. With a `setMode` it also sets the mode. `deny` sends the message as feedback.",
  ],
  question: [
    "`answers`, `deny`",
    "`answers` has the text of each question and a label, a list of labels, or words of one's own. A question may be left out.",
  ],
  elicitation: ["`elicitation`", "`accept` with `content` that fits `requested_schema`, `decline` or `cancel`."],
  dialog: ["`dialog`", 'Needs `admin`, except for `{"behavior": "cancelled"}`.'],
  hook: ["–", "The host answers it."],
  mcp: ["–", "The host answers it."],
};

/** Statuses of HTTP, of every address and of the upgrade. */
const STATUSES: readonly (readonly [status: string, code: string, about: string])[] = [
  ["308", "–", "Another name of this machine: use the address in `Location`."],
  ["400", "`bad-request`", "Not HTTP, not an address, or a body of another form."],
  ["401", "`unauthenticated`", "No token, a wrong token, or a pairing code that was used or is too old."],
  [
    "403",
    "`forbidden`",
    "The `Host` or the `Origin` is not one of this server, or neither `Origin` nor token was sent.",
  ],
  ["404", "`not-found`", "No such address, or a ticket that was used or is too old."],
  ["405", "`bad-request`", "The address has no such method."],
  ["413", "`too-large`", "The upload is larger than its ticket says."],
  ["415", "`bad-request`", "`POST /pair` takes only `Content-Type: application/json`."],
  ["426", "`bad-request`", "`/bridge` is a WebSocket."],
  ["429", "`limit`", "Five failed attempts within a minute from this address. Wait for `Retry-After` seconds."],
  ["503", "`shutting-down`", "The server ends. Try again later."],
  ["507", "`limit`", "There is no room for uploads."],
];

const rowsOf = (words: Readonly<Record<string, string>>): readonly string[][] =>
  Object.entries(words).map(([name, about]) => [`\`${name}\``, about]);
const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

export const statesText = (): string =>
  [
    table(["`head.phase`", ""], rowsOf(PHASES)),
    table(["`state` of a tool", ""], rowsOf(TOOL_STATES)),
    table(["`state` of a prompt", ""], rowsOf(PROMPT_STATES)),
    table(["`fate` of a request", ""], rowsOf(FATES)),
  ].join("\n\n");

export const answersText = (): string =>
  table(
    ["kind of the request", "kind of the answer", ""],
    Object.entries(ANSWERS).map(([kind, [answers, about]]) => [`\`${kind}\``, answers, about]),
  );

export const statusesText = (): string => table(["status", "`error.code`", ""], STATUSES);

/** JSON texts that libraries of other languages write in another way. */
const HASHED: readonly string[] = [
  '{"tool_name":"Bash","subtype":"can_use_tool","input":{"command":"ls","description":"List"}}',
  '{ "b": [1, 2.0, -0, 1e21, 1e-7, 0.1, 10000000000000000], "a": null, "c": {"z": true, "y": {}} }',
  String.raw`{"text":"Gr\u00fc\u00dfe, \u65e5\u672c, \ud83d\ude00, \/ < > & \" \\ \b\f\n\r\t \u0001 \u007f \u2028"}`,
  String.raw`{"\ufb33":1,"\ud83d\ude00":2,"z":3,"10":4,"9":5,"":6}`,
  '{"big":12345678901234567890,"exact":9007199254740991,"small":5e-324}',
  String.raw`{"half":"\ud800"}`,
];

export interface Vector {
  /** What the wire has. */
  readonly json: string;
  readonly canonical: string;
  readonly sha256: string;
}

const hashVectors = (): readonly Vector[] =>
  HASHED.map((json) => {
    const canonical = canonicalJson(JSON.parse(json));
    return { json, canonical, sha256: createHash("sha256").update(canonical).digest("hex") };
  });

export const vectorsFile = (): string => `${JSON.stringify(hashVectors(), null, 1)}\n`;

export const vectorText = (): string => {
  const { json, canonical, sha256 } = hashVectors()[0]!;
  return ["```", `value      ${json}`, `canonical  ${canonical}`, `sha256     ${sha256}`, "```"].join("\n");
};
