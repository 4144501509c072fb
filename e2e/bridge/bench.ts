// What the tests of this folder begin with: a server with the scenario, and clients that have come in; all of it ends with the test.

import { randomUUID } from "node:crypto";
import type { Scenario } from "@quarterdeck/simulator";
import { onTestFinished } from "vitest";
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
      when: "write",
      steps: [
        { say: [{ tool: "Write", input: { file_path: "{{cwd}}/note.txt", content: "one\ntwo\n" } }] },
        { say: [{ text: "Written." }] },
      ],
    },
    { when: "long", steps: [{ say: [{ text: "word ".repeat(400) }], pace: { deltaMs: 3, deltaChars: 5 } }] },
    { when: "slow", steps: [{ say: [{ text: "word ".repeat(100) }], pace: { deltaMs: 100, deltaChars: 5 } }] },
    {
      when: "ask me",
      steps: [
        {
          say: [
            {
              tool: "AskUserQuestion",
              input: {
                questions: [
                  {
                    question: "Which colour?",
                    header: "Colour",
                    multiSelect: false,
                    options: [
                      { label: "Red", description: "warm" },
                      { label: "Blue", description: "cold" },
                    ],
                  },
                ],
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
  server!: ServerProcess;

  private constructor(place: Place) {
    this.place = place;
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

  async restart(flags: readonly string[] = []): Promise<void> {
    this.server = await startServer(this.place, flags);
  }

  async client(token: string = this.server.token): Promise<RawClient> {
    const { server } = this;
    const client = await RawClient.open({ url: server.url, token });
    onTestFinished(() => client.drop());
    return client;
  }

  /** A client with this role, by a token of its own. */
  async clientWith(role: string, admin: RawClient): Promise<RawClient> {
    const { token } = await admin.command("devices/addToken", { role, name: `a ${role}` });
    return this.client(token);
  }

  async session(client: RawClient, settings: Record<string, unknown> = {}): Promise<string> {
    const { session } = await client.command("sessions/start", { cwd: this.place.cwd, settings });
    return session.id;
  }

  async mirror(client: RawClient, session: string): Promise<Mirror> {
    const mirror = new Mirror(session);
    await mirror.follow(client);
    return mirror;
  }

  /** Answers to requests that a CLI was given, by the request. */
  answersToCli(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const line of this.place.linesToCli()) {
      const { type, response } = line as { type?: unknown; response?: { request_id?: string } };
      if (type !== "control_response" || response?.request_id === undefined) continue;
      counts.set(response.request_id, (counts.get(response.request_id) ?? 0) + 1);
    }
    return counts;
  }

  /** Prompts that a CLI was given, by their uuid. */
  promptsToCli(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const line of this.place.linesToCli()) {
      const { type, uuid } = line as { type?: unknown; uuid?: string };
      if (type === "user" && uuid !== undefined) counts.set(uuid, (counts.get(uuid) ?? 0) + 1);
    }
    return counts;
  }
}

export { randomUUID };
