// The real CLI behind a running server, in front of a scripted API, used by strangers' clients.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApi } from "@quarterdeck/simulator";
import type { Scenario } from "@quarterdeck/simulator";
import type { Head } from "@quarterdeck/session";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { describe, expect, it, onTestFinished } from "vitest";
import { cacheFolder, claudeProgram, NEWEST } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import { Bench } from "./bench.ts";
import { bindingOf } from "./raw-client.ts";
import { makePlace } from "./server-process.ts";

const SCENARIO: Scenario = {
  name: "real",
  scripts: [
    { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
    { when: "stream", steps: [{ say: [{ text: "word ".repeat(100) }], pace: { deltaMs: 5, deltaChars: 5 } }] },
    { when: "slow", steps: [{ say: [{ text: "word ".repeat(4000) }], pace: { deltaMs: 50, deltaChars: 5 } }] },
    {
      when: "touch",
      steps: [
        { say: [{ text: "Making it." }, { tool: "Bash", input: { command: "touch made.txt", description: "Touch" } }] },
        { say: [{ text: "Made." }] },
      ],
    },
    { when: "picture", steps: [{ say: [{ text: "A very small picture." }] }] },
  ],
};
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const start = async () => {
  const program = await claudeProgram(NEWEST);
  const api = await startApi({ scenario: SCENARIO });
  onTestFinished(() => api.close());
  const home = mkdtempSync(join(tmpdir(), "quarterdeck-real-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  const env = cleanEnv({ home, tmp: home, apiUrl: api.url, compileCache: join(cacheFolder(), "compiled") });
  const { PATH: _path, ...rest } = env;
  const bench = await Bench.start(makePlace(SCENARIO, { command: program.command, args: program.args, env: rest }));
  return { bench, api };
};

describe(`[E44] Claude Code ${NEWEST} behind the bridge`, () => {
  it("starts, streams, is allowed by one client while another watches, and is interrupted", async () => {
    const { bench } = await start();
    const [a, b] = [await bench.client(), await bench.client()];
    const session = await bench.session(a);
    const [seenByA, seenByB] = [await bench.mirror(a, session), await bench.mirror(b, session)];
    const texts = new Set<string>();
    const listening = b.onTold(({ method }) => {
      if (method === "session/draft") for (const text of seenByB.drafts.values()) texts.add(text);
    });
    const { uuid } = await a.command("session/prompt", { session, content: "stream" });
    await seenByB.until(({ rows }) => rows.get(`prompt/${uuid}`)?.state === "done");
    listening();
    expect(texts.size).toBeGreaterThan(5);
    await seenByB.idle();

    await a.command("session/request", { session, request: { subtype: "get_context_usage" } });
    await seenByB.until(({ head }) => head["contextReport"] !== undefined);
    const { used, categories } = seenByB.head["contextReport"] as NonNullable<Head["contextReport"]>;
    const taken = categories.filter(({ kind }) => kind === "used").reduce((sum, { tokens }) => sum + tokens, 0);
    expect([used > 0, taken]).toEqual([true, used]);

    await a.command("session/prompt", { session, content: "touch" });
    const request = await seenByB.request();
    expect(request.request).toMatchObject({ tool_name: "Bash", input: { command: "touch made.txt" } });
    await seenByA.request();
    const allowed = b.command("session/respond", { session, ...bindingOf(request), answer: { kind: "allow" } });
    const { by } = await allowed;
    await seenByA.until(({ rows }) => [...rows.values()].filter(({ kind }) => kind === "turn").length === 2);
    expect(existsSync(join(bench.place.cwd, "made.txt"))).toBe(true);
    expect(seenByA.ordered.find(({ kind }) => kind === "tool")).toMatchObject({ state: "done", decision: { by } });
    expect(bench.answersToCli()).toEqual(new Map([[request.id, 1]]));

    await a.command("session/prompt", { session, content: "slow" });
    await seenByB.until(({ drafts }) => drafts.size > 0);
    await b.command("session/interrupt", { session });
    await seenByA.until(({ rows }) => [...rows.values()].filter(({ kind }) => kind === "turn").length === 3);
    await seenByA.idle();
    expect(seenByA.ordered.findLast(({ kind }) => kind === "turn")).toMatchObject({ reason: "aborted_streaming" });
    await expect.poll(() => seenByB.cursor === seenByA.cursor).toBe(true);
    expect(seenByB.hash).toBe(seenByA.hash);
  });

  it("sees an uploaded picture, is forked, and continues after the server was killed", { tags: "long" }, async () => {
    const { bench, api } = await start();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    const { url } = await client.call("tickets/create", { kind: "upload", name: "dot.png", size: PNG.length });
    const headers = { authorization: `Bearer ${bench.server.token}` };
    const put = await fetch(`${bench.server.url}${url}`, { method: "PUT", headers, body: new Uint8Array(PNG) });
    const upload = (await put.json()) as { id: string; mediaType: string };
    expect(upload.mediaType).toBe("image/png");
    await client.command("session/prompt", { session, content: "picture", uploads: [upload.id] });
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    expect(JSON.stringify(api.requests.map(({ body }) => body))).toContain(`"media_type":"image/png"`);

    const { session: fork } = await client.command("sessions/fork", { session });
    const forked = await bench.mirror(client, fork.id);
    await client.command("session/prompt", { session: fork.id, content: "hello" });
    await forked.until(({ rows }) => [...rows.values()].some(({ text }) => text === "Hello there."));
    expect(forked.ordered.some(({ text }) => text === "A very small picture.")).toBe(true);
    expect(mirror.ordered.some(({ text }) => text === "Hello there.")).toBe(false);
    await forked.idle();
    const { sessions: spent } = (await client.call("usage/report", {})) as ResultOf<"usage/report">;
    expect(new Map(spent.map(({ id, turns }) => [id, turns]))).toEqual(
      new Map([
        [session, 1],
        [fork.id, 1],
      ]),
    );

    await client.command("session/prompt", { session, content: "slow" });
    await mirror.until(({ drafts }) => drafts.size > 0);
    await bench.server.kill();
    mirror.leave();
    await bench.restart();
    const after = await bench.client();
    await mirror.follow(after);
    await after.command("sessions/resume", { session });
    const { uuid } = await after.command("session/prompt", { session, content: "hello" });
    await mirror.until(({ rows }) => rows.get(`prompt/${uuid}`)?.state === "done");
    expect(
      mirror.ordered
        .filter(({ kind }) => kind === "prompt")
        .map(({ state }) => state)
        .at(-1),
    ).toBe("done");
    expect(mirror.ordered.findLast(({ kind }) => kind === "text").text).toBe("Hello there.");
    expect(mirror.head["process"].incarnation).toBe(2);
  });
});
