import { describe, expect, it } from "vitest";
import { createFold } from "../fold.ts";
import { RECORDINGS } from "@quarterdeck/test-kit/recordings";
import { Event } from "./event-schema.ts";
import { Head } from "./head-schema.ts";
import { Draft, Row } from "./row-schema.ts";

const jsonOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe("the schemas of rows, head, drafts and events", () => {
  it("describe every field of every recording's fold, and no other", () => {
    const kinds = new Set<string>();
    for (const { name, events } of RECORDINGS) {
      const fold = createFold();
      for (const event of events) {
        fold.apply(event);
        if (event.type !== "streamed") expect(Event.parse(event), name).toEqual(event);
        for (const draft of jsonOf(fold.drafts)) expect(Draft.parse(draft), name).toEqual(draft);
      }
      for (const row of jsonOf(fold.rows)) {
        expect(Row.parse(row), name).toEqual(row);
        kinds.add(row.kind);
      }
      const head = jsonOf(fold.head);
      expect(Head.parse(head), name).toEqual(head);
    }
    expect([...kinds]).toEqual(expect.arrayContaining(["prompt", "text", "tool", "turn", "thinking"]));
  });

  it("reject invalid values", () => {
    expect(Row.safeParse({ kind: "text" }).success).toBe(false);
    expect(Row.safeParse({ kind: "poem" }).success).toBe(false);
    expect(Event.safeParse({ seq: 1, at: 1, type: "dreamt" }).success).toBe(false);
    expect(Head.safeParse({}).success).toBe(false);
  });
});
