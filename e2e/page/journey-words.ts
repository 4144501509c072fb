// Names for what a person sees of the page.

import type { Locator, Page } from "playwright-core";

export const composerOf = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });

/** What waits for an answer in the open session. */
export const dockOf = (page: Page): Locator =>
  page.getByRole("main").getByRole("region", { name: /^(?:Needs you|\d+ requests need you)$/u });

/** The button that allows once. It also says its key and why it waits. */
export const allowIn = (dock: Locator): Locator =>
  dock.getByRole("button", { name: /^Allow(?! (?:as edited|for|always|all|and|anyway))/u });

/** The button that allows in the way that was chosen: "Allow for this session", "Allow always", "Allow all edits". */
export const allowAs = (dock: Locator, words: string): Locator =>
  dock.getByRole("button", { name: new RegExp(`^${words}`, "u") });

/** Opens the ways to allow and chooses one. */
export const chooseAllow = async (dock: Locator, way: RegExp): Promise<void> => {
  await dock.getByRole("button", { name: "More ways to allow", expanded: false }).click();
  await dock.getByRole("radio", { name: way }).check();
};

/** Opens the ways to deny and takes one. */
export const denyBy = async (dock: Locator, way: "Deny with a reason" | "Deny and stop"): Promise<void> => {
  await dock.getByRole("button", { name: "More ways to deny", expanded: false }).click();
  await dock.getByRole("group", { name: "How to deny" }).getByRole("button", { name: way }).click();
};

/** Not before it can be pressed: Playwright scrolls about while it waits, and what moves cannot be allowed. */
export const pressArmed = async (button: Locator): Promise<void> => {
  await button.and(button.page().locator(":not([aria-disabled])")).waitFor();
  await button.click();
};

/** For what is dangerous or not read: the first press asks, the second allows. */
export const pressTwice = async (button: Locator): Promise<void> => {
  await pressArmed(button);
  await pressArmed(
    button
      .page()
      .locator(".ask")
      .getByRole("button", { name: /^(?:Allow|Approve) anyway/u }),
  );
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
