// Starts the installed Chromium for tests, without what a test pays for and never uses.

import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { findChromium } from "./find-chromium.ts";

// Chromium obeys only the last `--disable-features`, so Playwright's own list is repeated here.
const PLAYWRIGHT = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];

/**
 * Each window loads two pages for the list below its address bar, which no test ever sees. They cost more than our own page: 1.3 of
 * the 3.0 CPU seconds of a paired browser. A spare process, which Chromium starts for the next navigation, costs 0.2.
 */
const UNUSED = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "SpareRendererForSitePerProcess"];

const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", `--disable-features=${[...PLAYWRIGHT, ...UNUSED].join(",")}`],
  });

const WORKER = Symbol.for("quarterdeck.chromium");
const worker = globalThis as { [WORKER]?: Promise<Browser> };

/**
 * The Chromium of this test worker, which runs several files. A start costs 1.6 CPU seconds. A file ends with `closePages`, never with
 * an end of the browser: Playwright ends it with the worker. Each file has fresh modules, so the browser is kept outside of them.
 */
export const workerChromium = async (): Promise<Browser> => {
  const running = await worker[WORKER]?.catch(() => undefined);
  if (running?.isConnected() === true) return running;
  return (worker[WORKER] = launchChromium());
};

/** A worker runs one file at a time, so all of them are the file's own. */
export const closePages = async (browser: Browser): Promise<void> => {
  await Promise.all(browser.contexts().map((context) => context.close()));
};
