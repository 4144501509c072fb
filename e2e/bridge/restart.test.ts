// A server that is killed and started again: nothing is lost, nothing happens twice.

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Bench, randomUUID } from "./bench.ts";
import { bindingOf, refusalOf } from "./raw-client.ts";

const kinds = (rows: readonly { kind: string }[]): string[] => rows.map(({ kind }) => kind);

describe("[E42] a killed server", () => {
  it("during a turn has the log and the queue, and delivers waiting prompts once (H1, H7)", async () => {
    const bench = await Bench.start();
    const before = await bench.client();
    const session = await bench.session(before);
    const mirror = await bench.mirror(before, session);
    await before.command("session/prompt", { session, content: "hello" });
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    await before.command("session/prompt", { session, content: "slow" });
    await mirror.until(({ drafts }) => drafts.size > 0);
    const queued = await before.command("session/prompt", { session, content: "hello again", priority: "later" });
    await mirror.until(({ head }) => head["queue"].length > 0);
    const acknowledged = mirror.ordered.filter(({ kind }) => kind !== "mark");
    await bench.server.kill();
    mirror.leave();

    await bench.restart();
    const after = await bench.client();
    const listed = after.told("sessions/changed", ({ sessions }) => sessions[0]?.phase === "died");
    const { sessions } = await after.call("sessions/list");
    expect(sessions).toMatchObject([{ id: session, live: false }]);
    if (sessions[0].phase !== "died") await listed;
    const { sessions: settled } = await after.call("sessions/list");
    expect(settled).toMatchObject([{ phase: "died", title: "hello", queued: 1 }]);
    const { events, lastSeq } = await after.call("session/events", { session });
    expect(events.map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: lastSeq }, (_, index) => index + 1),
    );
    await mirror.follow(after);
    expect(mirror.answers.at(-1)).toBe("reset");
    for (const { id } of acknowledged) expect(mirror.rows.has(id), id).toBe(true);
    expect(mirror.head["queue"]).toMatchObject([{ uuid: queued.uuid }]);

    await after.command("sessions/resume", { session });
    await mirror.until(({ rows }) => rows.get(`prompt/${queued.uuid}`)?.state === "done");
    await mirror.idle();
    expect(mirror.ordered.filter(({ kind }) => kind === "prompt").map(({ content }) => content)).toEqual([
      "hello",
      "slow",
      "hello again",
    ]);
    // Two CLIs got the prompt: the CLI that died with the server, and the next CLI. Only one of them ran it.
    const said = mirror.ordered.filter(({ kind, text }) => kind === "text" && text === "Hello there.");
    expect(said).toHaveLength(2);
  });

  it("with an open request shows that it was never answered, and accepts no answer for it", async () => {
    const bench = await Bench.start();
    const before = await bench.client();
    const session = await bench.session(before);
    const mirror = await bench.mirror(before, session);
    await before.command("session/prompt", { session, content: "touch" });
    const request = await mirror.request();
    await bench.server.kill();
    mirror.leave();

    await bench.restart();
    const after = await bench.client();
    await mirror.follow(after);
    await mirror.until(({ head }) => head["process"].running === false);
    expect(mirror.head["requests"]).toEqual([]);
    expect(mirror.head["closedRequests"]).toMatchObject([{ id: request.id, fate: "ended" }]);
    expect(mirror.ordered.find(({ kind }) => kind === "tool")).toMatchObject({ requestId: request.id, name: "Bash" });
    const late = { session, ...bindingOf(request), answer: { kind: "allow" } };
    await expect(after.command("session/respond", late)).rejects.toMatchObject({ code: "not-open" });
    expect(existsSync(join(bench.place.cwd, "made.txt"))).toBe(false);

    await after.command("sessions/resume", { session });
    await after.command("session/prompt", { session, content: "touch" });
    const again = await mirror.request();
    expect(again.incarnation).toBe(2);
    expect(again.id).not.toBe(request.id);
    await after.command("session/respond", { session, ...bindingOf(again), answer: { kind: "allow" } });
    await mirror.idle();
    expect(bench.answersToCli()).toEqual(new Map([[again.id, 1]]));
    expect(existsSync(join(bench.place.cwd, "made.txt"))).toBe(true);
  });

  it("right after an answer reports to a resend that it was done, and sends nothing twice", async () => {
    const bench = await Bench.start();
    const first = await bench.client();
    const session = await bench.session(first);
    const { token } = await first.command("devices/addToken", { role: "answer", name: "phone" });
    const phone = await bench.client(token);
    const mirror = await bench.mirror(phone, session);
    await first.command("session/prompt", { session, content: "touch" });
    const request = await mirror.request();
    const command = { commandId: randomUUID(), session, ...bindingOf(request), answer: { kind: "allow" } };
    const { at } = await phone.call("session/respond", command);
    await bench.server.kill();
    await bench.restart();
    const phoneAgain = await bench.client(token);
    expect(await phoneAgain.call("session/respond", command)).toMatchObject({ at, by: { name: "phone" } });
    const other = { ...command, commandId: randomUUID(), answer: { kind: "deny", message: "No." } };
    await expect(phoneAgain.call("session/respond", other)).rejects.toMatchObject({ code: "already-answered" });
    expect(bench.answersToCli()).toEqual(new Map([[request.id, 1]]));
  });

  it("forgets no command: a start, a prompt and a fork that are sent again happen once", async () => {
    const bench = await Bench.start();
    const before = await bench.client();
    const start = { commandId: randomUUID(), cwd: bench.place.cwd, prompt: "hello", title: "One" };
    const { session } = await before.call("sessions/start", start);
    expect(session.id).toBe(start.commandId);
    const mirror = await bench.mirror(before, session.id);
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    const fork = { commandId: randomUUID(), session: session.id };
    await before.call("sessions/fork", fork);
    const prompt = { commandId: randomUUID(), session: session.id, content: "hello" };
    await before.call("session/prompt", prompt);
    await bench.server.kill();
    mirror.leave();

    await bench.restart();
    const after = await bench.client();
    await after.call("sessions/start", start);
    await after.call("session/prompt", prompt);
    await after.call("sessions/fork", fork);
    const { sessions } = await after.call("sessions/list");
    expect(sessions.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [start.commandId, fork.commandId].toSorted(),
    );
    await mirror.follow(after);
    await mirror.until(({ rows }) => rows.get(`prompt/${prompt.commandId}`)?.state === "done");
    // If the turn was over before the kill, the next process has nothing to do.
    await mirror.until(({ head }) => head["phase"] === "idle" || head["phase"] === "ready");
    expect(mirror.ordered.filter(({ kind }) => kind === "prompt")).toHaveLength(2);
    expect(kinds(mirror.ordered).filter((kind) => kind === "turn").length).toBeLessThanOrEqual(2);
  });

  it("while idle continues with the clients' cursors", { tags: "long" }, async () => {
    const bench = await Bench.start();
    const before = await bench.client();
    const session = await bench.session(before);
    const mirror = await bench.mirror(before, session);
    await before.command("session/prompt", { session, content: "hello" });
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    const notice = before.told("server/notice");
    const stopped = bench.server.stop();
    expect((await notice).params).toMatchObject({ code: "shutting-down" });
    expect(await before.closed).toMatchObject({ code: 4012 });
    expect(await stopped).toBe(0);
    mirror.leave();

    await bench.restart();
    await mirror.follow(await bench.client());
    expect(mirror.answers).toEqual(["reset", "ok"]);
    expect(mirror.head["phase"]).toBe("ended");
  });

  it("at any point of an answer has done nothing that was not durably allowed before (S20)", async () => {
    const bench = await Bench.start();
    const made = join(bench.place.cwd, "made.txt");
    // Before it is sent, at once, when it is logged, when it is answered, when the tool has run.
    for (const moment of ["before", "sent", "logged", "answered", "ran"]) {
      rmSync(made, { force: true });
      const client = await bench.client();
      const session = await bench.session(client);
      const mirror = await bench.mirror(client, session);
      await client.command("session/prompt", { session, content: "touch" });
      const request = await mirror.request();
      if (moment !== "before") {
        const answer = { session, ...bindingOf(request), answer: { kind: "allow" } };
        const answered = client.command("session/respond", answer).catch(() => undefined);
        if (moment === "logged") await mirror.until(({ head }) => head["requests"].length === 0);
        if (moment === "answered") await answered;
        if (moment === "ran") await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
      }
      await bench.server.kill();
      mirror.leave();
      await bench.restart();
      const after = await bench.client();
      const { events } = await after.call("session/events", { session, limit: 1000 });
      const allowed = events.filter(
        ({ type, message }: { type: string; message?: { type?: string } }) =>
          type === "sent" && message?.type === "control_response",
      );
      const effects = existsSync(made) ? 1 : 0;
      expect([moment, effects <= allowed.length && allowed.length <= 1]).toEqual([moment, true]);
      if (moment === "before") expect([effects, allowed.length]).toEqual([0, 0]);
      if (moment === "ran") expect([effects, allowed.length]).toEqual([1, 1]);
      if (moment === "logged" || moment === "answered") expect(allowed).toHaveLength(1);
    }
    expect([...bench.answersToCli().values()].every((count) => count === 1)).toBe(true);
  });
});

describe("[E43] a server that is told to stop", () => {
  it("lets turns end, and starts nothing new", { tags: "long" }, async () => {
    const bench = await Bench.start(undefined, ["--finish-turns", "60"]);
    const client = await bench.client();
    const session = await bench.session(client, { allowedTools: ["Bash"] });
    const mirror = await bench.mirror(client, session);
    await client.command("session/prompt", { session, content: "gate" });
    await mirror.until(({ head }) => head["phase"] === "tool");
    const stopping = client.told("server/notice", ({ code }) => code === "shutting-down");
    const stopped = bench.server.stop();
    await stopping;
    for (const call of [
      client.command("session/prompt", { session, content: "hello" }),
      client.command("sessions/start", { cwd: bench.place.cwd }),
      client.command("sessions/fork", { session }),
    ])
      expect((await refusalOf(call)).code).toBe("shutting-down");
    expect((await client.call("sessions/list")).total).toBe(1);
    writeFileSync(join(bench.place.cwd, "go"), "");
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    expect(mirror.ordered.find(({ kind }) => kind === "text").text).toBe("It is open.");
    expect((await client.closed).code).toBe(4012);
    expect(await stopped).toBe(0);
  });
});
