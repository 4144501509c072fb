// Each command happens once, whatever happens to its answer.

import { describe, expect, it } from "vitest";
import { Bench, randomUUID } from "./bench.ts";
import type { RawClient } from "./raw-client.ts";

const shared = Bench.shared();

describe("[E53] a command", () => {
  it("that is sent again has one effect, also while it is still running, and on another socket", async () => {
    const bench = await shared();
    const [a, b] = [await bench.client(), await bench.client()];
    const start = { commandId: randomUUID(), cwd: bench.cwd };
    const outcomes = await Promise.all([a, b, a, b].map((client) => client.call("sessions/start", start)));
    for (const { session } of outcomes) expect(session.id).toBe(start.commandId);
    expect((await a.call("sessions/list", { project: bench.cwd })).total).toBe(1);
    // The same id for another command is an error.
    await expect(
      a.call("sessions/archive", { ...start, session: start.commandId, archived: true }),
    ).rejects.toMatchObject({
      code: "bad-request",
    });
  });

  it("reaches the CLI as one whole line, at any length and next to other writers", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const session = await bench.session(admin);
    const mirror = await bench.mirror(admin, session);
    const writers = await Promise.all(Array.from({ length: 5 }, () => bench.client()));
    const sent = new Map<string, string>();
    const commands = writers.flatMap((client, writer) =>
      Array.from({ length: 8 }, async (_, at) => {
        const isLong = writer === 0 && at === 3;
        const content = `hello ${writer}.${at} \u2028\n\r\n"\\ ${isLong ? "ü".repeat(400_000) : ""}`;
        const uuid = randomUUID();
        sent.set(uuid, content);
        await client.call("session/prompt", { commandId: uuid, session, content, priority: "later" });
        await client.command("session/request", { session, request: { subtype: "get_settings" } });
      }),
    );
    await Promise.all(commands);
    await mirror.until(
      ({ rows, head }) =>
        head["phase"] === "idle" && [...sent.keys()].every((uuid) => rows.get(`prompt/${uuid}`)?.state === "done"),
    );
    // Every line is JSON. Otherwise it could not be parsed here.
    const prompts = bench.linesToCli().filter(({ type }) => type === "user");
    const given = new Map(prompts.map(({ uuid, message }) => [uuid, (message as { content: unknown }).content]));
    expect([prompts.length, given]).toEqual([sent.size, sent]);
  });

  it("that only reads runs again, and its result is not kept", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const asked = (subtype: string): number =>
      bench.linesToCli().filter(({ request }) => (request as { subtype?: string } | undefined)?.subtype === subtype)
        .length;
    for (const [subtype, times] of [
      ["get_context_usage", 2],
      ["get_settings", 1],
    ] as const) {
      const command = { commandId: randomUUID(), session, request: { subtype } };
      const first = await client.call("session/request", command);
      expect(await client.call("session/request", command)).toEqual(first);
      expect([subtype, asked(subtype)]).toEqual([subtype, times]);
    }
  });

  it("that failed fails again in the same way", async () => {
    const bench = await shared();
    const client = await bench.client();
    const command = { commandId: randomUUID(), session: randomUUID(), title: "None" };
    const [first, second] = await Promise.allSettled([
      client.call("sessions/rename", command),
      client.call("sessions/rename", command),
    ]);
    expect([first, second].map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect((second as PromiseRejectedResult).reason).toMatchObject({ code: "unknown-session" });
  });

  it("runs once, although one answer in ten is lost and the command is sent again (B7)", async () => {
    const bench = await shared();
    const first = await bench.client();
    const session = await bench.session(first);
    const mirror = await bench.mirror(first, session);
    let client: RawClient = await bench.client();
    const prompts = 40;
    let lost = 0;
    for (let at = 0; at < prompts; at++) {
      const command = { commandId: randomUUID(), session, content: `hello ${at}`, priority: "later" };
      for (let attempt = 0; ; attempt++) {
        const answer = client.call("session/prompt", command);
        if (attempt === 0 && at % 10 === 3) {
          // Nobody knows whether it was read or done.
          if (at % 20 === 3) await mirror.until(({ rows }) => rows.has(`prompt/${command.commandId}`));
          answer.catch(() => undefined);
          await client.drop();
          client = await bench.client();
          lost++;
          continue;
        }
        expect(await answer).toEqual({ uuid: command.commandId, rowId: `prompt/${command.commandId}` });
        break;
      }
    }
    expect(lost).toBe(4);
    await mirror.until(
      ({ rows, head }) =>
        head["phase"] === "idle" &&
        [...rows.values()].filter(({ kind, state }) => kind === "prompt" && state === "done").length === prompts,
    );
    expect(mirror.ordered.filter(({ kind }) => kind === "prompt").map(({ content }) => content)).toEqual(
      Array.from({ length: prompts }, (_, at) => `hello ${at}`),
    );
    const delivered = bench.promptsToCli();
    expect(delivered.size).toBe(prompts);
    expect([...delivered.values()].every((count) => count === 1)).toBe(true);
  });

  it("edits, withdraws and holds prompts that have not started, and says when it is too late", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    const running = await client.command("session/prompt", { session, content: "slow" });
    await mirror.until(({ drafts }) => drafts.size > 0);
    const [one, two, three] = [
      await client.command("session/prompt", { session, content: "hello one", priority: "later" }),
      await client.command("session/prompt", { session, content: "hello two", priority: "later" }),
      await client.command("session/prompt", { session, content: "hello three", priority: "later" }),
    ];
    expect(await client.command("session/cancelPrompt", { session, uuid: one.uuid })).toEqual({ cancelled: true });
    const edit = { commandId: randomUUID(), session, uuid: two.uuid, content: "hello changed" };
    const edited = await client.call("session/editPrompt", edit);
    expect(await client.call("session/editPrompt", edit)).toEqual(edited);
    expect(await client.command("session/cancelPrompt", { session, uuid: running.uuid })).toEqual({ cancelled: false });
    await expect(
      client.command("session/editPrompt", { session, uuid: running.uuid, content: "other" }),
    ).rejects.toMatchObject({ code: "too-late" });
    await expect(client.command("session/cancelPrompt", { session, uuid: "none" })).rejects.toMatchObject({
      code: "unknown-prompt",
    });
    const { held } = await client.command("session/interrupt", { session, holdQueue: true });
    expect(new Set(held)).toEqual(new Set([edited.uuid, three.uuid]));
    expect(held).toHaveLength(2);
    await mirror.idle();
    const states = Object.fromEntries(
      mirror.ordered.filter(({ kind }) => kind === "prompt").map(({ content, state }) => [content, state]),
    );
    expect(states).toMatchObject({ "hello one": "cancelled", "hello changed": "held", "hello three": "held" });
  });
});
