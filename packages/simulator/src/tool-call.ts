// One tool call from block to `tool_result`: is there such a tool, does the input fit, may it run (hooks, table, host), what
// came of it. `ToolCalls` keeps the order among the calls of one message.
import { isRecord, recordAt, textAt, listAt } from "./json.ts";
import type { Json } from "./json.ts";
import type { HostAnswer } from "./host-requests.ts";
import type { Decision } from "./permissions.ts";
import type { ApiBlock } from "./scenario.ts";
import type { Session } from "./session.ts";
import type { Thread } from "./thread.ts";
import { issuesOf, ToolFailure } from "./tools/tool.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tools/tool.ts";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly tool: Tool | undefined;
  /** The block as the host sees it. */
  readonly shown: Json;
  /** `tool_use_meta`, for tools of MCP servers. */
  readonly meta: Json;
}

/** What is known about permission by the time the result is written. */
interface Grant {
  readonly decision: Json;
  readonly nonExecution?: string;
}

interface Ending {
  readonly content: string | readonly Json[];
  readonly result: unknown;
  readonly isError: boolean;
  readonly saysNoError: boolean;
  readonly meta: Json | undefined;
}

const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";
const STOPPED = `${REJECTED} Correction to the text above: this call was stopped while running, not refused before it ran. It may have run in part or in full, and its changes may have been written. No permission prompt was involved. Work it started elsewhere (a remote command, a background process) may still be running, so check before starting the same work again. The instruction to stop and wait still stands.`;
const INVALID_ANSWER =
  "The canUseTool callback returned an invalid permission result. Expected {behavior: 'allow', updatedInput?: object} or {behavior: 'deny', message: string}. updatedPermissions may hold at most 4096 updates, rules and directories in all.";

/** Thrown to end a call with a text for the model. */
class Refused extends Error {
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

class Stopped extends Error {
  readonly wasRunning: boolean;
  constructor(wasRunning: boolean) {
    super("stopped");
    this.wasRunning = wasRunning;
  }
}

export class ToolCalls {
  readonly #session: Session;
  readonly #thread: Thread;
  readonly #running: Promise<ApiBlock>[] = [];
  readonly #cleanups: Promise<unknown>[] = [];
  #barrier: Promise<unknown> = Promise.resolve();
  #parallel: Promise<unknown>[] = [];
  structured:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: string }
    | undefined;

  constructor(session: Session, thread: Thread) {
    this.#session = session;
    this.#thread = thread;
  }

  get isEmpty(): boolean {
    return this.#running.length === 0;
  }

  prepare(block: Json): ToolCall {
    const name = textAt(block, "name") ?? "";
    const input = recordAt(block, "input");
    const tool = this.#session.toolOf(name);
    const shown = { ...block, input: shownInput(name, input, tool, this.#session) };
    return {
      id: textAt(block, "id") ?? "",
      name,
      input,
      tool,
      shown,
      meta: this.#session.mcp.metaOf(textAt(block, "id") ?? "", name),
    };
  }

  /** Parallel ones run at once; any other waits for all before it, and all after wait for it. */
  start(call: ToolCall): void {
    const parallel = call.tool?.isParallel?.(call.input, this.#session) ?? call.tool === undefined;
    const before = parallel ? this.#barrier : Promise.all([this.#barrier, ...this.#parallel]);
    const run = call.tool === undefined ? this.#run(call) : before.then(() => this.#run(call));
    this.#running.push(run);
    if (parallel) this.#parallel.push(run);
    else {
      this.#barrier = run;
      this.#parallel = [];
    }
  }

  async settled(): Promise<readonly ApiBlock[]> {
    const results = await Promise.all(this.#running);
    if (this.#thread.signal.aborted) await Promise.allSettled(this.#cleanups);
    return results;
  }

  async #run(call: ToolCall): Promise<ApiBlock> {
    const ending = await this.#endingOf(call);
    const block: Json = ending.isError
      ? { type: "tool_result", content: ending.content, is_error: true, tool_use_id: call.id }
      : call.tool?.interactive === true || call.name === "EnterPlanMode"
        ? { type: "tool_result", content: ending.content, tool_use_id: call.id }
        : {
            tool_use_id: call.id,
            type: "tool_result",
            content: ending.content,
            ...(ending.saysNoError ? { is_error: false } : {}),
          };
    // A foreground agent that was interrupted says nothing more about its own calls.
    const isSilent = this.#thread.agent !== undefined && this.#thread.signal.aborted && !this.#thread.agent.isStopped();
    if (!isSilent) {
      const isInAgent = this.#thread.agent !== undefined && !ending.isError;
      this.#session.voice.user({
        content: [block],
        thread: this.#thread,
        extra: {
          ...(isInAgent ? {} : { tool_use_result: ending.result }),
          ...(ending.meta === undefined ? {} : { tool_result_meta: [ending.meta] }),
        },
      });
    }
    return block as unknown as ApiBlock;
  }

  async #endingOf(call: ToolCall): Promise<Ending> {
    const state: { grant: Grant | undefined } = { grant: undefined };
    try {
      if (this.#thread.signal.aborted) throw new Stopped(false);
      const outcome = await this.#perform(call, state);
      return {
        content: outcome.content,
        result: outcome.result,
        isError: false,
        saysNoError: outcome.saysNoError === true,
        meta: metaOf(call.id, state.grant),
      };
    } catch (error) {
      return this.#endingOfError(call, error, state.grant);
    }
  }

  #endingOfError(call: ToolCall, error: unknown, grant: Grant | undefined): Ending {
    const failed = (content: string, result: string, meta: Json | undefined): Ending => ({
      content,
      result,
      isError: true,
      saysNoError: false,
      meta,
    });
    if (error instanceof Stopped) {
      const inAgent = this.#thread.agent !== undefined;
      return failed(
        error.wasRunning && !inAgent ? STOPPED : REJECTED,
        "User rejected tool use",
        inAgent ? undefined : { id: call.id, non_execution_kind: "user-rejected" },
      );
    }
    if (error instanceof Refused) {
      const text = error.wrapped ? `<tool_use_error>${error.message}</tool_use_error>` : error.message;
      return failed(text, error.result, metaOf(call.id, error.grant));
    }
    if (error instanceof ToolFailure) return failed(error.message, `Error: ${error.message}`, metaOf(call.id, grant));
    throw error;
  }

  async #perform(call: ToolCall, state: { grant: Grant | undefined }): Promise<ToolOutcome> {
    const { tool, name, id } = call;
    if (tool === undefined) {
      const text = `No such tool available: ${name}${this.#session.whyNoTool(name)}`;
      throw new Refused(`Error: ${text}`, undefined, true, `Error: ${text}`);
    }
    const issues = issuesOf(name, tool.params, call.input);
    if (issues !== undefined) {
      throw new Refused(
        `InputValidationError: ${issues.text}`,
        undefined,
        true,
        `InputValidationError: ${issues.detail}`,
      );
    }
    const fault = tool.check?.(call.input, this.#session);
    if (fault !== undefined) throw new Refused(fault, undefined, true);

    const input = await this.#permit(call, tool, state);
    const started = Date.now();
    const context: ToolContext = {
      session: this.#session,
      toolUseId: id,
      signal: this.#thread.signal,
      agent: this.#thread.agent,
    };
    try {
      const run = Promise.resolve(tool.run(input, context));
      if (tool.cleansUp === true) this.#cleanups.push(run);
      const outcome = await this.#untilAborted(run);
      if (name === "StructuredOutput") this.structured = { ok: true, value: input };
      await this.#session.hooks.afterTool(
        "PostToolUse",
        this.#hookInput(call, input, started, { tool_response: outcome.result }),
        id,
        this.#thread,
      );
      return outcome;
    } catch (error) {
      if (error instanceof ToolFailure) {
        if (name === "StructuredOutput") this.structured = { ok: false, error: error.message };
        await this.#session.hooks.afterTool(
          "PostToolUseFailure",
          this.#hookInput(call, input, started, { error: error.message, is_interrupt: false }),
          id,
          this.#thread,
        );
      }
      throw error;
    }
  }

  #hookInput(call: ToolCall, input: Json, started: number, extra: Json): Json {
    return {
      tool_name: call.name,
      tool_input: input,
      ...extra,
      tool_use_id: call.id,
      duration_ms: Date.now() - started,
    };
  }

  /** An abort ends the call at once; what the tool does about it is its own affair. */
  #untilAborted(run: Promise<ToolOutcome>): Promise<ToolOutcome> {
    const { signal } = this.#thread;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        reject(new Stopped(true));
      };
      signal.addEventListener("abort", stop, { once: true });
      run.then(resolve, reject).finally(() => {
        signal.removeEventListener("abort", stop);
      });
    });
  }

  /** The input to run with; throws if it may not run. */
  async #permit(call: ToolCall, tool: Tool, state: { grant: Grant | undefined }): Promise<Json> {
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
    return this.#ask(call, tool, input, decision, state);
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
    state: { grant: Grant | undefined },
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

  #judge(call: ToolCall, tool: Tool, input: Json, answer: HostAnswer, state: { grant: Grant | undefined }): Json {
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
    const isLasting = updates.some((update) => String(update.destination).endsWith("Settings"));
    state.grant = {
      decision: {
        decision: "accept",
        source: textAt(response, "decisionClassification") ?? (isLasting ? "user_permanent" : "user_temporary"),
      },
    };
    this.#session.applyPermissions(updates);
    return updated;
  }
}

const metaOf = (id: string, grant: Grant | undefined): Json | undefined =>
  grant === undefined
    ? undefined
    : {
        id,
        ...(grant.nonExecution === undefined ? {} : { non_execution_kind: grant.nonExecution }),
        permission_decision: grant.decision,
      };

const shownInput = (name: string, input: Json, tool: Tool | undefined, session: Session): Json => {
  if (name === "Edit") return { replace_all: false, ...input };
  if (name !== "ExitPlanMode") return input;
  const withPlan = session.permissions.mode === "plan" ? (tool?.normalize?.(input, session) ?? {}) : {};
  return Object.keys(withPlan).length > 0 ? withPlan : input;
};

const descriptionOf = (name: string, input: Json, session: Session): string | undefined => {
  if (name === "Bash") return textAt(input, "description") ?? textAt(input, "command");
  if (name === "WebFetch") return textAt(input, "url");
  const path = textAt(input, "file_path") ?? textAt(input, "notebook_path");
  if (path === undefined) return undefined;
  return path.startsWith(`${session.cwd}/`) ? path.slice(session.cwd.length + 1) : path;
};
