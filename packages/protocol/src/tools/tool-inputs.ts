// The input of each tool, with the names of the wire. The table is the only list of known tools:
// types, runtime checks and `KNOWN_TOOLS` come from it. A field is required only if a call cannot be
// shown without it. Fields that are not named here are kept. Sources: the SDK's typings (0.3.325), the
// typings inside CLI 2.1.22 and 2.1.38, S0 to S4, the recordings. Other tools are open records.

import {
  anything,
  array,
  boolean,
  dictionary,
  either,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
} from "../schema.ts";
import type { Infer } from "../schema.ts";

export const Todo = object({
  content: string,
  status: oneOf("pending", "in_progress", "completed"),
  activeForm: optional(string),
});
export type Todo = Infer<typeof Todo>;

export const QuestionOption = object({ label: string, description: optional(string), preview: optional(string) });
export type QuestionOption = Infer<typeof QuestionOption>;
export const Question = object({
  question: string,
  header: optional(string),
  options: array(QuestionOption),
  multiSelect: optional(boolean),
});
export type Question = Infer<typeof Question>;
export const QuestionAnnotation = object({
  preview: optional(string),
  notes: optional(string),
  unanswered: optional(oneOf("skipped", "replied_in_chat", "dismissed")),
});
export type QuestionAnnotation = Infer<typeof QuestionAnnotation>;

export const Finding = object({
  file: string,
  line: optional(number),
  summary: string,
  short_summary: optional(string),
  failure_scenario: optional(string),
  category: optional(string),
  verdict: optional(oneOf("CONFIRMED", "PLAUSIBLE")),
  outcome: optional(oneOf("fixed", "skipped", "no_change_needed")),
});
export type Finding = Infer<typeof Finding>;

const Replacement = object({ old_string: string, new_string: string, replace_all: optional(boolean) });
const shell = object({
  command: string,
  timeout: optional(number),
  description: optional(string),
  run_in_background: optional(boolean),
  dangerouslyDisableSandbox: optional(boolean),
});
const level = oneOf("low", "medium", "high", "xhigh", "max");
const mcpResource = object({ server: string, uri: string });

export const TOOL_INPUTS = {
  Agent: object({
    description: string,
    prompt: string,
    subagent_type: optional(string),
    model: optional(oneOf("sonnet", "opus", "haiku", "fable")),
    effort: optional(level),
    run_in_background: optional(boolean),
    name: optional(string),
    team_name: optional(string),
    mode: optional(string),
    isolation: optional(oneOf("worktree", "remote")),
    resume: optional(string),
    max_turns: optional(number),
  }),
  Artifact: object({
    action: optional(
      oneOf(
        "publish",
        "list",
        "read",
        "list_types",
        "watch",
        "unwatch",
        "status",
        "upload_asset",
        "list_assets",
        "read_asset",
        "delete_asset",
        "pin",
        "unpin",
      ),
    ),
    file_path: optional(string),
    file_paths: optional(array(string)),
    url: optional(string),
    title: optional(string),
    description: optional(string),
    label: optional(string),
    icon: optional(string),
    favicon: optional(string),
    prompt: optional(string),
    force: optional(boolean),
    pin: optional(boolean),
    limit: optional(number),
    page_token: optional(string),
    scope: optional(oneOf("mine", "shared", "all")),
    out_dir: optional(string),
    asset_id: optional(string),
    after: optional(string),
    capabilities: optional(record),
    contract: optional(string),
  }),
  AskUserQuestion: object({
    questions: array(Question),
    answers: optional(dictionary(either(string, array(string)))),
    annotations: optional(dictionary(QuestionAnnotation)),
    metadata: optional(record),
  }),
  Bash: shell,
  ClaudeDesign: object({ operation: string, arguments: optional(record) }),
  Config: object({ setting: string, value: optional(anything) }),
  CronCreate: object({ cron: string, prompt: string, recurring: optional(boolean), durable: optional(boolean) }),
  CronDelete: object({ id: string }),
  CronList: record,
  Edit: object({ file_path: string, old_string: string, new_string: string, replace_all: optional(boolean) }),
  EndConversation: record,
  EnterPlanMode: record,
  EnterWorktree: object({ name: optional(string), path: optional(string) }),
  // The model sends no plan: it writes a file, and the CLI adds `plan` and `planFilePath` for the host.
  ExitPlanMode: object({
    plan: optional(string),
    planFilePath: optional(string),
    allowedPrompts: optional(array(object({ tool: string, prompt: string }))),
    pushToRemote: optional(boolean),
    remoteSessionId: optional(string),
    remoteSessionUrl: optional(string),
    remoteSessionTitle: optional(string),
    launchSwarm: optional(boolean),
    teammateCount: optional(number),
  }),
  ExitWorktree: object({ action: oneOf("keep", "remove"), discard_changes: optional(boolean) }),
  Glob: object({ pattern: string, path: optional(string) }),
  Grep: object({
    pattern: string,
    path: optional(string),
    glob: optional(string),
    output_mode: optional(oneOf("content", "files_with_matches", "count")),
    "-A": optional(number),
    "-B": optional(number),
    "-C": optional(number),
    "-i": optional(boolean),
    "-n": optional(boolean),
    "-o": optional(boolean),
    context: optional(number),
    type: optional(string),
    head_limit: optional(number),
    offset: optional(number),
    multiline: optional(boolean),
  }),
  ListAgents: record,
  ListMcpResourcesTool: object({ server: optional(string) }),
  LSP: object({
    operation: string,
    filePath: string,
    line: optional(number),
    character: optional(number),
    query: optional(string),
  }),
  Monitor: object({
    description: string,
    timeout_ms: optional(number),
    command: optional(string),
    ws: optional(object({ url: string, protocols: optional(array(string)) })),
  }),
  MultiEdit: object({ file_path: string, edits: array(Replacement) }),
  NotebookEdit: object({
    notebook_path: string,
    new_source: string,
    cell_id: optional(string),
    cell_type: optional(oneOf("code", "markdown")),
    edit_mode: optional(oneOf("replace", "insert", "delete")),
  }),
  OfferChromeSetup: object({ reason: optional(string) }),
  PowerShell: shell,
  Projects: object({
    method: oneOf(
      "project_info",
      "project_read",
      "project_search",
      "project_write",
      "project_delete",
      "project_memory_list",
      "project_memory_read",
    ),
    path: optional(string),
    content: optional(string),
    local_path: optional(string),
    present_to_user: optional(boolean),
    query: optional(string),
    n: optional(number),
  }),
  propose_skills: object({
    proposals: array(
      object({
        name: string,
        kind: oneOf("new", "improvement"),
        target: optional(string),
        description: string,
        evidence: optional(array(string)),
        edits: optional(array(Replacement)),
        skillMd: optional(string),
      }),
    ),
  }),
  ProposeGoal: object({ condition: string, ask_user: optional(boolean) }),
  PushNotification: object({ message: string, status: optional(string) }),
  Read: object({
    file_path: string,
    offset: optional(number),
    limit: optional(number),
    pages: optional(string),
    allow_large: optional(boolean),
  }),
  ReadMcpResourceDirTool: mcpResource,
  ReadMcpResourceTool: mcpResource,
  ReadNotifications: record,
  RefreshMcpTools: object({ server: optional(string) }),
  RemoteTrigger: object({
    action: oneOf("list", "get", "create", "update", "run", "create_webhook_trigger", "list_runs", "get_run_log"),
    trigger_id: optional(string),
    session_id: optional(string),
    cursor: optional(string),
    body: optional(record),
  }),
  ReportFindings: object({ level: optional(level), findings: array(Finding) }),
  ScheduleWakeup: object({
    delaySeconds: optional(number),
    reason: optional(string),
    prompt: optional(string),
    stop: optional(boolean),
    noop: optional(boolean),
  }),
  SendFeedback: object({
    type: oneOf("bug", "idea", "missing_capability"),
    title: string,
    details: string,
    area: optional(string),
    failure_mode: optional(string),
    task_category: optional(string),
  }),
  SendMessage: object({ to: optional(string), summary: optional(string), message: optional(anything) }),
  SendUserFile: record,
  SendUserMessage: record,
  ShareOnboardingGuide: record,
  ShowOnboardingRolePicker: record,
  Skill: object({ skill: string, args: optional(string) }),
  StructuredOutput: record,
  SubagentHandback: record,
  TaskCreate: object({
    subject: string,
    description: optional(string),
    activeForm: optional(string),
    metadata: optional(record),
  }),
  TaskGet: object({ taskId: string }),
  TaskList: record,
  TaskOutput: object({ task_id: string, block: optional(boolean), timeout: optional(number) }),
  TaskStop: object({ task_id: optional(string), shell_id: optional(string) }),
  TaskUpdate: object({
    taskId: string,
    subject: optional(string),
    description: optional(string),
    activeForm: optional(string),
    status: optional(oneOf("pending", "in_progress", "completed", "deleted")),
    addBlocks: optional(array(string)),
    addBlockedBy: optional(array(string)),
    owner: optional(string),
    metadata: optional(record),
  }),
  TodoWrite: object({ todos: array(Todo) }),
  ToolSearch: object({ query: string, max_results: optional(number) }),
  WaitForMcpServers: object({ servers: optional(array(string)) }),
  WebFetch: object({ url: string, prompt: optional(string), offset: optional(number) }),
  WebSearch: object({
    query: string,
    allowed_domains: optional(array(string)),
    blocked_domains: optional(array(string)),
  }),
  Workflow: object({
    script: optional(string),
    name: optional(string),
    description: optional(string),
    title: optional(string),
    args: optional(anything),
    scriptPath: optional(string),
    resumeFromRunId: optional(string),
  }),
  Write: object({ file_path: string, content: string }),
} as const;

export type KnownTool = keyof typeof TOOL_INPUTS;
export type ToolInputs = { [K in KnownTool]: Infer<(typeof TOOL_INPUTS)[K]> };
export const KNOWN_TOOLS = Object.keys(TOOL_INPUTS) as readonly KnownTool[];

/** Other names under which versions offered, or still accept, a tool of the list. */
export const TOOL_ALIASES = {
  Task: "Agent",
  KillShell: "TaskStop",
  KillBash: "TaskStop",
  BashOutput: "TaskOutput",
  BashOutputTool: "TaskOutput",
  AgentOutput: "TaskOutput",
  AgentOutputTool: "TaskOutput",
  ListPeers: "ListAgents",
  Brief: "SendUserMessage",
  ListMcpResources: "ListMcpResourcesTool",
  ReadMcpResource: "ReadMcpResourceTool",
  ReadMcpResourceDir: "ReadMcpResourceDirTool",
} as const satisfies Readonly<Record<string, KnownTool>>;

const names = new Map<string, KnownTool>([
  ...KNOWN_TOOLS.map((tool) => [tool, tool] as const),
  ...Object.entries(TOOL_ALIASES),
]);

/** The tool of a name on the wire, or undefined for MCP tools and unknown tools. */
export const knownTool = (name: string): KnownTool | undefined => names.get(name);
