// Runs the examples of packages/client as a reader would, against a server.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { connect } from "@quarterdeck/client";
import type { Client } from "@quarterdeck/client";
import type { Event } from "@quarterdeck/session";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { SCENARIO } from "../bridge/bench.ts";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { ServerProcess } from "../bridge/server-process.ts";
import { readyView, until } from "./views.ts";

const place = makePlace({
  ...SCENARIO,
  scripts: [
    ...SCENARIO.scripts,
    {
      when: "look and touch",
      steps: [
        { say: [{ tool: "Grep", input: { pattern: "x", path: "/" } }] },
        { say: [{ tool: "Bash", input: { command: "touch made.txt", description: "Touch" } }] },
        { say: [{ text: "Done." }] },
      ],
    },
  ],
});
let server: ServerProcess;
let client: Client;

beforeAll(async () => {
  server = await startServer(place);
  client = connect({
    url: server.url,
    credentials: { kind: "token", token: server.token },
    client: { name: "test", version: "1" },
  });
});
afterAll(async () => {
  client?.close();
  await server?.stop();
  place.remove();
});

const example = (name: string, ...args: string[]) => {
  const file = fileURLToPath(new URL(`../../packages/client/examples/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--conditions=source", file, ...args], {
    env: { PATH: process.env["PATH"] ?? "", QUARTERDECK_URL: server.url, QUARTERDECK_TOKEN: server.token },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill());
  let output = "";
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      for (const look of looks) look();
    });
  const ended = new Promise<string>((resolve, reject) =>
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`${name} ended: ${output}`)))),
  );
  const said = (isSo: (output: string) => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!isSo(output)) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      ended.catch(reject);
      look();
    });
  return { ended, said, output: () => output };
};
const start = async (prompt?: string): Promise<string> => {
  const { session } = await client.command("sessions/start", {
    cwd: place.cwd,
    ...(prompt !== undefined && { prompt }),
  });
  return session.id;
};

describe("[E60] the examples", () => {
  it("list-sessions shows running sessions and those that need a person", { tags: "long" }, async () => {
    const id = await start("touch");
    const view = await readyView(client, id);
    await until(view, ({ head }) => head.requests.length > 0);
    const output = await example("list-sessions").ended;
    expect(output).toContain(id.slice(0, 8));
    expect(output).toMatch(/waits: Bash: touch made.txt/);
    await client.command("sessions/close", { session: id });
    view.close();
  });

  it("stream-prompt prints each text once", async () => {
    const output = await example("stream-prompt", place.cwd, "long").ended;
    expect(output).toBe("word ".repeat(400));
  });

  it("approve-by-policy allows reads and leaves the rest", async () => {
    const policy = example("approve-by-policy");
    const id = await start("look and touch");
    await policy.said((output) => output.includes("Bash: left to a person"));
    const view = await readyView(client, id);
    await until(view, ({ head }) => head.requests.length === 1);
    const tools = view.snapshot.rows.flatMap((row) => (row.kind === "tool" ? [[row.name, row.state]] : []));
    expect(tools.at(-1)).toEqual(["Bash", "asking"]);
    expect(tools.filter(([name]) => name === "Grep").every(([, state]) => state !== "asking")).toBe(true);
    view.close();
  });

  it("tail-events prints every fact, past and new", { tags: "long" }, async () => {
    const id = await start("hello");
    const view = await readyView(client, id);
    await until(view, ({ rows }) => rows.some(({ kind }) => kind === "turn"));
    const tail = example("tail-events", id);
    await tail.said((output) => output.includes('"result"'));
    await client.command("session/prompt", { session: id, content: "hello again" });
    await tail.said((output) => output.split('"type":"result"').length > 2);
    const { events } = await client.call("session/events", { session: id });
    await tail.said((output) => output.trim().split("\n").length >= events.length);
    const printed = tail
      .output()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Event);
    expect(printed.slice(0, events.length)).toEqual(events);
    view.close();
  });
});
