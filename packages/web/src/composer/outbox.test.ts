import { BridgeError, type Client } from "@quarterdeck/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { decodeOutbox, outbox } from "./outbox.ts";

interface Sent {
  readonly method: string;
  readonly params: { readonly commandId: string };
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Answers when the test says so. */
const scriptedClient = () => {
  const sent: Sent[] = [];
  const command = (method: string, params: Sent["params"], { signal }: { signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      sent.push({ method, params, signal, reject, resolve: () => resolve({ uuid: params.commandId, rowId: "r" }) });
    });
  return { client: { command } as unknown as Client, sent };
};

afterEach(() => {
  for (const { commandId } of outbox.all()) outbox.drop(commandId);
});

describe("the outbox", () => {
  it("keeps a prompt until the server has it", async () => {
    const { client, sent } = scriptedClient();
    outbox.send(client, { session: "s", content: "hello", uploads: ["u"], priority: "later" });
    expect(outbox.all()).toMatchObject([{ session: "s", content: "hello", uploads: ["u"], priority: "later" }]);
    expect(sent[0]).toMatchObject({
      method: "session/prompt",
      params: {
        session: "s",
        content: "hello",
        uploads: ["u"],
        priority: "later",
        commandId: outbox.all()[0]!.commandId,
      },
    });
    sent[0]!.resolve();
    await vi.waitFor(() => expect(outbox.size()).toBe(0));
  });

  it("sends again after a reload under the same id, but not what is already on its way", async () => {
    const { client, sent } = scriptedClient();
    outbox.send(client, { session: "s", content: "hello", uploads: [] });
    outbox.resume(client);
    expect(sent).toHaveLength(1);
    sent[0]!.reject(new TypeError("the page goes away"));
    await vi.waitFor(() => {
      outbox.resume(client);
      expect(sent.length).toBeGreaterThan(1);
    });
    expect(new Set(sent.map(({ params }) => params.commandId)).size).toBe(1);
    sent.at(-1)!.resolve();
    await vi.waitFor(() => expect(outbox.size()).toBe(0));
  });

  it("keeps a refused prompt, with the reason, until its author decides", async () => {
    const { client, sent } = scriptedClient();
    outbox.send(client, { session: "s", content: "hello", uploads: [] });
    sent[0]!.reject(new BridgeError("forbidden", "This device may only read."));
    await vi.waitFor(() =>
      expect(outbox.all()).toMatchObject([{ refused: { code: "forbidden", message: "This device may only read." } }]),
    );
    outbox.resume(client);
    expect(sent).toHaveLength(1);
    outbox.retry(client, outbox.all()[0]!.commandId);
    expect(sent).toHaveLength(2);
    expect(outbox.all()[0]).not.toHaveProperty("refused");
  });

  it("drops a prompt that its author withdraws", () => {
    const { client, sent } = scriptedClient();
    outbox.send(client, { session: "s", content: "hello", uploads: [] });
    outbox.drop(outbox.all()[0]!.commandId);
    expect(outbox.size()).toBe(0);
    expect(sent[0]!.signal.aborted).toBe(true);
  });

  it("reads nothing from invalid data", () => {
    expect(decodeOutbox("no")).toEqual([]);
    expect(decodeOutbox([{ commandId: "c" }, null, 4])).toEqual([]);
  });
});
