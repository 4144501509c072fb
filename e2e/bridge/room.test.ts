// More sessions than processes: an idle session makes room. If none is idle, clients learn why a start waits.

import { expect, it } from "vitest";
import { Bench } from "./bench.ts";

const shared = Bench.shared(["--max-sessions", "1"]);

it("[E70] starts another session in the place of an idle one, which continues at its next prompt", async () => {
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

it("[E70] reports that a start waits if all other sessions work (S29)", { tags: "long" }, async () => {
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

it("[E70] continues a session that gets a prompt while its process is closing", async () => {
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
