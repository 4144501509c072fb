// A diff of 20,000 changed lines in one file, as a person opens and scrolls it: Chromium, the real server, the built page. A command of the
// session changed the file, so the diff comes from our snapshots.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { connect } from "@quarterdeck/client";
import type { Client } from "@quarterdeck/client";
import { simulatorPath } from "@quarterdeck/simulator";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";

import { findChromium } from "../../e2e/client/find-chromium.ts";
import { startBridgeServer, writeProgram } from "../bridge-server.ts";
import { CATEGORIES, FROM, longestTask, readTrace, TO } from "./trace.ts";
import type { TraceEvent } from "./trace.ts";

export interface LongDiff {
  /** Removed and added lines. */
  readonly changedLines: number;
  /** From the press on "Show them" to the frame with the first lines. Nothing announced the press. */
  readonly openMs: readonly number[];
  /** From the press until all lines are in the page, scrolled meanwhile. */
  readonly allMs: readonly number[];
  /** The same if the pointer came to the button `REACH_MS` before: the page reads the lines meanwhile. */
  readonly reachedMs: readonly number[];
  /** CPU time of the main thread meanwhile. On a busy machine, only this says something. */
  readonly openCpuMs: readonly number[];
  /** The longest task of the main thread from then until the end was reached, and the one with most CPU time. */
  readonly scrollLongestMs: readonly number[];
  readonly scrollCpuMs: readonly number[];
  /** Max elements of the file's changes, at any time. */
  readonly mostElements: number;
}

/** Six of seven lines change: 10,000 are removed, 10,000 added. */
const LINES = 11_666;
const CHANGED = 10_000;
/** A quick person's time from reaching a button to pressing it. */
const REACH_MS = 150;
const FILE = "src/tides.ts";
const DIST = fileURLToPath(new URL("../../packages/web/dist/", import.meta.url));

const SCENARIO = {
  name: "long diff",
  scripts: [
    {
      when: "rework",
      steps: [
        {
          say: [
            {
              tool: "Bash",
              input: {
                command: `awk 'NR % 7 { sub("ebb", "flood") } { print }' ${FILE} > next && mv next ${FILE}`,
                description: "Rework",
              },
            },
          ],
        },
        { say: [{ text: "Done." }] },
      ],
    },
  ],
};

export const measureLongDiff = async (rounds: number, say: (line: string) => void): Promise<LongDiff> => {
  if (!existsSync(join(DIST, "index.html"))) throw new Error("The page is not built: `npm run build`.");
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-diff-"));
  const scenario = join(folder, "scenario.json");
  writeFileSync(scenario, JSON.stringify(SCENARIO));
  const claude = writeProgram(join(folder, "claude"), [process.execPath, "--conditions=source", simulatorPath], {
    QUARTERDECK_SCENARIO: scenario,
  });
  const server = await startBridgeServer({ folder, claude });
  const client = connect({
    url: server.url,
    credentials: { kind: "token", token: server.token },
    client: { name: "bench", version: "1" },
  });
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
  try {
    makeRepository(server.cwd);
    say("review: a command changes 20,000 lines");
    const session = await rework(client, server.cwd);
    const { link } = await client.command("devices/pair", { role: "admin", name: "Bench" });
    const context = await pairedContext(browser, link);
    const found = {
      openMs: [] as number[],
      allMs: [] as number[],
      reachedMs: [] as number[],
      openCpuMs: [] as number[],
      scrollLongestMs: [] as number[],
      scrollCpuMs: [] as number[],
      mostElements: 0,
    };
    // The first round does not count, because the server is cold.
    for (let round = -1; round < rounds; round += 1) {
      if (round >= 0) say(`review: long diff, round ${String(round + 1)} of ${String(rounds)}`);
      const address = `${server.url}/#/s/${session}`;
      const other = await context.newPage();
      const { wallMs: reachedMs } = await openDiff(browser, other, address, true);
      await other.close();
      const page = await context.newPage();
      const opened = await openDiff(browser, page, address, false);
      const { wallMs, cpuMs, elements } = await scrollDiff(browser, page);
      const allMs = await page.evaluate(() => (window as unknown as { readonly allMs: number }).allMs);
      await page.close();
      found.mostElements = Math.max(found.mostElements, elements);
      if (round < 0) continue;
      found.reachedMs.push(reachedMs);
      found.openMs.push(opened.wallMs);
      found.allMs.push(allMs);
      found.openCpuMs.push(opened.cpuMs);
      found.scrollLongestMs.push(wallMs);
      found.scrollCpuMs.push(cpuMs);
    }
    return { changedLines: 2 * CHANGED, ...found };
  } finally {
    client.close();
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

const makeRepository = (cwd: string): void => {
  mkdirSync(join(cwd, "src"), { recursive: true });
  const lines = Array.from(
    { length: LINES },
    (_, at) => `export const tide${String(at)} = measure("harbour", ${String(at)}, { at: "ebb", step: 17 }); // ebb`,
  );
  writeFileSync(join(cwd, FILE), `${lines.join("\n")}\n`);
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "-m", "first"],
  ])
    execFileSync("git", args, { cwd, env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null" } });
};

/** A session whose turn has changed the file. */
const rework = async (client: Client, cwd: string): Promise<string> => {
  const { session } = await client.command("sessions/start", {
    cwd,
    prompt: "rework",
    settings: { permissionMode: "acceptEdits", allowedTools: ["Bash"] },
  });
  for (;;) {
    const { head } = await client.call("session/subscribe", { session: session.id, rows: 0 });
    if (head?.gauges?.turns === 1) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { files } = await client.call("changes/list", { session: session.id });
  const [file] = files;
  if (files.length !== 1 || file?.added !== CHANGED || file.removed !== CHANGED)
    throw new Error(`not the expected changes: ${JSON.stringify(files)}`);
  return session.id;
};

const pairedContext = async (browser: Browser, link: string): Promise<BrowserContext> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark" });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button", { name: "Pair this browser" }).click();
  await page.locator("main.main").waitFor();
  await page.close();
  return context;
};

/** Milliseconds from the press to the frame that shows the first lines. */
const openDiff = async (browser: Browser, page: Page, url: string, reaches: boolean): Promise<Took> => {
  await page.goto(url);
  await page.getByRole("button", { name: /^Changes: / }).click();
  const show = page.getByRole("button", { name: "Show them" });
  await show.waitFor();
  if (reaches) {
    await show.hover();
    await page.waitForTimeout(REACH_MS);
  }
  const { value, events } = await traced(browser, page, () =>
    show.evaluate(
      (button) =>
        new Promise<number>((resolve) => {
          const look = (): void => {
            const shown = document.querySelectorAll(".review-file .dl-del").length;
            if (shown < 20) {
              requestAnimationFrame(look);
              return;
            }
            // After the frame that shows them.
            setTimeout(() => resolve(performance.now() - start));
            lookForAll();
          };
          /** The place of the lines that are still to come goes. */
          const lookForAll = (): void => {
            if (document.querySelector(".review-file .review-waits") !== null) requestAnimationFrame(lookForAll);
            else Object.assign(window, { allMs: performance.now() - start });
          };
          const start = performance.now();
          (button as HTMLButtonElement).click();
          requestAnimationFrame(look);
        }),
    ),
  );
  const { cpuShare, seconds } = readTrace(events);
  return { wallMs: value, cpuMs: cpuShare * seconds * 1000 };
};

interface Took {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const traced = async <T>(browser: Browser, page: Page, work: () => Promise<T>) => {
  const kept = process.env["BENCH_TRACE"];
  const profile = kept === undefined ? [] : ["disabled-by-default-v8.cpu_profiler"];
  await browser.startTracing(page, { categories: [...CATEGORIES, ...profile] });
  await page.evaluate((name) => void performance.mark(name), FROM);
  const value = await work();
  await page.evaluate((name) => void performance.mark(name), TO);
  const written = await browser.stopTracing();
  // For a look at where the time goes: Chromium's trace viewer opens it.
  if (kept !== undefined) writeFileSync(kept, written);
  const { traceEvents } = JSON.parse(written.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  return { value, events: traceEvents };
};

/** With the wheel through the first part, then with the scrollbar to the end. */
const scrollDiff = async (browser: Browser, page: Page): Promise<Took & { readonly elements: number }> => {
  const { value, events } = await traced(browser, page, () => page.evaluate(scrollThrough, LINES));
  return { ...longestTask(events), elements: value };
};

/** In the page. Returns the most elements in the scroll. */
const scrollThrough = async (last: number): Promise<number> => {
  const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
  const scroller = document.querySelector(".changes-scroll")!;
  let most = 0;
  const count = (): void => {
    most = Math.max(most, scroller.querySelectorAll("*").length);
  };
  for (let step = 0; step < 120; step++) {
    scroller.scrollTop += 100;
    await frame();
    if (step % 10 === 0) count();
  }
  for (let share = 0; share < 1; share += 0.02) {
    scroller.scrollTop = scroller.scrollHeight * share;
    await frame();
    await frame();
    count();
  }
  for (let tries = 0; document.querySelector(`.review-file [data-line="${String(last)}"]`) === null; tries++) {
    if (tries === 600) throw new Error("the last line was not reached");
    scroller.scrollTop = scroller.scrollHeight;
    await frame();
  }
  count();
  return most;
};
