import { OLD, PARTIAL, STDIO_PROMPTS, bash, casesOf, says, script, uses } from "../case.ts";
import { allow, deny, turn } from "../host-script.ts";
import { has } from "../match.ts";

const ASK = [PARTIAL, ...STDIO_PROMPTS];
const PLAN = [...ASK, "--permission-mode", "plan"];
const QUESTION = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: [
    { label: "Red", description: "Like fire" },
    { label: "Blue", description: "Like water" },
  ],
};
const MANY = { ...QUESTION, question: "Which fruits?", header: "Fruits", multiSelect: true };
const toolText = (text: string) => ({
  type: "user",
  message: { content: [{ type: "tool_result", content: has(text) }] },
});
const toolError = (text: string) => ({
  type: "user",
  message: { content: [{ type: "tool_result", is_error: true, content: has(text) }] },
});
const asks = (questions: readonly unknown[]) =>
  script("ask me", says(uses("AskUserQuestion", { questions })), says("Noted."));

export const questionCases = casesOf("questions and plan", [
  {
    name: "question-answered",
    about: "AskUserQuestion arrives as can_use_tool; answers are keyed by the text of the question.",
    scripts: [asks([QUESTION])],
    args: ASK,
    answers: [allow("AskUserQuestion", { answers: { "Which colour?": "Blue" } })],
    host: turn("ask me"),
    expect: {
      asks: ["AskUserQuestion"],
      see: [toolText("Blue"), { type: "user", tool_use_result: { answers: { "Which colour?": "Blue" } } }],
    },
    simulator: true,
    fast: true,
  },
  {
    name: "question-several",
    about: "Two questions, one with several choices and one with free text.",
    scripts: [asks([QUESTION, MANY])],
    args: ASK,
    answers: [
      allow("AskUserQuestion", { answers: { "Which colour?": "Purple, please", "Which fruits?": "Red, Blue" } }),
    ],
    host: turn("ask me"),
    expect: { see: [toolText("Purple, please")] },
    simulator: true,
  },
  {
    name: "question-denied",
    about: "A denied question is an error result with the message.",
    scripts: [asks([QUESTION])],
    args: ASK,
    answers: [deny("AskUserQuestion", "no questions now")],
    host: turn("ask me"),
    expect: { see: [toolError("no questions now")] },
    simulator: true,
  },
  {
    name: "question-no-surface",
    about: "Without a prompt tool AskUserQuestion is not offered, and its use fails.",
    scripts: [asks([QUESTION])],
    host: turn("ask me"),
    expect: { never: [{ type: "system", subtype: "init", tools: ["AskUserQuestion"] }], see: [toolError("")] },
    differs: [
      {
        versions: OLD,
        why: "the tool is still offered, and refused when used",
        expect: { never: [], see: [{ type: "system", subtype: "init", tools: ["AskUserQuestion"] }, toolError("")] },
      },
    ],
    simulator: true,
  },
  {
    name: "plan-approved",
    about: "Plan mode: ExitPlanMode asks; approval returns to the mode before.",
    scripts: [script("make a plan", says(uses("ExitPlanMode", { plan: "1. Do it." })), says("Now doing it."))],
    args: PLAN,
    answers: [allow("ExitPlanMode")],
    host: turn("make a plan"),
    expect: {
      asks: ["ExitPlanMode"],
      see: [
        { type: "system", subtype: "init", permissionMode: "plan" },
        { type: "system", subtype: "status", permissionMode: "default" },
        toolText("approved"),
      ],
    },
    differs: [
      {
        versions: ["2.1.22"],
        why: "a change of mode makes no status event yet",
        expect: { see: [{ type: "system", subtype: "init", permissionMode: "plan" }, toolText("approved")] },
      },
    ],
    simulator: true,
  },
  {
    name: "plan-approved-with-mode",
    about: "Approval with a mode: what follows is not asked for.",
    scripts: [
      script(
        "make a plan",
        says(uses("ExitPlanMode", { plan: "1. Touch it." })),
        says(bash("touch a.txt")),
        says("Done."),
      ),
    ],
    args: PLAN,
    answers: [
      {
        to: "tool",
        tool: "ExitPlanMode",
        reply: {
          allow: {},
          also: { updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }] },
        },
      },
    ],
    host: turn("make a plan"),
    expect: { asks: ["ExitPlanMode"], files: { "a.txt": "" } },
    simulator: true,
  },
  {
    name: "plan-rejected",
    about: "A rejected plan is an error result with the reason, and plan mode stays.",
    scripts: [script("make a plan", says(uses("ExitPlanMode", { plan: "1. Do it." })), says("Thinking again."))],
    args: PLAN,
    answers: [deny("ExitPlanMode", "too short")],
    host: turn("make a plan"),
    expect: { asks: ["ExitPlanMode"], see: [toolError("too short")] },
    simulator: true,
  },
  {
    name: "plan-entered",
    about: "The model enters plan mode by itself.",
    scripts: [
      script(
        "plan it yourself",
        says(uses("EnterPlanMode")),
        says(uses("ExitPlanMode", { plan: "1. Do it." })),
        says("Doing it."),
      ),
    ],
    args: ASK,
    answers: [allow("EnterPlanMode"), allow("ExitPlanMode")],
    host: turn("plan it yourself"),
    expect: { asks: ["ExitPlanMode"], see: [{ type: "system", subtype: "status", permissionMode: "plan" }] },
    differs: [{ versions: ["2.1.22"], why: "a change of mode makes no status event yet", expect: { see: [] } }],
    simulator: true,
  },
  {
    name: "plan-exit-outside",
    about: "ExitPlanMode outside of plan mode is an error result.",
    scripts: [script("leave the plan", says(uses("ExitPlanMode", { plan: "None." })), says("There was none."))],
    args: ASK,
    answers: [allow("ExitPlanMode")],
    host: turn("leave the plan"),
    expect: { asks: [], see: [toolError("not in plan mode")] },
    differs: [{ versions: OLD, why: "it still asks", expect: { asks: ["ExitPlanMode"], see: [] } }],
    simulator: true,
  },
  {
    name: "plan-write-refused",
    about: "Writing in plan mode asks or is refused, but nothing is written unasked.",
    scripts: [
      script("write in plan", says(uses("Write", { file_path: "{{cwd}}/w.txt", content: "x\n" })), says("Not now.")),
    ],
    args: PLAN,
    answers: [deny("Write", "not in plan mode")],
    host: turn("write in plan"),
    expect: { files: { "w.txt": null }, see: [toolError("")] },
    simulator: true,
  },
]);
