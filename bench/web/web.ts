// The page as a person uses it: Chromium, the real server, the built page, and a session of 10,000 rows next to one of
// 100. Bytes are counted on the wire. The load of the main thread is read from traces.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { connect } from "@quarterdeck/client";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";

import { findChromium } from "../../e2e/client/find-chromium.ts";
import { startBridgeServer, writeProgram } from "../bridge-server.ts";
import { grouped, medianOf, medianRatio, rounded } from "../figure.ts";
import type { Report } from "../figure.ts";
import { runReader } from "../reader.ts";
import { FEW_SESSIONS, measureBoards } from "./board.ts";
import type { BoardLoads } from "./board.ts";
import { watchBlocks } from "./block-watch.ts";
import type { BlockWatch } from "./block-watch.ts";
import { measureCards } from "./card-keys.ts";
import type { CardAnswer } from "./card-keys.ts";
import { openCountedLink } from "./counted-link.ts";
import type { CountedLink } from "./counted-link.ts";
import { markdownOf } from "./long-session.ts";
import type { MadeSession } from "./session-maker.ts";
import { CATEGORIES, FROM, percentileOf, readTrace, TO } from "./trace.ts";
import type { MainThread, TraceEvent } from "./trace.ts";

export interface WebOptions {
  /** Rows of the long session. The short one has 100. */
  readonly rows: number;
  /** Sessions of the large board. The small one has 20. */
  readonly sessions: number;
  /** Seconds of streaming. */
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

const SHORT_ROWS = 100;
const RATE = 500;
const DELTA_CHARACTERS = 12;
/** Three seconds of text, 18 kB. */
const MESSAGE_DELTAS = 1500;
const KEY_GAP_MS = 60;
const WARM_UP_MS = 1000;
const LIST = ".timeline-list";

const DIST = fileURLToPath(new URL("../../packages/web/dist/", import.meta.url));
const PACED = fileURLToPath(new URL("../bridge-paced-cli.ts", import.meta.url));

interface Load {
  /** From the start of the navigation to the frame that shows the last row. */
  readonly shownMs: number;
  /** All bytes until then, and until the composer accepted a key. */
  readonly wireBytes: number;
  readonly codeGzipBytes: number;
  readonly files: readonly string[];
}

interface Streaming {
  readonly main: MainThread;
  readonly heapBefore: number;
  readonly heapAfter: number;
  readonly blocks: BlockWatch;
}

export const benchWeb = async (options: WebOptions): Promise<Report> => {
  const { rows, rounds, seconds, say } = options;
  if (!existsSync(join(DIST, "index.html"))) throw new Error("The page is not built: `npm run build`.");
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-web-"));
  const [dataDir, cwd, speech] = [join(folder, "data"), join(folder, "work"), join(folder, "speech.md")];
  for (const made of [dataDir, cwd]) mkdirSync(made);
  const deltas = seconds * RATE;
  writeFileSync(speech, speechOf(deltas * DELTA_CHARACTERS));
  const claude = writeProgram(join(folder, "claude"), [process.execPath, "--conditions=source", PACED], {
    BENCH_DELTAS: String(deltas),
    BENCH_RATE: String(RATE),
    BENCH_TEXTS: folder,
    BENCH_SPEECH: speech,
    BENCH_MESSAGE: String(MESSAGE_DELTAS),
  });
  const make = (id: string, count: number): Promise<MadeSession> =>
    runReader<MadeSession>("web/session-maker.ts", [dataDir, id, String(count), cwd]);
  say(`web: writing sessions of ${grouped(SHORT_ROWS)} and ${grouped(rows)} rows`);
  const sessions = { short: await make("short", SHORT_ROWS), long: await make("long", rows) };
  const link = await openCountedLink();
  const flags = ["--allow-host", link.host];
  const server = await startBridgeServer({ folder, dataDir, claude, flags });
  link.leadTo(server.url);
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--enable-precise-memory-info"],
  });
  try {
    const context = await pairedContext(browser, link, server);
    const loads = { short: [] as Load[], long: [] as Load[] };
    // The first round of each does not count, because the server is cold.
    for (let round = -1; round < rounds; round += 1) {
      if (round >= 0) say(`web: first screens, round ${String(round + 1)} of ${String(rounds)}`);
      for (const name of round % 2 === 0 ? (["short", "long"] as const) : (["long", "short"] as const)) {
        const { load, page } = await open(context, link, name, sessions[name].lastRow);
        if (round >= 0) loads[name].push(load);
        await page.close();
      }
    }
    const { page } = await open(context, link, "long", sessions.long.lastRow);
    say(`web: scrolling through ${grouped(rows)} rows`);
    const scrolled = await scrollThrough(page, sessions.long.rows);
    say(`web: streaming ${grouped(deltas)} deltas for ${String(seconds)} s`);
    const lastMark =
      readFileSync(speech, "utf8")
        .match(/§\d+(?=\D)/gu)
        ?.at(-1) ?? "";
    const streaming = await stream(browser, page, deltas, lastMark);
    await page.close();
    const boards = await measureBoards({ browser, folder, claude, sessions: options.sessions, rounds, say });
    const cards = await measureCards({ browser, folder, rounds, say });
    return reportOf(options, { sessions, loads, scrolled, streaming, boards, cards });
  } finally {
    await browser.close();
    link.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

/** Markdown in which every block has its number. */
const speechOf = (characters: number): string => {
  let text = "";
  for (let stretch = 0; text.length < characters; stretch += 1)
    text += `${markdownOf(1_000_000 + stretch, (block) => `§${String(stretch * 10 + block)}`)}\n\n`;
  return text.slice(0, characters);
};

const pairedContext = async (
  browser: Browser,
  link: CountedLink,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<BrowserContext> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark" });
  const client = connect({ url, credentials: { kind: "token", token }, client: { name: "bench", version: "1" } });
  const pairing = new URL((await client.command("devices/pair", { role: "admin", name: "Bench" })).link);
  client.close();
  const page = await context.newPage();
  await page.goto(`http://${link.host}${pairing.pathname}${pairing.search}${pairing.hash}`);
  await page.getByRole("button", { name: "Pair this browser" }).click();
  await page.locator("main.main").waitFor();
  await page.close();
  return context;
};

const composerOf = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

/** Opens a session in a fresh page with an empty cache. */
const open = async (
  context: BrowserContext,
  link: CountedLink,
  session: string,
  lastRow: string,
): Promise<{ readonly load: Load; readonly page: Page }> => {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  const shown = Promise.withResolvers<Omit<Load, "codeGzipBytes">>();
  const before = link.received();
  await page.exposeFunction("benchShown", (shownMs: number, files: readonly string[]) =>
    shown.resolve({ shownMs, files, wireBytes: link.received() - before }),
  );
  await page.addInitScript((row) => {
    const look = (): void => {
      const composer = document.querySelector("textarea");
      if (composer === null || composer.disabled || document.querySelector(`[data-row="${row}"]`) === null) {
        requestAnimationFrame(look);
        return;
      }
      composer.focus();
      composer.addEventListener("input", () => tell(), { once: true });
      // After the frame that shows everything.
      setTimeout(() => performance.mark("shown"));
    };
    const tell = (): void => {
      const files = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
      const { benchShown } = globalThis as unknown as { benchShown: (at: number, files: readonly string[]) => void };
      benchShown(performance.getEntriesByName("shown")[0]!.startTime, files);
    };
    requestAnimationFrame(look);
  }, lastRow);
  await page.goto(`http://${link.host}/#/s/${session}`, { waitUntil: "commit" });
  await page.waitForFunction(() => performance.getEntriesByName("shown").length > 0, undefined, { polling: 20 });
  await page.keyboard.press("x");
  const { files: all, ...seen } = await shown.promise;
  await composerOf(page).press("Backspace");
  const files = all.filter((file) => /\.(?:js|css)$/u.test(file));
  const codeGzipBytes = files.reduce((sum, file) => sum + statSync(join(DIST, `${file}.gz`)).size, 0);
  await devtools.detach();
  return { page, load: { ...seen, codeGzipBytes, files } };
};

/**
 * Scrolls to the beginning, which loads all rows, and back to the end. Returns the max number of elements in the
 * timeline.
 */
const scrollThrough = async (
  page: Page,
  rows: number,
): Promise<{ readonly mostElements: number; readonly steps: number }> =>
  page.evaluate(
    async ({ list, wanted }) => {
      const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
      const scroller = document.querySelector(list)!;
      let [mostElements, steps, still] = [0, 0, 0];
      const count = (): void => {
        mostElements = Math.max(mostElements, document.querySelectorAll(".timeline, .timeline *").length);
        steps++;
      };
      // As fast as a person drags a scrollbar. Rows that are missing are being loaded.
      for (let step = 0; step < wanted * 20 && still < 300; step++) {
        const { scrollTop } = scroller;
        scroller.scrollTop = scrollTop - scroller.clientHeight * 4;
        await frame();
        count();
        const isAtStart = document.querySelector(".beginning")?.textContent === "Start of the conversation";
        still = isAtStart && scroller.scrollTop === 0 ? still + 100 : 0;
      }
      if (still === 0) throw new Error("the beginning was not reached");
      for (let share = 0; share <= 1; share += 0.02) {
        scroller.scrollTop = scroller.scrollHeight * share;
        await frame();
        await frame();
        count();
      }
      return { mostElements, steps };
    },
    { list: LIST, wanted: rows },
  );

/** A turn at full rate while a person types. */
const stream = async (browser: Browser, page: Page, deltas: number, lastMark: string): Promise<Streaming> => {
  const devtools = await page.context().newCDPSession(page);
  const composer = composerOf(page);
  await toEnd(page);
  const heapBefore = await heapOf(devtools);
  await page.evaluate(watchBlocks, LIST);
  await composer.fill("Go on.");
  await composer.press("Enter");
  const flowing = page.locator(".prose.is-writing");
  await flowing.waitFor({ state: "attached" });
  await page.waitForTimeout(Math.min(WARM_UP_MS, (deltas / RATE) * 250));
  const kept = process.env["BENCH_TRACE"];
  const profile = kept === undefined ? [] : ["disabled-by-default-v8.cpu_profiler"];
  await browser.startTracing(page, { categories: [...CATEGORIES, ...profile] });
  await page.evaluate((name) => void performance.mark(name), FROM);
  const until = performance.now() + (deltas / RATE) * 1000 - WARM_UP_MS - 1000;
  await composer.focus();
  const letters = "the harbour gates open when the tide is high and close again ";
  for (let key = 0; key === 0 || performance.now() < until; key += 1) {
    const letter = letters[key % letters.length]!;
    await page.keyboard.press(letter === " " ? "Space" : letter);
    await page.waitForTimeout(KEY_GAP_MS);
  }
  await page.evaluate((name) => void performance.mark(name), TO);
  const written = await browser.stopTracing();
  // For a look at where the time goes: Chromium's trace viewer opens it.
  if (kept !== undefined) writeFileSync(kept, written);
  const trace = JSON.parse(written.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  await page
    .getByRole("contentinfo", { name: "Status" })
    .getByText(/^idle\b/u)
    .waitFor({ timeout: 120_000 });
  // Everything has arrived, and the page has rendered it.
  await page.locator(LIST).getByText(lastMark).first().waitFor();
  const heapAfter = await heapOf(devtools);
  const seen = await page.evaluate(() => (globalThis as unknown as { readonly blockWatch: BlockWatch }).blockWatch);
  return { main: readTrace(trace.traceEvents), heapBefore, heapAfter, blocks: seen };
};

const toEnd = (page: Page): Promise<void> =>
  page.evaluate(
    (list) =>
      new Promise<void>((resolve) => {
        const scroller = document.querySelector(list)!;
        const look = (): void => {
          scroller.scrollTop = scroller.scrollHeight;
          if (
            scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 2 &&
            document.querySelector(".to-end") === null
          )
            resolve();
          else requestAnimationFrame(look);
        };
        look();
      }),
    LIST,
  );

/** Heap size after a collection. */
const heapOf = async (devtools: CDPSession): Promise<number> => {
  for (let time = 0; time < 3; time += 1) await devtools.send("HeapProfiler.collectGarbage");
  return (await devtools.send("Runtime.getHeapUsage")).usedSize;
};

const reportOf = (
  { rows, rounds, seconds, sessions: many }: WebOptions,
  {
    sessions,
    loads,
    scrolled,
    streaming,
    boards,
    cards,
  }: {
    readonly cards: readonly CardAnswer[];
    readonly boards: BoardLoads;
    readonly sessions: Readonly<Record<"short" | "long", MadeSession>>;
    readonly loads: Readonly<Record<"short" | "long", readonly Load[]>>;
    readonly scrolled: { readonly mostElements: number; readonly steps: number };
    readonly streaming: Streaming;
  },
): Report => {
  const { main, heapBefore, heapAfter, blocks } = streaming;
  const kB = (bytes: number): number => rounded(bytes / 1000, 1);
  const shown = (name: "short" | "long"): number[] => loads[name].map(({ shownMs }) => shownMs);
  const boardMs = (name: "few" | "many"): number[] => boards[name].map(({ shownMs }) => shownMs);
  const usual = (field: "wireBytes" | "codeGzipBytes"): number => medianOf(loads.short.map((load) => load[field]));
  const beyond = cards.map(({ allMs, bridgeMs }) => allMs - bridgeMs);
  const keyP = (share: number): number => rounded(percentileOf(main.keys, share), 1);
  return {
    title: `web: a page of ${grouped(rows)} rows, first screens in ${String(rounds)} interleaved rounds, ${String(RATE)} deltas/s for ${String(seconds)} s`,
    table: [
      ["what", "value", "unit"],
      [`first screen, ${grouped(sessions.short.rows)} rows`, medianOf(shown("short")).toFixed(0), "ms"],
      [`first screen, ${grouped(sessions.long.rows)} rows`, medianOf(shown("long")).toFixed(0), "ms"],
      [`board of ${String(FEW_SESSIONS)} sessions`, medianOf(boardMs("few")).toFixed(0), "ms"],
      [`board of ${grouped(many)} sessions`, medianOf(boardMs("many")).toFixed(0), "ms"],
      ["cost page of a year", medianOf(boards.yearMs).toFixed(0), `ms, ${grouped(many)} sessions`],
      ["elements looked at while scrolling through", String(scrolled.steps), "times"],
      ["traced", main.seconds.toFixed(1), "s"],
      ["core time of the main thread", (main.cpuShare * 100).toFixed(1), "%"],
      ["longest task", (main.longTasks[0] ?? 0).toFixed(1), "ms, 0 if none is above 50"],
      ["key to glyph, p50", String(keyP(0.5)), `ms, ${String(main.keys.length)} keys`],
      ["key to glyph, longest", String(keyP(1)), "ms"],
      [
        "key to card answered, p50",
        medianOf(cards.map(({ allMs }) => allMs)).toFixed(1),
        `ms, ${String(cards.length)} cards`,
      ],
      ["of this: the bridge", medianOf(cards.map(({ bridgeMs }) => bridgeMs)).toFixed(1), "ms"],
      ["heap before the turn", (heapBefore / 1e6).toFixed(1), "MB"],
      ["heap after the turn", (heapAfter / 1e6).toFixed(1), "MB"],
      ["blocks finished", String(blocks.finished), ""],
    ],
    details: { rounds, sessions, loads, scrolled, streaming, boards, cards },
    figures: [
      {
        name: "webWireKB",
        value: kB(usual("wireBytes")),
        target: { atMost: 200 },
        says: `over the wire until ${grouped(sessions.short.rows)} rows are shown and the composer accepts a key`,
      },
      {
        name: "webCodeGzipKB",
        value: kB(usual("codeGzipBytes")),
        target: { atMost: 180 },
        says: "scripts and styles of that, gzip",
      },
      {
        name: "webElements",
        value: scrolled.mostElements,
        target: { atMost: 1500 },
        says: `most elements in the timeline, anywhere in ${grouped(rows)} rows`,
      },
      {
        name: "webFirstScreenRatio",
        value: medianRatio(shown("long"), shown("short")),
        target: { atMost: 1.5 },
        says: `first screen of ${grouped(sessions.long.rows)} rows / of ${grouped(sessions.short.rows)}`,
      },
      {
        name: "webBoardRatio",
        value: medianRatio(boardMs("many"), boardMs("few")),
        target: { atMost: 1.5 },
        says: `first paint of a board of ${grouped(many)} sessions / of ${String(FEW_SESSIONS)}`,
      },
      {
        name: "webYearCostMs",
        value: rounded(medianOf(boards.yearMs), 1),
        target: { atMost: 500 },
        says: `ms until the cost page of a year of ${grouped(many)} sessions is shown`,
      },
      {
        name: "webBusyShare",
        value: main.busyShare,
        target: { atMost: 0.6 },
        says: "of the main thread while text streams into all rows",
      },
      {
        name: "webTasksAbove50",
        value: main.longTasks.length,
        target: { atMost: 2 },
        says: "tasks above 50 ms meanwhile",
      },
      {
        name: "webTasksAbove100",
        value: main.longTasks.filter((took) => took > 100).length,
        target: { atMost: 0 },
        says: "tasks above 100 ms meanwhile",
      },
      {
        name: "webHeapRatio",
        value: heapAfter / heapBefore,
        target: { atMost: 1.1 },
        says: "heap after the turn / before it, both after a collection",
      },
      {
        name: "webBlocksAgain",
        value: blocks.again.length,
        target: { atMost: 0 },
        says: "finished blocks that changed or were rendered again",
      },
      {
        name: "webKeyP99",
        value: keyP(0.99),
        target: { atMost: 50 },
        says: "ms from a key to its glyph in the composer meanwhile",
      },
      {
        name: "webCardMs",
        value: rounded(medianOf(beyond), 1),
        target: { atMost: 16.7 },
        says: "ms from the key that allows a request to the frame without its card, beyond the bridge (median)",
      },
    ],
  };
};
