// Setup for the tests of this folder: a server with a scenario, and authenticated clients. Everything ends with the
// test.

import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "@quarterdeck/simulator";
import { ONE_COLOUR } from "@quarterdeck/test-kit/questions";
import { afterAll, onTestFinished } from "vitest";
import { Mirror } from "./mirror.ts";
import { RawClient } from "./raw-client.ts";
import { makePlace, startServer } from "./server-process.ts";
import type { Place, ServerProcess } from "./server-process.ts";

export const SCENARIO: Scenario = {
  name: "bridge",
  scripts: [
    { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
    {
      when: "touch",
      steps: [
        { say: [{ text: "Making it." }, { tool: "Bash", input: { command: "touch made.txt", description: "Touch" } }] },
        { say: [{ text: "Made." }] },
      ],
    },
    {
      when: "remove",
      steps: [{ say: [{ tool: "Bash", input: { command: "rm -rf made.txt" } }] }, { say: [{ text: "Removed." }] }],
    },
    {
      when: "write",
      steps: [
        { say: [{ tool: "Write", input: { file_path: "{{cwd}}/note.txt", content: "one\ntwo\n" } }] },
        { say: [{ text: "Written." }] },
      ],
    },
    {
      when: "outside",
      steps: [
        { say: [{ tool: "Write", input: { file_path: "{{cwd}}/../../home/note.txt", content: "mine\n" } }] },
        { say: [{ text: "Very well." }] },
      ],
    },
    { when: "long", steps: [{ say: [{ text: "word ".repeat(400) }], pace: { deltaMs: 3, deltaChars: 5 } }] },
    { when: "flood", steps: [{ say: [{ text: "word ".repeat(20_000) }] }] },
    // No test waits for its end: it is stopped, however slow the machine is.
    { when: "slow", steps: [{ say: [{ text: "word ".repeat(3000) }], pace: { deltaMs: 100, deltaChars: 5 } }] },
    {
      // Runs until the test writes the file `go`.
      when: "gate",
      steps: [
        { say: [{ tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done" } }] },
        { say: [{ text: "It is open." }] },
      ],
    },
    {
      when: "see the picture",
      steps: [{ say: [{ tool: "Read", input: { file_path: "{{cwd}}/shot.png" } }] }, { say: [{ text: "A picture." }] }],
    },
    {
      when: "two questions",
      steps: [
        {
          say: [
            {
              tool: "AskUserQuestion",
              input: {
                questions: ["Which colour?", "Which size?"].map((question) => ({
                  question,
                  header: "Pick",
                  multiSelect: false,
                  options: [
                    { label: "One", description: "" },
                    { label: "Two", description: "" },
                  ],
                })),
              },
            },
          ],
        },
        { say: [{ text: "Thanks for both." }] },
      ],
    },
    {
      when: "plan it",
      steps: [
        { say: [{ tool: "Write", input: { file_path: "{{planFile}}", content: "1. Ring the bell.\n" } }] },
        { say: [{ tool: "ExitPlanMode", input: {} }] },
        { say: [{ text: "Never said." }] },
      ],
    },
    { when: "Carry out this plan", steps: [{ say: [{ text: "Rung." }] }] },
    {
      when: "ask me",
      steps: [
        {
          say: [
            {
              tool: "AskUserQuestion",
              input: {
                questions: [ONE_COLOUR],
              },
            },
          ],
        },
        { say: [{ text: "Thanks." }] },
      ],
    },
  ],
};

export class Bench {
  readonly place: Place;
  /** Working folder of this test's sessions. */
  readonly cwd: string;
  server!: ServerProcess;
  #linesBefore = 0;

  private constructor(place: Place, cwd = place.cwd) {
    this.place = place;
    this.cwd = cwd;
  }

  static async start(place: Place = makePlace(SCENARIO), flags: readonly string[] = []): Promise<Bench> {
    const bench = new Bench(place);
    onTestFinished(async () => {
      await bench.server?.stop();
      place.remove();
    });
    await bench.restart(flags);
    return bench;
  }

  /** One server for all tests of a file that leave it running. Each test has its own folders and sessions. */
  static shared(flags: readonly string[] = []): () => Promise<Bench> {
    let starting: Promise<Bench> | undefined;
    afterAll(async () => {
      const bench = await starting;
      await bench?.server.stop();
      bench?.place.remove();
    });
    const start = async (): Promise<Bench> => {
      const bench = new Bench(makePlace(SCENARIO));
      await bench.restart(flags);
      return bench;
    };
    return async () => (await (starting ??= start())).#withOwnFolder();
  }

  /** The same server, for a test with its own working folder. */
  #withOwnFolder(): Bench {
    const bench = new Bench(this.place, mkdtempSync(join(this.place.cwd, "test-")));
    bench.server = this.server;
    bench.#linesBefore = this.place.linesToCli().length;
    onTestFinished(() => bench.#closeSessions());
    return bench;
  }

  /** Their processes would otherwise stay until the last test of the file. */
  async #closeSessions(): Promise<void> {
    const { url, token } = this.server;
    const client = await RawClient.open({ url, token });
    const { sessions } = await client.call("sessions/list", { state: "live", limit: 500 });
    for (const { id } of sessions) await client.command("sessions/close", { session: id });
    await client.drop();
  }

  /** Lines that CLIs got since this test began. */
  linesToCli(): readonly Readonly<Record<string, unknown>>[] {
    return this.place.linesToCli().slice(this.#linesBefore);
  }

  async restart(flags: readonly string[] = []): Promise<void> {
    this.server = await startServer(this.place, flags);
  }

  async client(token: string = this.server.token): Promise<RawClient> {
    const { server } = this;
    const client = await RawClient.open({ url: server.url, token });
    onTestFinished(() => client.drop());
    return client;
  }

  /** A client with this role and its own token. */
  async clientWith(role: string, admin: RawClient): Promise<RawClient> {
    const { token } = await admin.command("devices/addToken", { role, name: `a ${role}` });
    return this.client(token);
  }

  async session(client: RawClient, settings: Record<string, unknown> = {}): Promise<string> {
    const { session } = await client.command("sessions/start", { cwd: this.cwd, settings });
    return session.id;
  }

  async mirror(client: RawClient, session: string): Promise<Mirror> {
    const mirror = new Mirror(session);
    await mirror.follow(client);
    return mirror;
  }

  /** Number of answers that a CLI got, by request. */
  answersToCli(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const line of this.linesToCli()) {
      const { type, response } = line as { type?: unknown; response?: { request_id?: string } };
      if (type !== "control_response" || response?.request_id === undefined) continue;
      counts.set(response.request_id, (counts.get(response.request_id) ?? 0) + 1);
    }
    return counts;
  }

  /** Number of prompts that a CLI got, by uuid. */
  promptsToCli(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const line of this.linesToCli()) {
      const { type, uuid } = line as { type?: unknown; uuid?: string };
      if (type === "user" && uuid !== undefined) counts.set(uuid, (counts.get(uuid) ?? 0) + 1);
    }
    return counts;
  }
}

export { randomUUID };
