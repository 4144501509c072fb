import type { SessionSnapshot } from "@quarterdeck/client";
import { decodeValue } from "@quarterdeck/protocol";
import { createFold } from "@quarterdeck/session";
import type { Event, Fold, Streamed } from "@quarterdeck/session";
import { array, assert, asyncProperty, boolean, nat, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { RECORDINGS } from "@quarterdeck/test-kit/recordings";
import { Transcript } from "../terminal/transcript.ts";
import { FollowedSession } from "./follow-session.ts";

const transcript = () => {
  let out = "";
  const writer = new Transcript({ write: (text) => (out += text), paint: (_, text) => text, width: 80 });
  return { writer, text: () => (writer.end(), out) };
};

/** What the terminal shows of a session that runs in it. */
const direct = (events: readonly (Event | Streamed)[]): string => {
  const { writer, text } = transcript();
  for (const event of events) {
    if (event.type !== "received" && event.type !== "streamed") continue;
    const decoded = decodeValue(event.message);
    if (decoded.kind === "message") writer.message(decoded.message);
    else writer.note("(a line that this version does not know)", "yellow");
  }
  return text();
};

/** As a host records it: what a turn left unfinished is a fact before the turn's end. */
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

/** A server's session: facts can be read as soon as they are, a snapshot shows what was there when it was taken. */
class Played {
  readonly fold: Fold = createFold();
  readonly facts: Event[] = [];
  readonly #listeners = new Set<() => void>();
  snapshot = { status: "loading" } as SessionSnapshot;
  readonly id = "a";
  mostAtOnce = Infinity;

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  play(event: Event | Streamed): void {
    this.fold.apply(event);
    if (event.type !== "streamed") this.facts.push(event);
  }
  show(): void {
    const { head, rows, drafts } = this.fold;
    this.snapshot = { ...this.snapshot, status: "ready", head, rows, drafts };
    for (const listener of this.#listeners) listener();
  }
  readonly call = (async (_method: string, { after }: { after: number }) => {
    const events = this.facts.filter(({ seq }) => seq > after).slice(0, this.mostAtOnce);
    return { events, lastSeq: this.facts.at(-1)?.seq ?? 0 };
  }) as never;
}

const follow = (played: Played) => {
  const { writer, text } = transcript();
  const events: Event[] = [];
  const streamed: unknown[] = [];
  const followed = new FollowedSession({
    client: played,
    view: played,
    after: 0,
    transcript: writer,
    onEvent: (event) => events.push(event),
    onStreamed: (message) => streamed.push(message),
  });
  return { followed, text, events, streamed };
};

/** What the deltas add up to, by message and block; an agent's are its own. */
const textsOf = (messages: readonly unknown[]): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>();
  let id = "";
  for (const message of messages as readonly Delta[]) {
    if (message.type !== "stream_event" || typeof message.parent_tool_use_id === "string") continue;
    const { type, index, delta, message: started } = message.event;
    if (type === "message_start") id = started?.id ?? "";
    if (type !== "content_block_delta") continue;
    const key = `${id}/${index}`;
    texts.set(key, (texts.get(key) ?? "") + (delta?.text ?? delta?.thinking ?? ""));
  }
  return texts;
};
interface Delta {
  readonly type: string;
  readonly parent_tool_use_id?: string | null;
  readonly event: {
    readonly type: string;
    readonly index?: number;
    readonly message?: { readonly id?: string };
    readonly delta?: { readonly text?: string; readonly thinking?: string };
  };
}

/** What a person or a rule answered is shown here and not by `run`, which asked itself. */
const withoutAnswers = (text: string): string => text.replaceAll(/^ *┃ → .*\n/gm, "");
/** Which came first of two things that have nothing to do with each other may differ; the words may not. */
const wordsOf = (text: string): string[] => withoutAnswers(text).split(/\s+/).toSorted();

describe("a followed session", () => {
  it("says what the session itself would have said, whatever of it was seen while it grew", async () => {
    const streamed = RECORDINGS.filter(({ events }) => events.some(({ type }) => type === "streamed"));
    expect(streamed.length).toBeGreaterThan(30);
    const Steps = array(tuple(boolean(), boolean()), { minLength: 5, maxLength: 60, size: "max" });
    await assert(
      asyncProperty(nat(streamed.length - 1), Steps, nat(4), async (which, steps, most) => {
        const events = recorded(streamed[which]!.events);
        const played = new Played();
        played.mostAtOnce = most + 1;
        const { followed, text, events: told, streamed: deltas } = follow(played);
        for (const [index, event] of events.entries()) {
          const [shows, waits] = steps[index % steps.length]!;
          played.play(event);
          if (shows) played.show();
          if (waits) await followed.caughtUp();
        }
        played.show();
        await followed.caughtUp();
        expect(wordsOf(text())).toEqual(wordsOf(direct(events)));
        expect(told).toEqual(played.facts);
        const whole = textsOf(events.flatMap((event) => (event.type === "streamed" ? [event.message] : [])));
        for (const [block, words] of textsOf(deltas)) expect([block, words]).toEqual([block, whole.get(block)]);
      }),
      { numRuns: 150 },
    );
  });

  it("writes a text as it grows", async () => {
    const { events } = RECORDINGS.find(({ name }) => name.startsWith("2.1.325/") && name.includes("partial")) ?? {
      events: [],
    };
    const played = new Played();
    let out = "";
    const writer = new Transcript({ write: (text) => (out += text), paint: (_, text) => text, width: 80 });
    const followed = new FollowedSession({ client: played, view: played, after: 0, transcript: writer });
    const sizes = new Set<number>();
    for (const event of events) {
      played.play(event);
      played.show();
      await followed.caughtUp();
      if (event.type === "streamed") sizes.add(out.length);
    }
    expect(sizes.size).toBeGreaterThan(3);
    expect(withoutAnswers(out)).toBe(direct(events));
  });

  it("tells nothing more when it was stopped", async () => {
    const played = new Played();
    const { followed, events } = follow(played);
    followed.stop();
    for (const event of RECORDINGS[0]!.events) played.play(event);
    played.show();
    await followed.caughtUp();
    expect(events).toEqual([]);
  });

  it("begins where it is told to", async () => {
    const played = new Played();
    for (const event of RECORDINGS[0]!.events) played.play(event);
    const told: number[] = [];
    const followed = new FollowedSession({
      client: played,
      view: played,
      after: 3,
      onEvent: ({ seq }) => told.push(seq),
    });
    played.show();
    await followed.caughtUp();
    expect(told).toEqual(played.facts.slice(3).map(({ seq }) => seq));
  });
});
