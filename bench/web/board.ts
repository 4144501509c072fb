// The board of many sessions next to a board of few sessions: from the start of the navigation to the frame that shows
// all of them in their lanes. Also the cost page of a year of sessions: from the press on "Year" to the frame with its
// figures, its chart and its table.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { connect } from "@quarterdeck/client";
import type { Browser, BrowserContext } from "playwright-core";

import { startBridgeServer } from "../bridge-server.ts";
import { grouped } from "../figure.ts";
import { runReader } from "../reader.ts";

export const FEW_SESSIONS = 20;

export interface BoardLoad {
  readonly shownMs: number;
  /** Elements of the board then. */
  readonly elements: number;
}
export interface BoardLoads {
  readonly few: readonly BoardLoad[];
  readonly many: readonly BoardLoad[];
  /** Milliseconds until the cost of a year is shown, of the many sessions. */
  readonly yearMs: readonly number[];
}

export interface BoardOptions {
  readonly browser: Browser;
  readonly folder: string;
  readonly claude: string;
  readonly sessions: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

export const measureBoards = async ({
  browser,
  folder,
  claude,
  sessions,
  rounds,
  say,
}: BoardOptions): Promise<BoardLoads> => {
  const counts = { few: FEW_SESSIONS, many: sessions };
  say(`web: boards of ${String(FEW_SESSIONS)} and ${grouped(sessions)} sessions`);
  const places = {
    few: await openPlace(browser, join(folder, "few"), claude, counts.few),
    many: await openPlace(browser, join(folder, "many"), claude, counts.many),
  };
  try {
    const loads = { few: [] as BoardLoad[], many: [] as BoardLoad[] };
    // The first round of each does not count, because the server is cold.
    for (let round = -1; round < rounds; round += 1)
      for (const name of round % 2 === 0 ? (["few", "many"] as const) : (["many", "few"] as const)) {
        const load = await openBoard(places[name].context, places[name].server.url, counts[name]);
        if (round >= 0) loads[name].push(load);
      }
    say(`web: the cost page of a year of ${grouped(sessions)} sessions`);
    return { ...loads, yearMs: await openYears(places.many.context, places.many.server.url, sessions, rounds) };
  } finally {
    for (const { context, server } of [places.few, places.many]) {
      await context.close();
      await server.stop();
    }
  }
};

const openPlace = async (browser: Browser, folder: string, claude: string, count: number) => {
  const [dataDir, cwd] = [join(folder, "data"), join(folder, "work")];
  for (const made of [dataDir, cwd]) mkdirSync(made, { recursive: true });
  await runReader<{ sessions: number }>("web/sessions-maker.ts", [dataDir, String(count), cwd]);
  const server = await startBridgeServer({ folder, dataDir, claude });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark" });
  const client = connect({
    url: server.url,
    credentials: { kind: "token", token: server.token },
    client: { name: "bench", version: "1" },
  });
  const { link } = await client.command("devices/pair", { role: "admin", name: "Bench" });
  client.close();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button", { name: "Pair this browser" }).click();
  await page.locator("main.main").waitFor();
  await page.close();
  return { context, server };
};

/** Opens the board in a fresh page. */
const openBoard = async (context: BrowserContext, url: string, count: number): Promise<BoardLoad> => {
  const page = await context.newPage();
  await page.addInitScript((wanted) => {
    const look = (): void => {
      const shown = [...document.querySelectorAll(".board-head .num")].reduce(
        (sum, each) => sum + Number(each.textContent),
        0,
      );
      if (shown !== wanted || document.querySelector(".board-card") === null) requestAnimationFrame(look);
      // After the frame that shows everything.
      else setTimeout(() => performance.mark("shown"));
    };
    requestAnimationFrame(look);
  }, count);
  await page.goto(`${url}/#/board`, { waitUntil: "commit" });
  await page.waitForFunction(() => performance.getEntriesByName("shown").length > 0, undefined, { polling: 20 });
  const load = await page.evaluate(() => ({
    shownMs: performance.getEntriesByName("shown")[0]!.startTime,
    elements: document.querySelectorAll(".board, .board *").length,
  }));
  await page.close();
  return load;
};

/** Changes from the cost of a week to that of the year and back. Each asks the server again. */
const openYears = async (context: BrowserContext, url: string, count: number, rounds: number): Promise<number[]> => {
  const page = await context.newPage();
  await page.goto(`${url}/#/s/session-0`);
  await page.getByRole("button", { name: "Show workbench" }).click();
  await page.getByRole("tab", { name: "Cost", exact: true }).click();
  const panel = page.getByRole("region", { name: "Cost", exact: true });
  await panel.getByText("All projects").click();
  const all: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    await panel.getByText("7 days", { exact: true }).first().click();
    await panel.locator(".cost-figures").waitFor();
    const took = await panel.evaluate(async (region, wanted) => {
      const year = [...region.querySelectorAll("label")].find(({ textContent }) => textContent === "Year")!;
      const started = performance.now();
      year.click();
      const isShown = (): boolean => {
        const figures = [...region.querySelectorAll(".cost-figures b")].map((each) => each.textContent);
        return figures.includes(String(wanted)) && region.querySelectorAll(".cost-chart li").length > 50;
      };
      while (!isShown()) {
        if (performance.now() - started > 60_000)
          throw new Error(`The cost of the year was not shown: ${region.textContent.slice(0, 400)}`);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      // After the frame that shows it.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - started;
    }, count);
    if (round >= 0) all.push(took);
  }
  await page.close();
  return all;
};
