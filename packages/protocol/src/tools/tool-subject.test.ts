import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordedCalls } from "./recorded-calls.fixture.ts";
import { KNOWN_TOOLS } from "./tool-inputs.ts";
import { toolSubject, toolTitle } from "./tool-subject.ts";

describe("toolTitle", () => {
  it.each([
    ["Bash", {}, "Bash"],
    ["Task", { subagent_type: "Explore" }, "Agent Explore"],
    ["Agent", undefined, "Agent"],
    ["AskUserQuestion", {}, "Question"],
    ["KillShell", {}, "TaskStop"],
    ["mcp__github__search_repositories", {}, "GitHub › Search Repositories"],
    ["SomethingNew", {}, "SomethingNew"],
  ])("names %s with %j", (name, input, title) => expect(toolTitle(name, input)).toBe(title));

  it("splits an MCP name by the configured servers", () =>
    expect(toolTitle("mcp__my__server__run", {}, ["my__server"])).toBe("My Server › Run"));
});

describe("toolSubject", () => {
  it.each([
    ["Bash", { description: "Lists", command: "ls -la" }, "ls -la"],
    ["PowerShell", { command: "dir" }, "dir"],
    ["Read", { file_path: "/a.ts", offset: 3 }, "/a.ts"],
    ["Write", { content: "x", file_path: "/b.ts" }, "/b.ts"],
    ["NotebookEdit", { new_source: "x", notebook_path: "/c.ipynb" }, "/c.ipynb"],
    ["Grep", { path: "/src", pattern: "TODO" }, "TODO in /src"],
    ["Glob", { pattern: "*.ts" }, "*.ts"],
    ["WebFetch", { prompt: "What?", url: "https://a.example/" }, "https://a.example/"],
    ["WebSearch", { query: "tides" }, "tides"],
    ["Task", { prompt: "Look at all of it", description: "Look" }, "Look"],
    ["Skill", { skill: "review", args: "src" }, "review src"],
    ["Skill", { skill: "review" }, "review"],
    ["TaskCreate", { description: "long", subject: "Build" }, "Build"],
    ["TaskUpdate", { taskId: "3", status: "completed" }, "#3"],
    ["TaskUpdate", { taskId: "3", subject: "Test" }, "#3 Test"],
    ["TaskGet", { taskId: "3" }, "#3"],
    ["BashOutput", { bash_id: "b1" }, "b1"],
    ["Monitor", { description: "Watches", command: "tail -f log" }, "tail -f log"],
    ["AskUserQuestion", { questions: [{ question: "Which?", options: [] }] }, "Which?"],
    ["ExitPlanMode", { plan: "\n## Dredge the basin \n\n1. Measure" }, "Dredge the basin"],
    ["ExitPlanMode", { plan: " \n" }, ""],
    ["ExitPlanMode", {}, ""],
    ["EnterPlanMode", {}, ""],
    ["mcp__github__search", { owner: "ann", query: "tides" }, "tides"],
    ["mcp__github__merge", { owner: "ann", repo: "harbor", number: 7, force: true }, "ann harbor 7"],
    ["mcp__db__find", { filter: { id: 1 } }, '{"filter":{"id":1}}'],
    ["mcp__db__ping", {}, ""],
    ["SomethingNew", "text", "text"],
    // A call without a required field still gives what it has.
    ["Read", { path: "/a.ts" }, "/a.ts"],
  ])("of %s with %j is %j", (name, input, subject) => expect(toolSubject(name, input)).toBe(subject));

  it("of a task list is the task in progress", () => {
    const todos = [
      { content: "Read", status: "completed" },
      { content: "Build", status: "in_progress", activeForm: "Building" },
    ];
    expect(toolSubject("TodoWrite", { todos })).toBe("Building");
    expect(toolSubject("TodoWrite", { todos: todos.slice(0, 1) })).toBe("");
  });

  it("is a text for every recorded call and any input", () => {
    for (const { name, input } of recordedCalls().calls) expect(typeof toolSubject(name, input)).toBe("string");
    const names = fc.constantFrom(...KNOWN_TOOLS, "mcp__a__b", "__proto__");
    fc.assert(
      fc.property(names, fc.anything(), (name, input) => {
        expect(typeof toolSubject(name, input)).toBe("string");
        expect(toolTitle(name, input)).not.toBe("");
      }),
    );
  });
});
