import type { Row, TextRow } from "@quarterdeck/session";
import { EMPTY_HEAD } from "@quarterdeck/session/bridge";
import type { DraftPiece, SessionChanged, Subscribed } from "@quarterdeck/session/bridge";
import { describe, expect, it } from "vitest";
import { Replica } from "./replica.ts";
import type { RowsPage } from "./replica.ts";

const row = (order: number, rev: number, text = `${order}`, id = `r${order}`): TextRow => ({
  id,
  order,
  rev,
  at: 0,
  seqs: [order],
  kind: "text",
  messageId: "m",
  text,
});
const copy = <T>(value: T): T => structuredClone(value);
const reset = (rows: Row[], more: Partial<Subscribed> = {}): Subscribed => ({
  status: "reset",
  cursor: "e:10",
  head: EMPTY_HEAD,
  unset: [],
  rows,
  removed: [],
  more: false,
  drafts: [],
  watchers: [],
  readOnly: false,
  ...more,
});
const frame = (more: Partial<SessionChanged>): SessionChanged => ({ session: "a", cursor: "e:11", ...more });
const page = (rows: Row[], more: Partial<RowsPage> = {}): RowsPage => ({
  rows,
  moreBefore: false,
  moreAfter: false,
  cursor: "e:10",
  ...more,
});
const ABOUT = { kind: "text", messageId: "m", index: 0, at: 0 } as const;
const piece = (id: string, from: number, text: string): DraftPiece => ({ id, ...(from === 0 && ABOUT), from, text });
const replicaOf = (rows: Row[], more?: Partial<Subscribed>): Replica => {
  const replica = new Replica();
  replica.subscribed(reset(rows, more));
  return replica;
};
const ids = ({ rows }: Replica): string[] => rows.map(({ id }) => id);

describe("rows", () => {
  it("[S1] are sorted and unique, and keep their identity if unchanged", () => {
    const replica = replicaOf([row(2, 2), row(1, 1), row(3, 3)]);
    const [one, two, three] = replica.rows;
    expect(replica.changed(frame({ rows: [row(5, 12), row(2, 11, "new"), row(4, 12)] }))).toBe("ok");
    expect(ids(replica)).toEqual(["r1", "r2", "r3", "r4", "r5"]);
    expect(replica.rows[0]).toBe(one);
    expect(replica.rows[2]).toBe(three);
    expect(replica.rows[1]).toMatchObject({ text: "new" });
    expect((replica.rows[1] as TextRow).seqs).toBe(two!.seqs);
    const { rows } = replica;
    replica.changed(frame({ cursor: "e:12", head: { phase: "idle" } }));
    expect(replica.rows).toBe(rows);
  });

  it("[S1] a reset with equal values keeps their identity", () => {
    const replica = replicaOf([row(1, 1), row(2, 2)], { head: { ...EMPTY_HEAD, cwd: "/x", capabilities: ["a"] } });
    const { rows, head } = replica;
    replica.subscribed(copy(reset([row(1, 1), row(2, 2)], { cursor: "f:3", head: copy(head) })));
    expect(replica.cursor).toBe("f:3");
    expect(replica.rows).toBe(rows);
    expect(replica.head).toBe(head);
    const changed = { ...copy(head), cwd: "/y" };
    replica.subscribed(reset([row(1, 1), row(2, 5, "other")], { cursor: "g:5", head: changed }));
    expect(replica.rows[0]).toBe(rows[0]);
    expect(replica.head.capabilities).toBe(head.capabilities);
    expect(replica.head).toEqual(changed);
  });

  it("[S1] a removed row disappears, a moved row is at its new place", () => {
    const replica = replicaOf([row(1, 1), row(2, 2), row(3, 3)]);
    replica.changed(frame({ removed: ["r2", "never"], rows: [row(4, 11, "1", "r1")] }));
    expect(ids(replica)).toEqual(["r3", "r1"]);
  });

  it("[S2] an older frame changes nothing", () => {
    const replica = replicaOf([row(1, 9, "new")], { head: { ...EMPTY_HEAD, phase: "idle" } });
    const before = { rows: replica.rows, head: replica.head };
    expect(replica.changed(frame({ cursor: "e:8", rows: [row(1, 8, "old")], head: { phase: "tool" } }))).toBe("ok");
    expect(replica).toMatchObject({ ...before, cursor: "e:10" });
    replica.changed(frame({ rows: [row(1, 8, "old")] }));
    expect(replica.rows).toBe(before.rows);
    expect(replica.cursor).toBe("e:11");
  });

  it("[S2] a frame without progress may still update watchers", () => {
    const replica = replicaOf([]);
    const watchers = [{ id: "d", name: "phone", since: 1 }];
    replica.changed(frame({ cursor: "e:10", watchers }));
    expect(replica.watchers).toEqual(watchers);
  });

  it("[S3] another epoch or a reset requests a new subscription and changes nothing", () => {
    const replica = replicaOf([row(1, 1)]);
    expect(replica.changed(frame({ cursor: "f:11", rows: [row(2, 11)] }))).toBe("reset");
    expect(replica.changed(frame({ reset: true }))).toBe("reset");
    expect(new Replica().changed(frame({}))).toBe("reset");
    expect(ids(replica)).toEqual(["r1"]);
    expect(replica.cursor).toBe("e:10");
  });

  it("[S4] an unset field is absent", () => {
    const replica = replicaOf([], { head: { ...EMPTY_HEAD, title: "t", stderr: "oh" } });
    replica.changed(frame({ head: { model: "m" }, unset: ["title", "stderr"] }));
    expect(replica.head).toEqual({ ...EMPTY_HEAD, model: "m" });
    expect("title" in replica.head).toBe(false);
  });
});

describe("drafts", () => {
  it("[D1] a piece replaces the text at its offset", () => {
    const replica = replicaOf([], { drafts: [piece("a", 0, "Hello")] });
    expect(replica.drafted({ session: "a", drafts: [piece("a", 5, ", world"), piece("b", 0, "x")] })).toBe("ok");
    expect(replica.drafted({ session: "a", drafts: [piece("a", 7, "you")] })).toBe("ok");
    replica.drafted({ session: "a", drafts: [{ ...piece("b", 0, "y"), tokens: 5 }] });
    replica.drafted({ session: "a", drafts: [piece("b", 0, "x")] });
    expect([...replica.drafts.values()]).toEqual([
      { id: "a", kind: "text", messageId: "m", index: 0, at: 0, text: "Hello, you" },
      { id: "b", kind: "text", messageId: "m", index: 0, at: 0, text: "x" },
    ]);
  });

  it("[D1] a piece beyond the end is noticed", () => {
    const replica = replicaOf([], { drafts: [piece("a", 0, "Hello")] });
    expect(replica.drafted({ session: "a", drafts: [piece("a", 6, "world"), piece("b", 0, "x")] })).toBe("stale");
    expect([...replica.drafts.values()].map(({ text }) => text)).toEqual(["Hello", "x"]);
    expect(replica.drafted({ session: "a", drafts: [piece("c", 1, "x")] })).toBe("stale");
  });

  it("[D2] end with their row, or without one, and do not come back", () => {
    const drafts = [piece("r1", 0, "a"), piece("b", 0, "b"), piece("c", 0, "c")];
    const replica = replicaOf([], { drafts });
    replica.changed(frame({ rows: [row(1, 11)], removed: ["c"] }));
    expect([...replica.drafts.keys()]).toEqual(["b"]);
    replica.drafted({ session: "a", drafts: [piece("r1", 1, "late")], ended: ["b"] });
    expect([...replica.drafts.keys()]).toEqual([]);
  });

  it("[D2] end even if the row is outside the window", () => {
    const replica = replicaOf([row(1, 1)], { drafts: [piece("r9", 0, "a")] });
    replica.pageAsked();
    replica.pageArrived(page([row(1, 1)], { moreAfter: true }), {});
    replica.changed(frame({ rows: [row(9, 11)] }));
    expect(ids(replica)).toEqual(["r1"]);
    expect(replica.drafts.size).toBe(0);
  });

  it("[D2] a subscription has all drafts", () => {
    const replica = replicaOf([], { drafts: [piece("a", 0, "a"), piece("b", 0, "b")] });
    replica.subscribed({ ...reset([], { drafts: [piece("b", 0, "bb")] }), status: "ok" });
    expect([...replica.drafts.values()].map(({ text }) => text)).toEqual(["bb"]);
  });
});

describe("the window", () => {
  const late = () => replicaOf([row(5, 5), row(6, 6)], { more: true });

  it("[W1] grows at its borders", () => {
    const replica = late();
    expect([replica.more, replica.before]).toEqual([true, 5]);
    const [five] = replica.rows;
    replica.pageAsked();
    expect(replica.pageArrived(page([row(3, 3), row(4, 4)], { moreBefore: true }), { before: 5 })).toBe(true);
    expect(ids(replica)).toEqual(["r3", "r4", "r5", "r6"]);
    expect(replica.rows[2]).toBe(five);
    expect([replica.more, replica.before]).toEqual([true, 3]);
    replica.pageAsked();
    replica.pageArrived(page([row(1, 1)]), { before: 3 });
    expect(ids(replica)[0]).toBe("r1");
    expect(replica.more).toBe(false);
  });

  it("[W2] shows nothing from beyond its borders", () => {
    const replica = late();
    replica.changed(frame({ rows: [row(2, 11, "changed")] }));
    expect(ids(replica)).toEqual(["r5", "r6"]);
    replica.changed(frame({ cursor: "e:12", rows: [row(7, 12, "2", "r2")] }));
    expect(ids(replica)).toEqual(["r5", "r6", "r2"]);
  });

  it("[W2] in the past, a row that moves to the end leaves", () => {
    const replica = late();
    replica.pageAsked();
    replica.pageArrived(page([row(2, 2), row(3, 3)], { moreBefore: true, moreAfter: true }), {});
    expect([replica.before, replica.after, replica.moreAfter]).toEqual([2, 3, true]);
    replica.changed(frame({ rows: [row(7, 11, "2", "r2"), row(8, 11)] }));
    expect(ids(replica)).toEqual(["r3"]);
  });

  it("[W4] a page that was read before a change does not undo it", () => {
    const replica = late();
    replica.pageAsked();
    replica.changed(frame({ cursor: "e:12", rows: [row(3, 11, "new")], removed: ["r4"] }));
    replica.pageArrived(page([row(3, 3, "old"), row(4, 4)], { cursor: "e:10" }), { before: 5 });
    expect(replica.rows.map((each) => [each.id, (each as TextRow).text])).toEqual([
      ["r3", "new"],
      ["r5", "5"],
      ["r6", "6"],
    ]);
  });

  it("[W4] a page that was read after a change is right", () => {
    const replica = late();
    replica.pageAsked();
    replica.changed(frame({ cursor: "e:11", removed: ["r4"] }));
    replica.pageArrived(page([row(3, 3), row(4, 12)], { cursor: "e:12" }), { before: 5 });
    expect(ids(replica)).toEqual(["r3", "r4", "r5", "r6"]);
  });

  it("[W4] rows that came while the last page was on its way are not missed", () => {
    const replica = late();
    replica.pageAsked();
    replica.pageArrived(page([row(2, 2)], { moreBefore: true, moreAfter: true }), {});
    replica.pageAsked();
    replica.changed(frame({ cursor: "e:11", rows: [row(7, 11)] }));
    replica.pageArrived(page([row(5, 5), row(6, 6)], { moreBefore: true }), { after: 2 });
    expect(ids(replica)).toEqual(["r2", "r5", "r6", "r7"]);
    expect(replica.moreAfter).toBe(false);
  });

  it("[W5] a page for another window is ignored", () => {
    const replica = late();
    replica.pageAsked();
    replica.subscribed(reset([row(8, 8)], { more: true }));
    expect(replica.pageArrived(page([row(4, 4)]), { before: 5 })).toBe(false);
    replica.pageAsked();
    expect(replica.pageArrived(page([row(4, 4)], { cursor: "old:4" }), { before: 8 })).toBe(false);
    replica.pageAsked();
    expect(replica.pageArrived(undefined, {})).toBe(false);
    expect(ids(replica)).toEqual(["r8"]);
  });
});
