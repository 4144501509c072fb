// Time from a request of the CLI to the push service. The host reads the line, the server encrypts the notification,
// and a local push service receives it. The time of the request is the host's, when it read the line.
import { connect } from "@quarterdeck/client";
import type { Scenario } from "@quarterdeck/simulator";
import { PushService } from "../e2e/bridge/push-service.ts";
import { makePlace, startServer } from "../e2e/bridge/server-process.ts";
import { medianOf, rounded } from "./figure.ts";
import type { Report } from "./figure.ts";

const SCENARIO: Scenario = {
  name: "push",
  scripts: [
    {
      when: "touch",
      steps: [{ say: [{ tool: "Bash", input: { command: "touch made.txt" } }] }, { say: [{ text: "Done." }] }],
    },
  ],
};

export const benchPush = async ({
  rounds,
  say,
}: {
  readonly rounds: number;
  readonly say: (line: string) => void;
}): Promise<Report> => {
  const service = await PushService.start();
  const place = makePlace(SCENARIO);
  const server = await startServer(place, ["--notify-host", service.host]);
  const client = connect({
    url: server.url,
    credentials: { kind: "token", token: server.token },
    client: { name: "bench", version: "1" },
  });
  const subscription = service.subscription("bench");
  const times: number[] = [];
  try {
    await client.command("notifications/subscribe", subscription.params);
    const { session } = await client.command("sessions/start", { cwd: place.cwd });
    for (let round = 0; round < rounds; round += 1) {
      const before = subscription.arrivals.length;
      await client.command("session/prompt", { session: session.id, content: "touch" });
      const arrived = await service.next(() => subscription.arrivals.length > before);
      const message = subscription.messages.at(-1);
      times.push(arrived.at - message.at);
      const { id: requestId, ...binding } = message.request;
      const answer = { kind: "deny", message: "no" } as const;
      await client.command("session/respond", { session: session.id, requestId, ...binding, answer });
      // The withdrawal and the end.
      await service.next(() => subscription.arrivals.length > before + 2);
    }
  } finally {
    client.close();
    await server.stop();
    service.stop();
    place.remove();
  }
  const p95 = times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1]!;
  say(`push: ${String(rounds)} requests, median ${String(medianOf(times))} ms, p95 ${String(p95)} ms`);
  return {
    title: `From a request to the push service (${String(rounds)} requests, on this machine)`,
    table: [
      ["", "median ms", "p95 ms"],
      ["request to receipt", rounded(medianOf(times), 1).toString(), rounded(p95, 1).toString()],
    ],
    details: { rounds, times },
    figures: [
      { name: "pushP95Ms", value: rounded(p95, 1), target: { atMost: 300 }, says: "request to receipt, p95 in ms" },
    ],
  };
};
