import { describe, expect, it } from "vitest";
import { CommandLedger } from "./command-ledger.ts";

const command = (commandId: string, method = "method", params: object = {}) => ({
  method,
  params: { commandId, ...params },
});

describe("a command", () => {
  it("[B7] runs once; a resend gets the same result or failure, also while it runs", async () => {
    const commands = new CommandLedger();
    let runs = 0;
    const { promise, resolve } = Promise.withResolvers<string>();
    const run = (): Promise<string> => {
      runs++;
      return promise;
    };
    const outcomes = [1, 2, 3].map(() => commands.once("device", command("id"), run));
    resolve("done");
    expect(await Promise.all(outcomes)).toEqual(["done", "done", "done"]);
    expect(await commands.once("device", command("id"), run)).toBe("done");
    expect(runs).toBe(1);
    const fail = (): Promise<never> => {
      runs++;
      return Promise.reject(new Error("no"));
    };
    await expect(commands.once("device", command("other"), fail)).rejects.toThrow("no");
    await expect(commands.once("device", command("other"), run)).rejects.toThrow("no");
    expect(runs).toBe(2);
  });

  it("[B7] belongs to one device and one method", async () => {
    const commands = new CommandLedger();
    const say = (word: string) => async (): Promise<string> => word;
    expect(await commands.once("one", command("id"), say("one"))).toBe("one");
    expect(await commands.once("two", command("id"), say("two"))).toBe("two");
    expect(() => commands.once("one", command("id", "another"), say("three"))).toThrow(
      "This commandId was used for method",
    );
  });

  it("[S53] with a known id and other parameters is refused, and does not get the old outcome", async () => {
    const commands = new CommandLedger();
    let runs = 0;
    const run = async (): Promise<number> => ++runs;
    const prompt = (params: object) => commands.once("one", command("id", "session/prompt", params), run);
    expect(await prompt({ session: "a", content: "hello", deep: { x: 1, y: [1, 2] } })).toBe(1);
    // Key order does not matter, and neither does the name of an upload that was sent again.
    expect(await prompt({ deep: { y: [1, 2], x: 1 }, content: "hello", session: "a" })).toBe(1);
    for (const params of [
      { session: "b", content: "hello", deep: { x: 1, y: [1, 2] } },
      { session: "a", content: "bye", deep: { x: 1, y: [1, 2] } },
      { session: "a", content: "hello", deep: { x: 1, y: [2, 1] } },
      { session: "a", content: "hello", deep: { x: 1, y: [1, 2] }, uploads: ["u"] },
      {},
    ])
      expect(() => prompt(params)).toThrow("This commandId was used with other parameters.");
    expect(runs).toBe(1);
    const upload = (name: string) => commands.once("one", command("other", "session/prompt", { uploads: [name] }), run);
    expect([await upload("u"), await upload("v")]).toEqual([2, 2]);
  });

  it("[B7] is remembered among the newest two thousand of its device, whatever other devices do", async () => {
    const commands = new CommandLedger();
    let runs = 0;
    const run = async (): Promise<number> => ++runs;
    await commands.once("one", command("first"), run);
    for (let at = 0; at < 1999; at++) await commands.once("one", command(`id ${at}`), run);
    for (let at = 0; at < 5000; at++) await commands.once("two", command(`id ${at}`), run);
    const before = runs;
    expect(await commands.once("one", command("first"), run)).toBe(1);
    expect(runs).toBe(before);
    await commands.once("one", command("one more"), run);
    expect(await commands.once("one", command("first"), run)).toBe(runs);
  });
});
