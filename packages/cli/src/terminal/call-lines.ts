// The lines of tool calls: each has a header, and its result, its request and its subagent's lines follow below. It knows which
// header stands last, because lines that follow it need no name.

import { knownTool } from "@quarterdeck/protocol";
import type { ToolRow } from "@quarterdeck/session";
import { decisionWords, placeOfRule } from "@quarterdeck/session";
import { INDENT, INNER } from "./sheet.ts";
import type { Sheet } from "./sheet.ts";
import type { Paint } from "./terminal.ts";
import { toolHeader } from "./tool-lines.ts";
import type { Looks } from "./tool-lines.ts";

const isAgent = ({ name }: ToolRow): boolean => knownTool(name) === "Agent";

export class CallLines {
  readonly #sheet: Sheet;
  readonly #paint: Paint;
  readonly #looks: (indent: number) => Looks;
  readonly #calls = new Map<string, ToolRow>();
  /** The call whose header was written last. Its result needs no name. */
  #last: string | undefined;
  /** The subagent of the last written lines. */
  #insideOf: string | undefined;

  constructor(sheet: Sheet, paint: Paint, looks: (indent: number) => Looks) {
    this.#sheet = sheet;
    this.#paint = paint;
    this.#looks = looks;
  }

  get last(): string | undefined {
    return this.#last;
  }

  keep(row: ToolRow): void {
    this.#calls.set(row.toolUseId, row);
  }
  find(id: string): ToolRow | undefined {
    return this.#calls.get(id);
  }

  header(row: ToolRow): void {
    if (row.parent !== undefined) this.inside(row.parent, [toolHeader(row.name, row.input, this.#looks(6))]);
    else {
      this.#sheet.begin("tools");
      const mark = isAgent(row) ? this.#paint("magenta", "◆") : this.#paint("cyan", "●");
      this.#sheet.line(`${INDENT}${mark} ${toolHeader(row.name, row.input, this.#looks(4))}`);
      this.#insideOf = undefined;
    }
    this.#last = row.toolUseId;
  }

  /** Names the rule or hook that decided without asking. Calls that only read, or that the mode allows, are not mentioned. */
  unasked({ decision, toolUseId, parent }: ToolRow, before: ToolRow | undefined): void {
    if (decision === undefined || decision.at !== undefined || parent !== undefined) return;
    const { decider, rule } = decision;
    const isNews = decider === "hook" || decider === "classifier" || (decider === "rule" && rule !== undefined);
    if (!isNews || before?.decision?.decider === decider || this.#last !== toolUseId) return;
    const place = rule === undefined ? "" : ` (${placeOfRule(rule)})`;
    this.below(`${decisionWords(decision)}${place}`);
  }

  result(row: ToolRow, lines: readonly string[]): void {
    if (lines.length === 0) return;
    const { toolUseId: id, parent } = row;
    const isFollowing = id === this.#last;
    const header = (indent: number) => toolHeader(row.name, row.input, this.#looks(indent));
    if (parent !== undefined) {
      const named = isFollowing ? [] : [`${this.#paint("dim", "↳")} ${header(8)}`];
      this.inside(parent, [...named, ...lines.map((line) => `  ${line}`)]);
    } else {
      this.#sheet.begin("tools");
      const isUnder = isFollowing || (isAgent(row) && this.#insideOf === id);
      if (!isUnder) this.#sheet.line(`${INDENT}${this.#paint("cyan", "↳")} ${header(4)}`);
      for (const line of lines) this.#sheet.line(INNER + line);
      this.#insideOf = isAgent(row) ? id : undefined;
    }
    this.#last = undefined;
  }

  /** A remark below the last header. */
  below(text: string): void {
    this.#sheet.line(INNER + this.#paint("dim", text));
  }

  /** A request and its answer, below the call that they are about. */
  request(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#sheet.begin("tools");
    for (const line of lines) this.#sheet.line(`${INNER}${this.#paint("yellow", "┃")} ${line}`);
  }

  /** Lines of a subagent, below the call that started it. */
  inside(parent: string, lines: readonly string[]): void {
    const isNew = this.#insideOf !== parent || this.#sheet.section !== "tools";
    this.#sheet.begin("tools");
    const agent = this.#calls.get(parent);
    if (isNew && agent !== undefined && this.#last !== parent) {
      this.#sheet.line(
        `${INDENT}${this.#paint("magenta", "◆")} ${toolHeader(agent.name, agent.input, this.#looks(4))}`,
      );
    }
    for (const line of lines) this.#sheet.line(`${INNER}${this.#paint("magenta", "│")} ${line}`);
    this.#insideOf = parent;
  }
}
