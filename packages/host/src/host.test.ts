import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Host } from "./host.ts";
import type { StartOptions } from "./host.ts";
import {
  asked,
  bench,
  codeOf,
  HELLO,
  isReceived,
  kinds,
  oldCli,
  prompts,
  SLOW,
  TOUCH,
  turn,
  until,
  when,
} from "./host-bench.fixture.ts";
import { listen } from "./session/listen.ts";
import { createMemoryStore } from "./store/memory-store.ts";
import { defineTool } from "./session/responders.ts";
import { listTranscripts } from "./past/transcripts.ts";

describe("a session", () => {
  it("[H1] logs a prompt before it acknowledges it, and delivers it once", async () => {
    const { host, store, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd });
    const done = until(session, isReceived("result"));
    const { uuid } = await session.prompt("hello", { by: { id: "phone" } });
    expect(
      store.read(session.id, 0, 100).some((event) => event.type === "prompt-accepted" && event.uuid === uuid),
    ).toBe(true);
    await session.prompt("hello", { uuid });
    await done;
    expect(prompts(session)).toEqual([["hello", "done"]]);
    expect(kinds(session.rows)).toEqual(["prompt", "text", "turn"]);
  });

  it("[H2] shows only committed facts, in one order", async () => {
    const { host, store, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    const early: number[] = [];
    const seqs: number[] = [];
    session.subscribe((event) => {
      if (event.type === "streamed") return;
      seqs.push(event.seq);
      if (event.seq > store.lastSeq(session.id)) early.push(event.seq);
    });
    const request = asked(session);
    const done = until(session, isReceived("result"));
    await session.prompt("touch");
    await request;
    await session.respond(session.head.requests[0]!.id, { behavior: "allow" });
    await done;
    expect(early).toEqual([]);
    expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index));
    expect(store.read(session.id, 0, 1000).map((event) => event.seq)).toEqual(
      store.read(session.id, 0, 1000).map((_, index) => index + 1),
    );
  });

  it("[H3] settles requests by answer, refusal, time limit, caller and end of the process", async () => {
    const { host, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd });
    expect(await session.request({ subtype: "set_permission_mode", mode: "acceptEdits" })).toEqual({
      mode: "acceptEdits",
    });
    expect(session.head.mode).toBe("acceptEdits");
    expect(await codeOf(session.request({ subtype: "mcp_reconnect", serverName: "nope" }))).toBe("request-failed");
    await session.close();
    expect(await codeOf(session.request({ subtype: "get_status" }))).toBe("no-process");
  });

  it("[H4] takes the first answer, and does nothing without one", async () => {
    const { host, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    const request = asked(session);
    const done = until(session, isReceived("result"));
    await session.prompt("touch");
    await request;
    const { id } = session.head.requests[0]!;
    const [first, second] = await Promise.all([
      codeOf(session.respond(id, { behavior: "deny", message: "not now" }, { id: "laptop" })),
      codeOf(session.respond(id, { behavior: "allow" }, { id: "phone" })),
    ]);
    expect([first, second]).toEqual(["resolved", "already-answered"]);
    expect(await codeOf(session.respond(id, { behavior: "allow" }))).toBe("already-answered");
    await done;
    expect(session.rows.find((row) => row.kind === "tool")).toMatchObject({
      state: "denied",
      decision: { behavior: "deny", by: { id: "laptop" }, reason: "not now" },
    });
  });

  it("[H4] closes an unanswered request when the turn is stopped, and the tool does not run", async () => {
    const { host, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    const request = asked(session);
    const done = until(session, isReceived("result"));
    await session.prompt("touch");
    await request;
    await session.interrupt();
    await done;
    expect(session.head.requests).toEqual([]);
    expect(session.rows.find((row) => row.kind === "tool")).toMatchObject({ state: "interrupted" });
  });

  it("[H5] queues, edits and withdraws prompts, and returns queued ones when it is stopped", async () => {
    const { host, cwd } = await bench([SLOW, HELLO]);
    const session = await host.start({ cwd });
    const started = until(session, (event) => event.type === "streamed");
    await session.prompt("slow");
    await started;
    const queued = until(
      session,
      () => session.head.queue.length === 3 && session.head.queue.every((entry) => entry.state === "queued"),
    );
    const [one, two, three] = await Promise.all(
      ["hello one", "hello two", "hello three"].map((text) => session.prompt(text)),
    );
    await queued;
    expect(await session.cancelPrompt(one!.uuid)).toBe(true);
    const edited = await session.editPrompt(two!.uuid, "hello edited");
    await when(session, () =>
      session.head.queue.some((entry) => entry.uuid === edited.uuid && entry.state === "queued"),
    );
    const { held } = await session.stop();
    expect(new Set(held)).toEqual(new Set([three!.uuid, edited.uuid]));
    const states = Object.fromEntries(prompts(session).map(([text, state]) => [text as string, state]));
    expect(states).toMatchObject({
      "hello one": "cancelled",
      "hello two": "cancelled",
      "hello three": "held",
      "hello edited": "held",
    });
    expect(await codeOf(session.cancelPrompt("nobody"))).toBe("unknown-prompt");
  });

  it("[H9] answers hooks and in-process tools itself", async () => {
    const seen: unknown[] = [];
    const add = defineTool("add", "Adds two numbers.", z.object({ a: z.number(), b: z.number() }), ({ a, b }) =>
      String(a + b),
    );
    const fail = defineTool("fail", "Fails.", z.object({}), () => {
      throw new Error("it broke");
    });
    const start: Omit<StartOptions, "cwd"> = {
      servers: [{ name: "sums", tools: [add, fail] }],
      hooks: [
        {
          event: "PreToolUse",
          matcher: "mcp__sums__.*",
          run: (input) => {
            seen.push(input.hook_event_name);
            return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
          },
        },
      ],
    };
    const { host, cwd } = await bench([
      {
        when: "sum",
        steps: [
          { say: [{ tool: "mcp__sums__add", input: { a: 2, b: 3 } }] },
          { say: [{ tool: "mcp__sums__add", input: { a: "two" } }] },
          { say: [{ tool: "mcp__sums__fail", input: {} }] },
          { say: [{ text: "Five." }] },
        ],
      },
    ]);
    const session = await host.start({ cwd, ...start });
    await turn(session, "sum");
    const tools = session.rows.filter((row) => row.kind === "tool").map((row) => [row.state, row.result?.text]);
    expect(tools).toEqual([
      ["done", "5"],
      ["failed", expect.stringContaining("does not fit")],
      ["failed", expect.stringContaining("it broke")],
    ]);
    expect(seen).toEqual(["PreToolUse", "PreToolUse", "PreToolUse"]);
  });

  it("[H11] ends its turn when its process dies, and says how it died", async () => {
    const { host, cwd } = await bench([TOUCH], {}, { QUARTERDECK_SIM_FAULT: "die-mid-line@tool_result" });
    const session = await host.start({ cwd });
    const request = asked(session);
    await session.prompt("touch");
    await request;
    await session.respond(session.head.requests[0]!.id, { behavior: "allow" });
    await session.ended;
    expect(session.head.phase).toBe("died");
    expect(session.head).toMatchObject({ requests: [], queue: [], process: { running: false } });
    expect(session.rows.find((row) => row.kind === "tool")).toMatchObject({ state: "unfinished" });
    expect(session.rows.at(-1)).toMatchObject({ kind: "error", source: "process" });
    expect(session.isLive).toBe(false);
  });

  it("[H2] gives a simple listener text once, tools with their results, and the end", async () => {
    const { host, cwd } = await bench([
      {
        when: "go",
        steps: [
          { say: [{ text: "Let me look at it." }, { tool: "Bash", input: { command: "echo hi" } }] },
          { say: [{ text: "It says hi." }] },
        ],
      },
    ]);
    const session = await host.start({ cwd });
    const told: unknown[] = [];
    let text = "";
    listen(session, {
      onText: (part) => (text += part),
      onToolStart: (name) => told.push(["start", name]),
      onToolEnd: (_id, result) => told.push(["end", result]),
      onComplete: (result) => told.push(["complete", result]),
    });
    await turn(session, "go");
    expect(text).toBe("Let me look at it.It says hi.");
    expect(told).toEqual([
      ["start", "Bash"],
      ["end", "hi"],
      ["complete", "It says hi."],
    ]);
  });

  it("[H3] ends an iterator of events when its consumer leaves", async () => {
    const { host, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd });
    const types: string[] = [];
    const reading = (async () => {
      for await (const event of session.events()) {
        types.push(event.type);
        if (isReceived("result")(event)) break;
      }
    })();
    await session.prompt("hello");
    await reading;
    expect(types).toContain("streamed");
    expect(types.at(-1)).toBe("received");
  });
});

describe("an older CLI", () => {
  it("[H6] without a queue gets one prompt at a time", async () => {
    const claude = oldCli(
      `say({ type: "assistant", message: { content: [{ type: "text", text: message.message.content }] } })`,
    );
    const { host, cwd } = await bench([], { claude });
    const session = await host.start({ cwd });
    let results = 0;
    const done = until(session, (event) => isReceived("result")(event) && ++results === 3);
    await Promise.all(["one", "two", "three"].map((text) => session.prompt(text)));
    await done;
    expect(session.rows.flatMap((row) => (row.kind === "text" ? [row.text] : []))).toEqual(["one", "two", "three"]);
    expect(session.rows.filter((row) => row.kind === "error")).toEqual([]);
    expect(prompts(session).map(([, state]) => state)).toEqual(["done", "done", "done"]);
  });

  it("[H3] that does not answer leaves no call waiting: time limit, caller, end of the process", async () => {
    const { host, cwd } = await bench([], { claude: oldCli("", "initialize") });
    const session = await host.start({ cwd });
    const abort = new AbortController();
    const aborted = codeOf(session.request({ subtype: "get_usage" }, { signal: abort.signal }));
    abort.abort();
    expect(await aborted).toBe("request-aborted");
    expect(await codeOf(session.request({ subtype: "get_usage" }, { signal: abort.signal }))).toBe("request-aborted");
    expect(await codeOf(session.request({ subtype: "get_usage" }, { timeoutMs: 1 }))).toBe("request-timeout");
    const waiting = Promise.all(Array.from({ length: 5 }, () => codeOf(session.request({ subtype: "get_status" }))));
    await session.close({ interrupt: false });
    expect(await waiting).toEqual(Array.from({ length: 5 }, () => "process-ended"));
  });

  it("[H12] is logged as it spoke, and folded like today's CLI", async () => {
    const echo = `say({ type: "user", message: { role: "user", content: message.message.content } });
      say({ type: "assistant", delta: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "par" } } })`;
    const { host, store, cwd } = await bench([], { claude: oldCli(echo) });
    const session = await host.start({ cwd });
    await turn(session, "hello");
    const logged = store
      .read(session.id, 0, 100)
      .flatMap((event) => (event.type === "received" ? [event.message] : []));
    expect(logged).toContainEqual({ type: "user", message: { role: "user", content: "hello" } });
    expect(kinds(session.rows)).toEqual(["prompt", "turn"]);
  });
});

describe("a host", () => {
  it("[H7] resumes a session with its past, its cost and its waiting prompts", async () => {
    const { host, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd });
    await turn(session, "hello");
    const cost = session.head.gauges.costUsd;
    await session.close();
    expect(session.head.phase).toBe("ended");
    await session.prompt("hello again");
    expect(prompts(session).at(-1)).toEqual(["hello again", "accepted"]);
    const done = until(session, isReceived("result"));
    await host.resume(session.id);
    await done;
    expect(prompts(session)).toEqual([
      ["hello", "done"],
      ["hello again", "done"],
    ]);
    expect(session.head.gauges.costUsd).toBeGreaterThan(cost);
    expect(session.head.process).toMatchObject({ running: true, incarnation: 2 });
    expect(await codeOf(host.resume(session.id))).toBe("session-live");
  });

  it("[H7] shows the same after a restart, and knows that a lost process is gone", async () => {
    const { host, store, cwd, options } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    const request = asked(session);
    await session.prompt("touch");
    await request;
    const second = await Host.open(options);
    const again = second.get(session.id);
    await until(again, (event) => event.type === "process-exited");
    expect(again.rows.map((row) => row.id)).toEqual(expect.arrayContaining(session.rows.map((row) => row.id)));
    expect(again.head).toMatchObject({ phase: "died", requests: [] });
    expect(store.sessions().map((record) => record.id)).toEqual([session.id]);
    expect(() => second.get("nobody")).toThrow("does not exist");
  });

  it("[H1] delivers a prompt that a dying process had not started to the next process, once", async () => {
    const { options, cwd, store } = await bench([HELLO]);
    const host = await Host.open({
      ...options,
      environment: (marker) => ({
        ...options.environment(marker),
        ...(marker.endsWith(":1") && { QUARTERDECK_SIM_FAULT: "die-mid-line@command_lifecycle" }),
      }),
    });
    const session = await host.start({ cwd });
    await session.prompt("hello");
    await session.ended;
    expect(session.head.phase).toBe("died");
    expect(prompts(session)).toEqual([["hello", "accepted"]]);
    const done = until(session, isReceived("result"));
    await host.resume(session.id);
    await done;
    expect(prompts(session)).toEqual([["hello", "done"]]);
    const sent = store
      .read(session.id, 0, 1000)
      .filter((event) => event.type === "sent" && JSON.stringify(event.message).includes('"hello"'));
    expect(sent).toHaveLength(2);
    await session.close();
  });

  it("[H7] takes over a session that was started in a terminal", async () => {
    const { host, options, cwd } = await bench([HELLO]);
    const elsewhere = await Host.open({ ...options, store: createMemoryStore() });
    const terminal = await elsewhere.start({ cwd });
    await turn(terminal, "hello");
    await elsewhere.close();
    const [transcript] = await listTranscripts(join(cwd, ".claude"));
    const session = await host.adopt(transcript!);
    expect(session.rows.map((row) => row.kind)).toEqual(["prompt", "text"]);
    expect(host.list()).toMatchObject([{ id: terminal.id, live: false }]);
    expect(host.overview(terminal.id).title).toBe("hello");
    await host.resume(session.id);
    await turn(session, "hello again");
    expect(prompts(session)).toEqual([
      ["hello", "done"],
      ["hello again", "done"],
    ]);
    expect(await host.adopt(transcript!)).toBe(session);
  });

  it("[H8] forks a session, and its parent does not change", async () => {
    const { host, cwd } = await bench([HELLO]);
    const parent = await host.start({ cwd, title: "one" });
    await turn(parent, "hello");
    const before = parent.rows;
    const child = await host.fork(parent.id);
    expect(child.rows.slice(0, before.length).map(({ kind, id }) => [kind, id])).toEqual(
      before.map(({ kind, id }) => [kind, id]),
    );
    await turn(child, "hello");
    expect(parent.rows).toEqual(before);
    expect(prompts(child)).toHaveLength(2);
    expect(child.head.sessionId).not.toBe(parent.head.sessionId);
    expect(host.list().map((record) => record.title)).toEqual(["one", "one"]);
  });

  it("[H8] forks at a message: the fork has no later messages", async () => {
    const { host, store, cwd } = await bench([HELLO]);
    const parent = await host.start({ cwd });
    await turn(parent, "hello one");
    await turn(parent, "hello two");
    const first = store.read(parent.id, 0, 1000).find(isReceived("assistant"));
    const { uuid } = (first as unknown as { message: { uuid: string } }).message;
    const child = await host.fork(parent.id, { at: uuid });
    expect(kinds(child.rows).slice(0, 2)).toEqual(["prompt", "text"]);
    await turn(child, "hello fork");
    expect(prompts(child).map(([text]) => text)).toEqual(["hello one", "hello fork"]);
    expect(prompts(parent)).toHaveLength(2);
  });

  it("[H13] releases an idle process if the user set that, and never one with an open request", async () => {
    const { host, cwd } = await bench([HELLO, TOUCH], { releaseIdleAfterMs: 50 });
    const asking = await host.start({ cwd });
    const request = asked(asking);
    await asking.prompt("touch");
    await request;
    const idle = await host.start({ cwd });
    await idle.ended;
    expect(idle.head.phase).toBe("ended");
    expect(asking.head.requests).toHaveLength(1);
    expect(asking.isLive).toBe(true);
  });

  it("[H10] limits the number of live sessions, and the next start waits", async () => {
    const { host, cwd } = await bench([HELLO], { maxLive: 1 });
    const first = await host.start({ cwd });
    let started = false;
    const second = host.start({ cwd }).then((session) => ((started = true), session));
    await turn(first, "hello");
    expect(started).toBe(false);
    await first.close();
    await turn(await second, "hello");
    expect(started).toBe(true);
  });

  it("[H10] releases an idle session to make room, and never one with an open request", async () => {
    const { host, cwd } = await bench([HELLO, TOUCH], { maxLive: 2, makesRoom: true });
    const asking = await host.start({ cwd });
    const request = asked(asking);
    await asking.prompt("touch");
    await request;
    const resting = await host.start({ cwd });
    await turn(resting, "hello");
    const third = await host.start({ cwd });
    await turn(third, "hello");
    expect([asking.isLive, resting.isLive, third.isLive]).toEqual([true, false, true]);
    expect(resting.head.phase).toBe("ended");
    await turn(await host.resume(resting.id), "hello");
    expect([asking.isLive, third.isLive]).toEqual([true, false]);
  });

  it("[H3] refuses impossible options before anything is stored", async () => {
    const { host, cwd } = await bench([HELLO]);
    await expect(host.start({ cwd, cli: { model: "-rf" } })).rejects.toThrow("model");
    expect(host.list()).toEqual([]);
  });
});
