// Hooks of both kinds: callbacks that the host registered with `initialize`, and commands from settings files. A callback
// is asked over the wire; a command is run with the same input on its stdin, and its events are written.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { isRecord, listAt, parseJson, recordAt, textAt, textsIn } from "./json.ts";
import type { Json } from "./json.ts";
import type { RuleSource } from "./settings-files.ts";
import type { BeforeTool, PromptVerdict, Session, SessionHooks, Thread } from "./session-contract.ts";

interface Hook {
  readonly event: string;
  readonly matcher: string | undefined;
  readonly run: { readonly callbackId: string } | { readonly command: string };
  /** The file that it stands in. */
  readonly source?: RuleSource;
}

interface Reply {
  readonly output: Json;
  /** A command that ended with code 2 blocks, and this is why. */
  readonly blocked?: string;
  readonly command?: string;
}

const SOURCE_LABELS: Readonly<Partial<Record<RuleSource, string>>> = {
  userSettings: "User settings (~/.claude/settings.json)",
  projectSettings: "Project settings (.claude/settings.json)",
  localSettings: "Project local settings (.claude/settings.local.json)",
};

export class Hooks implements SessionHooks {
  readonly #session: Session;
  #callbacks: readonly Hook[] = [];
  readonly #commands: Hook[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  /** The host's set; a later one replaces it. */
  setCallbacks(hooks: Json): void {
    this.#callbacks = Object.entries(hooks).flatMap(([event, matchers]) =>
      (Array.isArray(matchers) ? matchers : []).filter(isRecord).flatMap((matcher) =>
        textsIn(listAt(matcher, "hookCallbackIds")).map((callbackId) => ({
          event,
          matcher: textAt(matcher, "matcher"),
          run: { callbackId },
        })),
      ),
    );
  }

  addSettings(settings: Json, source: RuleSource): void {
    for (const [event, matchers] of Object.entries(recordAt(settings, "hooks"))) {
      for (const matcher of (Array.isArray(matchers) ? matchers : []).filter(isRecord)) {
        for (const hook of listAt(matcher, "hooks").filter(isRecord)) {
          const command = textAt(hook, "command");
          if (command !== undefined)
            this.#commands.push({ event, matcher: textAt(matcher, "matcher"), run: { command }, source });
        }
      }
    }
  }

  /** Those of settings files, as the CLI lists them; the host knows its own. */
  get listing(): readonly (Json & { readonly event: string })[] {
    return this.#commands.map(({ event, matcher, run, source = "userSettings" }) => {
      const command = "command" in run ? run.command : "";
      const at = matcher === undefined ? {} : { matcher };
      return {
        event,
        ...at,
        source,
        sourceLabel: SOURCE_LABELS[source] ?? source,
        type: "command",
        displayText: command,
        commandText: command,
        contentLabel: "Command",
        editable: { ...at, config: { type: "command", command } },
      };
    });
  }

  async sessionStart(source: string): Promise<void> {
    const hooks = this.#commands.filter(({ event }) => event === "SessionStart");
    await Promise.all(
      hooks.map((hook) =>
        this.#runCommand(hook, `SessionStart:${source}`, { hook_event_name: "SessionStart", source }, true),
      ),
    );
  }

  async promptSubmit(prompt: string): Promise<PromptVerdict> {
    const replies = await this.#fire("UserPromptSubmit", undefined, { prompt }, undefined, undefined, false);
    const context = replies.flatMap(({ output }) => {
      const text = textAt(recordAt(output, "hookSpecificOutput"), "additionalContext");
      return text === undefined ? [] : [text];
    });
    for (const { output, blocked, command } of replies) {
      if (blocked !== undefined)
        return { blocked: { reason: blocked, shown: `[${command ?? ""}]: ${blocked}\n` }, context };
      if (output.decision === "block") {
        const reason = textAt(output, "reason") ?? "Blocked by hook";
        return { blocked: { reason, shown: reason }, context };
      }
    }
    return { blocked: undefined, context };
  }

  async beforeTool(input: Json, toolUseId: string, thread: Thread): Promise<BeforeTool> {
    const replies = await this.#fire("PreToolUse", textAt(input, "tool_name"), input, toolUseId, thread);
    let verdict: BeforeTool = { kind: "none" };
    for (const { output, blocked } of replies) {
      if (blocked !== undefined) return { kind: "deny", reason: blocked };
      const specific = recordAt(output, "hookSpecificOutput");
      const decision = textAt(specific, "permissionDecision");
      const reason = textAt(specific, "permissionDecisionReason") ?? textAt(output, "reason") ?? "Blocked by hook";
      const updatedInput = isRecord(specific.updatedInput) ? { updatedInput: specific.updatedInput } : {};
      if (decision === "deny" || output.decision === "block") return { kind: "deny", reason };
      if (decision === "ask") verdict = { kind: "ask", reason, ...updatedInput };
      else if (decision === "allow" && verdict.kind === "none") verdict = { kind: "allow", ...updatedInput };
      else if (decision === undefined && verdict.kind === "none") verdict = { kind: "none", ...updatedInput };
    }
    return verdict;
  }

  async afterTool(
    event: "PostToolUse" | "PostToolUseFailure",
    input: Json,
    toolUseId: string,
    thread: Thread,
  ): Promise<void> {
    await this.#fire(event, textAt(input, "tool_name"), input, toolUseId, thread);
  }

  /** Runs beside the question to the host; its answer is not waited for. */
  permissionRequest(request: Json, thread: Thread): void {
    const { tool_name, input, permission_suggestions } = request;
    const suggestions = permission_suggestions === undefined ? {} : { permission_suggestions };
    void this.#fire(
      "PermissionRequest",
      String(tool_name),
      { tool_name, tool_input: input, ...suggestions },
      String(request.tool_use_id),
      thread,
    );
  }

  /** The reason why the turn may not end. */
  async stop(active: boolean, lastMessage: string, signal: AbortSignal): Promise<string | undefined> {
    const input = {
      stop_hook_active: active,
      last_assistant_message: lastMessage,
      background_tasks: this.#session.tasks.background.map(({ id }) => ({ task_id: id })),
      session_crons: [],
    };
    const replies = await this.#fire("Stop", undefined, input, undefined, undefined, true, signal);
    for (const { output, blocked } of replies) {
      if (blocked !== undefined) return blocked;
      if (output.decision === "block") return textAt(output, "reason") ?? "Blocked by hook";
    }
    return undefined;
  }

  async agent(event: "SubagentStart" | "SubagentStop", input: Json, toolUseId: string): Promise<void> {
    await this.#fire(event, textAt(input, "agent_type"), input, toolUseId);
  }

  async compact(trigger: string, instructions: string): Promise<void> {
    await this.#fire("PreCompact", trigger, { trigger, custom_instructions: instructions });
  }

  async #fire(
    event: string,
    subject: string | undefined,
    input: Json,
    toolUseId?: string,
    thread?: Thread,
    effort = true,
    signal = thread?.signal,
  ): Promise<readonly Reply[]> {
    const fits = (hook: Hook): boolean => hook.event === event && matches(hook.matcher, subject);
    const hooks = [...this.#callbacks, ...this.#commands].filter(fits);
    if (hooks.length === 0) return [];
    const full = this.#inputOf(event, input, effort, thread);
    const name = subject === undefined ? event : `${event}:${subject}`;
    return Promise.all(
      hooks.map((hook) =>
        "callbackId" in hook.run
          ? this.#askHost(hook.run.callbackId, full, toolUseId ?? randomUUID(), signal)
          : this.#runCommand(hook, name, full, this.#session.options.hookEvents),
      ),
    );
  }

  #inputOf(event: string, input: Json, effort: boolean, thread: Thread | undefined): Json {
    const session = this.#session;
    return {
      session_id: session.id,
      transcript_path: session.store.transcriptPath(session.id),
      cwd: session.cwd,
      prompt_id: session.promptId,
      permission_mode: session.permissions.mode,
      ...(thread?.agent === undefined
        ? {}
        : { agent_id: thread.agent.id, agent_type: thread.agent.marks.subagent_type }),
      ...(effort ? { effort: { level: session.options.effort } } : {}),
      hook_event_name: event,
      ...input,
    };
  }

  async #askHost(callbackId: string, input: Json, toolUseId: string, signal: AbortSignal | undefined): Promise<Reply> {
    const answer = await this.#session.requests.ask(
      { subtype: "hook_callback", callback_id: callbackId, input, tool_use_id: toolUseId },
      signal,
    );
    return { output: answer.kind === "success" && isRecord(answer.response) ? answer.response : {} };
  }

  async #runCommand(hook: Hook, name: string, input: Json, shown: boolean): Promise<Reply> {
    const command = "command" in hook.run ? hook.run.command : "";
    const id = randomUUID();
    const event = { hook_id: id, hook_name: name, hook_event: hook.event };
    if (shown) this.#session.voice.emit({ type: "system", subtype: "hook_started", ...event });
    const { stdout, stderr, code } = await runShell(command, JSON.stringify(input), this.#session.cwd);
    if (shown) {
      this.#session.voice.emit({
        type: "system",
        subtype: "hook_response",
        ...event,
        output: stdout + stderr,
        stdout,
        stderr,
        exit_code: code,
        outcome: code === 0 ? "success" : "error",
      });
    }
    if (code === 2) return { output: {}, blocked: stderr.trim(), command };
    const output = parseJson(stdout);
    return { output: isRecord(output) ? output : {}, command };
  }
}

/** A matcher is absent, `*`, a name, or names joined by `|`; anything else is a regular expression. */
const matches = (matcher: string | undefined, subject: string | undefined): boolean => {
  if (matcher === undefined || matcher === "" || matcher === "*" || subject === undefined) return true;
  if (/^[\w|]+$/.test(matcher)) return matcher.split("|").includes(subject);
  try {
    return new RegExp(matcher).test(subject);
  } catch {
    // A matcher that is no expression matches nothing.
    return false;
  }
};

const runShell = (
  command: string,
  input: string,
  cwd: string,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number }> =>
  new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], { cwd, stdio: ["pipe", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    // A hook need not read its input.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("error", (error) => {
      resolve({ stdout, stderr: error.message, code: 127 });
    });
    child.on("close", (code) => {
      resolve({ stdout, stderr, code: code ?? 1 });
    });
  });
