import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event, Streamed } from "./event.ts";
import { createFold } from "./fold.ts";
import type { Fold } from "./fold.ts";
import type { Head } from "./head.ts";
import { RECORDINGS } from "@quarterdeck/test-kit/recordings";
import type { Recording } from "@quarterdeck/test-kit/recordings";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import type { Row } from "./row.ts";
import { Timeline } from "./timeline.ts";

fc.configureGlobal({ seed: 20_261_115 });

const foldOf = (events: readonly (Event | Streamed)[], fold: Fold = createFold()): Fold => {
  for (const event of events) fold.apply(event);
  return fold;
};
type Wire = Record<string, unknown>;
const received = (recording: Recording): Wire[] =>
  recording.events.flatMap((event) => (event.type === "received" ? [event.message as Wire] : []));
const blocksOf = (message: Wire): Wire[] => (message["message"] as { content: Wire[] }).content;
const named = (name: string): Recording => RECORDINGS.find((recording) => recording.name === name)!;

describe("every recording", () => {
  it.each(RECORDINGS)(
    "[F1] $name: each complete block once and in order, each tool id once with its result",
    (recording) => {
      const fold = foldOf(recording.events);
      const said = received(recording).filter((message) => message["type"] === "assistant");
      const expected = said.flatMap((message) =>
        (message["message"] as Wire)["model"] === "<synthetic>"
          ? []
          : blocksOf(message).map((block) => block["text"] ?? block["thinking"] ?? block["id"] ?? ""),
      );
      const shown = fold.rows.flatMap((row) =>
        row.kind === "text" || row.kind === "thinking"
          ? [row.text]
          : row.kind === "tool" && row.messageId !== ""
            ? [row.toolUseId]
            : [],
      );
      expect(shown).toEqual(expected);

      const results = received(recording)
        .filter((message) => message["type"] === "user" && Array.isArray((message["message"] as Wire)["content"]))
        .flatMap(blocksOf)
        .filter((block) => block["type"] === "tool_result")
        .map((block) => String(block["tool_use_id"]));
      const settled = fold.rows.flatMap((row) =>
        row.kind === "tool" && row.result !== undefined ? [row.toolUseId] : [],
      );
      expect(settled.toSorted()).toEqual([...new Set(results)].toSorted());
    },
  );

  it.each(RECORDINGS)("[F2] $name: a draft is the sum of what each event added", (recording) => {
    const fold = createFold();
    const grown = new Map<string, string>();
    for (const event of recording.events) {
      fold.apply(event);
      const { growth } = fold;
      if (growth !== undefined) {
        const before = growth.from === 0 ? "" : (grown.get(growth.draft.id) ?? "");
        expect(growth.from).toBe(before.length);
        grown.set(growth.draft.id, before + growth.text);
      }
      for (const draft of fold.drafts) expect(grown.get(draft.id)).toBe(draft.text);
    }
  });

  it.each(RECORDINGS)("[F2] $name: no draft outlives its block or its turn", (recording) => {
    const fold = createFold();
    for (const event of recording.events) {
      fold.apply(event);
      for (const draft of fold.drafts) expect(fold.row(draft.id), draft.id).toBeUndefined();
      if (event.type === "received" && (event.message as Wire)["type"] === "result") expect(fold.drafts).toEqual([]);
    }
  });

  it.each(RECORDINGS)("[F3] $name: each prompt is settled when the process has ended", (recording) => {
    const fold = foldOf(recording.events);
    fold.apply({ type: "process-exited", seq: fold.seq + 1, at: 0, code: 0, signal: null });
    const open = fold.rows.filter((row) => row.kind === "prompt" && !SETTLED.has(row.state));
    expect(open).toEqual([]);
    expect(fold.head.queue.filter((entry) => entry.state !== "accepted")).toEqual([]);
    expect(fold.head.requests).toEqual([]);
    expect(
      fold.rows.filter((row) => row.kind === "tool" && (row.state === "running" || row.state === "asking")),
    ).toEqual([]);
  });

  it.each(RECORDINGS)("[F4] $name: the cost is the last cumulative cost", (recording) => {
    const messages = received(recording);
    const cumulative = messages.flatMap((message) =>
      message["type"] === "result" ? [message["total_cost_usd"] as number] : [],
    );
    // After `/clear` the CLI starts at zero, but the session does not.
    const expected = cumulative.reduce(
      (sum, cost, index) => sum + (cost >= (cumulative[index - 1] ?? 0) ? cost - (cumulative[index - 1] ?? 0) : cost),
      0,
    );
    expect(foldOf(recording.events).head.gauges.costUsd).toBeCloseTo(expected, 9);
  });

  it.each(RECORDINGS)("[F5] $name: every line is known", (recording) => {
    const unknown = foldOf(recording.events).rows.filter((row) => row.kind === "unknown");
    expect(unknown).toEqual([]);
  });
});
/** A prompt that never started waits for the next process. */
const SETTLED: ReadonlySet<string> = new Set([
  "accepted",
  "done",
  "failed",
  "interrupted",
  "cancelled",
  "blocked",
  "refused",
  "discarded",
  "held",
]);

/** The part of a fold to compare. Drafts are not facts. */
const stateOf = (fold: Fold): unknown => ({ rows: fold.rows, head: fold.head, seq: fold.seq, rev: fold.rev });
const withoutRevs = (fold: Fold): unknown => ({
  rows: fold.rows.map(({ rev: _rev, ...row }) => row),
  head: fold.head,
  seq: fold.seq,
});

describe("[F6] a fold that is saved and restored at any point continues unchanged", () => {
  it("for every recording, cut anywhere", () => {
    fc.assert(
      fc.property(fc.constantFrom(...RECORDINGS), fc.nat(), ({ events }, at) => {
        const facts = events.filter((event) => event.type !== "streamed");
        const cut = at % (facts.length + 1);
        const first = foldOf(facts.slice(0, cut));
        const saved = JSON.parse(JSON.stringify(first.save())) as ReturnType<Fold["save"]>;
        expect(stateOf(foldOf(facts.slice(cut), createFold(saved)))).toEqual(stateOf(foldOf(facts)));
      }),
      { numRuns: roundsOf(400) },
    );
  });

  it("and continues in its epoch, unless it gets another", () => {
    const fold = createFold(undefined, { epoch: "one" });
    expect(createFold(fold.save()).head.epoch).toBe("one");
    const other = createFold(fold.save(), { epoch: "two" });
    expect(other.head.epoch).toBe("two");
    expect(other.changes(fold.rev).head).toEqual({ epoch: "two" });
  });

  it("and a fold of another version is refused", () => {
    const saved = createFold().save();
    expect(() => createFold({ ...saved, version: saved.version + 1 })).toThrow("fold its events again");
  });
});

describe("[F7] the live fold equals the fold of the kept log", () => {
  it.each(RECORDINGS)("$name", ({ events }) => {
    const ended = (fold: Fold): Fold =>
      foldOf([{ type: "process-exited", seq: fold.seq + 1, at: 0, code: 0, signal: null }], fold);
    const kept = events.filter((event) => event.type !== "streamed");
    expect(withoutRevs(ended(foldOf(kept)))).toEqual(withoutRevs(ended(foldOf(events))));
  });
});

describe("[F8] an event already applied changes nothing", () => {
  it("for every recording, repeated anywhere", () => {
    fc.assert(
      fc.property(fc.constantFrom(...RECORDINGS), fc.nat(), fc.nat(), ({ events }, a, b) => {
        const facts = events.filter((event) => event.type !== "streamed");
        const [from, to] = [a % (facts.length + 1), b % (facts.length + 1)].toSorted((x, y) => x - y) as [
          number,
          number,
        ];
        const fold = foldOf(facts.slice(0, to));
        foldOf(facts.slice(from, to), fold);
        expect(stateOf(fold)).toEqual(stateOf(foldOf(facts.slice(0, to))));
      }),
      { numRuns: roundsOf(200) },
    );
  });
});

/** A client: rows by id and head fields, updated by whole rows. */
class Mirror {
  readonly rows = new Map<string, Row>();
  head: Partial<Head> = {};
  rev = 0;
  take(fold: Fold): void {
    const changes = fold.changes(this.rev);
    for (const row of changes.rows) this.rows.set(row.id, row);
    for (const id of changes.removed) this.rows.delete(id);
    this.head = { ...this.head, ...changes.head };
    this.rev = changes.rev;
  }
  get state(): unknown {
    return {
      rows: [...this.rows.values()].toSorted((a, b) => a.order - b.order),
      head: { ...createFold().head, ...this.head },
    };
  }
}

describe("[F12] rows come in pages", () => {
  it("of any size, from either end, which together have all rows", () => {
    fc.assert(
      fc.property(fc.constantFrom(...RECORDINGS), fc.integer({ min: 1, max: 7 }), ({ events }, size) => {
        const fold = foldOf(events);
        const backwards: Row[] = [];
        for (let order = Infinity; ;) {
          const page = fold.rowsBefore(order, size);
          if (page.length === 0) break;
          backwards.unshift(...page);
          order = Math.min(...page.map((row) => row.order));
        }
        const forwards: Row[] = [];
        for (let order = -Infinity; ;) {
          const page = fold.rowsAfter(order, size);
          if (page.length === 0) break;
          forwards.push(...page);
          order = page.at(-1)!.order;
        }
        expect(backwards).toEqual(fold.rows);
        expect(forwards).toEqual(fold.rows);
        expect(fold.rows.map(({ order }) => order)).toEqual(
          fold.rows.map(({ order }) => order).toSorted((a, b) => a - b),
        );
      }),
      { numRuns: roundsOf(200) },
    );
  });

  it("and the old place of a moved row is closed", () => {
    const timeline = new Timeline();
    const note = (id: string) => ({ id, at: 0, seqs: [], kind: "notice", level: "info", topic: "", text: "" }) as const;
    for (let n = 0; n < 200; n++) timeline.insert(note(`n${n}`));
    for (let n = 0; n < 190; n++) {
      if (n % 2 === 0) timeline.remove(`n${n}`);
      else timeline.move(timeline.row(`n${n}`)!, {});
    }
    const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);
    const moved = Array.from({ length: 95 }, (_, index) => `n${index * 2 + 1}`);
    const stayed = Array.from({ length: 10 }, (_, index) => `n${190 + index}`);
    expect(ids(timeline.rows)).toEqual([...stayed, ...moved]);
    expect(ids(timeline.rowsBefore(Infinity, 3))).toEqual(moved.slice(-3));
    expect(ids(timeline.rowsBefore(timeline.row("n1")!.order, 2))).toEqual(["n198", "n199"]);
    expect(ids(timeline.rowsAfter(timeline.row("n199")!.order, 1))).toEqual(["n1"]);
    expect(ids(Timeline.restore(timeline.save()).rowsAfter(0, 2))).toEqual(["n190", "n191"]);
  });
});

describe("[F9] a client that takes changes at any moments ends in the same state", () => {
  it("for every recording", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RECORDINGS),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
        ({ events }, takes) => {
          const fold = createFold();
          const mirror = new Mirror();
          events.forEach((event, index) => {
            fold.apply(event);
            if (takes[index % takes.length]) mirror.take(fold);
          });
          mirror.take(fold);
          expect(mirror.state).toEqual({ rows: fold.rows, head: fold.head });
        },
      ),
      { numRuns: roundsOf(300) },
    );
  });

  it("and an unchanged row keeps its identity", () => {
    const { events } = named("2.1.325/08a_parallel");
    const fold = createFold();
    let before: ReadonlySet<Row> = new Set();
    const strangers: Row[] = [];
    for (const event of events) {
      const { rev } = fold;
      fold.apply(event);
      const changed = new Set(fold.changes(rev).rows);
      strangers.push(...fold.rows.filter((row) => !changed.has(row) && !before.has(row)));
      before = new Set(fold.rows);
    }
    expect(strangers).toEqual([]);
  });
});

describe("stderr in the head", () => {
  const headAfter = (...pieces: string[]): string =>
    foldOf(pieces.map((text, index): Event => ({ seq: index + 1, at: 0, type: "stderr", text }))).head.stderr;

  it("[S57] has no secrets, even if a secret comes in pieces", () => {
    expect(headAfter("key sk-ant-api03-abc", "defghij", "klm refused\n")).toBe("key <hidden> refused\n");
    expect(headAfter("tok", "en=abc", "def123456\nbye\n")).toBe("token=<hidden>\nbye\n");
  });

  it("[S57] is cut between words, so no part of a secret remains", () => {
    const secret = `sk-ant-${"k".repeat(60)}`;
    for (let cut = 1; cut < secret.length; cut++) {
      const end = ` ${"x ".repeat(8192)}`.slice(0, 16_384 - cut);
      expect(headAfter(`${secret}${end}`)).not.toContain("kk");
    }
  });

  it("[S57] is the same in a saved fold", () => {
    const first = foldOf([{ seq: 1, at: 0, type: "stderr", text: "sk-ant-api03-abc" }]);
    const next = createFold(structuredClone(first.save()));
    next.apply({ seq: 2, at: 0, type: "stderr", text: "defghijklm\n" });
    expect(next.head.stderr).toBe("<hidden>\n");
  });
});
