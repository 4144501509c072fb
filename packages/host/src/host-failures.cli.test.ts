// API failures in a session, and forks at a message, with real CLIs through the host.

import type { Phase, Row } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { bench, lastTurn, texts, turn } from "@quarterdeck/test-kit/real-host";
import type { Session } from "./session/session.ts";
import { TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";

const BUSY = { status: 529, type: "overloaded_error", message: "busy" } as const;
const TWICE = { when: "twice", steps: [{ fail: [BUSY, BUSY], say: [{ text: "At last." }] }] };
const NEVER = { when: "never", steps: [{ fail: [{ ...BUSY, always: true }] }] };

const ofKind = <K extends Row["kind"]>(session: Session, kind: K) =>
  session.rows.filter((row) => row.kind === kind) as Extract<Row, { kind: K }>[];
const phasesOf = (session: Session): Phase[] => {
  const phases: Phase[] = [];
  session.subscribe(() => {
    if (phases.at(-1) !== session.head.phase) phases.push(session.head.phase);
  });
  return phases;
};

describe.each(TRIED_VERSIONS)("the real CLI %s through the host", (version) => {
  it(
    "[H2] reports each retry, with its number, the maximum and the delay, until the API accepts the call",
    { tags: "long" },
    async () => {
      const { start } = await bench(version, {}, [TWICE, NEVER]);
      const session = await start();
      const phases = phasesOf(session);
      const waits: unknown[] = [];
      session.subscribe(() => {
        const { retry } = session.head;
        if (retry !== null && retry !== undefined && waits.at(-1) !== retry) waits.push(retry);
      });
      await turn(session, "twice");
      expect(texts(session.rows)).toEqual(["At last."]);
      expect(lastTurn(session)).toMatchObject({ ok: true });
      expect(session.head).toMatchObject({ phase: "idle", retry: null });
      const retries = ofKind(session, "retry");
      if (version === "2.1.38") {
        // It retries too, but reports nothing.
        expect(retries).toEqual([]);
      } else {
        expect(retries).toMatchObject([{ attempt: 2, of: 2, status: 529, error: "overloaded", over: true }]);
        expect(waits).toMatchObject([
          { attempt: 1, of: 2 },
          { attempt: 2, of: 2, until: retries[0]!.until },
        ]);
        expect(retries.every(({ delayMs }) => delayMs > 0)).toBe(true);
        expect(phases).toContain("retrying");
        expect(phases.slice(phases.lastIndexOf("retrying"))).toContain("streaming");
      }
      await turn(session, "never");
      expect(ofKind(session, "error").at(-1)).toMatchObject({ source: "api" });
      expect(lastTurn(session)).toMatchObject({ ok: false });
      expect(session.head).toMatchObject({ phase: "error", retry: null });
    },
  );

  it("[H2] reports a refused key as an auth error with the phase error, and the session continues", async () => {
    const { start } = await bench(version);
    const session = await start();
    await turn(session, "unauthorised");
    const [error, ...more] = ofKind(session, "error");
    expect(more).toEqual([]);
    expect(error).toMatchObject({ source: "auth", code: "authentication_failed" });
    expect(error!.text).toContain("401");
    if (version === "2.1.325") expect(error).toMatchObject({ status: 401 });
    expect(lastTurn(session)).toMatchObject({ ok: false });
    expect(session.head.phase).toBe("error");
    expect(session.isLive).toBe(true);
    await turn(session, "hello");
    expect(texts(session.rows)).toEqual(["Hello there."]);
    expect(session.head.phase).toBe("idle");
  });

  it(
    "[H8] forks at a message: later messages are not shown, and the CLI does not know them",
    { tags: "long" },
    async () => {
      const { host, api, start } = await bench(version);
      const session = await start();
      for (const prompt of ["hello one", "hello two", "hello three"]) await turn(session, prompt);
      const before = session.rows;
      const child = await host.fork(session.id, { atRow: ofKind(session, "text")[1]!.id });
      await turn(child, "hello child");
      const promptsOf = (of: Session) => ofKind(of, "prompt").map(({ content }) => content);
      expect(promptsOf(child)).toEqual(["hello one", "hello two", "hello child"]);
      expect(texts(child.rows)).toHaveLength(3);
      expect(child.head.sessionId).not.toBe(session.head.sessionId);
      const asked = api.requests.findLast(({ body }) => JSON.stringify(body).includes("hello child"));
      const text = JSON.stringify(asked?.body);
      expect(["hello one", "hello two", "hello three"].filter((words) => text.includes(words))).toEqual([
        "hello one",
        "hello two",
      ]);
      await turn(session, "hello four");
      expect(session.rows.slice(0, before.length)).toEqual(before);
      expect(promptsOf(session)).toEqual(["hello one", "hello two", "hello three", "hello four"]);
    },
  );
});
