// The parts of the fleet that need no bus: frames, counts of a connection, the roster, join codes, the configuration.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newKey } from "./bus.ts";
import { ReceiveFlow, SendFlow } from "./flow.ts";
import { CHUNK_BYTES, decodeFrame, encodeFrame, WINDOW_BYTES } from "./frames.ts";
import type { Frame } from "./frames.ts";
import { decodeJoinCode, encodeJoinCode } from "./join-code.ts";
import { isNodeName, nodeNameFrom } from "./names.ts";
import { natsConfig } from "./nats-config.ts";
import { isAtLeast, versionIn } from "./nats-version.ts";
import { AWAY_MS, cutOff, EMPTY_ROSTER, heard, readPresence, remembered, SILENT_MS, ticked } from "./roster.ts";
import type { Presence } from "./roster.ts";
import { readTunnelSubject, tunnelSubject } from "./subjects.ts";

/** The same cases in each run. */
const SEED = { seed: 20 };

const anyFrame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    type: fc.constant("data" as const),
    seq: fc.nat(0xffff_ffff),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
  }),
  fc.record({ type: fc.constant("credit" as const), bytes: fc.integer({ min: 1, max: WINDOW_BYTES }) }),
  fc.record({ type: fc.constant("end" as const), seq: fc.nat(0xffff_ffff) }),
  fc.record({ type: fc.constant("reset" as const), reason: fc.string({ maxLength: 40, unit: "grapheme-ascii" }) }),
);

describe("frames", () => {
  it("are the same after a round trip", () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        expect(decodeFrame(encodeFrame(frame))).toEqual(frame);
      }),
      SEED,
    );
  });

  it("are refused when they are anything else, and never throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const frame = decodeFrame(bytes);
        if (frame !== undefined && frame.type !== "reset") expect(encodeFrame(frame)).toEqual(bytes);
      }),
      SEED,
    );
    const bytes = new Uint8Array(CHUNK_BYTES + 1);
    expect(decodeFrame(encodeFrame({ type: "data", seq: 0, bytes }))).toBeUndefined();
    expect(decodeFrame(encodeFrame({ type: "credit", bytes: WINDOW_BYTES + 1 }))).toBeUndefined();
  });
});

describe("the counts of a connection", () => {
  it("bring all bytes in order, whatever the sizes of writes and reads, and never exceed the window", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 3 * CHUNK_BYTES }), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, fc.array(fc.integer({ min: 1000, max: CHUNK_BYTES }), { minLength: 1 }), (writes, reads) => {
        const [out, into] = [new SendFlow(), new ReceiveFlow()];
        const total = writes.reduce((sum, size) => sum + size, 0);
        const bytes = Uint8Array.from({ length: total }, (_, at) => at % 251);
        let begin = 0;
        let rest: readonly Uint8Array[] = writes.map((size) => bytes.subarray(begin, (begin += size)));
        let [received, unread, turn, most] = [0, 0, 0, 0];
        while (rest.length > 0 || unread > 0) {
          const taken = out.take(rest);
          rest = taken.rest;
          for (const frame of taken.frames) {
            expect(frame.type).toBe("data");
            if (frame.type !== "data") continue;
            expect(into.received(frame)).toBeUndefined();
            expect(Buffer.compare(frame.bytes, bytes.subarray(received, received + frame.bytes.length))).toBe(0);
            received += frame.bytes.length;
            unread += frame.bytes.length;
          }
          most = Math.max(most, unread);
          const size = Math.min(unread, reads[turn++ % reads.length]!);
          unread -= size;
          const grant = into.read(size);
          if (grant?.type === "credit") expect(out.granted(grant.bytes)).toBe(true);
        }
        expect(received).toBe(total);
        expect(most).toBeLessThanOrEqual(WINDOW_BYTES);
      }),
      { ...SEED, numRuns: 15 },
    );
  });

  it("put small writes into one frame, and split large ones", () => {
    const sizesOf = (...writes: readonly number[]): number[] =>
      new SendFlow()
        .take(writes.map((size) => new Uint8Array(size)))
        .frames.map((frame) => (frame.type === "data" ? frame.bytes.length : 0));
    expect(sizesOf(2, 300, 0, 5)).toEqual([307]);
    expect(sizesOf(10, CHUNK_BYTES, 1)).toEqual([CHUNK_BYTES, 11]);
    expect(sizesOf(0)).toEqual([]);
  });

  it("notice a lost, repeated or replayed frame, and a sender that ignores the window", () => {
    const data = (seq: number, size = 1): Frame & { type: "data" } => ({
      type: "data",
      seq,
      bytes: new Uint8Array(size),
    });
    const lost = new ReceiveFlow();
    expect([lost.received(data(0)), lost.received(data(2))]).toEqual([undefined, "lost"]);
    const repeated = new ReceiveFlow();
    expect([repeated.received(data(0)), repeated.received(data(0))]).toEqual([undefined, "lost"]);
    const ended = new ReceiveFlow();
    expect([ended.received({ type: "end", seq: 0 }), ended.received(data(1))]).toEqual([undefined, "lost"]);
    const flooded = new ReceiveFlow();
    const answers = Array.from({ length: 5 }, (_, seq) => flooded.received(data(seq, CHUNK_BYTES)));
    expect(answers).toEqual([undefined, undefined, undefined, undefined, "flooded"]);
    expect(new SendFlow().granted(1)).toBe(false);
  });
});

describe("the roster", () => {
  const beat = (kind: Presence["kind"], incarnation = "incarnation-1"): Presence => ({
    kind,
    incarnation,
    version: "0.1.0",
    bridge: 1,
  });
  const stateOf = (roster: ReadonlyMap<string, { state: string; since: number }>) => {
    const { state, since } = roster.get("box")!;
    return { state, since };
  };

  it("goes from here to not answering to away since it was last heard, and back", () => {
    let { roster } = heard(EMPTY_ROSTER, "box", beat("hello"), 1000);
    ({ roster } = heard(roster, "box", beat("beat"), 3000));
    expect(stateOf(roster)).toEqual({ state: "here", since: 1000 });
    expect(ticked(roster, 3000 + SILENT_MS - 1)).toEqual({ roster, changed: [], gone: [] });
    const silent = ticked(roster, 3000 + SILENT_MS);
    expect([stateOf(silent.roster), silent.gone]).toEqual([{ state: "not-answering", since: 3000 }, ["box"]]);
    const away = ticked(silent.roster, 3000 + AWAY_MS);
    expect([stateOf(away.roster), away.gone]).toEqual([{ state: "away", since: 3000 }, []]);
    const back = heard(away.roster, "box", beat("beat"), 90_000);
    expect([stateOf(back.roster), back.gone]).toEqual([{ state: "here", since: 90_000 }, []]);
  });

  it("ends the connections of a node that says bye, starts again, or cannot be reached", () => {
    const { roster } = heard(EMPTY_ROSTER, "box", beat("hello"), 1000);
    expect(heard(roster, "box", beat("bye"), 2000)).toMatchObject({
      gone: ["box"],
      changed: [{ state: "away", since: 2000 }],
    });
    expect(heard(roster, "box", beat("hello", "incarnation-2"), 2000)).toMatchObject({
      gone: ["box"],
      changed: [{ state: "here" }],
    });
    expect(cutOff(roster, 2000)).toMatchObject({ gone: ["box"], changed: [{ state: "not-answering", since: 2000 }] });
    // After the bus was down, everything has ended already: a connection that came before the first beat is kept.
    const cut = cutOff(roster, 2000).roster;
    expect(heard(cut, "box", beat("beat", "incarnation-2"), 2001)).toMatchObject({
      gone: [],
      changed: [{ state: "here" }],
    });
    // The bye of the earlier start arrives late.
    const restarted = heard(roster, "box", beat("hello", "incarnation-2"), 2000).roster;
    expect(heard(restarted, "box", beat("bye"), 2001)).toEqual({ roster: restarted, changed: [], gone: [] });
  });

  it("remembers nobody as here", () => {
    const { roster } = heard(EMPTY_ROSTER, "box", beat("hello"), 1000);
    expect(stateOf(remembered([...roster.values()]))).toEqual({ state: "away", since: 1000 });
  });

  it("reads only what a node says", () => {
    const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    expect(readPresence(bytes(beat("hello")))).toEqual(beat("hello"));
    for (const wrong of [
      null,
      [],
      { ...beat("hello"), kind: "x" },
      { ...beat("hello"), incarnation: "a b" },
      { ...beat("hello"), bridge: "1" },
    ])
      expect(readPresence(bytes(wrong))).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array(), (any) => void readPresence(any)),
      SEED,
    );
  });
});

describe("join codes", () => {
  const code = {
    fleet: "f-1",
    fleetName: "Home",
    url: "tls://deck.example.com:4222",
    codeId: "c1",
    seed: newKey().seed,
    expiresAt: 1_800_000_000_000,
    certificate: "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n",
  };

  it("are the same after a round trip, also with line breaks of a mail", () => {
    const text = encodeJoinCode(code);
    expect(decodeJoinCode(text)).toEqual(code);
    expect(decodeJoinCode(` ${text.replaceAll(/(.{60})/gu, "$1\r\n ")}\n`)).toEqual(code);
  });

  it("are broken when any character is missing or changed", () => {
    const text = encodeJoinCode(code);
    fc.assert(
      fc.property(fc.integer({ min: 5, max: text.length - 1 }), fc.constantFrom("", "A", "b", "-"), (at, other) => {
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        if (changed !== text) expect(decodeJoinCode(changed)).toBe("broken");
      }),
      SEED,
    );
    expect(decodeJoinCode("hello")).toBe("not-a-code");
    expect(decodeJoinCode(encodeJoinCode({ ...code, url: "http://example.com" }))).toBe("broken");
  });
});

describe("names and subjects", () => {
  it("allow no wildcard, no separator and no path", () => {
    for (const name of ["laptop", "box-2", "a", "0"]) expect(isNodeName(name)).toBe(true);
    for (const name of ["", "*", ">", "a.b", "a/b", "..", "-a", "a-", "A", "a b", "ä", "a_b", "x".repeat(33)])
      expect(isNodeName(name)).toBe(false);
    expect(["My Mac.local", "vm", "***"].map(nodeNameFrom)).toEqual(["my-mac", "vm", undefined]);
    expect(readTunnelSubject(tunnelSubject("a", "b", "c0"))).toEqual({ from: "a", to: "b", connection: "c0" });
    for (const wrong of ["qd.f.a.b", "qd.f.a.b.c.d", "qd.f.*.b.c", "qd.p.a.b.c", "qd.f.a.>.c"])
      expect(readTunnelSubject(wrong)).toBeUndefined();
  });
});

describe("the configuration of nats-server", () => {
  const config = {
    host: "127.0.0.1",
    port: 4222,
    pidFile: "/srv/app/nats.pid",
    hub: "a",
    nodes: { a: "UA" },
    codes: {},
    version: "2.12.7",
  };

  it("has the option against slow readers where the server knows it, and refuses values that could end a text", () => {
    expect(natsConfig(config)).toContain("no_fast_producer_stall: true");
    expect(natsConfig({ ...config, version: "2.9.10" })).not.toContain("no_fast_producer_stall");
    expect(() => natsConfig({ ...config, pidFile: '/srv/"x' })).toThrow(RangeError);
  });

  it("compares versions by number", () => {
    expect([isAtLeast("2.12.7", "2.12.7"), isAtLeast("2.15.1", "2.12.7"), isAtLeast("2.9.10", "2.12.7")]).toEqual([
      true,
      true,
      false,
    ]);
    expect([isAtLeast("3.0.0", "2.12.7"), isAtLeast("2.12.10", "2.12.7"), isAtLeast("x", "2.12.7")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(versionIn("nats-server: v2.15.1\n")).toBe("2.15.1");
  });
});
