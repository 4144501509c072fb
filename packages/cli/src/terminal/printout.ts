// A session as readable text for a terminal, from top to bottom: a projection of its rows, drafts and head. It decides the words
// and their order. `sheet.ts` places them. It gets whole rows, so it writes what a row has gained since last time. Written
// text is never changed. It sends nothing and answers nothing.

import { answersOf, knownTool, readToolInput } from "@quarterdeck/protocol";
import type { CliRequest } from "@quarterdeck/protocol";
import type {
  Actor,
  CompactionRow,
  Draft,
  ErrorRow,
  Head,
  HookRow,
  MarkRow,
  NotedRow,
  NoticeRow,
  PromptRow,
  RequestRow,
  Row,
  TextRow,
  ThinkingRow,
  ToolRow,
  TurnRow,
} from "@quarterdeck/session";
import { decisionWords, noteOf, promptParts, sourcesOf } from "@quarterdeck/session";
import { EMPTY_HEAD } from "@quarterdeck/session/bridge";
import { CallLines } from "./call-lines.ts";
import { addedTo, headNews, todoLines } from "./head-news.ts";
import { requestLines } from "./request-lines.ts";
import { INDENT, INNER, Sheet } from "./sheet.ts";
import type { SheetOptions, Style } from "./sheet.ts";
import { clip, printable } from "./terminal.ts";
import type { Paint } from "./terminal.ts";
import { counted, oneLine, shortened, toolResultLines } from "./tool-lines.ts";
import type { Looks } from "./tool-lines.ts";

export interface PrintoutOptions extends SheetOptions {
  /** Default true. False if each request is shown in full when it is asked. */
  readonly showsRequests?: boolean;
  /** Default true. False if the caller writes each answer itself. */
  readonly showsAnswers?: boolean;
  /** Prompts that are not written. Default: none. */
  readonly hidesPrompt?: (row: PromptRow) => boolean;
}

/** What a session shows. Unchanged rows may be missing. */
export interface ShownSession {
  readonly rows: readonly Row[];
  readonly head: Head;
  readonly drafts: readonly Draft[];
}

const THINKING: Style = ["dim", "italic"];
const MOST_TOLD = 4000;

const LEVELS: Readonly<Record<NoticeRow["level"], Style>> = { info: "dim", warning: "yellow", error: "red" };

/** Tools that change the task list. The list is shown instead of the calls. */
const TASK_TOOLS: ReadonlySet<string | undefined> = new Set([
  "TodoWrite",
  "TaskCreate",
  "TaskUpdate",
  "TaskList",
  "TaskGet",
]);
const isTaskTool = ({ name }: ToolRow): boolean => TASK_TOOLS.has(knownTool(name));

/** Rows that may gain content after they first appeared. */
const GROWING: ReadonlySet<Row["kind"]> = new Set<Row["kind"]>(["prompt", "tool", "hook", "request", "retry"]);

export class Printout {
  readonly #options: PrintoutOptions;
  readonly #paint: Paint;
  readonly #sheet: Sheet;
  readonly #calls: CallLines;
  /** Rows up to this order are not written. */
  #after = 0;
  /** Every row as it was last seen. */
  readonly #rows = new Map<string, Row>();
  #head: Head = EMPTY_HEAD;
  /** The head whose changes are written. */
  #toldHead: Head = EMPTY_HEAD;
  #isIntroduced = false;
  #mode: string | undefined;
  readonly #toldRequests = new Set<string>();
  /** The task list that was written last, and the one to skip. */
  #toldTodos = "";
  #skippedTodos = "";
  #isFailureShown = false;
  /** The end of what was written of stderr. */
  #toldStderr = "";

  constructor(options: PrintoutOptions) {
    this.#options = options;
    this.#paint = options.paint;
    this.#sheet = new Sheet(options, (section) => {
      if (section !== "list") this.#showTodos();
    });
    this.#calls = new CallLines(this.#sheet, options.paint, (indent) => this.#looks(indent));
  }

  title(text: string, about: string): void {
    this.#sheet.title(text, about);
  }

  chapter(number: number, total: number, text: string): void {
    this.#sheet.chapter(number, total, text);
  }

  prompt(text: string): void {
    this.#sheet.begin("text");
    this.#sheet.text(text, "bold", this.#paint(["bold", "green"], "> "));
  }

  /** A note that is not part of the session. */
  note(text: string, style: Style = "dim"): void {
    this.#sheet.whenFree(() => this.#note(text, style));
  }

  /** The answer to a request. */
  answer(text: string): void {
    this.#sheet.whenFree(() => {
      const lines = [this.#paint("green", `→ ${clip(oneLine(text), this.#sheet.width - 10)}`)];
      this.#calls.request(lines);
    });
  }

  /**
   * Skips what is already known: rows up to an order, and the head. Later changes are written, and so are open
   * requests.
   */
  skip({ rows, head }: Pick<ShownSession, "rows" | "head">, after: number): void {
    this.#after = after;
    for (const row of rows) if (row.order <= after) this.#keep(row);
    this.#head = head;
    this.#toldHead = head;
    this.#mode = head.mode;
    this.#skippedTodos = JSON.stringify(briefly(head));
  }

  show({ rows, head, drafts }: ShownSession): void {
    const sheet = this.#sheet;
    this.#head = head;
    if (sheet.isFree) this.#introduce();
    for (const row of rows) {
      const before = this.#rows.get(row.id);
      if (before === row) continue;
      this.#keep(row);
      if (before === undefined && row.order <= this.#after) continue;
      if (row.id === sheet.growing) this.#completeText(row);
      else sheet.whenFree(() => this.#row(row, before));
    }
    if (!drafts.some(({ id }) => id === sheet.growing)) sheet.complete();
    if (sheet.isFree) this.#headNews();
    for (const draft of drafts) this.#draft(draft);
  }

  end(): void {
    this.#sheet.complete();
    this.#headNews();
    this.#showTodos();
  }

  #keep(row: Row): void {
    this.#rows.set(row.id, row);
    if (row.kind === "tool") this.#calls.keep(row);
  }

  #note(text: string, style: Style = "dim"): void {
    this.#sheet.begin("note");
    for (const line of shortened(text, this.#looks(2))) this.#sheet.line(INDENT + this.#paint(style, line));
  }

  #looks(indent: number): Looks {
    return { paint: this.#paint, width: this.#sheet.width - indent, cwd: this.#head.cwd };
  }

  #draft({ id, kind, text }: Draft): void {
    if (kind === "tool" || this.#rows.has(id) || text.trim() === "") return;
    this.#sheet.grow(id, text, kind === "thinking" ? THINKING : undefined);
  }

  /** The row of the growing text. It usually has the same text. */
  #completeText(row: Row): void {
    const sheet = this.#sheet;
    const isSame = (row.kind === "text" || row.kind === "thinking") && sheet.writtenOf(row.id, row.text) !== "";
    if (isSame) sheet.grow(row.id, row.text);
    sheet.complete();
    if (isSame) this.#sources(row);
    else this.#row(row, undefined);
  }

  // Rows.

  #row(row: Row, before: Row | undefined): void {
    if (before !== undefined && !GROWING.has(row.kind)) return;
    switch (row.kind) {
      case "prompt":
        return this.#promptRow(row, before);
      case "text":
      case "thinking":
        return this.#text(row);
      case "tool":
        return this.#tool(row, before?.kind === "tool" ? before : undefined);
      case "turn":
        return this.#turn(row);
      case "error":
        return this.#error(row);
      case "command":
        return this.#commandOutput(row.text, row.failed);
      case "compaction":
        return this.#compaction(row);
      case "mark":
        return this.#mark(row);
      case "hook":
        return this.#hook(row, before);
      case "request":
        return this.#requestRow(row, before);
      case "notice":
        return this.#notice(row);
      case "retry":
        if (before?.kind === "retry" && before.attempt === row.attempt) return undefined;
        return this.#otherRow(row);
      case "block":
        // Images of the model and server tools have no text.
        return undefined;
      default:
        return this.#otherRow(row);
    }
  }

  /** A kind without a form of its own here. */
  #otherRow(row: NotedRow): void {
    this.#note(noteOf(row), "yellow");
  }

  #promptRow(row: PromptRow, before: Row | undefined): void {
    if (row.parent !== undefined) return;
    if (before === undefined && this.#options.hidesPrompt?.(row) !== true) this.#newPrompt(row);
    const isTold = before?.kind === "prompt" && before.reason === row.reason;
    if (row.reason !== undefined && !isTold) this.#note(oneLine(row.reason), "yellow");
  }

  /** A prompt that the CLI wrote itself is a note. */
  #newPrompt({ content, origin }: PromptRow): void {
    if (origin === undefined) return this.prompt(promptText(content));
    const text = oneLine(promptText(content));
    if (text !== "") this.#note(clip(text, this.#sheet.width - 4));
  }

  #text(row: TextRow | ThinkingRow): void {
    const text = row.text.slice(this.#sheet.writtenOf(row.id, row.text).length);
    if (text.trim() === "") return;
    if (row.parent !== undefined) {
      const lines = shortened(text, this.#looks(6), (line) => this.#paint("dim", line));
      return this.#calls.inside(row.parent, lines);
    }
    this.#sheet.begin("text");
    this.#sheet.text(text, row.kind === "thinking" ? THINKING : undefined);
    this.#sources(row);
  }

  #sources(row: TextRow | ThinkingRow): void {
    if (row.kind !== "text" || row.parent !== undefined) return;
    for (const [at, { title, url }] of sourcesOf(row.citations).entries()) {
      const words = printable(`${String(at + 1)}. ${title}${url === undefined ? "" : ` ${url}`}`);
      this.#sheet.line(INDENT + this.#paint("dim", words));
    }
  }

  /** Output of a slash command has columns, which must not be wrapped. */
  #commandOutput(text: string, failed: boolean): void {
    if (text.trim() === "") return;
    this.#sheet.begin("text");
    for (const line of printable(text).trimEnd().split("\n"))
      this.#sheet.line(INDENT + this.#paint(failed ? "red" : "none", clip(line, this.#sheet.width - 2)));
  }

  #error({ source, text }: ErrorRow): void {
    this.#isFailureShown = true;
    if (source === "process") return this.#note(this.#withoutTold(text), "red");
    if (source !== "api" && source !== "limit" && source !== "auth") return this.#note(text, "red");
    this.#sheet.begin("text");
    this.#sheet.text(text, "red");
  }

  /** The end of a process repeats the last lines of stderr, which may stand right above. */
  #withoutTold(text: string): string {
    const [how = "", ...lines] = text.split("\n");
    return lines.length > 0 && this.#toldStderr.trimEnd().endsWith(lines.join("\n")) ? how : text;
  }

  #compaction({ failed, before, after }: CompactionRow): void {
    if (failed !== undefined) this.#note(`compaction failed: ${oneLine(failed)}`, "yellow");
    else this.#note(before === undefined ? "compacted" : `compacted: ${before} → ${after ?? "?"} tokens`);
  }

  #hook(row: HookRow, before: Row | undefined): void {
    if (!hasEnded(row) || (before?.kind === "hook" && hasEnded(before))) return;
    this.#note(`hook ${oneLine(row.name)}: ${row.outcome ?? `exit ${row.exitCode ?? 0}`}`);
  }

  #notice({ level, topic, text, parent }: NoticeRow): void {
    const words = oneLine(text);
    if (words !== "" && parent === undefined)
      this.#note(level === "info" ? words : `${oneLine(topic)}: ${words}`, LEVELS[level]);
  }

  #mark({ what, text, parent }: MarkRow): void {
    if (parent !== undefined) return;
    switch (what) {
      case "mode":
        return this.#changeMode(text);
      case "model":
        return this.#note(`model: ${oneLine(text)}`);
      case "cleared":
        return this.#note("the conversation starts over");
      case "resumed":
        return this.#note("the session is resumed");
      case "interrupted":
      case "process-started":
      case "process-exited":
      case "title":
        return this.#note(oneLine(text));
      default:
        what satisfies never;
    }
  }

  #changeMode(mode: string | undefined): void {
    if (mode === undefined || mode === this.#mode) return;
    this.#mode = mode;
    if (this.#calls.last === undefined || this.#sheet.section !== "tools") this.#note(`permission mode: ${mode}`);
    else this.#calls.below(`permission mode: ${mode}`);
  }

  #tool(row: ToolRow, before: ToolRow | undefined): void {
    if (before === undefined && !isTaskTool(row)) this.#calls.header(row);
    const { decision, result } = row;
    // Decisions of the CLI itself have no time.
    if (this.#options.showsAnswers !== false && decision?.at !== undefined && before?.decision?.at === undefined) {
      const why = decision.behavior === "deny" && decision.reason !== undefined ? `: ${decision.reason}` : "";
      if (decision.policy !== undefined) this.answer(decisionWords(decision));
      else this.answer(`${answersIn(row) ?? decision.behavior}${why}${nameOf(decision.by)}`);
    }
    this.#calls.unasked(row, before);
    if (result === undefined || result === before?.result) return;
    if (isTaskTool(row) && result.ok) this.#skippedTodos = "";
    else this.#calls.result(row, toolResultLines(result, this.#looks(row.parent === undefined ? 4 : 8)));
  }

  /** The request is in the head. The row shows how it ended. */
  #requestRow(row: RequestRow, before: Row | undefined): void {
    const wasOpen = before === undefined || (before.kind === "request" && before.fate === "open");
    if (this.#options.showsAnswers === false || row.fate !== "answered" || !wasOpen) return;
    this.answer(`answered${nameOf(row.by)}`);
  }

  #turn(row: TurnRow): void {
    this.#sheet.begin("end");
    const mark = row.ok ? this.#paint("green", "✓") : this.#paint("red", "✗");
    this.#sheet.line(`${INDENT}${mark} ${this.#paint("dim", turnFacts(row))}`);
    const isShown = this.#isFailureShown;
    this.#isFailureShown = false;
    const words = row.errors.join("\n");
    // The person who stopped a turn knows why. The CLI's text is only for its developers then.
    if (row.ok || isShown || words === "" || row.reason?.startsWith("aborted_") === true) return;
    for (const line of shortened(words, this.#looks(4))) this.#sheet.line(INNER + this.#paint("red", line));
  }

  // The head.

  #headNews(): void {
    const [before, after] = [this.#toldHead, this.#head];
    this.#toldHead = after;
    if (this.#mode === undefined) this.#mode = after.mode;
    else this.#changeMode(after.mode);
    this.#toldStderr = (this.#toldStderr + addedTo(before.stderr, after.stderr)).slice(-MOST_TOLD);
    for (const { text, style } of headNews(before, after, (id) => this.#calls.find(id))) this.#note(text, style);
    for (const { id, request } of after.requests) {
      if (this.#toldRequests.has(id)) continue;
      this.#toldRequests.add(id);
      this.#request(request);
    }
  }

  /** The model and its tools, as soon as the CLI has reported them. */
  #introduce(): void {
    const { model, mode, about } = this.#head;
    const tools = about["tools"];
    if (this.#isIntroduced || !Array.isArray(tools)) return;
    this.#isIntroduced = true;
    this.#mode = mode;
    this.#note(`${model ?? "?"}, ${counted(tools.length, "tool")}, permission mode ${mode ?? "default"}`);
  }

  #request(request: CliRequest): void {
    if (this.#options.showsRequests === false) return;
    const isKnown = request.subtype === "can_use_tool" && request.tool_use_id === this.#calls.last;
    this.#calls.request(requestLines(request, { ...this.#looks(6), isKnown }));
  }

  #showTodos(): void {
    const { todos } = this.#head;
    const now = JSON.stringify(briefly(this.#head));
    if (todos.length === 0 || now === this.#toldTodos || now === this.#skippedTodos) return;
    this.#toldTodos = now;
    this.#sheet.begin("list");
    for (const line of todoLines(todos, this.#looks(2))) this.#sheet.line(INDENT + line);
  }
}

/** The part of each entry that the task list shows. */
const briefly = ({ todos }: Head): object => todos.map(({ subject, status }) => ({ subject, status }));

const hasEnded = ({ outcome, exitCode }: HookRow): boolean => outcome !== undefined || exitCode !== undefined;

const nameOf = (actor: Actor | undefined): string => (actor === undefined ? "" : ` (${actor.name ?? actor.id})`);

/** The answers to questions, in words. */
const answersIn = ({ name, input, decision }: ToolRow): string | undefined => {
  const call = readToolInput(name, input);
  if (call.tool !== "AskUserQuestion" || decision?.updatedInput === undefined) return undefined;
  const given = Object.values(answersOf(decision.updatedInput, call.input.questions));
  return given.length === 0 ? undefined : given.map((answers) => answers.join(", ")).join("; ");
};

/** `2.4 s · $0.0123 · 3 steps`. */
const turnFacts = ({ durationMs, costUsd, steps, reason }: TurnRow): string =>
  [
    `${(durationMs / 1000).toFixed(1)} s`,
    costUsd > 0 ? `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}` : "",
    steps > 0 ? counted(steps, "step") : "",
    reason === undefined || reason === "completed" ? "" : reason,
  ]
    .filter((fact) => fact !== "")
    .join(" · ");

const promptText = (content: PromptRow["content"]): string => promptParts(content).join("\n");
