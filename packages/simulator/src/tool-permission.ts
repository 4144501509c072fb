// May this call run, with which input, and by whose word? Hooks first, then the table, then the host; and what the host may
// answer. It ends a call that may not run by throwing.
import { gatewayHost } from "./failed-answer.ts";
import type { HostAnswer } from "./host-requests.ts";
import { isRecord, listAt, textAt } from "./json.ts";
import type { Json } from "./json.ts";
import type { Decision } from "./permission-decision.ts";
import { issuesOf } from "./tools/tool.ts";
import type { Session, Thread, Tool, ToolCall } from "./session-contract.ts";

/** What is known about permission by the time the result is written. */
export interface Grant {
  readonly decision: Json;
  readonly nonExecution?: string;
}

/** Filled in as soon as it is known, so that a failure after it can still tell. */
export interface Granted {
  grant: Grant | undefined;
}

/** Thrown to end a call with a text for the model. */
export class Refused extends Error {
  readonly grant: Grant | undefined;
  readonly wrapped: boolean;
  readonly result: string;
  constructor(text: string, grant?: Grant, wrapped = false, result = `Error: ${text}`) {
    super(text);
    this.grant = grant;
    this.wrapped = wrapped;
    this.result = result;
  }
}

export class Stopped extends Error {
  readonly wasRunning: boolean;
  constructor(wasRunning: boolean) {
    super("stopped");
    this.wasRunning = wasRunning;
  }
}

const INVALID_ANSWER =
  "The canUseTool callback returned an invalid permission result. Expected {behavior: 'allow', updatedInput?: object} or {behavior: 'deny', message: string}. updatedPermissions may hold at most 4096 updates, rules and directories in all.";

const MAX_UNCHECKED = 10;
const UNCHECKED_STOP =
  "Auto mode can't check actions in this session, so Claude stopped after a run of responses whose actions were refused. Use another permission mode to continue.";

const uncheckedText = (toolName: string, isLast: boolean): string =>
  `Auto mode is unavailable: its safety check does not run for this session, so ${toolName} was not run${
    isLast
      ? " and this turn has ended. Wait for the user's next message before doing anything further."
      : ". Other actions that need the check will be denied too, and retrying won't help. Finish what you can without them, then tell the user what is blocked and that they can switch to another permission mode."
  }`;

/** For the calls of one message. */
export class Gate {
  readonly #session: Session;
  readonly #thread: Thread;
  #isCounted = false;

  constructor(session: Session, thread: Thread) {
    this.#session = session;
    this.#thread = thread;
  }

  /** The input to run with; throws if it may not run. */
  async permit(call: ToolCall, tool: Tool, state: Granted): Promise<Json> {
    const session = this.#session;
    const hook = await session.hooks.beforeTool(
      { tool_name: call.name, tool_input: call.input, tool_use_id: call.id },
      call.id,
      this.#thread,
    );
    if (this.#thread.signal.aborted) throw new Stopped(false);
    let input = call.input;
    if (hook.kind === "deny") {
      this.#deny(call, call.input);
      throw new Refused(`PreToolUse:${call.name} hook error: ${hook.reason}`, {
        decision: { decision: "reject", source: "hook", reason_type: "hook" },
        nonExecution: "permission-rule",
      });
    }
    if (hook.updatedInput !== undefined) input = hook.updatedInput;
    if (hook.kind === "allow" && tool.interactive !== true) {
      state.grant = { decision: { decision: "accept", source: "hook", reason_type: "hook" } };
      return input;
    }
    let decision = session.permissions.decide({
      toolName: call.name,
      input,
      harmless: tool.harmless === true,
      interactive: tool.interactive === true,
      planFile: session.planFile,
    });
    if (hook.kind === "ask" && decision.kind !== "deny") {
      decision = {
        kind: "ask",
        message: hook.reason,
        fields: {
          decision_reason: hook.reason,
          decision_reason_type: "hook",
          decision_reason_hook_event: "PreToolUse",
          decision_reason_hook_source: "settings",
        },
      };
    }
    if (decision.kind === "allow") {
      state.grant = {
        decision: {
          decision: "accept",
          source: decision.source,
          ...(decision.reasonType === undefined ? {} : { reason_type: decision.reasonType }),
        },
      };
      return input;
    }
    if (decision.kind === "deny")
      return this.#denySilently(
        call,
        input,
        decision.message,
        { decision_reason_type: decision.reasonType },
        "permission-rule",
        { reason_type: decision.reasonType },
      );
    if (decision.kind === "unchecked") return this.#refuseUnchecked(call, input);
    return this.#ask(call, tool, input, decision, state);
  }

  /** Its classifier is the server's: nothing that needs it may run, and a turn that tries too often ends. */
  #refuseUnchecked(call: ToolCall, input: Json): never {
    const { turn } = this.#thread;
    if (turn !== undefined && !this.#isCounted) turn.uncheckedAnswers++;
    this.#isCounted = true;
    const isLast = turn !== undefined && turn.uncheckedAnswers >= MAX_UNCHECKED;
    sayUnchecked(this.#session);
    if (isLast) turn.stopped = UNCHECKED_STOP;
    return this.#denySilently(
      call,
      input,
      uncheckedText(call.name, isLast),
      isLast
        ? {
            decision_reason_type: "classifier",
            decision_reason_code: "auto_mode_stop_no_check_in_session",
            decision_reason: "Auto mode unavailable — stopped after repeated responses with no safety verdict",
          }
        : {
            decision_reason_type: "classifier",
            decision_reason_code: "auto_mode_no_check_in_session",
            decision_reason: "Classifier unavailable",
          },
      "automode-unavailable",
      { reason_type: "classifier" },
    );
  }

  #deny(call: ToolCall, input: Json): void {
    this.#session.recordDenial({ tool_name: call.name, tool_use_id: call.id, tool_input: input });
  }

  #denySilently(call: ToolCall, input: Json, message: string, fields: Json, kind: string, reason: Json): never {
    this.#session.voice.emit({
      type: "system",
      subtype: "permission_denied",
      tool_name: call.name,
      tool_use_id: call.id,
      ...fields,
      message,
    });
    this.#deny(call, input);
    throw new Refused(message, { decision: { decision: "reject", source: "config", ...reason }, nonExecution: kind });
  }

  async #ask(
    call: ToolCall,
    tool: Tool,
    given: Json,
    decision: Extract<Decision, { kind: "ask" }>,
    state: Granted,
  ): Promise<Json> {
    const session = this.#session;
    if (session.options.promptsNobody) {
      const message = `Permission for this tool use was denied. It requires approval, and this session has no approval surface — nobody can answer a permission prompt here — so it was denied automatically. The action was NOT performed; do not claim it succeeded, and do not retry it: this action, and anything else that requires approval, will be denied the same way for the rest of this session. Tell the user what was blocked and why you needed it, then continue with the parts of the task that do not require approval. What required approval: ${decision.message}`;
      return this.#denySilently(
        call,
        given,
        message,
        {
          decision_reason_type: "asyncAgent",
          decision_reason: "no approval surface in this session; permission request denied automatically",
        },
        "permission-rule",
        { reason_type: "asyncAgent" },
      );
    }
    if (!session.options.asksHost) return this.#denySilently(call, given, decision.message, {}, "user-rejected", {});

    const input = tool.normalize?.(given, session) ?? given;
    const description = descriptionOf(call.name, input, session);
    const server = session.mcp.serverOf(call.name);
    const request: Json = {
      subtype: "can_use_tool",
      tool_name: call.name,
      ...(server === undefined ? {} : { mcp_server: { name: server, source: "sdk" } }),
      display_name: session.mcp.displayNameOf(call.name) ?? call.name,
      input,
      ...(description === undefined ? {} : { description }),
      ...decision.fields,
      tool_use_id: call.id,
      ...(this.#thread.agent === undefined ? {} : { agent_id: this.#thread.agent.id }),
      ...(tool.interactive === true ? { requires_user_interaction: true } : {}),
    };
    const answer = await session.askPermission(request, this.#thread);
    if (this.#thread.signal.aborted) {
      this.#deny(call, input);
      throw new Stopped(false);
    }
    const allowed = this.#judge(call, tool, input, answer, state);
    return JSON.stringify(allowed) === JSON.stringify(input)
      ? { ...given, ...(tool.interactive === true ? input : {}) }
      : allowed;
  }

  #judge(call: ToolCall, tool: Tool, input: Json, answer: HostAnswer, state: Granted): Json {
    const fail = (text: string): never => {
      this.#deny(call, input);
      throw new Refused(text, {
        decision: { decision: "reject", source: "config", reason_type: "other" },
        nonExecution: "permission-rule",
      });
    };
    if (answer.kind === "withdrawn") throw new Stopped(false);
    if (answer.kind === "closed") {
      return fail("Tool permission request failed: AbortError: Tool permission stream closed before response received");
    }
    if (answer.kind === "error") return fail(`Tool permission request failed: Error: ${answer.error}`);
    const response = isRecord(answer.response) ? answer.response : {};
    if (response.behavior === "deny" && typeof response.message === "string") {
      this.#deny(call, input);
      if (response.interrupt === true) {
        this.#session.interrupt();
        throw new Stopped(false);
      }
      throw new Refused(response.message, {
        decision: { decision: "reject", source: "user_reject" },
        nonExecution: "permission-rule",
      });
    }
    if (response.behavior !== "allow") return fail(INVALID_ANSWER);
    const updated = isRecord(response.updatedInput) ? response.updatedInput : input;
    const issues = issuesOf(call.name, tool.params, updated);
    if (issues !== undefined) {
      throw new Refused(
        `The permission handler returned updatedInput for ${call.name} that failed schema validation: ${issues.text}\nThis is a configuration issue in your canUseTool callback, PermissionRequest hook, or permission-prompt tool — updatedInput must satisfy the tool's input schema. The tool input from the model was valid.`,
        { decision: { decision: "reject", source: "permission_updated_input_invalid" } },
        true,
        `InputValidationError: permission handler updatedInput failed schema for ${call.name}`,
      );
    }
    const updates = listAt(response, "updatedPermissions").filter(isRecord);
    state.grant = {
      decision: {
        decision: "accept",
        source: textAt(response, "decisionClassification") ?? "user_temporary",
      },
    };
    this.#session.applyPermissions(updates);
    return updated;
  }
}

/** Says once why nothing that needs the server's classifier runs. */
const sayUnchecked = (session: Session): void => {
  if (session.saidUnchecked) return;
  session.saidUnchecked = true;
  const host = gatewayHost() ?? "the simulator";
  session.voice.emit({
    type: "system",
    subtype: "informational",
    content: `Auto mode can't check actions in this session. Its safety check runs on the server, and your requests go through ${host}, which doesn't pass it through. Nobody can be asked to approve actions in this session, so every action that needs the check is refused. To run these actions, use another permission mode. To use auto mode, ask whoever runs ${host} to pass Claude Code's server-side safety check through: https://code.claude.com/docs/en/permission-modes#server-side-classifier-review`,
    isMeta: false,
    timestamp: new Date().toISOString(),
    level: "warning",
    tag: "auto_mode_no_server_check",
  });
};

const descriptionOf = (name: string, input: Json, session: Session): string | undefined => {
  if (name === "Bash") return textAt(input, "description") ?? textAt(input, "command");
  if (name === "WebFetch") return textAt(input, "url");
  if (name === "Glob" || name === "Grep") return textAt(input, "pattern");
  const path = textAt(input, "file_path") ?? textAt(input, "notebook_path");
  if (path === undefined) return undefined;
  return path.startsWith(`${session.cwd}/`) ? path.slice(session.cwd.length + 1) : path;
};
