import { expect, it } from "vitest";
import { ASKING, bash, blockOf, call, contentOf, Host, text, use } from "./host.fixture.ts";

const launch = (extra: Record<string, unknown>): ReturnType<typeof call> =>
  call("Task", { description: "Sub job", prompt: "please subwork", subagent_type: "general-purpose", ...extra });
const subwork = [
  {
    say: [
      { thinking: "hm" },
      { text: "Sub text." },
      use("Bash", { command: "echo from-sub", description: "Sub echo" }),
    ],
  },
  text("Sub report."),
];

it.concurrent("in the foreground shows its tools and returns its report", async () => {
  const host = new Host({ scripts: { go: [launch({ run_in_background: false }), text("finished")], subwork } });
  const result = await host.turn("go");
  expect(host.words()).toEqual([
    "init",
    "assistant tool_use",
    "task_started",
    "user text",
    "task_progress",
    "assistant tool_use",
    "user tool_result",
    "task_updated",
    "task_notification",
    "user tool_result",
    "assistant text",
    "result success",
  ]);
  const marks = {
    parent_tool_use_id: "toolu_sim_0001_1",
    subagent_type: "general-purpose",
    task_description: "Sub job",
  };
  expect(host.messages[3]).toMatchObject({ ...marks, message: { content: [{ text: "please subwork" }] } });
  expect(host.messages[5]).toMatchObject(marks);
  expect(host.messages[6]).toMatchObject(marks);
  expect(host.messages[6]).not.toHaveProperty("tool_use_result");
  expect(host.messages[9]).toMatchObject({
    parent_tool_use_id: null,
    tool_use_result: { status: "completed", agentType: "general-purpose", totalToolUseCount: 1, toolsUsed: ["Bash"] },
  });
  expect(JSON.stringify(contentOf(host.messages[9]!))).toContain("Sub report.");
  expect(result).toMatchObject({
    num_turns: 2,
    subagent_stats: { spawned: 1, completed: 1, requested: { foreground: 1 }, by_type: { "general-purpose": 1 } },
  });
});

it.concurrent("shows its text if the flag is set", async () => {
  const host = new Host({
    scripts: { go: [launch({ run_in_background: false }), text("finished")], subwork },
    args: [...ASKING, "--forward-subagent-text"],
  });
  await host.turn("go");
  const said = host.messages
    .filter(({ type, agent_id }) => type === "assistant" && agent_id !== undefined)
    .map((message) => blockOf(message).type);
  expect(said).toEqual(["thinking", "text", "tool_use", "text"]);
});

it.concurrent("in the background lets the turn end, asks for its own permissions, and wakes the model", async () => {
  const asking = [bash("touch submade"), text("Sub report.")];
  const host = new Host({
    scripts: { go: [launch({}), text("launched"), text("noted")], subwork: asking },
    permit: () => undefined,
  });
  expect(await host.turn("go")).toMatchObject({
    result: "launched",
    subagent_stats: { started_in_background: 1, completed: 0 },
  });
  host.answer(await host.asked("can_use_tool"), { behavior: "allow" });
  const second = await host.result();
  expect(second).toMatchObject({ result: "noted", origin: { kind: "task-notification" }, num_turns: 1 });
  expect(host.messages.find(({ type }) => type === "control_request")).toMatchObject({
    request: { agent_id: expect.stringMatching(/^a/) as string },
  });
  expect(host.messages.filter(({ subtype }) => subtype === "background_tasks_changed")).toMatchObject([
    { tasks: [{ task_type: "local_agent", description: "Sub job" }] },
    { tasks: [] },
  ]);
});

it.concurrent("can be stopped by its task id, and reports that", async () => {
  const host = new Host({
    scripts: {
      go: [launch({ run_in_background: true }), text("launched"), text("noted")],
      subwork: [bash("sleep 600; echo x")],
    },
  });
  host.prompt("go");
  const { task_id } = await host.next(({ subtype }) => subtype === "task_started");
  await host.next(({ subtype }) => subtype === "task_progress");
  await host.request({ subtype: "stop_task", task_id });
  await host.next((message) => blockOf(message).text === "[Request interrupted by user for tool use]");
  expect(host.messages.find(({ subtype }) => subtype === "task_notification")).toMatchObject({
    status: "stopped",
    summary: "Sub job",
  });
  expect(host.messages.find(({ subtype }) => subtype === "task_updated")).toMatchObject({
    patch: { status: "killed" },
  });
});

it.concurrent("is stopped by an interrupt while the turn waits for it", async () => {
  const host = new Host({
    scripts: { go: [launch({ run_in_background: false })], subwork: [bash("sleep 600; echo x")] },
  });
  host.prompt("go");
  await host.next(({ subtype }) => subtype === "task_progress");
  await host.request({ subtype: "interrupt" });
  await host.result();
  const words = host.words();
  expect(words.slice(words.indexOf("answer"))).toEqual([
    "answer",
    "user tool_result",
    "task_updated",
    "task_notification",
    "user text",
    "result error_during_execution",
  ]);
});

it.concurrent("must have a kind that exists; the host may define its own", async () => {
  const host = new Host({
    scripts: {
      bad: [launch({ subagent_type: "nosuch" }), text("ok")],
      good: [launch({ subagent_type: "tester", run_in_background: false }), text("ok")],
      subwork: [text("tested")],
    },
  });
  await host.request({ subtype: "initialize", agents: { tester: { description: "T", prompt: "You test" } } });
  await host.turn("bad");
  expect(contentOf(host.toolResult("toolu_sim_0001_1"))).toContain(
    "Agent type 'nosuch' not found. Available agents: claude, Explore",
  );
  await host.turn("good");
  expect(host.toolResult("toolu_sim_0003_1")).toMatchObject({
    tool_use_result: { agentType: "tester", totalToolUseCount: 0 },
  });
});
