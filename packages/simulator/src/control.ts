// Control requests of the host, one function per subtype. A function gives the response, or throws a `ControlError`; what it
// must write before or after its response it writes itself through `reply`.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import {
  AGENTS,
  BUILD_TIME,
  COMMANDS,
  MODELS,
  OUTPUT_STYLES,
  PLUGINS,
  resolveModel,
  SKILLS,
  VERSION,
} from "./catalogue.ts";
import { contextUsage, hooksReport, initializeResponse, memoryReport, settingsReport, statusReport } from "./facts.ts";
import { isRecord, listAt, recordAt, textAt, textsIn } from "./json.ts";
import type { Json } from "./json.ts";
import { isPermissionMode, PERMISSION_MODES } from "./options.ts";
import { ruleText } from "./rule-book.ts";
import { textOf } from "./prompt.ts";
import type { Session } from "./session.ts";

class ControlError extends Error {
  readonly code: string | undefined;
  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

interface Request {
  readonly session: Session;
  readonly id: string;
  readonly request: Json;
  readonly signal: AbortSignal;
  /** Writes the response now, for what must follow it. */
  readonly reply: (response?: Json, envelope?: Json) => void;
}

/** `undefined`: success without a response. */
type Answer = (request: Request) => Json | undefined | Promise<Json | undefined>;

export const answerRequest = async (
  session: Session,
  id: string,
  request: Json,
  signal: AbortSignal,
): Promise<void> => {
  let replied = false;
  const reply = (response?: Json, envelope?: Json): void => {
    replied = true;
    session.output.write({
      type: "control_response",
      response: { subtype: "success", request_id: id, ...(response === undefined ? {} : { response }), ...envelope },
    });
  };
  const subtype = textAt(request, "subtype") ?? "";
  try {
    const answer = Object.hasOwn(ANSWERS, subtype) ? ANSWERS[subtype] : undefined;
    if (answer === undefined)
      throw new ControlError(`Unsupported control request subtype: ${subtype}`, "unsupported_request");
    const response = answer({ session, id, request, signal, reply });
    // Most answers are at hand: waiting would let other lines overtake them.
    const settled = response instanceof Promise ? await response : response;
    if (!replied) reply(settled);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    session.output.write({
      type: "control_response",
      response: {
        subtype: "error",
        request_id: id,
        error: error.message,
        ...(error.code === undefined ? {} : { error_code: error.code }),
      },
    });
  }
};

const initialize: Answer = ({ session, request, reply }) => {
  const isFirst = !session.isInitialized;
  session.isInitialized = true;
  const hooks = isRecord(request.hooks) ? request.hooks : undefined;
  if (hooks !== undefined) session.hooks.setCallbacks(hooks);
  if (isRecord(request.agents)) session.givenAgents = { ...session.givenAgents, ...request.agents };
  for (const name of textsIn(listAt(request, "sdkMcpServers"))) {
    if (!session.mcp.has(name)) session.mcp.add(name, { type: "sdk", name });
  }
  reply(initializeResponse(session, hooks !== undefined), {
    pending_permission_requests: session.requests.pending("can_use_tool"),
    pending_user_dialog_requests: [],
  });
  // A host that asks again has lost its state: the level signal brings it back.
  if (!isFirst || session.hasHadTurns) session.tasks.announce();
  return undefined;
};

const interrupt: Answer = ({ session, request, reply }) => {
  const cancelled = request.cancel_queued === true ? session.cancelAllQueued() : undefined;
  const still = session.queuedUuids;
  session.interrupt();
  reply({ still_queued: still, ...(cancelled === undefined ? {} : { cancelled }) });
  return undefined;
};

const setPermissionMode: Answer = ({ session, request, reply }) => {
  const mode = request.mode === "manual" ? "default" : request.mode;
  if (!isPermissionMode(mode)) {
    throw new ControlError(`Cannot set permission mode: must be one of ${PERMISSION_MODES.join(", ")}`, "invalid_mode");
  }
  if (mode === "bypassPermissions" && !session.options.bypassLaunched) {
    throw new ControlError(
      "Cannot set permission mode to bypassPermissions because the session was not launched with --dangerously-skip-permissions",
      "bypass_not_launched",
    );
  }
  reply({ mode });
  session.setMode(mode);
  return undefined;
};

const setModel: Answer = ({ session, request }) => {
  const name = textAt(request, "model") ?? "default";
  const model = resolveModel(name);
  if (model !== session.modelId && session.hasHadTurns) {
    const shown = name === "default" || name === model ? model : `${name} (${model})`;
    session.voice.userText(`<local-command-stdout>Set model to \`${shown}\`</local-command-stdout>`, undefined, {
      isReplay: true,
    });
  }
  session.modelId = model;
  return { model };
};

const rewindFiles: Answer = ({ session, request }) => {
  if (!session.checkpoints.isEnabled) return { canRewind: false, error: "File rewinding is not enabled." };
  const outcome = session.checkpoints.rewind(textAt(request, "user_message_id") ?? "", request.dry_run === true);
  if (outcome === undefined) throw new ControlError("No file checkpoint found for this message.");
  return outcome;
};

const knownServer = ({ session, request }: Request): string => {
  const name = textAt(request, "serverName") ?? "";
  if (!session.mcp.has(name)) throw new ControlError(`Server not found: ${name}`);
  return name;
};

const readFileAnswer: Answer = ({ session, request }) => {
  const requested = textAt(request, "path") ?? "";
  const path = resolve(session.cwd, requested);
  const isInside = !relative(session.cwd, path).startsWith("..");
  if (!isInside || !existsSync(path) || relative(realpathSync(session.cwd), realpathSync(path)).startsWith("..")) {
    throw new ControlError(`read denied: ${requested}`);
  }
  return { contents: readFileSync(path, "utf8"), absPath: path, lossy: false, requested_path: requested };
};

const fileSuggestions: Answer = ({ session, request }) => {
  const query = (textAt(request, "query") ?? "").toLowerCase();
  const found: string[] = [];
  const visit = (folder: string, depth: number): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name === ".git" || entry.name === "node_modules" || found.length >= 15) continue;
      const path = join(folder, entry.name);
      const shown = relative(session.cwd, path) + (entry.isDirectory() ? "/" : "");
      if (shown.toLowerCase().includes(query)) found.push(shown);
      if (entry.isDirectory() && depth < 6) visit(path, depth + 1);
    }
  };
  visit(session.cwd, 0);
  return { suggestions: found.map((path) => ({ path })), cwd: session.cwd };
};

const sideQuestion: Answer = async ({ session, id, request, signal }) => {
  session.voice.emit({ type: "system", subtype: "control_request_progress", request_id: id, status: "started" });
  const { pause } = await import("./pause.ts");
  const started = Date.now();
  const question = [...session.messages, { role: "user" as const, content: textAt(request, "question") ?? "" }];
  const attempt = session.model.attempt(question, session.modelId, { planFile: session.planFile });
  if (attempt.kind === "failure") throw new ControlError(`Side question failed: ${String(attempt.failure.status)}`);
  const deltas = attempt.events.filter(({ type }) => type === "content_block_delta").length;
  await pause((attempt.pace.firstMs ?? 0) + deltas * (attempt.pace.deltaMs ?? 0), signal);
  if (signal.aborted) throw new ControlError("Side question cancelled");
  session.ledger.add(session.modelId, attempt.reply.usage, Date.now() - started, false);
  const text = attempt.reply.content.map((block) => (block.type === "text" ? String(block.text) : "")).join("");
  return { response: text, synthetic: false };
};

const workspaceDiff: Answer = ({ session }) => {
  const git = (...args: readonly string[]): string | undefined => {
    const { status, stdout } = spawnSync("git", args, { cwd: session.cwd, encoding: "utf8" });
    return status === 0 ? stdout : undefined;
  };
  if (git("rev-parse", "--show-toplevel") === undefined) return { diff: null, noDiffReason: "no-repository" };
  const diff = git("diff", "HEAD") ?? "";
  return diff === "" ? { diff: null, noDiffReason: "no-changes" } : { diff };
};

const exportConversation: Answer = ({ session }) => {
  const lines = session.messages.map((message) => `\n${message.role === "user" ? "❯" : "●"} ${textOf(message)}\n`);
  return { text: lines.join("").trimEnd(), default_filename: "conversation.txt" };
};

const permissionRules: Answer = ({ session }) => ({
  state: {
    rules: session.permissions.book.rules.map((rule) => ({
      behavior: rule.behavior,
      source: rule.source,
      rule: ruleText(rule),
      description:
        rule.ruleContent === undefined
          ? { prefix: "Any use of the ", emphasis: rule.toolName, suffix: " tool" }
          : {
              prefix: `Any ${rule.toolName} command starting with `,
              emphasis: rule.ruleContent.replace(/(?::\*| \*)$/, ""),
            },
      editability: rule.source.endsWith("Settings") ? "persistent" : "session",
    })),
    workspaceDirectories: session.permissions.book.directories,
    originalCwd: session.cwd,
    managedOnly: false,
  },
});

const done: Answer = () => undefined;

const ANSWERS: Readonly<Record<string, Answer>> = {
  initialize,
  interrupt,
  set_permission_mode: setPermissionMode,
  set_model: setModel,
  set_max_thinking_tokens: done,
  seed_read_state: done,
  apply_flag_settings: done,
  set_has_subscribers: done,
  remote_control: done,
  mcp_message: done,
  rename_session: ({ session, request }) => {
    session.rename(textAt(request, "title") ?? "");
    return undefined;
  },
  cancel_async_message: ({ session, request }) => ({
    cancelled: session.cancelQueued(textAt(request, "message_uuid") ?? ""),
  }),
  end_session: ({ session, reply }) => {
    reply();
    session.endNow(0);
    return undefined;
  },
  stop_task: ({ session, request }) => {
    session.tasks.stop(textAt(request, "task_id") ?? "");
    return {};
  },
  background_tasks: ({ session, request }) => {
    session.tasks.allToBackground(textAt(request, "tool_use_id"));
    return {};
  },
  get_task_output: ({ session, request }) => {
    const output = session.tasks.outputOf(textAt(request, "task_id") ?? "");
    if (output === undefined)
      throw new ControlError("get_task_output: no shell or Monitor task with that task_id in this session");
    return output;
  },
  mcp_status: ({ session }) => session.mcp.status(),
  mcp_set_servers: ({ session, request }) => session.mcp.setServers(recordAt(request, "servers")),
  mcp_reconnect: (request) => {
    knownServer(request);
    throw new ControlError("SDK servers should be handled in print.ts");
  },
  mcp_toggle: async (request) => {
    await request.session.mcp.toggle(knownServer(request), request.request.enabled === true);
    return undefined;
  },
  mcp_read_resource: (request) => {
    knownServer(request);
    throw new ControlError("Connection closed");
  },
  mcp_authenticate: (request) => {
    knownServer(request);
    return {};
  },
  mcp_clear_auth: (request) => {
    knownServer(request);
    return {};
  },
  mcp_call: ({ request }) => {
    throw new ControlError(`Not a fully-qualified MCP tool name: ${textAt(request, "tool") ?? ""}`);
  },
  rewind_files: rewindFiles,
  get_context_usage: ({ session }) => contextUsage(session),
  get_session_cost: ({ session }) => ({ text: session.ledger.text(Date.now() - session.startedAt) }),
  get_usage: ({ session }) => ({
    session: {
      total_cost_usd: session.ledger.costUSD,
      total_api_duration_ms: session.ledger.apiMs,
      total_duration_ms: Date.now() - session.startedAt,
      total_lines_added: session.ledger.linesAdded,
      total_lines_removed: session.ledger.linesRemoved,
      model_usage: session.ledger.modelUsage(),
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
    behaviors: null,
  }),
  get_settings: ({ session }) => settingsReport(session),
  get_status: ({ session }) => statusReport(session),
  get_plan: ({ session }) =>
    existsSync(session.planFile)
      ? { exists: true, path: session.planFile, content: readFileSync(session.planFile, "utf8") }
      : { exists: false },
  get_binary_version: () => ({ version: VERSION, buildTime: BUILD_TIME }),
  get_hooks_listing: ({ session }) => hooksReport(session),
  get_memory_dialog: ({ session }) => memoryReport(session),
  get_skills_dialog: () => ({ skills: [] }),
  list_models: () => ({ models: MODELS }),
  list_permission_rules: permissionRules,
  file_suggestions: fileSuggestions,
  read_file: readFileAnswer,
  side_question: sideQuestion,
  get_workspace_diff: workspaceDiff,
  export_conversation: exportConversation,
  generate_session_title: () => ({ title: null }),
  reload_plugins: () => ({ commands: COMMANDS, agents: AGENTS, plugins: PLUGINS, mcpServers: [], error_count: 0 }),
  reload_skills: () => ({ skills: SKILLS }),
  reload_output_styles: () => ({ available_output_styles: OUTPUT_STYLES }),
  update_settings: () => ({}),
  claim_session: () => {
    throw new ControlError(
      "not_a_spare: claim_session is only accepted by a process started with --await-claim that has not been claimed yet",
    );
  },
};
