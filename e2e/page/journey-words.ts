// Names for what a person sees of the page.

import type { Locator, Page } from "playwright-core";

export const composerOf = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });

/** What waits for an answer in the open session. */
export const dockOf = (page: Page): Locator =>
  page.getByRole("main").getByRole("region", { name: /^(?:Needs you|\d+ requests need you)$/u });

/** A phone names no keys. */
export const allowIn = (dock: Locator): Locator => dock.getByRole("button", { name: /^Allow(?: ↵)?$/u });

/** Not before it can be pressed: Playwright scrolls about while it waits, and what moves cannot be allowed. */
export const pressArmed = async (button: Locator): Promise<void> => {
  await button.and(button.page().locator(":not([aria-disabled])")).waitFor();
  await button.click();
};

export const rowWith = (page: Page, words: string | RegExp): Locator =>
  page.locator("[data-row]").filter({ hasText: words });

export const statusOf = (page: Page): Locator => page.getByRole("contentinfo", { name: "Status" });

/** The turn is over, and nothing waits: a prompt that is still on its way has a turn before it. */
export const settled = async (page: Page): Promise<void> => {
  const underWay = page.locator("[data-row]").locator("[title=accepted], [title=sent], [title=queued]");
  await underWay.first().waitFor({ state: "detached" });
  await statusOf(page)
    .getByText(/^idle\b/u)
    .waitFor();
};

export const send = async (page: Page, words: string): Promise<void> => {
  await composerOf(page).fill(words);
  await composerOf(page).press("Enter");
};

/** Ids of the rows on the page, in their order. */
export const rowIds = (page: Page): Promise<string[]> =>
  page.locator("[data-row]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-row") ?? ""));
