// One tool call from block to `tool_result`: whether the tool exists, whether the input is valid, and the outcome.
// `tool-permission` decides whether it may run. `ToolCalls` keeps the order among the calls of one message.
import { recordAt, textAt } from "./json.ts";
import type { Json } from "./json.ts";
import type { ApiBlock } from "./scenario.ts";
import { Gate, Refused, Stopped } from "./tool-permission.ts";
import type { Grant, Granted } from "./tool-permission.ts";
import { issuesOf, ToolFailure } from "./tools/tool.ts";
import type { Session, Thread, Tool, ToolCall, ToolContext, ToolOutcome } from "./session-contract.ts";

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
const HEARTBEAT_MS = 30_000;

export class ToolCalls {
  readonly #session: Session;
  readonly #thread: Thread;
  readonly #messageId: string;
  readonly #gate: Gate;
  readonly #running: Promise<ApiBlock>[] = [];
  readonly #cleanups: Promise<unknown>[] = [];
  #barrier: Promise<unknown> = Promise.resolve();
  #parallel: Promise<unknown>[] = [];
  structured:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: string }
    | undefined;

  constructor(session: Session, thread: Thread, messageId = "") {
    this.#session = session;
    this.#thread = thread;
    this.#messageId = messageId;
    this.#gate = new Gate(session, thread);
  }

  get isEmpty(): boolean {
    return this.#running.length === 0;
  }

  prepare(block: Json): ToolCall {
    const name = textAt(block, "name") ?? "";
    const input = recordAt(block, "input");
    const tool = this.#session.toolbox.find(name);
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

  /** Parallel calls run at once. Any other call waits for all before it, and all calls after it wait. */
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
    // A foreground agent that was interrupted reports nothing more about its own calls.
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
    const state: Granted = { grant: undefined };
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

  async #perform(call: ToolCall, state: Granted): Promise<ToolOutcome> {
    const { tool, name, id } = call;
    if (tool === undefined) {
      const text = `No such tool available: ${name}${this.#session.toolbox.whyMissing(name)}`;
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

    const input = await this.#gate.permit(call, tool, state);
    const started = Date.now();
    const context: ToolContext = {
      session: this.#session,
      toolUseId: id,
      messageId: this.#messageId,
      signal: this.#thread.signal,
      agent: this.#thread.agent,
    };
    const stopBeating = this.#beat(call, started);
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
    } finally {
      stopBeating();
    }
  }

  /** Sends signs of life for a long call. */
  #beat(call: ToolCall, started: number): () => void {
    let beats = 0;
    const timer = setInterval(() => {
      this.#session.voice.emit({
        type: "tool_progress",
        tool_use_id: `${call.id}-heartbeat-${String(beats++)}`,
        tool_name: call.name,
        parent_tool_use_id: call.id,
        elapsed_time_seconds: Math.floor((Date.now() - started) / 1000),
        heartbeat: true,
      });
    }, HEARTBEAT_MS).unref();
    return () => {
      clearInterval(timer);
    };
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

  /** An abort ends the call at once, whatever the tool does then. */
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
  if (name === "Edit" && tool !== undefined) return { replace_all: false, ...input };
  if (name !== "ExitPlanMode") return input;
  const withPlan = session.permissions.mode === "plan" ? (tool?.normalize?.(input, session) ?? {}) : {};
  return Object.keys(withPlan).length > 0 ? withPlan : input;
};
