import { OLD, PARTIAL, REPLAY, STDIO_PROMPTS, bash, casesOf, says, script } from "../case.ts";
import { allow, exit, prompt, see, settled, turn } from "../host-script.ts";
import { has, present } from "../match.ts";

const ASK = [PARTIAL, ...STDIO_PROMPTS];
const ID = "0a0a0a0a-1b1b-4c2c-8d3d-4e4e4e4e4e4e";
const OTHER = "0b0b0b0b-1b1b-4c2c-8d3d-4e4e4e4e4e4e";
const hello = script("say hello", says("Hello."));
const more = script("say more", says("More."));
const INIT = { type: "system", subtype: "init" };
const two = (firstArgs: readonly string[], secondArgs: readonly string[]) => [
  { args: firstArgs, host: turn("say hello") },
  { args: secondArgs, host: turn("say more") },
];

export const slashCases = casesOf("slash commands", [
  {
    name: "slash-context",
    about: "A command that the CLI answers itself: no call of the model.",
    scripts: [hello],
    args: ASK,
    host: [...turn("say hello"), ...turn("/context")],
    expect: {
      results: [{ subtype: "success" }, { subtype: "success", num_turns: 0 }],
      see: [{ type: "assistant", message: { model: "<synthetic>" } }],
    },
    differs: [
      {
        versions: OLD,
        why: "the output is a user message, and num_turns counts earlier ones",
        expect: {
          results: [{ subtype: "success" }, { subtype: "success", result: "" }],
          see: [{ type: "user", message: { content: has("<local-command-stdout>") } }],
        },
      },
    ],
    simulator: true,
  },
  {
    name: "slash-cost",
    about: "/cost, an alias that is not listed.",
    scripts: [hello],
    args: ASK,
    host: [...turn("say hello"), ...turn("/cost")],
    expect: { results: [{ subtype: "success" }, { subtype: "success" }] },
    simulator: true,
  },
  {
    name: "slash-unknown",
    about: "An unknown command goes to the model as it is.",
    scripts: [script("/nonsense", says("I do not know that command."))],
    args: ASK,
    host: turn("/nonsense"),
    differs: [
      {
        versions: OLD,
        why: "the CLI says itself that it does not know the command",
        expect: { plays: { "/nonsense": 0 }, results: [{ result: has("nonsense") }] },
      },
    ],
    simulator: true,
  },
  {
    name: "slash-clear",
    about: "/clear starts a new conversation with a new session id.",
    scripts: [hello, more],
    args: ASK,
    host: [...turn("say hello"), ...turn("/clear"), ...turn("say more")],
    expect: { see: [{ type: "conversation_reset", new_conversation_id: present }] },
    differs: [{ versions: OLD, why: "no conversation_reset yet", expect: { see: [] } }],
    simulator: true,
  },
  {
    name: "slash-disabled",
    about: "--disable-slash-commands: the CLI says so itself.",
    scripts: [],
    args: [...ASK, "--disable-slash-commands"],
    host: turn("/context"),
    expect: {
      results: [{ subtype: "success", num_turns: 0 }],
      never: [{ type: "assistant", message: { content: has("Context Usage") } }],
    },
    differs: [
      {
        versions: OLD,
        why: "it calls the command an unknown skill",
        expect: { results: [{ result: "Unknown skill: context" }] },
      },
    ],
    simulator: true,
  },
  {
    name: "slash-composed",
    about: "client_composed sends the text to the model, slash or not.",
    scripts: [script("/context", says("It is only text."))],
    args: ASK,
    host: turn("/context", { client_composed: true }),
    excluded: [{ versions: OLD, why: "client_composed is not known yet: the command runs" }],
    simulator: true,
  },
  {
    name: "slash-custom",
    about: "A command of the project becomes a prompt.",
    scripts: [script("greet the crew", says("Ahoy."))],
    files: { ".claude/commands/greet.md": "Please greet the crew: $ARGUMENTS\n" },
    args: ASK,
    host: turn("/greet all"),
    expect: { see: [{ type: "system", subtype: "init", slash_commands: ["greet"] }] },
    simulator: true,
  },
]);

export const compactionCases = casesOf("compaction", [
  {
    name: "compact",
    about: "/compact: a boundary with its numbers, and the session continues.",
    scripts: [hello, more],
    args: ASK,
    host: [...turn("say hello"), ...turn("/compact"), ...turn("say more")],
    expect: {
      order: [
        { type: "system", subtype: "status", status: "compacting" },
        { type: "system", subtype: "compact_boundary", compact_metadata: { trigger: "manual", pre_tokens: present } },
        { type: "result" },
        { type: "assistant", message: { content: [{ text: "More." }] } },
      ],
    },
    simulator: true,
  },
  {
    name: "compact-nothing",
    about: "/compact with nothing to compact.",
    scripts: [hello],
    args: ASK,
    host: [...turn("/compact"), ...turn("say hello")],
    expect: { never: [{ type: "system", subtype: "compact_boundary" }] },
    simulator: true,
  },
  {
    name: "compact-with-words",
    about: "/compact with instructions.",
    scripts: [hello, more],
    args: ASK,
    host: [...turn("say hello"), ...turn("/compact keep the greeting"), ...turn("say more")],
    expect: {
      see: [{ type: "system", subtype: "compact_boundary" }],
      requests: [{ answer: "side:compact", body: { messages: [{ content: has("keep the greeting") }] } }],
    },
    simulator: true,
  },
]);

export const sessionCases = casesOf("sessions", [
  {
    name: "session-id",
    about: "--session-id names the session.",
    scripts: [hello],
    args: ["--session-id", ID],
    host: turn("say hello"),
    expect: {
      see: [
        { ...INIT, session_id: ID },
        { type: "result", session_id: ID },
      ],
    },
    simulator: true,
  },
  {
    name: "session-resume",
    about: "--resume continues with the same id and replays nothing.",
    scripts: [hello, more],
    phases: two([], ["--resume", "{{session}}"]),
    expect: {
      count: [{ of: { ...INIT, session_id: "{{session}}" }, is: 2 }],
      requests: [
        {
          body: {
            messages: [
              { role: "assistant", content: has("Hello.") },
              { role: "user", content: has("say more") },
            ],
          },
        },
      ],
    },
    simulator: true,
    fast: true,
  },
  {
    name: "session-continue",
    about: "--continue takes up the last session of the folder.",
    scripts: [hello, more],
    phases: two(["--session-id", ID], ["--continue"]),
    expect: { count: [{ of: { ...INIT, session_id: ID }, is: 2 }] },
    simulator: true,
  },
  {
    name: "session-fork",
    about: "--fork-session continues with the history under a new id.",
    scripts: [hello, more],
    phases: two(["--session-id", ID], ["--resume", ID, "--fork-session"]),
    expect: {
      count: [{ of: { ...INIT, session_id: ID }, is: 1 }],
      requests: [
        {
          body: {
            messages: [
              { role: "assistant", content: has("Hello.") },
              { role: "user", content: has("say more") },
            ],
          },
        },
      ],
    },
    simulator: true,
  },
  {
    name: "session-fork-named",
    about: "--fork-session with --session-id gives the fork its id.",
    scripts: [hello, more],
    phases: two(["--session-id", ID], ["--resume", ID, "--fork-session", "--session-id", OTHER]),
    expect: {
      see: [
        { ...INIT, session_id: ID },
        { ...INIT, session_id: OTHER },
      ],
    },
    simulator: true,
  },
  {
    name: "session-resume-missing",
    about: "Resuming a session that is not there ends with an error result.",
    scripts: [hello],
    args: ["--resume", ID],
    host: [prompt("say hello"), exit],
    expect: {
      plays: { "say hello": 0 },
      results: [{ subtype: "error_during_execution", is_error: true }],
      exits: [1],
      stderr: "No conversation found",
    },
    differs: [
      {
        versions: OLD,
        why: "the result says it, stderr is empty",
        expect: {
          stderr: "",
          results: [{ subtype: "error_during_execution", errors: [has("No conversation found")] }],
        },
      },
    ],
    simulator: true,
  },
  {
    name: "session-resume-bad-id",
    about: "Resuming with an invalid id.",
    scripts: [],
    args: ["--resume", "not-an-id"],
    host: [exit],
    expect: { results: [{ subtype: "error_during_execution" }], exits: [1] },
    simulator: true,
  },
  {
    name: "session-id-in-use",
    about: "A session id that is taken is refused.",
    scripts: [hello],
    phases: [
      { args: ["--session-id", ID], host: turn("say hello") },
      { args: ["--session-id", ID], host: [exit] },
    ],
    expect: { exits: [0, 1], stderr: "already in use" },
    simulator: true,
  },
  {
    name: "session-id-bad",
    about: "A session id that is not a UUID is refused.",
    scripts: [],
    args: ["--session-id", "seven"],
    host: [exit],
    expect: { results: [], exits: [1], stderr: "UUID" },
    simulator: true,
  },
  {
    name: "session-resume-with-id",
    about: "--resume with --session-id but without --fork-session is refused.",
    scripts: [hello],
    phases: [
      { args: ["--session-id", ID], host: turn("say hello") },
      { args: ["--resume", ID, "--session-id", OTHER], host: [exit] },
    ],
    expect: { exits: [0, 1], stderr: "--session-id" },
    simulator: true,
  },
  {
    name: "session-not-kept",
    about: "--no-session-persistence: nothing to resume.",
    scripts: [hello],
    phases: [
      { args: ["-p", "--no-session-persistence", "--session-id", ID], host: turn("say hello") },
      { args: ["--resume", ID], host: [prompt("say more"), exit] },
    ],
    expect: { results: [{ subtype: "success" }, { subtype: "error_during_execution" }], exits: [0, 1] },
    simulator: true,
  },
  {
    name: "session-resume-replay",
    about: "--resume with --replay-user-messages echoes the new prompt only.",
    scripts: [hello, more],
    phases: two([REPLAY], [REPLAY, "--resume", "{{session}}"]),
    expect: { count: [{ of: { type: "user", isReplay: true }, is: 2 }] },
    simulator: true,
  },
  {
    name: "session-permissions-forgotten",
    about: "What was allowed for the session is asked again after a resume.",
    scripts: [
      script("make one", says(bash("node make.js")), says("One.")),
      script("make two", says(bash("node make.js")), says("Two.")),
    ],
    files: { "make.js": "process.exit(0);\n" },
    phases: [
      { args: ASK, host: turn("make one"), answers: [remembered()] },
      { args: [...ASK, "--resume", "{{session}}"], host: turn("make two"), answers: [allow("Bash")] },
    ],
    expect: { asks: ["Bash", "Bash"] },
    simulator: true,
  },
]);

function remembered() {
  const rules = [{ toolName: "Bash", ruleContent: "node make.js" }];
  return {
    to: "tool",
    tool: "Bash",
    reply: {
      allow: {},
      also: { updatedPermissions: [{ type: "addRules", rules, behavior: "allow", destination: "session" }] },
    },
  } as const;
}

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const imageCases = casesOf("images and files", [
  {
    name: "image-block",
    about: "An image in a prompt reaches the model.",
    scripts: [script("look at this", says("A picture."))],
    args: [PARTIAL],
    host: turn([
      { type: "text", text: "look at this" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
    ]),
    expect: { requests: [{ body: { messages: [{ role: "user", content: [{ type: "image" }] }] } }] },
    simulator: true,
  },
  {
    name: "image-read",
    about: "Reading an image file gives an image result.",
    scripts: [
      script(
        "read the picture",
        says({ tool: "Bash", input: { command: `echo ${PNG} | base64 -d > p.png`, description: "Make it" } }),
        says({ tool: "Read", input: { file_path: "{{cwd}}/p.png" } }),
        says("Seen."),
      ),
    ],
    args: [...ASK, "--allowedTools", "Bash"],
    host: turn("read the picture"),
    expect: { see: [{ type: "user", tool_use_result: { type: "image", file: { base64: present } } }] },
    simulator: true,
  },
  {
    name: "file-mention",
    about: "@file in a prompt brings the file along.",
    scripts: [script("look into", says("Looked into it."))],
    files: { "notes.txt": "the notes say ahoy\n" },
    args: [PARTIAL],
    host: turn("look into @notes.txt"),
    expect: { requests: [{ body: { messages: [{ content: has("the notes say ahoy") }] } }] },
    simulator: true,
  },
  {
    name: "document-block",
    about: "A text document in a prompt reaches the model.",
    scripts: [script("read along", says("Read."))],
    args: [PARTIAL],
    host: [
      prompt([
        { type: "document", source: { type: "text", media_type: "text/plain", data: "a small document" } },
        { type: "text", text: "read along" },
      ]),
      see({ type: "assistant" }),
      settled,
    ],
    expect: { requests: [{ body: { messages: [{ content: [{ type: "document" }] }] } }] },
    simulator: true,
  },
]);
