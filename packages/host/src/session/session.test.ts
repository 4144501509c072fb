import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { requestHash } from "./answers.ts";
import {
  asked,
  bench,
  codeOf,
  GATE,
  HELLO,
  isReceived,
  oldCli,
  prompts,
  SLOW,
  TOUCH,
  turn,
  until,
  when,
} from "../host-bench.fixture.ts";
import { HostError } from "../host-error.ts";
import { Host } from "../host.ts";
import type { HostOptions } from "../host.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import { listen } from "./listen.ts";
import { defineTool } from "./responders.ts";
import type { Session } from "./session.ts";

const failureOf = async (promise: Promise<unknown>): Promise<{ code: string; details: Record<string, unknown> }> => {
  const error: unknown = await promise.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof HostError)) throw new Error(`No HostError: ${String(error)}`);
  return { code: error.code, details: { ...error.details } };
};
const waiting = async (session: Session, text: string): Promise<void> => {
  const request = asked(session);
  await session.prompt(text);
  await request;
};
const sentLines = (store: { read: (id: string, after: number, limit: number) => readonly unknown[] }, id: string) =>
  (store.read(id, 0, 1000) as { type: string; message?: { type?: string } }[]).flatMap((event) =>
    event.type === "sent" ? [event.message!] : [],
  );

describe("an answer", () => {
  it("[H14] is refused if it was for another process or another input, and nothing reaches the CLI", async () => {
    const { host, store, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    await waiting(session, "touch");
    const open = session.head.requests[0]!;
    const inputHash = requestHash(open.request);
    const before = sentLines(store, session.id).length;
    const allow = { behavior: "allow" } as const;
    expect(await codeOf(session.respond(open.id, allow, undefined, { incarnation: 2, inputHash }))).toBe("changed");
    expect(await codeOf(session.respond(open.id, allow, undefined, { inputHash: "0".repeat(64) }))).toBe("changed");
    expect(await codeOf(session.respond(open.id, { behavior: "allow", updatedInput: 5 } as never))).toBe(
      "invalid-answer",
    );
    expect(sentLines(store, session.id)).toHaveLength(before);
    const changed = requestHash({ ...open.request, input: { command: "touch made.txt " } } as never);
    expect(changed).not.toBe(inputHash);
    await session.respond(open.id, allow, { id: "laptop" }, { incarnation: 1, inputHash });
    expect(session.head.requests).toEqual([]);
  });

  it("[H14] that comes second gets an error that says who was first, and when", async () => {
    const { host, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    await waiting(session, "touch");
    const { id } = session.head.requests[0]!;
    const [first, ...others] = await Promise.allSettled([
      session.respond(id, { behavior: "allow" }, { id: "laptop" }),
      ...Array.from({ length: 4 }, () => session.respond(id, { behavior: "deny", message: "no" }, { id: "phone" })),
    ]);
    expect(first).toMatchObject({ status: "fulfilled", value: { by: { id: "laptop" } } });
    for (const other of others) {
      expect(other).toMatchObject({ reason: { code: "already-answered", details: { by: { id: "laptop" } } } });
    }
    const late = await failureOf(session.respond(id, { behavior: "allow" }));
    const [closed] = session.head.closedRequests;
    expect(late).toMatchObject({ code: "already-answered", details: { by: { id: "laptop" }, at: closed!.at } });
    await session.close();
    const gone = await failureOf(session.respond("nobody", { behavior: "allow" }));
    expect(gone.code).toBe("unknown-request");
  });

  it("[H14] to a request that ended with its process gets an error that says so", async () => {
    const { host, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    await waiting(session, "touch");
    const { id } = session.head.requests[0]!;
    await session.close({ interrupt: false });
    expect(await failureOf(session.respond(id, { behavior: "allow" }))).toMatchObject({
      code: "not-open",
      details: { fate: "ended" },
    });
  });
});

/** A CLI that ignores an interrupt while it asks. Its request must be cancelled first. */
/** Answers `initialize`, begins a turn, and then reacts to nothing. */
const DEAF: HostOptions["claude"] = {
  command: process.execPath,
  prefixArgs: [
    "-e",
    `const say = (value) => console.log(JSON.stringify(value));
     for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
     setInterval(() => {}, 1000);
     require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
       const { type, request_id, request } = JSON.parse(line);
       if (request?.subtype === "initialize")
         say({ type: "control_response", response: { subtype: "success", request_id, response: { commands: [] } } });
       if (type === "user")
         say({ type: "assistant", uuid: "a", session_id: "s", message: { id: "m", role: "assistant", model: "m", content: [{ type: "text", text: "Half of it" }] } });
     });`,
    "--",
  ],
  version: "2.1.325",
};

const stubborn = (readsCancel: boolean): HostOptions["claude"] => ({
  command: process.execPath,
  prefixArgs: [
    "-e",
    `const say = (value) => console.log(JSON.stringify(value));
     const answer = (id) => say({ type: "control_response", response: { subtype: "success", request_id: id, response: { commands: [] } } });
     let open = false;
     const end = () => { open = false; say({ type: "result", subtype: "error_during_execution", is_error: true, errors: [], terminal_reason: "aborted_tools" }); };
     require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
       const message = JSON.parse(line);
       if (message.type === "user") {
         open = true;
         return say({ type: "control_request", request_id: "r", request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "id" }, tool_use_id: "t" } });
       }
       if (message.type === "control_cancel_request") open = "cancelled";
       if (message.type === "control_response" && message.response.response.interrupt === true) open = "cancelled";
       if (message.type === "control_request") {
         answer(message.request_id);
         if (message.request.subtype === "interrupt" && open === "cancelled") end();
       }
     });`,
    "--",
  ],
  version: readsCancel ? "2.1.325" : "2.1.38",
});

/** Asks what no host answers, and ends its turn with the answers that it got. */
const curious: HostOptions["claude"] = {
  command: process.execPath,
  prefixArgs: [
    "-e",
    `const say = (value) => console.log(JSON.stringify(value));
     const asked = [{ subtype: "oauth_token_refresh" }, { subtype: "beam_up" }, { subtype: "can_use_tool", tool_name: "Bash" }];
     const errors = [];
     require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
       const message = JSON.parse(line);
       if (message.type === "control_request")
         return say({ type: "control_response", response: { subtype: "success", request_id: message.request_id, response: { commands: [] } } });
       if (message.type === "control_response") errors.push(message.response.request_id + " " + message.response.error);
       else asked.forEach((request, at) => say({ type: "control_request", request_id: "r" + at, request }));
       if (errors.length === asked.length) say({ type: "result", subtype: "success", is_error: false, result: errors.sort().join("; ") });
     });`,
    "--",
  ],
  version: "2.1.325",
};

describe("a request that nobody can answer", () => {
  it("[H52] is refused at once, known or not, so that the CLI does not wait", async () => {
    const { host, cwd } = await bench([], { claude: curious });
    const session = await host.start({ cwd });
    const done = until(session, isReceived("result"));
    await session.prompt("anything");
    await done;
    const ended = session.rows.find((row) => row.kind === "turn");
    expect(ended).toMatchObject({ ok: true });
    const said = session.rows.filter((row) => row.kind === "unknown").map(({ reason }) => reason);
    expect(said).toHaveLength(3);
    expect(session.head.requests).toEqual([]);
    await session.close({ interrupt: false });
  });
});

describe("an interrupt", () => {
  it.each([true, false])("[H15] is preceded by a cancel if the CLI needs it (it can read one: %s)", async (reads) => {
    const { host, store, cwd } = await bench([], { claude: stubborn(reads) });
    const session = await host.start({ cwd });
    await waiting(session, "anything");
    const done = until(session, isReceived("result"));
    await session.interrupt();
    await done;
    expect(session.head).toMatchObject({ phase: "idle", requests: [] });
    const types = sentLines(store, session.id).map(({ type }) => type);
    expect(types.includes("control_cancel_request")).toBe(reads);
    await session.close({ interrupt: false });
  });

  it("[H15] that gets no answer ends the process only if the caller asked for that", async () => {
    const { host, store, cwd } = await bench([], { claude: oldCli("", "initialize") });
    const session = await host.start({ cwd });
    expect(await codeOf(session.interrupt({ timeoutMs: 20 }))).toBe("request-timeout");
    expect(session.isLive).toBe(true);
    await session.interrupt({ timeoutMs: 20, orEnd: true });
    expect(session.isLive).toBe(false);
    expect(session.head.phase).toBe("ended");
    expect(store.read(session.id, 0, 100).some((event) => event.type === "stdin-closed")).toBe(true);
  });

  it("[H53] that nothing reacts to is followed by signals, and the session keeps what was said", async () => {
    const { host, store, cwd } = await bench([], { claude: DEAF });
    const session = await host.start({ cwd });
    const said = until(session, isReceived("assistant"));
    await session.prompt("work");
    await said;
    expect(await codeOf(session.interrupt({ timeoutMs: 20 }))).toBe("request-timeout");
    await session.close({ bySignals: true });
    const signals = store
      .read(session.id, 0, 100)
      .flatMap((event) => (event.type === "signal-sent" ? event.signal : []));
    expect(signals).toEqual(["SIGINT", "SIGTERM", "SIGKILL"]);
    expect(session.head).toMatchObject({ phase: "ended", process: { running: false, signal: "SIGKILL" } });
    expect(session.rows).toMatchObject([
      { kind: "prompt", state: "interrupted" },
      { kind: "text", text: "Half of it" },
      { kind: "mark", what: "process-exited" },
    ]);
  });

  it("[H3] does not log a cancel that would kill this CLI", async () => {
    const { host, store, cwd } = await bench([], { claude: oldCli("", "initialize") });
    const session = await host.start({ cwd });
    expect(await codeOf(session.request({ subtype: "get_usage" }, { timeoutMs: 1 }))).toBe("request-timeout");
    expect(sentLines(store, session.id).map(({ type }) => type)).toEqual(["control_request", "control_request"]);
    expect(session.isLive).toBe(true);
    await session.close({ interrupt: false });
  });
});

describe("prompts", () => {
  it("[H1] with one uuid run once, however often they come", async () => {
    const { host, store, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd });
    const uuid = "11111111-1111-4111-8111-111111111111";
    const done = until(session, isReceived("result"));
    await Promise.all(Array.from({ length: 5 }, () => session.prompt("hello", { uuid })));
    await done;
    await session.prompt("hello", { uuid });
    expect(prompts(session)).toEqual([["hello", "done"]]);
    expect(sentLines(store, session.id).filter(({ type }) => type === "user")).toHaveLength(1);
  });

  it("[H6] keep their priorities if the host queues them: now interrupts the turn, later waits for the others", async () => {
    const reply = `say({ type: "assistant", message: { content: [{ type: "text", text: message.message.content }] } })`;
    const claude = oldCli(reply, "", `message.message.content === "slow"`);
    const { host, cwd } = await bench([], { claude });
    const session = await host.start({ cwd });
    let results = 0;
    const done = until(session, (event) => isReceived("result")(event) && ++results === 4);
    await session.prompt("slow");
    await session.prompt("at last", { priority: "later" });
    await session.prompt("then");
    await session.prompt("at once", { priority: "now" });
    await done;
    const said = session.rows.flatMap((row) => (row.kind === "text" ? [row.text] : []));
    expect(said).toEqual(["at once", "then", "at last"]);
    await session.close({ interrupt: false });
  });

  it("[H1] that come while the process closes wait for the next one", async () => {
    const { host, cwd, errors } = await bench([HELLO]);
    const session = await host.start({ cwd });
    const closing = session.close();
    await session.prompt("hello");
    await closing;
    expect(prompts(session)).toEqual([["hello", "accepted"]]);
    const done = until(session, isReceived("result"));
    await host.resume(session.id);
    await done;
    expect(prompts(session)).toEqual([["hello", "done"]]);
    expect(errors).toEqual([]);
  });
});

describe("a reply", () => {
  it("[H16] is the end of the turn that answers the prompt", async () => {
    const { host, cwd } = await bench([HELLO, SLOW]);
    const session = await host.start({ cwd });
    const reply = await session.ask("hello");
    expect(reply).toMatchObject({ text: "Hello there.", turn: { ok: true, prompts: [`prompt/${reply.uuid}`] } });
    expect(await session.reply(reply.uuid)).toEqual(reply);
    const started = until(session, (event) => event.type === "streamed");
    const slow = session.ask("slow");
    await started;
    const queued = await session.prompt("hello");
    await when(session, () => session.head.queue.some((entry) => entry.state === "queued"));
    const held = failureOf(session.reply(queued.uuid));
    await session.stop();
    expect((await slow).turn.ok).toBe(false);
    expect(await held).toMatchObject({
      code: "not-run",
      details: { state: expect.stringMatching(/held|cancelled/) as unknown },
    });
    expect((await failureOf(session.reply("nobody"))).code).toBe("unknown-prompt");
  });

  it("[H16] never waits forever: time limit, caller, end of the process", async () => {
    const { host, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    await waiting(session, "touch");
    const { uuid } = session.rows.findLast((row) => row.kind === "prompt")!;
    expect((await failureOf(session.reply(uuid!, { timeoutMs: 5 }))).code).toBe("request-timeout");
    expect((await failureOf(session.reply(uuid!, { signal: AbortSignal.abort() }))).code).toBe("request-aborted");
    const ended = failureOf(session.reply(uuid!));
    process.kill(session.head.process!.pid!, "SIGKILL");
    expect((await ended).code).toBe("process-ended");
  });

  const Colour = z.object({ colour: z.enum(["red", "blue"]) });
  const output = (input: Record<string, unknown>) => [{ say: [{ tool: "StructuredOutput", input }] }];

  it("[H17] is typed if the session has a schema, and an error if the model did not follow it", async () => {
    const { host, cwd } = await bench([
      { when: "good", steps: output({ colour: "red" }) },
      { when: "words", steps: [{ say: [{ text: "Red, I think." }] }] },
      { when: "bad", steps: Array.from({ length: 6 }, () => output({ colour: "green" })[0]!) },
    ]);
    const session = await host.start({ cwd, output: Colour });
    const { colour } = await session.askFor(Colour, "good");
    expect(colour).toBe("red");
    const words = await failureOf(session.askFor(Colour, "words"));
    expect(words).toMatchObject({ code: "no-output", details: { text: "Red, I think." } });
    expect((await failureOf(session.askFor(Colour, "bad"))).code).toBe("no-output");
    expect((await failureOf(session.askFor(z.object({ n: z.number() }), "good"))).code).toBe("no-output");
    await session.close();
    await host.resume(session.id);
    expect(await session.askFor(Colour, "good")).toEqual({ colour: "red" });
  });

  it("[H17] is checked against JSON Schema too", async () => {
    const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const { host, cwd } = await bench([{ when: "good", steps: output({ n: 5 }) }]);
    const session = await host.start({ cwd, output: schema });
    expect(await session.askFor<{ n: number }>(schema, "good")).toEqual({ n: 5 });
  });
});

describe("control requests", () => {
  it("[H18] are typed methods with a time limit and a signal", async () => {
    const { host, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd });
    const { CONTROL } = await import("@quarterdeck/protocol");
    const wanted = Object.entries(CONTROL).flatMap(([subtype, { from }]) => (from === "cli" ? [] : [subtype]));
    expect(Object.keys(session.control).toSorted()).toEqual(wanted.toSorted());
    expect(wanted.length).toBeGreaterThan(55);
    expect(await session.control.set_permission_mode({ mode: "plan" })).toEqual({ mode: "plan" });
    expect((await session.control.mcp_status()).mcpServers).toEqual([]);
    expect(await codeOf(session.control.get_usage({}, { signal: AbortSignal.abort() }))).toBe("request-aborted");
    await session.setPermissionMode("default");
    expect(session.head.mode).toBe("default");
    await session.setModel("opus");
    await session.setThinking(1000);
  });
});

describe("closing", () => {
  it("[H19] waits for the end of the turn if the caller asks for that, and holds the prompts behind it", async () => {
    const { host, cwd } = await bench([GATE, HELLO]);
    const session = await host.start({ cwd, cli: { allowedTools: ["Bash"] } });
    await session.prompt("gate");
    await when(session, () => session.head.phase === "tool");
    await session.prompt("hello");
    await when(session, () => session.head.queue.some((entry) => entry.state === "queued"));
    const closed = session.close({ finishTurn: true });
    await when(session, () => prompts(session).some(([, state]) => state === "held"));
    writeFileSync(join(cwd, "go"), "");
    await closed;
    expect(session.rows.find((row) => row.kind === "turn")).toMatchObject({ ok: true });
    expect(prompts(session)).toEqual([
      ["gate", "done"],
      ["hello", "held"],
    ]);
    expect(session.head.phase).toBe("ended");
  });

  it("[H19] interrupts a turn that takes too long or waits for a person", async () => {
    const { host, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    await waiting(session, "touch");
    await session.close({ finishTurn: { withinMs: 10 } });
    expect(session.head).toMatchObject({ phase: "ended", requests: [] });
    expect(session.rows.find((row) => row.kind === "tool")).toMatchObject({ state: "interrupted" });
  });
});

describe("pages", () => {
  it("[H20] of rows come from either end or around a row, with their epoch", async () => {
    const { host, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd });
    for (let n = 0; n < 4; n++) await turn(session, `hello ${n}`);
    const ids = session.rows.map(({ id }) => id);
    const last = session.rowsBefore(Infinity, 5);
    expect([last.rows.map(({ id }) => id), last.more]).toEqual([ids.slice(-5), true]);
    const next = session.rowsBefore(last.rows[0]!.order, 50);
    expect([next.rows.map(({ id }) => id), next.more]).toEqual([ids.slice(0, -5), false]);
    const around = session.rowsAround(ids[6]!, 2)!;
    expect([around.rows.map(({ id }) => id), around.moreBefore, around.moreAfter]).toEqual([
      ids.slice(4, 9),
      true,
      true,
    ]);
    expect(session.rowsAround("nobody", 2)).toBeUndefined();
    expect(session.rowsAfter(session.row(ids[9]!)!.order, 50).rows.map(({ id }) => id)).toEqual(ids.slice(10));
    expect(session.epoch).toMatch(/^[\w-]+$/);
  });
});

describe("the simple callbacks", () => {
  it("[H11] report an end for every tool and every turn, also a stopped one", async () => {
    const { host, cwd } = await bench([SLOW, TOUCH]);
    const session = await host.start({ cwd });
    const told: unknown[] = [];
    listen(session, {
      onToolStart: (name) => told.push(["start", name]),
      onToolEnd: (_id, result, tool) => told.push(["end", result, tool.state]),
      onComplete: (_result, _cost, { ok, reason }) => told.push(["complete", ok, reason]),
      onError: ({ code, message }) => told.push(["error", code, message]),
    });
    const streaming = until(session, () => session.drafts.length > 0);
    const slow = session.ask("slow");
    await streaming;
    await session.interrupt();
    await slow;
    expect(told.splice(0)).toEqual([["complete", false, "aborted_streaming"]]);
    const request = asked(session);
    await session.prompt("touch");
    await request;
    process.kill(session.head.process!.pid!, "SIGKILL");
    await session.ended;
    expect(told).toEqual([
      ["start", "Bash"],
      ["end", "", "unfinished"],
      ["error", "process-ended", "The CLI ended by SIGKILL."],
    ]);
  });
});

describe("the callbacks for programs", () => {
  it("[H11] report the input as it is written, stderr, why the model stopped, and a death with its last lines", async () => {
    const command = "echo one two three four five six seven eight nine ten";
    const steps = [
      { say: [{ tool: "Bash", input: { command } }], pace: { deltaMs: 1, deltaChars: 4 } },
      { say: [{ text: "Said." }] },
    ];
    const { host, cwd, options } = await bench([{ when: "say", steps }]);
    const session = await host.start({ cwd });
    const inputs: unknown[] = [];
    const turns: unknown[] = [];
    listen(session, {
      onToolInput: (name, _id, input) => inputs.push([name, input]),
      onComplete: (_result, _cost, { stopReason }) => turns.push(stopReason),
    });
    await turn(session, "say");
    expect(turns).toEqual(["end_turn"]);
    const commands = inputs.map((each) => (each as [string, { command?: string }])[1]?.command ?? "");
    expect(commands.length).toBeGreaterThan(1);
    expect(commands.every((part) => command.startsWith(part))).toBe(true);
    expect(inputs[0]).toEqual(["Bash", expect.anything()]);
    const dying = oldCli('process.stderr.write("first\\nlast words\\n", () => process.exit(7)); return', "initialize");
    const other = await Host.open({ ...options, claude: dying, store: createMemoryStore() });
    onTestFinished(() => other.close());
    const told: unknown[] = [];
    const dead = await other.start({ cwd });
    listen(dead, {
      onStderr: (text) => told.push(["stderr", text]),
      onError: (error) => told.push(["error", error instanceof Error, error.code, error.message]),
    });
    await dead.prompt("die");
    await dead.ended;
    expect(told).toEqual([
      ["stderr", "first\nlast words\n"],
      ["error", true, "process-ended", "The CLI ended with code 7.\nfirst\nlast words"],
    ]);
  });
});

describe("an answer to questions", () => {
  const asking = async () => {
    const options = [{ label: "Cheese" }, { label: "Olives" }, { label: "Ham" }].map((each) => ({
      ...each,
      description: "",
    }));
    const questions = [
      { question: "Which color?", header: "Color", multiSelect: false, options: options.slice(0, 2) },
      { question: "Which toppings?", header: "Toppings", multiSelect: true, options },
    ];
    const steps = [{ say: [{ tool: "AskUserQuestion", input: { questions } }] }, { say: [{ text: "Thanks." }] }];
    const { host, store, cwd } = await bench([{ when: "ask", steps }]);
    const session = await host.start({ cwd });
    const answered = (answers: unknown) =>
      session.respond(session.head.requests[0]!.id, { behavior: "allow", updatedInput: { answers } } as never);
    const sentAnswers = (): unknown => {
      const last = sentLines(store, session.id).at(-1) as unknown as {
        response: { response: { updatedInput: unknown } };
      };
      return last.response.response.updatedInput;
    };
    return { session, answered, questions, sentAnswers };
  };

  it("[H14] is accepted in every documented form, and reaches the CLI in the form that it reads", async () => {
    const { session, answered, questions, sentAnswers } = await asking();
    const forms = [
      { "Which color?": "Olives", "Which toppings?": "Cheese,Ham" },
      { "Which color?": "Olives", "Which toppings?": "Cheese, Ham" },
      { 0: "Olives", 1: ["Cheese", "Ham"] },
      { Color: ["Olives"], Toppings: ["Cheese", "Ham"] },
    ];
    for (const answers of forms) {
      const done = until(session, isReceived("result"));
      await waiting(session, "ask");
      await answered(answers);
      expect(sentAnswers()).toEqual({
        questions,
        answers: { "Which color?": "Olives", "Which toppings?": "Cheese, Ham" },
      });
      await done;
    }
  });

  it("[H14] that cannot be understood is refused with words, and the request stays open", async () => {
    const { session, answered } = await asking();
    await waiting(session, "ask");
    const { id } = session.head.requests[0]!;
    await expect(answered({ 2: "Blue" })).rejects.toThrow(
      /No question has the number or the text "2".+"Which color\?"/u,
    );
    await expect(answered({ "Which size?": "Large" })).rejects.toThrow(/"Which size\?"/u);
    await expect(answered({ 0: 5 })).rejects.toThrow(/neither a text nor a list of texts/u);
    await expect(answered({ 0: "Cheese", Color: "Olives" })).rejects.toThrow(/answered twice/u);
    await expect(answered(["Cheese"])).rejects.toThrow(/not an object/u);
    await expect(session.respond(id, { behavior: "deny" } as never)).rejects.toThrow("A deny needs a `message`");
    await expect(session.respond(id, { decision: "allow" } as never)).rejects.toThrow("It needs `behavior`");
    expect(session.head.requests.map((request) => request.id)).toEqual([id]);
    await session.respond(id, { behavior: "deny", message: "Not now." });
  });
});

describe("the result of a turn", () => {
  it("[H16] is its own: a turn that was stopped before it spoke does not repeat the one before", async () => {
    const { host, cwd } = await bench([HELLO, TOUCH]);
    const session = await host.start({ cwd });
    const results: string[] = [];
    listen(session, { onComplete: (result) => results.push(result) });
    await session.ask("hello");
    await waiting(session, "touch");
    await session.interrupt();
    if (session.head.phase !== "idle") await when(session, () => session.head.phase === "idle");
    expect(results).toEqual(["Hello there.", ""]);
  });
});

describe("a start", () => {
  const HANGS = { command: process.execPath, prefixArgs: ["-e", "process.stdin.resume()", "--"], version: "2.1.38" };

  it("[H3] of a CLI that never answers ends by its time limit or its caller, and leaves no process", async () => {
    const { host, cwd } = await bench([], { claude: HANGS });
    expect(await codeOf(host.start({ cwd, timeoutMs: 50 }))).toBe("request-timeout");
    const abort = new AbortController();
    const given = codeOf(host.start({ cwd, signal: abort.signal }));
    abort.abort();
    expect(await given).toBe("request-aborted");
    expect(host.load).toEqual({ live: 0, waiting: 0 });
  });

  it("[H25] needs a folder, and stores its absolute path", async () => {
    const { host, cwd } = await bench([HELLO]);
    expect(await codeOf(host.start({ cwd: join(cwd, "nowhere") }))).toBe("no-folder");
    expect(host.list()).toEqual([]);
    const session = await host.start({ cwd: relative(process.cwd(), cwd) });
    expect(host.list()).toMatchObject([{ id: session.id, cwd }]);
  });

  it("[H9] of a fork has the tools of its parent", async () => {
    const sum = defineTool("sum", "Five.", z.object({}), () => "5");
    const { host, cwd } = await bench([
      { when: "sum", steps: [{ say: [{ tool: "mcp__sums__sum", input: {} }] }, { say: [{ text: "Done." }] }] },
    ]);
    const parent = await host.start({
      cwd,
      servers: [{ name: "sums", tools: [sum] }],
      cli: { allowedTools: ["mcp__sums__sum"] },
    });
    await parent.ask("sum");
    const child = await host.fork(parent.id);
    await child.ask("sum");
    expect(child.rows.findLast((row) => row.kind === "tool")).toMatchObject({ state: "done", result: { text: "5" } });
  });

  it("[H1] does not help a deleted session: prompts to it are refused", async () => {
    const { host, cwd, store } = await bench([HELLO]);
    const session = await host.start({ cwd });
    await host.delete(session.id);
    expect(await codeOf(session.prompt("hello"))).toBe("unknown-session");
    expect(store.lastSeq(session.id)).toBe(0);
  });
});
