import { describe, expect, expectTypeOf, it } from "vitest";
import { fc } from "../property.fixture.ts";
import { splitMcpName } from "./mcp-names.ts";
import { readToolDraft, readToolInput } from "./read-tool-input.ts";
import { recordedCalls } from "./recorded-calls.fixture.ts";
import { KNOWN_TOOLS, knownTool, TOOL_ALIASES } from "./tool-inputs.ts";
import type { KnownTool, ToolInputs } from "./tool-inputs.ts";
import type { ToolResults } from "./tool-results.ts";

/** `BUILTIN_TOOL_NAMES` of the SDK 0.3.325. */
const SDK_NAMES = [
  ...["Agent", "Artifact", "AskUserQuestion", "Bash", "ClaudeDesign", "CronCreate", "CronDelete", "CronList", "Edit"],
  ...[
    "EndConversation",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "ListAgents",
  ],
  ...["ListMcpResourcesTool", "LSP", "Monitor", "NotebookEdit", "OfferChromeSetup", "PowerShell", "Projects"],
  ...["propose_skills", "ProposeGoal", "PushNotification", "Read", "ReadMcpResourceDirTool", "ReadMcpResourceTool"],
  ...["ReadNotifications", "RemoteTrigger", "ReportFindings", "ScheduleWakeup", "SendFeedback", "SendMessage"],
  ...["SendUserFile", "SendUserMessage", "ShareOnboardingGuide", "ShowOnboardingRolePicker", "Skill"],
  ...["SubagentHandback", "TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate", "TodoWrite", "ToolSearch"],
  ...["WaitForMcpServers", "WebFetch", "WebSearch", "Workflow", "Write"],
];
/** Typed by the SDK without a name, by older CLIs or by S0 to S4, or seen in a recording. */
const OTHER_NAMES = ["Config", "MultiEdit", "RefreshMcpTools", "StructuredOutput", "TaskOutput"];

/** Calls that the recordings made wrong on purpose. */
const BAD_CALLS = ['NoSuchTool {"a":1}', 'Read {"wrong":1}'];

const { calls, offered } = recordedCalls();

describe("the list of tools", () => {
  it("has the tools of the SDK, of S0 to S4 and of older CLIs", () => {
    expect(SDK_NAMES).toHaveLength(54);
    expect([...KNOWN_TOOLS].toSorted()).toEqual([...SDK_NAMES, ...OTHER_NAMES].toSorted());
  });

  it("is the same for types and at run time", () => {
    expectTypeOf<(typeof KNOWN_TOOLS)[number]>().toEqualTypeOf<keyof ToolInputs>();
    expectTypeOf<keyof ToolResults>().toEqualTypeOf<KnownTool>();
    expectTypeOf<ToolInputs["Bash"]["command"]>().toEqualTypeOf<string>();
    expectTypeOf<ToolInputs["Edit"]["replace_all"]>().toEqualTypeOf<boolean | undefined>();
  });

  it("knows every tool that a recorded CLI offered", () => {
    expect(offered.size).toBeGreaterThan(30);
    const unknown = [...offered].filter((name) => knownTool(name) === undefined && splitMcpName(name) === undefined);
    expect(unknown).toEqual([]);
  });

  it("has no alias that is also a tool's own name", () => {
    expect(Object.keys(TOOL_ALIASES).filter((alias) => (KNOWN_TOOLS as readonly string[]).includes(alias))).toEqual([]);
  });
});

describe("readToolInput", () => {
  it("reads every recorded call as its tool, whole", () => {
    expect(calls.length).toBeGreaterThan(200);
    const bad = new Set<string>();
    for (const { name, input, where } of calls) {
      const read = readToolInput(name, input);
      if (read.tool === "other" && read.mcp === undefined) bad.add(`${name} ${JSON.stringify(input)}`);
      else
        expect(read, where).toEqual(
          read.tool === "other"
            ? { tool: "other", name, mcp: splitMcpName(name), input }
            : { tool: knownTool(name), input },
        );
    }
    expect([...bad].toSorted()).toEqual(BAD_CALLS);
  });

  it("narrows by the tool's name", () => {
    const read = readToolInput("Bash", { command: "ls", extra: 1 });
    expect(read).toEqual({ tool: "Bash", input: { command: "ls", extra: 1 } });
    if (read.tool === "Bash") expectTypeOf(read.input.command).toEqualTypeOf<string>();
  });

  it("reads a call without the fields that a display needs as other", () => {
    expect(readToolInput("Bash", { command: 7 })).toEqual({ tool: "other", name: "Bash", input: { command: 7 } });
    expect(readToolInput("Bash", {})).toEqual({ tool: "other", name: "Bash", input: {} });
    expect(readToolInput("AskUserQuestion", { questions: [{}] }).tool).toBe("other");
    expect(readToolInput("Bash", "ls")).toEqual({ tool: "other", name: "Bash", input: { value: "ls" } });
  });

  it("sets optional fields of a wrong type aside", () => {
    expect(readToolInput("Bash", { command: "ls", timeout: "60000", extra: null })).toEqual({
      tool: "Bash",
      input: { command: "ls", extra: null },
      misfits: { timeout: "60000" },
    });
  });

  it("maps older names and fields to today's", () => {
    const agent = { description: "d", prompt: "p", subagent_type: "Explore", resume: "a1" };
    expect(readToolInput("Task", agent)).toEqual({ tool: "Agent", input: agent });
    expect(readToolInput("KillShell", { shell_id: "b1" })).toEqual({ tool: "TaskStop", input: { shell_id: "b1" } });
    expect(readToolInput("BashOutput", { bash_id: "b1", filter: "x" })).toEqual({
      tool: "TaskOutput",
      input: { task_id: "b1", filter: "x" },
    });
    expect(readToolInput("AgentOutputTool", { agentId: "a1", block: false, wait_up_to: 5 })).toEqual({
      tool: "TaskOutput",
      input: { task_id: "a1", block: false, timeout: 5000 },
    });
    const todos = { todos: [{ id: "1", content: "A", status: "pending", priority: "high" }] };
    expect(readToolInput("TodoWrite", todos)).toEqual({ tool: "TodoWrite", input: todos });
  });

  it("reads a plan in each of its forms", () => {
    for (const input of [
      {},
      { allowedPrompts: [{ tool: "Bash", prompt: "run tests" }], pushToRemote: true },
      { plan: "# Plan", planFilePath: "/home/user/.claude/plans/a.md" },
    ]) {
      expect(readToolInput("ExitPlanMode", input)).toEqual({ tool: "ExitPlanMode", input });
    }
  });

  it("splits the name of an MCP tool", () => {
    expect(readToolInput("mcp__github__search_repositories", { q: "x" })).toEqual({
      tool: "other",
      name: "mcp__github__search_repositories",
      mcp: { server: "github", tool: "search_repositories" },
      input: { q: "x" },
    });
  });

  it("never throws and never loses a field", () => {
    const names = fc.oneof(
      fc.constantFrom(...KNOWN_TOOLS, ...Object.keys(TOOL_ALIASES), "__proto__", "toString"),
      fc.string(),
    );
    fc.assert(
      fc.property(names, fc.jsonValue(), (name, input) => {
        const read = readToolInput(name, input);
        if (typeof input !== "object" || input === null || Array.isArray(input)) expect(read.tool).toBe("other");
        else if (knownTool(name) !== "TaskOutput") {
          const misfits = "misfits" in read ? read.misfits : {};
          expect(new Set([...Object.keys(read.input), ...Object.keys(misfits ?? {})])).toEqual(
            new Set(Object.keys(input)),
          );
        }
      }),
    );
  });

  it("keeps a field named __proto__ a field", () => {
    const read = readToolInput("Bash", JSON.parse('{"command":"ls","timeout":"1","__proto__":{"polluted":true}}'));
    expect(Object.keys(read.input)).toEqual(["command", "__proto__"]);
    expect((read.input as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("readToolDraft", () => {
  it("returns the parts that exist and are valid", () => {
    expect(readToolDraft("Write", {})).toEqual({ tool: "Write", input: {} });
    expect(readToolDraft("Task", { description: "d", prompt: 3 })).toEqual({
      tool: "Agent",
      input: { description: "d" },
    });
    expect(readToolDraft("mcp__a__b", { x: 1 })).toEqual({
      tool: "other",
      name: "mcp__a__b",
      mcp: { server: "a", tool: "b" },
      input: { x: 1 },
    });
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KNOWN_TOOLS, "x"), fc.jsonValue(), (name, input) => {
        expect(readToolDraft(name, input).tool).toBe(name === "x" ? "other" : name);
      }),
    );
  });
});
