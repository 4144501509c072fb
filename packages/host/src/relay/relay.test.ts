import { expect, test } from "vitest";
import type { CliRequest } from "@quarterdeck/protocol";
import { goneAnswer } from "./gone-answers.ts";
import { LeftResponders, leftBehind } from "./left-responders.ts";
import { Relay } from "./relay.ts";
import type { RelayedSession } from "./relay.ts";
import { relayedCall } from "./relayed-call.ts";

const STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
const hook = (event: string): CliRequest =>
  ({ subtype: "hook_callback", callback_id: "h", input: { hook_event_name: event } }) as unknown as CliRequest;

const setUp = (argv: readonly string[] = STREAM) => {
  const seen = { output: "", stderr: "", exits: [] as unknown[], done: [] as unknown[] };
  const relay = new Relay(
    relayedCall(argv)!,
    { id: "caller" },
    {
      onOutput: (text) => (seen.output += text),
      onStderr: (text) => (seen.stderr += text),
      onExit: (exit) => seen.exits.push(exit),
    },
  );
  const note =
    (what: string) =>
    async (...args: unknown[]): Promise<void> =>
      void seen.done.push([what, ...args]);
  const session: RelayedSession = {
    send: note("send"),
    prompt: note("prompt"),
    request: note("request"),
    answer: async (id) => {
      seen.done.push(["answer", id]);
      return true;
    },
    reads: () => true,
    subscribe: () => () => {},
    isResting: () => true,
    endInput: note("endInput"),
    signal: (signal) => void seen.done.push(["signal", signal]),
    hold: (holds) => void seen.done.push(["hold", holds]),
  };
  return { relay, session, seen };
};
const bytes = (message: unknown): Uint8Array => Buffer.from(`${JSON.stringify(message)}\n`);

test("lines reach the caller in the order of the CLI, each after it is stored", async () => {
  const { relay, session, seen } = setUp([...STREAM, "--include-partial-messages"]);
  relay.attach(session);
  const stored = Promise.withResolvers<void>();
  relay.pass('{"type":"assistant"}', { kind: "unknown", value: { type: "assistant" }, reason: "" }, stored.promise);
  relay.pass('{"type":"stream_event"}', { kind: "unknown", value: { type: "stream_event" }, reason: "" });
  expect(seen.output).toBe("");
  stored.resolve();
  await stored.promise;
  await Promise.resolve();
  expect(seen.output).toBe('{"type":"assistant"}\n{"type":"stream_event"}\n');
});

test("an older SDK's system prompt is a text, and the CLI gets it as a list", async () => {
  const { relay } = setUp();
  void relay.write(
    bytes({ type: "control_request", request_id: "i", request: { subtype: "initialize", systemPrompt: "Be kind." } }),
  );
  expect(await relay.first).toEqual({ id: "i", request: { subtype: "initialize", systemPrompt: ["Be kind."] } });
});

test("a caller that reads nothing holds the CLI back, until it reads or goes (S81)", () => {
  const { relay, session, seen } = setUp();
  relay.attach(session);
  const line = "x".repeat(5 * 1024 * 1024);
  relay.pass(line, { kind: "noise", reason: "not-json", bytes: new Uint8Array(), size: 0 });
  expect(seen.done).toEqual([["hold", true]]);
  relay.acknowledge(line.length);
  expect(seen.done).toEqual([
    ["hold", true],
    ["hold", false],
  ]);
});

test("the end of the input without a prompt ends the CLI, and a prompt comes before it", async () => {
  const { relay, session, seen } = setUp();
  const prompt = { type: "user", message: { role: "user", content: "hi" } };
  void relay.write(bytes(prompt));
  relay.endInput();
  expect(await relay.first).toBeUndefined();
  relay.attach(session);
  await relay.write(new Uint8Array());
  await expect.poll(() => seen.done.map(([what]: any) => what)).toEqual(["prompt", "endInput"]); // oxlint-disable-line typescript/no-explicit-any -- names only
});

test("hooks of a caller that is gone fail closed, by event (S81)", async () => {
  expect(goneAnswer(hook("PreToolUse"))).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  expect(goneAnswer(hook("PermissionRequest"))).toMatchObject({
    hookSpecificOutput: { decision: { behavior: "deny" } },
  });
  expect(goneAnswer(hook("UserPromptSubmit"))).toMatchObject({ decision: "block" });
  expect(goneAnswer(hook("Stop"))).toBeUndefined();
  const { relay, session } = setUp();
  relay.attach(session);
  const waiting = relay.answer(hook("PreToolUse"), new AbortController().signal, "r");
  relay.leave();
  expect(await waiting).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  const left = leftBehind({ hooks: { PreToolUse: [{ hookCallbackIds: ["h"] }] } })!;
  const later = new LeftResponders(left, true);
  expect(later.registration.hooks?.["PreToolUse"]).toMatchObject([
    { hookCallbackIds: ["h"] },
    { hookCallbackIds: ["policy"] },
  ]);
  expect(await later.answer(hook("PreToolUse"))).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
});
