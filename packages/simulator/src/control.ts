// Control requests of the host, one function per subtype. Those about files are in `control-reading.ts`, those about
// servers in `control-mcp.ts`. A function returns the response or throws a `ControlError`. What it must write around
// its response it writes itself through `reply`.
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
import { ControlError } from "./control-answer.ts";
import type { Answer } from "./control-answer.ts";
import { MCP_ANSWERS } from "./control-mcp.ts";
import { READING } from "./control-reading.ts";
import { contextUsage, hooksReport, initializeResponse, memoryReport, settingsReport, statusReport } from "./facts.ts";
import { isRecord, listAt, recordAt, textAt, textsIn } from "./json.ts";
import type { Json } from "./json.ts";
import { isPermissionMode, PERMISSION_MODES } from "./options.ts";
import { settingsPath, withSettings, writeSettings } from "./settings-files.ts";
import type { Session } from "./session-contract.ts";

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
    // Most answers are ready at once. Awaiting them would let other lines overtake them.
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
  if (isRecord(request.jsonSchema)) session.options = { ...session.options, jsonSchema: request.jsonSchema };
  if (isRecord(request.agents)) session.givenAgents = { ...session.givenAgents, ...request.agents };
  for (const name of textsIn(listAt(request, "sdkMcpServers"))) {
    if (!session.mcp.has(name)) session.mcp.add(name, { type: "sdk", name });
  }
  reply(initializeResponse(session, hooks !== undefined), {
    pending_permission_requests: session.requests.pending("can_use_tool"),
    pending_user_dialog_requests: [],
  });
  // A host that sends `initialize` again has lost its state. The full task list restores it.
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
  const isTrial = request.dry_run === true;
  const outcome = session.checkpoints.rewind(textAt(request, "user_message_id") ?? "", isTrial);
  if (outcome !== undefined) return outcome;
  const error = session.checkpoints.isEnabled
    ? "No file checkpoint found for this message."
    : "File rewinding is not enabled.";
  if (isTrial) return { canRewind: false, error };
  throw new ControlError(error);
};

/** Only settings that a dialog of the CLI offers can be saved. */
const updateSettings: Answer = ({ session, request }) => {
  const source = request.source === "userSettings" ? "userSettings" : "localSettings";
  const changes = recordAt(request, "settings");
  const odd = Object.keys(changes).filter((key) => key !== "outputStyle");
  if (odd.length > 0) throw new ControlError(`update_settings keys not allowed: ${odd.join(", ")}`);
  if (Object.values(changes).some((value) => typeof value !== "string")) {
    throw new ControlError("update_settings values must be strings (deletion is not supported): outputStyle");
  }
  session.settings = withSettings(session.settings, source, changes);
  const written = session.settings.find((one) => one.source === source)?.settings ?? {};
  writeSettings(settingsPath(source, session.cwd, session.home), written);
  return {};
};

/** One or two words are not enough for a title. */
const generateTitle: Answer = ({ session, request }) => {
  const description = textAt(request, "description");
  if (description === undefined) throw new ControlError("generate_session_title: description must be a string");
  const words = description.split(/\s+/);
  if (words.length < 3) return { title: null };
  const title = words.slice(0, 6).join(" ");
  if (request.persist === true) session.title ??= title;
  return { title };
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

const done: Answer = () => undefined;

const ANSWERS: Readonly<Record<string, Answer>> = {
  initialize,
  interrupt,
  set_permission_mode: setPermissionMode,
  set_model: setModel,
  set_max_thinking_tokens: done,
  seed_read_state: done,
  set_has_subscribers: done,
  remote_control: done,
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
  ...MCP_ANSWERS,
  ...READING,
  rewind_files: rewindFiles,
  apply_flag_settings: ({ session, request }) => {
    session.settings = withSettings(session.settings, "flagSettings", recordAt(request, "settings"));
    return undefined;
  },
  update_settings: updateSettings,
  generate_session_title: generateTitle,
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
  get_binary_version: () => ({ version: VERSION, buildTime: BUILD_TIME }),
  get_hooks_listing: ({ session }) => hooksReport(session),
  get_memory_dialog: ({ session }) => memoryReport(session),
  get_skills_dialog: () => ({ skills: [] }),
  list_models: () => ({ models: MODELS }),
  side_question: sideQuestion,
  reload_plugins: () => ({ commands: COMMANDS, agents: AGENTS, plugins: PLUGINS, mcpServers: [], error_count: 0 }),
  reload_skills: () => ({ skills: SKILLS }),
  reload_output_styles: () => ({ available_output_styles: OUTPUT_STYLES }),
  claim_session: () => {
    throw new ControlError(
      "not_a_spare: claim_session is only accepted by a process started with --await-claim that has not been claimed yet",
    );
  },
};
