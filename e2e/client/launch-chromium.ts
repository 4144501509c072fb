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

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", `--disable-features=${[...PLAYWRIGHT, ...UNUSED].join(",")}`],
  });
