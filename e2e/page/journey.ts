// What journeys share: a deck for a file of them with one page that is paired already.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { Deck } from "./deck.ts";
import type { DeckOptions, OpenOptions } from "./deck.ts";

export {
  allowAs,
  allowIn,
  chooseAllow,
  composerOf,
  denyBy,
  dockOf,
  pressArmed,
  pressTwice,
  rowIds,
  rowWith,
  send,
  settled,
  statusOf,
} from "./journey-words.ts";

export interface Aboard {
  readonly deck: Deck;
  /** One for all tests of the file; those that need another open it. */
  readonly page: Page;
}

/** To look at what a failed test saw, name a folder in this variable. */
const PICTURES = process.env["QUARTERDECK_FAILURES"];

export const useDeck = (
  options: DeckOptions | (() => Promise<DeckOptions>),
  open: OpenOptions | "nobody" = {},
): Aboard => {
  const aboard = {} as { deck: Deck; page: Page };
  beforeAll(async () => {
    aboard.deck = await Deck.start(typeof options === "function" ? await options() : options);
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
