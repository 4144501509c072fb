import { afterEach, describe, expect, it } from "vitest";
import { startApi } from "./api.ts";
import type { Api } from "./api.ts";
import type { Scenario, Step } from "./scenario.ts";

interface SentEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

let api: Api | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const scenarioOf = (...steps: Step[]): Scenario => ({ name: "test", scripts: [{ when: "hello", steps }] });

const start = async (scenario: Scenario): Promise<Api> => {
  api = await startApi({ scenario });
  return api;
};

const ask = (url: string, body: Record<string, unknown>, path = "/v1/messages?beta=true"): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }], ...body }),
  });

const eventsOf = (text: string): SentEvent[] =>
  text
    .split("\n\n")
    .filter((part) => part !== "")
    .map((part) => {
      const [first, second] = part.split("\n");
      const event = JSON.parse(second!.slice("data: ".length)) as SentEvent;
      expect(first).toBe(`event: ${event.type}`);
      return event;
    });

describe("a streamed answer", () => {
  it("opens and closes each block and adds up to the step's content", async () => {
    const { url } = await start(
      scenarioOf({
        say: [
          { thinking: "hm" },
          { text: "Hello \u{1F6A2} and welcome aboard" },
          { tool: "Bash", input: { command: "ls" } },
        ],
        usage: { input_tokens: 7, output_tokens: 9 },
      }),
    );
    const response = await ask(url, { stream: true });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = eventsOf(await response.text());
    expect(events.filter(({ type }) => type !== "content_block_delta").map(({ type }) => type)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_stop",
      "content_block_start",
      "content_block_stop",
      "content_block_start",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    const deltas = events.flatMap(({ delta }) => (delta === undefined ? [] : [delta as Record<string, string>]));
    const joined = (type: string, field: string): string =>
      deltas.flatMap((delta) => (delta.type === type ? [delta[field]] : [])).join("");
    expect(joined("thinking_delta", "thinking")).toBe("hm");
    expect(joined("signature_delta", "signature")).not.toBe("");
    expect(joined("text_delta", "text")).toBe("Hello \u{1F6A2} and welcome aboard");
    expect(JSON.parse(joined("input_json_delta", "partial_json"))).toEqual({ command: "ls" });
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: "tool_use" },
      usage: { input_tokens: 7, output_tokens: 9 },
    });
  });

  it("gives every answer its own id, and every tool use an id that names its answer", async () => {
    const { url } = await start(
      scenarioOf({
        say: [
          { tool: "Bash", input: {} },
          { tool: "Bash", input: {}, id: "mine" },
        ],
      }),
    );
    const ids = [];
    for (let turn = 0; turn < 2; turn++) {
      const message = (await (await ask(url, {})).json()) as { id: string; content: { id: string }[] };
      ids.push(message.id, ...message.content.map((block) => block.id));
    }
    expect(ids).toEqual(["msg_sim_0001", "toolu_sim_0001_1", "mine", "msg_sim_0002", "toolu_sim_0002_1", "mine"]);
  });
});

it("answers without streaming on request", async () => {
  const { url } = await start(scenarioOf({ say: [{ text: "Hi." }] }));
  expect(await (await ask(url, {})).json()).toMatchObject({
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Hi." }],
    stop_reason: "end_turn",
  });
});

it("fails as often as the step says, with status, type and headers, and then plays it", async () => {
  const { url } = await start(
    scenarioOf({ say: [{ text: "Hi." }], fail: [{ status: 429, headers: { "retry-after": "3" } }, { status: 529 }] }),
  );
  const first = await ask(url, { stream: true });
  expect([first.status, first.headers.get("retry-after")]).toEqual([429, "3"]);
  expect(await first.json()).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
  expect((await ask(url, { stream: true })).status).toBe(529);
  expect((await ask(url, { stream: true })).status).toBe(200);
});

it("fails forever after a failure with `always`", async () => {
  const { url } = await start(scenarioOf({ say: [{ text: "Hi." }], fail: [{ status: 500, always: true }] }));
  for (let attempt = 0; attempt < 3; attempt++) expect((await ask(url, {})).status).toBe(500);
});

it("closes the connection without an answer for status 0", async () => {
  const { url } = await start(scenarioOf({ say: [{ text: "Hi." }], fail: [{ status: 0 }] }));
  await expect(ask(url, {})).rejects.toThrow("fetch failed");
  expect((await ask(url, {})).status).toBe(200);
});

it("breaks off a stream once, after the given number of events", async () => {
  const { url } = await start(scenarioOf({ say: [{ text: "Hi." }], cut: { afterEvents: 3 } }));
  await expect((await ask(url, { stream: true })).text()).rejects.toThrow("terminated");
  const events = eventsOf(await (await ask(url, { stream: true })).text());
  expect(events.at(-1)).toEqual({ type: "message_stop" });
});

it("ends a stream with an error event", async () => {
  const error = { type: "overloaded_error", message: "Overloaded" };
  const { url } = await start(scenarioOf({ say: [{ text: "Hi." }], cut: { afterEvents: 3, error } }));
  const events = eventsOf(await (await ask(url, { stream: true })).text());
  expect(events.slice(3)).toEqual([{ type: "error", error }]);
});

it("counts tokens, refuses an invalid request, and knows no other path", async () => {
  const { url, requests } = await start(scenarioOf({ say: [{ text: "Hi." }] }));
  expect(await (await ask(url, {}, "/v1/messages/count_tokens")).json()).toEqual({
    input_tokens: expect.any(Number) as number,
  });
  expect((await ask(url, { messages: "none" })).status).toBe(400);
  expect((await ask(url, {}, "/api/elsewhere")).status).toBe(404);
  expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
  expect(requests.map(({ answer }) => answer)).toEqual(["side:count_tokens", "http:400", "http:404", "http:200"]);
});

it("answers the CLI's own calls itself, although they contain the user's words", async () => {
  const { url, requests } = await start(scenarioOf({ say: [{ text: "Hi." }] }));
  const summary = "hello. Your task is to create a detailed summary of the conversation so far";
  await ask(url, { messages: [{ role: "user", content: summary }] });
  await ask(url, { system: [{ type: "text", text: "Analyze if this is a new topic: isNewTopic" }] });
  await ask(url, { tools: [{ type: "web_search_20250305", name: "web_search" }] });
  await ask(url, {
    output_config: {
      format: { type: "json_schema", schema: { type: "object", properties: { title: { type: "string" } } } },
    },
  });
  await ask(url, {});
  expect(requests.map(({ answer }) => answer)).toEqual([
    "side:compact",
    "side:topic",
    "side:web_search",
    "side:json",
    "hello#0#0",
  ]);
});

it("replaces variables in its text", async () => {
  api = await startApi({ scenario: scenarioOf({ say: [{ text: "in {{cwd}}" }] }), variables: { cwd: "/here" } });
  expect(await (await ask(api.url, {})).json()).toMatchObject({ content: [{ text: "in /here" }] });
});
