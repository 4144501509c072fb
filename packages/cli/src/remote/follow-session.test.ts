import type { SessionSnapshot } from "@quarterdeck/client";
import { createFold } from "@quarterdeck/session";
import type { Event, Fold, Row, Streamed } from "@quarterdeck/session";
import { EMPTY_HEAD } from "@quarterdeck/session/bridge";
import { array, assert, asyncProperty, boolean, nat, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { RECORDINGS } from "@quarterdeck/test-kit/recordings";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { Printout } from "../terminal/printout.ts";
import { followInJson, followInText } from "./follow-session.ts";

const printed = () => {
  let out = "";
  const printout = new Printout({ write: (text) => (out += text), paint: (_, text) => text, width: 80 });
  return { printout, out: () => out, text: () => (printout.end(), out) };
};

/** The output for a session that runs in the terminal itself. */
const direct = (events: readonly (Event | Streamed)[]): string => {
  const { printout, text } = printed();
  const fold = createFold();
  for (const event of events) {
    const { rev } = fold;
    fold.apply(event);
    printout.show({ rows: fold.changes(rev).rows, head: fold.head, drafts: fold.drafts });
  }
  return text();
};

/** Like a host records it: unfinished drafts of a turn become a fact before its end. */
const recorded = (events: readonly (Event | Streamed)[]): (Event | Streamed)[] => {
  const fold = createFold();
  let seq = 0;
  return events.flatMap((event): (Event | Streamed)[] => {
    const { drafts } = fold;
    fold.apply(event);
    if (event.type === "streamed") return [event];
    const isCut = drafts.length > 0 && event.type === "received" && isCutResult(event.message);
    const left: Event[] = isCut ? [{ seq: ++seq, at: event.at, type: "drafts-left", drafts }] : [];
    return [...left, { ...event, seq: ++seq }];
  });
};
const isCutResult = (message: unknown): boolean => {
  const { type, subtype } = message as { type?: unknown; subtype?: unknown };
  return type === "result" && subtype === "error_during_execution";
};

/** A server's session. Facts can be read at once. A snapshot shows the state when it was taken. */
class Played {
  readonly fold: Fold = createFold();
  readonly facts: Event[] = [];
  readonly #listeners = new Set<() => void>();
  snapshot = { status: "ready", head: this.fold.head, rows: [], drafts: [], more: false } as unknown as SessionSnapshot;
  readonly id = "a";
  mostAtOnce = Infinity;
  /** The client has only this many of the last rows, and may load the others. */
  mostRows = Infinity;

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  play(event: Event | Streamed): void {
    this.fold.apply(event);
    if (event.type !== "streamed") this.facts.push(event);
  }
  show(): void {
    const { head, drafts } = this.fold;
    const rows = this.fold.rowsBefore(Infinity, this.mostRows);
    this.snapshot = { ...this.snapshot, head, rows, drafts, more: rows.length < this.fold.rowCount };
    for (const listener of this.#listeners) listener();
  }
  async loadBefore(): Promise<void> {
    this.mostRows += 1;
    this.show();
  }
  readonly call = (async (_method: string, { after }: { after: number }) => {
    const events = this.facts.filter(({ seq }) => seq > after).slice(0, this.mostAtOnce);
    return { events, lastSeq: this.facts.at(-1)?.seq ?? 0 };
  }) as never;
}

const STREAMED = RECORDINGS.filter(({ events }) => events.some(({ type }) => type === "streamed"));
const PARTIAL = RECORDINGS.find(({ name }) => name.startsWith("2.1.325/") && name.includes("partial"))!.events;
const Steps = array(tuple(boolean(), boolean()), { minLength: 5, maxLength: 60, size: "max" });

/** One row as it is printed. */
const alone = (row: Row): string => {
  const { printout, text } = printed();
  printout.show({ rows: [row], head: EMPTY_HEAD, drafts: [] });
  return text();
};
const isMainText = ({ kind, parent }: Row): boolean => (kind === "text" || kind === "thinking") && parent === undefined;

describe("a followed session in text", () => {
  it("prints every text as often as the session itself would, whatever was seen of it while it grew", async () => {
    expect(STREAMED.length).toBeGreaterThan(30);
    await assert(
      asyncProperty(nat(STREAMED.length - 1), Steps, async (which, steps) => {
        const events = recorded(STREAMED[which]!.events);
        const played = new Played();
        const { printout, text: printedText } = printed();
        const follower = followInText(played, printout, 0);
        for (const [index, event] of events.entries()) {
          const [shows, waits] = steps[index % steps.length]!;
          played.play(event);
          if (shows) played.show();
          if (waits) await follower.caughtUp();
        }
        played.show();
        await follower.caughtUp();
        const [shown, whole] = [printedText(), direct(events)];
        const count = (all: string, part: string): number => all.split(part).length - 1;
        for (const text of new Set(played.fold.rows.filter(isMainText).map(alone)))
          expect([text, count(shown, text)]).toEqual([text, count(whole, text)]);
        expect(shown.match(/^ {2}[✓✗] .*/gmu)).toEqual(whole.match(/^ {2}[✓✗] .*/gmu));
      }),
      { numRuns: roundsOf(100) },
    );
  });

  it("writes a text as it grows", async () => {
    const played = new Played();
    const { printout, out, text } = printed();
    const follower = followInText(played, printout, 0);
    const sizes = new Set<number>();
    for (const event of PARTIAL) {
      played.play(event);
      played.show();
      await follower.caughtUp();
      if (event.type === "streamed") sizes.add(out().length);
    }
    expect(sizes.size).toBeGreaterThan(3);
    expect(text()).toBe(direct(PARTIAL));
  });

  it("loads the rows that came while the server was away", async () => {
    const { events } = RECORDINGS.find(({ name }) => name.endsWith("2.1.325/04a_files"))!;
    const [played, whole] = [new Played(), new Played()];
    const [one, other] = [printed(), printed()];
    const followers = [followInText(played, one.printout, 0), followInText(whole, other.printout, 0)];
    for (const event of events) for (const session of [played, whole]) session.play(event);
    played.mostRows = 2;
    for (const session of [played, whole]) session.show();
    for (const follower of followers) await follower.caughtUp();
    expect(played.fold.rowCount).toBeGreaterThan(5);
    expect(one.text()).toBe(other.text());
  });

  it("starts after the given row", async () => {
    const played = new Played();
    for (const event of PARTIAL) played.play(event);
    played.show();
    const { printout, text } = printed();
    const turn = played.fold.rows.find(({ kind }) => kind === "turn")!;
    await followInText(played, printout, turn.order - 1).caughtUp();
    const later = played.fold.rows.filter(({ order }) => order >= turn.order);
    expect(text().match(/^ {2}[✓✗] /gmu)).toHaveLength(later.filter(({ kind }) => kind === "turn").length);
    expect(text().match(/^> /gmu)).toHaveLength(later.filter(({ kind }) => kind === "prompt").length);
  });

  it("writes nothing after it was stopped", async () => {
    const played = new Played();
    const { printout, text } = printed();
    const follower = followInText(played, printout, 0);
    follower.stop();
    for (const event of PARTIAL) played.play(event);
    played.show();
    await follower.caughtUp();
    expect(text()).toBe("");
  });
});

describe("a followed session in JSON", () => {
  interface Line {
    readonly type: string;
    readonly seq?: number;
    readonly id?: string;
    readonly from?: number;
    readonly text?: string;
  }
  const follow = (played: Played, after = 0) => {
    const lines: Line[] = [];
    const write = (text: string): void => void lines.push(JSON.parse(text) as Line);
    return { lines, follower: followInJson({ client: played, view: played, after, write }) };
  };

  it("writes every fact once and in order, and the parts of a draft add up", async () => {
    await assert(
      asyncProperty(nat(STREAMED.length - 1), Steps, nat(4), async (which, steps, most) => {
        const played = new Played();
        played.mostAtOnce = most + 1;
        const { lines, follower } = follow(played);
        const drafts = new Map<string, string>();
        for (const [index, event] of recorded(STREAMED[which]!.events).entries()) {
          const [shows, waits] = steps[index % steps.length]!;
          played.play(event);
          for (const { id, text } of played.fold.drafts) drafts.set(id, text);
          if (shows) played.show();
          if (waits) await follower.caughtUp();
        }
        played.show();
        await follower.caughtUp();
        expect(lines.filter(({ type }) => type !== "draft")).toEqual(JSON.parse(JSON.stringify(played.facts)));
        const texts = new Map<string, string>();
        for (const { type, id = "", from, text = "" } of lines) {
          if (type !== "draft") continue;
          expect(from).toBe(texts.get(id)?.length ?? 0);
          texts.set(id, (texts.get(id) ?? "") + text);
        }
        for (const [id, text] of texts) expect(drafts.get(id)?.startsWith(text), id).toBe(true);
      }),
      { numRuns: roundsOf(50) },
    );
  });

  it("starts after the given fact", async () => {
    const played = new Played();
    for (const event of RECORDINGS[0]!.events) played.play(event);
    const { lines, follower } = follow(played, 3);
    played.show();
    await follower.caughtUp();
    expect(lines.map(({ seq }) => seq)).toEqual(played.facts.slice(3).map(({ seq }) => seq));
  });
});
