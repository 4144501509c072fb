// Slash commands that a session without a terminal answers itself. Everything else goes to the model as a prompt.
import { randomUUID } from "node:crypto";
import { COMMANDS, marketingNameOf, OUTPUT_STYLES, resolveModel, UNAVAILABLE_COMMANDS } from "./catalogue.ts";
import { contextText, initMessage } from "./facts.ts";
import type { Json } from "./json.ts";
import { expand } from "./project-commands.ts";
import type { ApiMessage } from "./scenario.ts";
import { syntheticMessage } from "./failed-answer.ts";
import { localResult } from "./turn-result.ts";
import type { Turn } from "./turn-state.ts";
import type { Session } from "./session-contract.ts";

interface Output {
  readonly text: string;
  readonly extra?: Json;
}

type Local = (session: Session, args: string) => Output;

const LOCAL: Readonly<Record<string, Local>> = {
  usage: (session) => ({ text: session.ledger.text(Date.now() - session.startedAt) }),
  context: (session) => {
    const { text, report } = contextText(session);
    return { text, extra: { context_usage: report } };
  },
  model: (session, args) => {
    if (args === "") {
      const suffix = session.modelId === resolveModel("default") ? " (default)" : "";
      return {
        text: `Current model: \`${marketingNameOf(session.modelId)}${suffix}\`\nUsage: /model <name>. Available: sonnet, opus, haiku, fable, best, sonnet[1m], opus[1m], fable[1m], opusplan, default, or a full model ID.`,
      };
    }
    session.modelId = resolveModel(args);
    return { text: `Set model to \`${marketingNameOf(session.modelId)}\` for this session only` };
  },
  effort: (_, args) => ({
    text:
      args === ""
        ? "Usage: /effort <low|medium|high|xhigh|max|auto|ultracode [on|off]>"
        : `Set effort level to ${args}`,
  }),
  fast: () => ({ text: "Fast mode unavailable: Fast mode is not available in the Agent SDK" }),
  mcp: (session) => {
    const servers = session.mcp.initEntries;
    const usage = "Usage: /mcp [reconnect|enable|disable [<server>|all]]. With no server name, applies to all.";
    const list = servers.map(({ name, status }) => `${String(name)}: ${String(status)}`).join("\n");
    return {
      text: `${servers.length === 0 ? "No MCP servers are configured. Add one with `claude mcp add`." : list}\n${usage}`,
    };
  },
  agents: () => ({
    text: 'The /agents wizard has been removed.\n\nAsk Claude to create or update subagents for you (e.g. "create a code-reviewer subagent that ..."),\nor edit the files directly:\n  • .claude/agents/       (this project)\n  • ~/.claude/agents/     (all projects)\n\nDocs: https://code.claude.com/docs/en/sub-agents',
  }),
  config: () => ({
    text: "Usage: /config key=value [key=value ...]\n  autoCompact=true|false\n  model=default|sonnet|opus|haiku|fable\n  outputStyle=default|Proactive|Concise|Explanatory|Learning\n  permissionMode=default|plan|acceptEdits|auto|dontAsk\n  verbose=true|false",
  }),
  "output-style": (session, args) => {
    if (args === "")
      return { text: `Current output style: ${session.outputStyle}\nAvailable: ${OUTPUT_STYLES.join(", ")}` };
    session.outputStyle = args;
    return { text: `Set output style to ${args}` };
  },
  rename: (session, args) => {
    session.rename(args === "" ? "Untitled" : args);
    return { text: `Session renamed to: ${session.title ?? ""}` };
  },
  recap: (session) => ({
    text: `${String(session.messages.filter(({ role }) => role === "user").length)} messages from the user so far.`,
  }),
  "reload-skills": () => ({ text: "Reloaded skills" }),
  "reload-plugins": () => ({ text: "Reloaded plugins" }),
  "list-agents": () => ({ text: "No reachable agents." }),
};

/** Done, or a prompt for the model: the command's own text, or for `unknown` the typed text. */
type SlashOutcome = { readonly kind: "done" | "unknown" } | { readonly kind: "prompt"; readonly text: string };
const DONE: SlashOutcome = { kind: "done" };

export const runSlash = async (session: Session, turn: Turn, text: string): Promise<SlashOutcome> => {
  const [, typed = "", args = ""] = /^\/([^\s]+)\s*([\s\S]*)$/.exec(text) ?? [];
  const known = COMMANDS.find(({ name, aliases }) => name === typed || aliases?.includes(typed) === true);
  if (UNAVAILABLE_COMMANDS.includes(typed) || (known !== undefined && !session.options.slashCommands)) {
    await session.mcp.ready();
    session.voice.emit(initMessage(session, turn.marks.uuids));
    const content = `/${typed} isn't available in this environment.`;
    emitOutput(session, content, "stdout", { local_command_outcome: { kind: "unavailable_headless" } });
    localResult(session, turn, content);
    return DONE;
  }
  if (known?.name === "clear") return clear(session, turn);
  if (known?.name === "compact") return compact(session, turn, args.trim());
  const local = known === undefined ? undefined : LOCAL[known.name];
  if (known === undefined || local === undefined) {
    const own = session.options.slashCommands
      ? session.toolbox.commands().find(({ name }) => name === typed)
      : undefined;
    return own === undefined ? { kind: "unknown" } : { kind: "prompt", text: expand(own, args.trim()) };
  }
  await session.mcp.ready();
  if (known.name === "rename") {
    const output = local(session, args.trim());
    session.voice.emit(initMessage(session, turn.marks.uuids));
    return finish(session, turn, known.name, typed, args.trim(), output);
  }
  session.voice.emit(initMessage(session, turn.marks.uuids));
  return finish(session, turn, known.name, typed, args.trim(), local(session, args.trim()));
};

const finish = (
  session: Session,
  turn: Turn,
  command: string,
  typed: string,
  args: string,
  output: Output,
): SlashOutcome => {
  emitOutput(session, output.text, "stdout", { local_command_run: { command, args }, ...output.extra });
  replay(session, turn, command, args);
  localResult(session, turn, output.text, { local_command: typed });
  return DONE;
};

const emitOutput = (session: Session, text: string, stream: "stdout" | "stderr", extra: Json): void => {
  session.voice.assistant({
    message: syntheticMessage(text.trimEnd(), "end_turn", null),
    thread: undefined,
    extra: { local_command_source: `<local-command-${stream}>${text}</local-command-${stream}>`, ...extra },
  });
};

const replay = (session: Session, turn: Turn, command: string, args: string): void => {
  if (!session.options.replayUserMessages) return;
  const text = `<command-name>/${command}</command-name>\n            <command-message>${command}</command-message>\n            <command-args>${args}</command-args>`;
  session.voice.replay(text, turn.marks.uuids.at(-1), undefined, true);
};

const clear = async (session: Session, turn: Turn): Promise<SlashOutcome> => {
  const id = randomUUID();
  const [uuid] = turn.marks.uuids;
  session.voice.raw({
    type: "conversation_reset",
    new_conversation_id: id,
    uuid: id,
    trigger: "clear",
    user_message_uuid: uuid ?? randomUUID(),
    timestamp: new Date().toISOString(),
    session_id: session.id,
  });
  session.startOver();
  session.tasks.announce();
  await session.mcp.ready();
  session.voice.emit(initMessage(session, turn.marks.uuids));
  replay(session, turn, "clear", "");
  localResult(session, turn, "", { local_command: "clear" });
  return DONE;
};

const compact = async (session: Session, turn: Turn, instructions: string): Promise<SlashOutcome> => {
  const { messages } = session;
  await session.mcp.ready();
  if (messages.length === 0) {
    session.voice.emit(initMessage(session, turn.marks.uuids));
    emitOutput(session, "Error: No messages to compact", "stderr", {
      local_command_run: { command: "compact", args: instructions },
      local_command_outcome: { kind: "failed" },
    });
    localResult(session, turn, "", { local_command: "compact" });
    return DONE;
  }
  await session.hooks.compact("manual", instructions);
  const started = Date.now();
  session.voice.emit({ type: "system", subtype: "status", status: "compacting" });
  const before = tokensIn(messages);
  const summary = summaryOf(messages, instructions);
  session.ledger.add(
    session.modelId,
    {
      input_tokens: 20,
      output_tokens: tokensIn([{ role: "assistant", content: summary }]),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
    Date.now() - started,
    false,
  );
  // The last answer is kept unchanged, unless nothing comes before its turn.
  const kept = messages.filter(({ role }) => role === "assistant").length > 1 ? messages.at(-1) : undefined;
  const text = `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n<system-reminder>\n<tools-used-before-summary></tools-used-before-summary>\n</system-reminder>\nSummary:\n${summary}\n\nIf you need specific details from before compaction (like exact code snippets, error messages, or content you generated), read the full transcript at: ${session.store.transcriptPath(session.id)}\nContinue the conversation from where it left off without asking the user any further questions. Resume directly — do not acknowledge the summary, do not recap what was happening, do not preface with "I'll continue" or similar. Pick up the last task as if the break never happened.${kept === undefined ? "" : KEPT}`;
  messages.splice(0, messages.length, { role: "user", content: `<system-reminder>${text}</system-reminder>` });
  if (kept !== undefined) messages.push(kept);
  session.voice.emit({ type: "system", subtype: "status", status: null, compact_result: "success" });
  session.voice.emit(initMessage(session, turn.marks.uuids));
  const anchor = randomUUID();
  const head = session.voice.lastUuid ?? randomUUID();
  const boundary = {
    type: "system",
    subtype: "compact_boundary",
    compact_metadata: {
      trigger: "manual",
      pre_tokens: before,
      post_tokens: tokensIn(messages),
      cumulative_dropped_tokens: 0,
      duration_ms: Date.now() - started,
      ...(kept === undefined
        ? {}
        : {
            preserved_segment: { head_uuid: head, anchor_uuid: anchor, tail_uuid: head },
            preserved_messages: { anchor_uuid: anchor, uuids: [head], all_uuids: [head] },
          }),
    },
    logical_parent_uuid: head,
  };
  session.voice.emit(boundary);
  session.store.note(session.id, boundary);
  session.voice.userText(text, anchor, { isReplay: false, isSynthetic: true });
  session.voice.userText("<local-command-stdout>Compacted </local-command-stdout>", undefined, { isReplay: true });
  localResult(session, turn, "", { local_command: "compact" });
  return DONE;
};

const KEPT =
  "\n\nThe messages after this summary are the most recent messages from before compaction, kept verbatim. The summary was written without seeing them, so something it says has not happened yet may already have happened in them.";

const tokensIn = (messages: readonly ApiMessage[]): number => Math.ceil(JSON.stringify(messages).length / 4);

const summaryOf = (messages: readonly ApiMessage[], instructions: string): string => {
  const prompts = messages.filter(({ role, content }) => role === "user" && typeof content === "string").length;
  return `1. The user sent ${String(prompts)} prompts, and each of them was answered.${instructions === "" ? "" : `\n2. The summary was asked to mind this: ${instructions}`}`;
};
