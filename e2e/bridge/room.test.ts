// More sessions than may have a process: who rests makes room, and where nobody rests everybody is told why it waits.

import { expect, it } from "vitest";
import { Bench } from "./bench.ts";

const shared = Bench.shared(["--max-sessions", "1"]);

it("starts another session in the place of one that rests, which goes on when it is told something", async () => {
  const bench = await shared();
  const client = await bench.client();
  const first = await bench.session(client);
  const seen = await bench.mirror(client, first);
  const prompt = async (): Promise<void> => {
    const { uuid } = await client.command("session/prompt", { session: first, content: "hello" });
    await seen.until(({ rows }) => rows.get(`prompt/${uuid}`)?.state === "done");
  };
  await prompt();
  await bench.session(client);
  await seen.until(({ head }) => head.phase === "ended");
  await prompt();
  expect([...seen.rows.values()].filter(({ kind }) => kind === "prompt").map(({ state }) => state)).toEqual([
    "done",
    "done",
  ]);
});

it("says that a session waits where all others work (S29)", async () => {
  const bench = await shared();
  const client = await bench.client();
  const first = await bench.session(client);
  const seen = await bench.mirror(client, first);
  await client.command("session/prompt", { session: first, content: "touch" });
  await seen.request();
  const told = new Promise<unknown>((resolve) => {
    client.onTold(({ method, params }) => {
      if (method === "server/notice") resolve(params);
    });
  });
  const second = bench.session(client);
  expect(await told).toMatchObject({ code: "no-room", text: expect.stringContaining("--max-sessions") });
  await client.command("sessions/close", { session: first });
  await second;
});

it("goes on with a session that is told something while its process is being ended", async () => {
  const bench = await shared();
  const client = await bench.client();
  const session = await bench.session(client);
  const seen = await bench.mirror(client, session);
  const closed = client.command("sessions/close", { session });
  const { uuid } = await client.command("session/prompt", { session, content: "hello" });
  await closed;
  await seen.until(({ rows, head }) => rows.get(`prompt/${uuid}`)?.state === "done" && head["phase"] === "idle");
  expect(seen.head["queue"]).toEqual([]);
});
