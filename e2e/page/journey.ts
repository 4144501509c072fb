// What journeys share: a deck for a file of them with one page that is paired already, and names for what a person sees.

import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { Deck } from "./deck.ts";
import type { DeckOptions, OpenOptions } from "./deck.ts";

export interface Aboard {
  readonly deck: Deck;
  /** One for all tests of the file; those that need another open it. */
  readonly page: Page;
}

/** To look at what a failed test saw, name a folder in this variable. */
const PICTURES = process.env["QUARTERDECK_FAILURES"];

export const useDeck = (options: DeckOptions, open: OpenOptions | "nobody" = {}): Aboard => {
  const aboard = {} as { deck: Deck; page: Page };
  beforeAll(async () => {
    aboard.deck = await Deck.start(options);
    if (open === "nobody") return;
    aboard.page = await aboard.deck.open(open);
    aboard.deck.keepPages();
  });
  afterEach(async ({ task }) => {
    if (PICTURES !== undefined && task.result?.state === "fail")
      for (const [at, page] of aboard.deck.pages().entries())
        await page.screenshot({ path: join(PICTURES, `${task.name.replaceAll(/\W+/gu, "-")}-${at}.png`) });
    await aboard.deck.closePages();
    expect(aboard.deck.takeTroubles()).toEqual([]);
  });
  afterAll(() => aboard.deck?.end());
  return aboard;
};

export const composerOf = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });

/** What waits for an answer in the open session. */
export const dockOf = (page: Page): Locator =>
  page.getByRole("main").getByRole("region", { name: /^(?:Waits|\d+ wait) for you$/u });

/** A phone names no keys. */
export const allowIn = (dock: Locator): Locator => dock.getByRole("button", { name: /^Allow(?: ↵)?$/u });

export const rowWith = (page: Page, words: string | RegExp): Locator =>
  page.locator("[data-row]").filter({ hasText: words });

export const statusOf = (page: Page): Locator => page.getByRole("contentinfo", { name: "Status" });

/** The turn is over, and nothing waits. */
export const settled = (page: Page): Promise<void> =>
  statusOf(page)
    .getByText(/^idle\b/u)
    .waitFor();

export const send = async (page: Page, words: string): Promise<void> => {
  await composerOf(page).fill(words);
  await composerOf(page).press("Enter");
};

/** Ids of the rows on the page, in their order. */
export const rowIds = (page: Page): Promise<string[]> =>
  page.locator("[data-row]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-row") ?? ""));
