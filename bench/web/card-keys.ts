// From the key that allows a request to the frame without its card, less the time of the bridge: from the answer on the socket to the
// last message before the card is gone.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { connect } from "@quarterdeck/client";
import { programWords } from "@quarterdeck/test-kit/programs";
import type { Browser, Page } from "playwright-core";

import { startBridgeServer, writeProgram } from "../bridge-server.ts";

export interface CardOptions {
  readonly browser: Browser;
  readonly folder: string;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

export interface CardAnswer {
  readonly allMs: number;
  readonly bridgeMs: number;
}

/** Requests that are answered in each round. The first does not count, because its code is cold. */
const CARDS = 12;

interface Times {
  key: number;
  sent: number;
  message: number;
}
interface Seen extends Times {
  readonly gone: number;
}
interface Watched {
  readonly times: Times;
  seen: Seen | undefined;
}

const commandOf = (card: number): string => `touch bell-${String(card)}.txt`;

export const measureCards = async ({ browser, folder, rounds, say }: CardOptions): Promise<readonly CardAnswer[]> => {
  const place = join(folder, "cards");
  const [dataDir, cwd, scenario] = [join(place, "data"), join(place, "work"), join(place, "scenario.json")];
  for (const made of [dataDir, cwd]) mkdirSync(made, { recursive: true });
  const steps = Array.from({ length: CARDS }, (_, card) => ({
    say: [{ tool: "Bash", input: { command: commandOf(card) } }],
  }));
  const scripts = [{ when: "ring", steps: [...steps, { say: [{ text: "Rung." }] }] }];
  writeFileSync(scenario, JSON.stringify({ name: "cards", scripts }));
  const claude = writeProgram(join(place, "claude"), [process.execPath, ...programWords("quarterdeck-sim")], {
    QUARTERDECK_SCENARIO: scenario,
  });
  const server = await startBridgeServer({ folder: place, dataDir, claude });
  const client = connect({
    url: server.url,
    credentials: { kind: "token", token: server.token },
    client: { name: "bench", version: "1" },
  });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark" });
  try {
    await context.addInitScript(watchSocket);
    const page = await context.newPage();
    await page.goto((await client.command("devices/pair", { role: "admin", name: "Bench" })).link);
    await page.getByRole("button", { name: "Pair this browser" }).click();
    await page.locator("main.main").waitFor();
    const answers: CardAnswer[] = [];
    for (let round = 0; round < rounds; round += 1) {
      say(`web: ${String(CARDS)} cards are answered, round ${String(round + 1)} of ${String(rounds)}`);
      const { session } = await client.command("sessions/start", { cwd, prompt: "ring" });
      await page.goto(`${server.url}/#/s/${session.id}`);
      for (let card = 0; card < CARDS; card += 1) {
        const { key, sent, message, gone } = await answerOne(page, commandOf(card));
        if (card > 0) answers.push({ allMs: gone - key, bridgeMs: Math.max(0, message - sent) });
      }
    }
    return answers;
  } finally {
    client.close();
    await context.close();
    await server.stop();
  }
};

/** Allows the request by its key, as soon as the card takes one. */
const answerOne = async (page: Page, command: string): Promise<Seen> => {
  const card = page.locator(".ask", { hasText: command });
  await card.locator(".ask-yes:not([aria-disabled])").waitFor();
  await page.evaluate((words) => {
    const watched = globalThis as unknown as Watched;
    watched.seen = undefined;
    addEventListener("keydown", (event) => (watched.times.key = event.timeStamp), { once: true, capture: true });
    const isThere = (): boolean => document.querySelector(".ask")?.textContent.includes(words) === true;
    const watcher = new MutationObserver(() => {
      if (isThere()) return;
      watcher.disconnect();
      const times = { ...watched.times };
      // After the frame without it.
      requestAnimationFrame(() => setTimeout(() => (watched.seen = { ...times, gone: performance.now() })));
    });
    watcher.observe(document.body, { childList: true, subtree: true, characterData: true });
  }, command);
  await page.keyboard.press("a");
  const seen = await page.waitForFunction(() => (globalThis as unknown as Watched).seen, undefined, { polling: 20 });
  return (await seen.jsonValue())!;
};

/** Runs in the page before its own code. */
const watchSocket = (): void => {
  const times: Times = { key: 0, sent: 0, message: 0 };
  Object.assign(globalThis, { times });
  const Plain = WebSocket;
  globalThis.WebSocket = class extends Plain {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener("message", () => (times.message = performance.now()));
    }
    override send(data: Parameters<WebSocket["send"]>[0]): void {
      if (typeof data === "string" && data.includes("session/respond")) times.sent = performance.now();
      super.send(data);
    }
  };
};
