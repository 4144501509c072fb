// A session as a readable text for a terminal, written from top to bottom as its messages come. It owns the order and the
// empty lines, and keeps only what the next line needs: open blocks, calls without a result, the task list. It sends
// nothing and answers nothing.

import { isRecord, knownTool, toolResultsOf } from "@quarterdeck/protocol";
import type {
  AssistantMessage,
  CliRequest,
  ContentBlock,
  Message,
  ResultMessage,
  StreamEvent,
  SystemMessage,
  UserMessage,
} from "@quarterdeck/protocol";
import { Checklist, isTaskTool } from "./checklist.ts";
import { FlowingText } from "./flowing-text.ts";
import { requestLines } from "./request-lines.ts";
import { noteOf, turnFacts } from "./session-notes.ts";
import { cellsOf, clip, printable } from "./terminal.ts";
import type { Paint } from "./terminal.ts";
import { counted, oneLine, shortened, toolHeader, toolResultLines } from "./tool-lines.ts";
import type { GivenResult, Looks } from "./tool-lines.ts";

export interface TranscriptOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  /** Where the screen breaks lines by itself. Default: nowhere. */
  readonly columns?: number;
  /** Default true. False where each one is shown in full when it is asked. */
  readonly showsRequests?: boolean;
}

/** What stands together without an empty line; texts and titles are always apart. */
type Section = "title" | "text" | "tools" | "note" | "list" | "end";
type Style = Parameters<Paint>[0];
const THINKING: Style = ["dim", "italic"];

interface Call {
  readonly name: string;
  readonly input: unknown;
}
/** A block of the message that is being streamed. */
interface Streamed {
  readonly type: string;
  readonly flow: FlowingText | undefined;
}

/** Longer lines of prose are hard to read. */
const MOST_TEXT_CELLS = 100;
const INDENT = "  ";
const INNER = "    ";

export class Transcript {
  readonly #write: (text: string) => void;
  readonly #paint: Paint;
  readonly #width: number;
  readonly #columns: number;
  readonly #showsRequests: boolean;
  #section: Section | undefined;
  #cwd: string | undefined;
  #mode: string | undefined;
  readonly #calls = new Map<string, Call>();
  /** The call whose header was written last: its result needs no name. */
  #lastCall: string | undefined;
  /** The calls that started subagents; what they do is shown under their name. */
  readonly #agents = new Map<string, Call>();
  /** The subagent of the lines that were written last. */
  #insideOf: string | undefined;
  #streamed: Streamed[] = [];
  /** Blocks of the streamed message that have come complete. */
  #complete = 0;
  readonly #checklist = new Checklist();
  readonly #backgroundTasks = new Set<string>();
  #isFailureShown = false;
  /** What came while a text was being streamed, and is written behind it. */
  #later: (() => void)[] = [];
  #cost = 0;

  constructor({ write, paint, width, columns = Infinity, showsRequests = true }: TranscriptOptions) {
    this.#columns = columns;
    this.#showsRequests = showsRequests;
    this.#write = write;
    this.#paint = paint;
    this.#width = width;
  }

  title(text: string, about: string): void {
    this.#begin("title");
    this.#line(INDENT + this.#paint("bold", text));
    this.#flowing(about, "dim");
  }

  chapter(number: number, total: number, text: string): void {
    this.#closeBlocks();
    this.#begin("title");
    const count = ` ${number}/${total}  `;
    const label = `${count}${clip(oneLine(text), this.#width - count.length - 3)} `;
    const rule = "━".repeat(this.#width - cellsOf(label) - 2);
    this.#line(this.#paint("cyan", "━━") + this.#paint(["cyan", "bold"], label) + this.#paint("cyan", rule));
  }

  prompt(text: string): void {
    this.#begin("text");
    this.#flowing(text, "bold", this.#paint(["bold", "green"], "> "));
  }

  /** Something that is no message: what the host does, or what became of the process. */
  note(text: string, style: Style = "dim"): void {
    this.#whenFree(() => {
      this.#begin("note");
      for (const line of shortened(text, this.#looks(2))) this.#line(INDENT + this.#paint(style, line));
    });
  }

  /** What a request was answered with. */
  answer(text: string): void {
    this.#whenFree(() => {
      const lines = [this.#paint("green", `→ ${clip(oneLine(text), this.#width - 10)}`)];
      this.#requestLines(lines);
    });
  }

  message(message: Message): void {
    switch (message.type) {
      case "stream_event":
        return this.#streamEvent(message.event);
      case "result":
        return this.#result(message);
      case "assistant":
        if (typeof message.parent_tool_use_id !== "string") return this.#assistant(message);
        return this.#whenFree(() => this.#assistant(message));
      default:
        return this.#whenFree(() => this.#other(message));
    }
  }

  #other(message: Message): void {
    switch (message.type) {
      case "user":
        return this.#user(message);
      case "control_request":
        return this.#request(message.request as CliRequest);
      case "system":
        if (message.subtype === "init") return this.#init(message);
        if (message.subtype === "status") this.#changeMode(message.permissionMode);
        if (!this.#concernsBackground(message)) return undefined;
    }
    const note = noteOf(message);
    if (note !== undefined) this.note(note.text, note.style);
  }

  #whenFree(step: () => void): void {
    if (this.#streamed.at(-1)?.flow === undefined) step();
    else this.#later.push(step);
  }

  end(): void {
    this.#closeBlocks();
    this.#showTasks();
  }

  #begin(section: Section): void {
    if (section !== "list") this.#showTasks();
    if (this.#section !== undefined && (this.#section !== section || section === "text" || section === "title")) {
      this.#write("\n");
    }
    this.#section = section;
  }

  #line(text: string): void {
    this.#write(`${text.trimEnd()}\n`);
  }

  #looks(indent: number): Looks {
    return { paint: this.#paint, width: this.#width - indent, cwd: this.#cwd };
  }

  #flow(style?: Style, first?: string): FlowingText {
    return new FlowingText(this.#write, {
      paint: this.#paint,
      width: Math.min(this.#width, MOST_TEXT_CELLS),
      columns: this.#columns,
      indent: INDENT,
      ...(style !== undefined && { style }),
      ...(first !== undefined && { first }),
    });
  }

  #flowing(text: string, style?: Style, first?: string): void {
    const flow = this.#flow(style, first);
    flow.push(text);
    flow.end();
  }

  // Text: as it streams, or whole where it was not streamed.

  #streamEvent(event: StreamEvent): void {
    switch (event.type) {
      case "message_start":
        this.#closeBlocks();
        this.#streamed = [];
        this.#complete = 0;
        return;
      case "content_block_start": {
        const { type } = event.content_block;
        const isText = type === "text" || type === "thinking";
        if (isText) this.#begin("text");
        const flow = isText ? this.#flow(type === "thinking" ? THINKING : undefined) : undefined;
        this.#streamed.push({ type, flow });
        return;
      }
      case "content_block_delta": {
        const { delta } = event;
        if (delta.type === "text_delta") this.#streamed.at(-1)?.flow?.push(delta.text);
        else if (delta.type === "thinking_delta") this.#streamed.at(-1)?.flow?.push(delta.thinking);
        return;
      }
      case "content_block_stop":
      case "message_stop":
        this.#closeBlocks();
    }
  }

  #closeBlocks(): void {
    this.#streamed.at(-1)?.flow?.end();
    this.#streamed = this.#streamed.map(({ type }) => ({ type, flow: undefined }));
    const steps = this.#later;
    this.#later = [];
    for (const step of steps) step();
  }

  #assistant(assistant: AssistantMessage): void {
    const { parent_tool_use_id: parent, is_api_error_message: failed } = assistant;
    const { content } = assistant.message;
    if (assistant.local_command_source !== undefined) return this.#commandOutput(content);
    for (const block of typeof content === "string" ? [{ type: "text" as const, text: content }] : content) {
      const wasStreamed = typeof parent !== "string" && this.#wasStreamed(block.type);
      if (isCall(block)) this.#call(block.id, block, parent ?? undefined);
      else if (!wasStreamed) this.#whole(block, parent ?? undefined, failed === true);
    }
  }

  /** What a slash command printed: columns, which must not be wrapped. */
  #commandOutput(content: AssistantMessage["message"]["content"]): void {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    this.#begin("text");
    for (const block of blocks) {
      const text = "text" in block ? printable(block.text) : "";
      for (const line of text.trimEnd().split("\n")) this.#line(INDENT + clip(line, this.#width - 2));
    }
  }

  /** One message comes for each block, in the order in which the blocks were streamed. */
  #wasStreamed(type: string): boolean {
    if (this.#streamed[this.#complete]?.type !== type) return false;
    this.#complete++;
    return true;
  }

  #whole(block: ContentBlock, parent: string | undefined, failed: boolean): void {
    const isThinking = block.type === "thinking" && "thinking" in block;
    const text = isThinking ? block.thinking : block.type === "text" && "text" in block ? block.text : "";
    if (text.trim() === "") return;
    if (parent !== undefined) {
      this.#inside(
        parent,
        shortened(text, this.#looks(6), (line) => this.#paint("dim", line)),
      );
      return;
    }
    this.#begin("text");
    if (failed) this.#isFailureShown = true;
    this.#flowing(text, failed ? "red" : isThinking ? THINKING : undefined);
  }

  /** Lines of a subagent, under the call that started it. */
  #inside(parent: string, lines: readonly string[]): void {
    const isNew = this.#insideOf !== parent || this.#section !== "tools";
    this.#begin("tools");
    const agent = this.#agents.get(parent);
    if (isNew && agent !== undefined && this.#lastCall !== parent) {
      this.#line(`${INDENT}${this.#paint("magenta", "◆")} ${toolHeader(agent.name, agent.input, this.#looks(4))}`);
    }
    for (const line of lines) this.#line(`${INNER}${this.#paint("magenta", "│")} ${line}`);
    this.#insideOf = parent;
  }

  // Tools.

  #call(id: string, { name, input }: Call, parent: string | undefined): void {
    this.#calls.set(id, { name, input });
    if (knownTool(name) === "Agent") this.#agents.set(id, { name, input });
    if (isTaskTool(name)) return;
    if (parent !== undefined) this.#inside(parent, [toolHeader(name, input, this.#looks(6))]);
    else {
      this.#begin("tools");
      const mark = knownTool(name) === "Agent" ? this.#paint("magenta", "◆") : this.#paint("cyan", "●");
      this.#line(`${INDENT}${mark} ${toolHeader(name, input, this.#looks(4))}`);
      this.#insideOf = undefined;
    }
    this.#lastCall = id;
  }

  #user(message: UserMessage): void {
    const parent = message.parent_tool_use_id ?? undefined;
    const results = toolResultsOf(message);
    for (const { toolUseId, structured, block } of results) {
      const call = this.#calls.get(toolUseId);
      if (call === undefined) continue;
      this.#calls.delete(toolUseId);
      const given = { ...call, structured, block };
      if (isTaskTool(call.name) && block["is_error"] !== true) this.#checklist.apply(given);
      else this.#toolResult(toolUseId, given, parent);
    }
    if (results.length > 0 || parent !== undefined || message.isReplay === true) return;
    const { content } = message.message;
    const texts = typeof content === "string" ? [content] : content.map((block) => ("text" in block ? block.text : ""));
    const text = oneLine(texts.join(" "));
    if (text !== "" && !text.startsWith(COMPACTED)) this.note(clip(text, this.#width - 4));
  }

  #toolResult(id: string, given: GivenResult, parent: string | undefined): void {
    const lines = toolResultLines(given, this.#looks(parent === undefined ? 4 : 8));
    const isFollowing = id === this.#lastCall;
    if (lines.length === 0) return;
    const isAgent = this.#agents.has(id);
    const header = (indent: number) => toolHeader(given.name, given.input, this.#looks(indent));
    if (parent !== undefined) {
      const named = isFollowing ? [] : [`${this.#paint("dim", "↳")} ${header(8)}`];
      this.#inside(parent, [...named, ...lines.map((line) => `  ${line}`)]);
    } else {
      this.#begin("tools");
      const isUnder = isFollowing || (isAgent && this.#insideOf === id);
      if (!isUnder) this.#line(`${INDENT}${this.#paint("cyan", "↳")} ${header(4)}`);
      for (const line of lines) this.#line(INNER + line);
      this.#insideOf = isAgent ? id : undefined;
    }
    this.#lastCall = undefined;
  }

  #showTasks(): void {
    const lines = this.#checklist.news(this.#looks(2));
    if (lines.length === 0) return;
    this.#begin("list");
    for (const line of lines) this.#line(INDENT + line);
  }

  // The rest of a turn.

  #request(request: CliRequest): void {
    if (!this.#showsRequests) return;
    const isKnown = request.subtype === "can_use_tool" && request.tool_use_id === this.#lastCall;
    this.#requestLines(requestLines(request, { ...this.#looks(6), isKnown }));
  }

  /** Under the call that they are about. */
  #requestLines(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#begin("tools");
    for (const line of lines) this.#line(`${INNER}${this.#paint("yellow", "┃")} ${line}`);
  }

  /** Comes with every turn; only the first one is news. */
  #init({ model, cwd, permissionMode, tools }: SystemMessage<"init">): void {
    if (this.#cwd !== undefined) {
      this.#changeMode(permissionMode);
      return;
    }
    this.#cwd = cwd ?? "";
    this.#mode = permissionMode;
    this.note(`${model}, ${counted(tools.length, "tool")}, permission mode ${permissionMode ?? "default"}`);
  }

  /** Tasks in the foreground are told by their call and its result. */
  #concernsBackground(message: SystemMessage): boolean {
    if (message.subtype === "background_tasks_changed") {
      for (const { task_id: id } of message.tasks) this.#backgroundTasks.add(id);
    }
    return message.subtype !== "task_notification" || this.#backgroundTasks.delete(message.task_id);
  }

  #changeMode(mode: string | undefined): void {
    if (mode === undefined || mode === this.#mode) return;
    this.#mode = mode;
    if (this.#lastCall === undefined || this.#section !== "tools") this.note(`permission mode: ${mode}`);
    else this.#line(INNER + this.#paint("dim", `permission mode: ${mode}`));
  }

  #result(result: ResultMessage): void {
    this.#closeBlocks();
    this.#begin("end");
    const mark = result.is_error ? this.#paint("red", "✗") : this.#paint("green", "✓");
    this.#line(`${INDENT}${mark} ${this.#paint("dim", turnFacts(result, this.#cost))}`);
    this.#cost = result.total_cost_usd ?? this.#cost;
    const isShown = this.#isFailureShown;
    this.#isFailureShown = false;
    // Who stopped it knows why; what the CLI says then is for its makers.
    if (!result.is_error || isShown || result.terminal_reason?.startsWith("aborted_") === true) return;
    const words = "errors" in result ? result.errors.join("\n") : result.result;
    for (const line of shortened(words, this.#looks(4))) this.#line(INNER + this.#paint("red", line));
  }
}

/** How the summary begins that the CLI writes for the model; a person was told of the compaction. */
const COMPACTED = "This session is being continued from a previous conversation";

const isCall = (block: ContentBlock): block is Extract<ContentBlock, { type: "tool_use" }> =>
  block.type === "tool_use" && isRecord(block) && "input" in block;
