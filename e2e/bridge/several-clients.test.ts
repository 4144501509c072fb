// Several clients, one session, one state.

import { describe, expect, it } from "vitest";
import { Bench, randomUUID } from "./bench.ts";
import type { Mirror } from "./mirror.ts";
import { bindingOf, refusalOf } from "./raw-client.ts";

const agree = async (mirrors: readonly Mirror[]): Promise<void> => {
  const [first, ...others] = mirrors;
  await first!.idle();
  // Any of them may get the last change first.
  await expect
    .poll(() => others.map(({ cursor, hash }) => [cursor === first!.cursor, hash === first!.hash]))
    .toEqual(others.map(() => [true, true]));
};

const shared = Bench.shared();

describe("[E45] two clients", () => {
  it("see one turn as it streams, who watches, and who answered", async () => {
    const bench = await shared();
    const [a, b] = [await bench.client(), await bench.client()];
    const session = await bench.session(a);
    const [seenByA, seenByB] = [await bench.mirror(a, session), await bench.mirror(b, session)];
    await seenByA.until(({ watchers }) => watchers.length === 1);

    const { uuid, rowId } = await a.command("session/prompt", { session, content: "long" });
    expect(rowId).toBe(`prompt/${uuid}`);
    await seenByB.until(({ drafts }) => [...drafts.values()].some((text) => text.startsWith("word word")));
    await agree([seenByA, seenByB]);
    expect(seenByB.ordered.map(({ kind }) => kind)).toEqual(["prompt", "text", "turn"]);
    expect([...seenByA.drafts, ...seenByB.drafts]).toEqual([]);

    await a.command("session/prompt", { session, content: "touch" });
    const request = await seenByB.request();
    const answer = { kind: "allow" };
    const { by } = await b.command("session/respond", { session, ...bindingOf(request), answer });
    await agree([seenByA, seenByB]);
    const tool = seenByA.ordered.find(({ kind }) => kind === "tool");
    expect(tool).toMatchObject({ name: "Bash", state: "done", decision: { behavior: "allow", by } });
    expect(bench.answersToCli()).toEqual(new Map([[request.id, 1]]));
  });
});

describe("[E46] five clients", () => {
  it("that drop at any moment and resume from their cursors end in the same state (B1)", async () => {
    const bench = await shared();
    const first = await bench.client();
    const session = await bench.session(first);
    const steady = await bench.mirror(first, session);
    const mirrors: Mirror[] = [];
    const over = { yet: false };
    const roam = async (seed: number): Promise<void> => {
      let random = seed;
      const chance = (): number => (random = (random * 48_271) % 2_147_483_647) / 2_147_483_647;
      let client = await bench.client();
      const mirror = await bench.mirror(client, session);
      mirrors.push(mirror);
      while (!over.yet) {
        const before = mirror.cursor;
        await Promise.race([mirror.until(({ cursor }) => cursor !== before), steady.until(() => over.yet)]);
        if (over.yet || chance() < 0.5) continue;
        await client.drop();
        client = await bench.client();
        await mirror.follow(client);
      }
    };
    const roaming = [1, 22, 333, 4444, 55_555].map(roam);
    for (const content of ["hello", "long", "touch", "hello", "long"]) {
      const { uuid } = await first.command("session/prompt", { session, content });
      if (content === "touch") {
        const request = await steady.request();
        await first.command("session/respond", { session, ...bindingOf(request), answer: { kind: "allow" } });
      }
      await steady.until(({ rows }) => rows.get(`prompt/${uuid}`)?.state === "done");
    }
    await steady.idle();
    over.yet = true;
    // All clients see one more change, and stop.
    await first.command("session/prompt", { session, content: "hello" });
    await Promise.all(roaming);
    await steady.until(({ rows }) => [...rows.values()].filter(({ kind }) => kind === "turn").length === 6);
    await agree([steady, ...mirrors]);
    expect(mirrors.flatMap(({ answers }) => answers.slice(1))).not.toContain("reset");
    expect(mirrors.flatMap(({ answers }) => answers).length).toBeGreaterThan(10);
    expect([...bench.promptsToCli().values()]).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it("that answer at once: one wins, the others learn who and when, and one line reaches the CLI (S19)", async () => {
    const bench = await shared();
    const first = await bench.client();
    const session = await bench.session(first);
    const mirror = await bench.mirror(first, session);
    const clients = await Promise.all(
      ["answer", "answer", "operate", "admin", "answer"].map((role) => bench.clientWith(role, first)),
    );
    const rounds = 10;
    for (let round = 0; round < rounds; round++) {
      await first.command("session/prompt", { session, content: "touch" });
      const request = await mirror.request();
      const outcomes = await Promise.allSettled(
        clients.map((client, index) =>
          client.command("session/respond", {
            session,
            ...bindingOf(request),
            answer: index % 2 === 0 ? { kind: "allow" } : { kind: "deny", message: "No." },
          }),
        ),
      );
      const won = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
      const lost = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect(won).toHaveLength(1);
      expect(lost).toHaveLength(4);
      for (const error of lost) expect(error).toMatchObject({ code: "already-answered", data: { by: won[0].by } });
      await mirror.until(({ head }) => head["phase"] === "idle");
    }
    const answers = bench.answersToCli();
    expect(answers.size).toBe(rounds);
    expect([...answers.values()].every((count) => count === 1)).toBe(true);
  });
});

describe("[E47] an answer", () => {
  it("to anything except exactly the open request is refused, and nothing reaches the CLI (S18)", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    await client.command("session/prompt", { session, content: "touch" });
    const request = await mirror.request();
    const right = { session, ...bindingOf(request), answer: { kind: "allow" } };
    const refused = async (wrong: Record<string, unknown>): Promise<unknown> =>
      client.command("session/respond", { ...right, ...wrong }).then(
        () => "answered",
        (error: { code: string }) => error.code,
      );
    expect(await refused({ incarnation: right.incarnation + 1 })).toBe("changed");
    expect(await refused({ inputHash: "0".repeat(64) })).toBe("changed");
    expect(await refused({ requestId: "other" })).toBe("unknown-request");
    expect(await refused({ session: randomUUID() })).toBe("unknown-session");
    expect(await refused({ answer: { kind: "answers", answers: {} } })).toBe("invalid-answer");
    expect(await refused({ answer: { kind: "dialog", result: {} } })).toBe("invalid-answer");
    expect(await refused({ inputHash: right.inputHash.toUpperCase() })).toBe("bad-request");
    expect(bench.answersToCli().size).toBe(0);
    await client.command("session/respond", right);
    await mirror.idle();
    expect(await refused({})).toBe("already-answered");
    expect(bench.answersToCli()).toEqual(new Map([[request.id, 1]]));
    const [line] = bench.linesToCli().filter(({ type }) => type === "control_response");
    // The server's own copy of the request.
    expect(line).toMatchObject({ response: { response: { behavior: "allow", updatedInput: request.request.input } } });
  });

  it("to a killed CLI is refused: all clients see that the request is closed, and the session can be resumed (H11)", async () => {
    const bench = await shared();
    const [a, b] = [await bench.client(), await bench.client()];
    const session = await bench.session(a);
    const mirrors = [await bench.mirror(a, session), await bench.mirror(b, session)];
    await a.command("session/prompt", { session, content: "touch" });
    const request = await mirrors[1]!.request();
    process.kill(mirrors[0]!.head["process"].pid, "SIGKILL");
    for (const mirror of mirrors) {
      await mirror.until(({ head }) => head["process"].running === false);
      expect(mirror.head).toMatchObject({ phase: "died", requests: [] });
      expect(mirror.head["closedRequests"]).toContainEqual(expect.objectContaining({ id: request.id, fate: "ended" }));
    }
    const late = { session, ...bindingOf(request), answer: { kind: "allow" } };
    expect((await refusalOf(b.command("session/respond", late))).code).toBe("not-open");
    expect(bench.answersToCli().size).toBe(0);
    // It continues at the next prompt.
    const { uuid } = await b.command("session/prompt", { session, content: "hello" });
    for (const mirror of mirrors) await mirror.until(({ rows }) => rows.get(`prompt/${uuid}`)?.state === "done");
    await agree(mirrors);
  });

  it("to a question contains the choices; a plain allow is refused", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    await client.command("session/prompt", { session, content: "ask me" });
    const request = await mirror.request();
    expect(request.kind).toBe("question");
    const binding = { session, ...bindingOf(request) };
    await expect(client.command("session/respond", { ...binding, answer: { kind: "allow" } })).rejects.toMatchObject({
      code: "invalid-answer",
    });
    const answer = { kind: "answers", answers: { "Which colour?": "Blue" } };
    await client.command("session/respond", { ...binding, answer });
    await mirror.idle();
    const [line] = bench.linesToCli().filter(({ type }) => type === "control_response");
    expect(line).toMatchObject({
      response: { response: { behavior: "allow", updatedInput: { answers: { "Which colour?": "Blue" } } } },
    });
  });
});
