// Sessions from outside: fork, rename, archive, delete, find, come back to a row by its link, trust.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { composerOf, rowIds, rowWith, send, settled, statusOf, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO }, { permissions: ["clipboard-read", "clipboard-write"] });

const railOf = (page: Page): Locator => page.getByRole("navigation", { name: "Sessions" });
const entryOf = (page: Page, title: string): Locator =>
  railOf(page).getByRole("link", { name: new RegExp(title, "u") });
const chooseFor = async (page: Page, title: string, item: string): Promise<void> => {
  await railOf(page)
    .getByRole("button", { name: `More for ${title}`, exact: true })
    .click();
  await page.getByRole("menuitem", { name: new RegExp(`^${item}`, "u") }).click();
};
const chooseInRow = async (page: Page, words: string, item: string): Promise<void> => {
  await rowWith(page, words).hover();
  await rowWith(page, words).getByRole("button", { name: "More about this row" }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

describe("a fork", () => {
  it("has the past up to the message that it was made from, and leaves the original as it was", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello", title: "The original" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await send(page, "second thought");
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    const whole = await rowIds(page);
    const original = page.url();
    await chooseInRow(page, "Hello from the deck.", "Fork from here");
    await page.getByText("Forked. The original is as it was.").waitFor();
    await rowWith(page, "Hello from the deck.").waitFor();
    expect(page.url()).not.toBe(original);
    expect(await rowWith(page, "second thought").count()).toBe(0);
    await send(page, "third thought");
    await rowWith(page, "A third thought.").waitFor();
    await settled(page);
    await page.goto(original);
    await rowWith(page, "A second thought.").waitFor();
    expect(await rowWith(page, "A third thought.").count()).toBe(0);
    expect(await rowIds(page)).toEqual(whole);
  });
});

describe("a session", () => {
  it("gets another name, everywhere", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { title: "Sloop" });
    await chooseFor(page, "Sloop", "Rename…");
    await page.getByRole("dialog", { name: "Rename the session" }).getByLabel("Title").fill("Brigantine");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Brigantine" }).waitFor();
    await entryOf(page, "Brigantine").waitFor();
    await expect.poll(() => page.title()).toBe("Brigantine · Quarterdeck");
  });

  it("goes into the archive and comes back", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { title: "Lugger" });
    await chooseFor(page, "Lugger", "Archive");
    await page.getByText("Archived “Lugger”.").waitFor();
    await entryOf(page, "Lugger").waitFor({ state: "detached" });
    await railOf(page).getByRole("button", { name: "Archive", exact: true }).click();
    await entryOf(page, "Lugger").waitFor();
    await chooseFor(page, "Lugger", "Take out of the archive");
    await railOf(page).getByRole("button", { name: "Leave archive" }).click();
    await entryOf(page, "Lugger").waitFor();
    expect(await page.getByText("No sessions yet.").count()).toBe(0);
  });

  it("is deleted only when that was confirmed, and then for good", async () => {
    const { deck, page } = aboard;
    const id = await deck.atSession(page, { title: "Wreck" });
    await chooseFor(page, "Wreck", "Delete…");
    const dialog = page.getByRole("dialog", { name: "Delete this session?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await entryOf(page, "Wreck").waitFor();
    await chooseFor(page, "Wreck", "Delete…");
    await dialog.getByRole("button", { name: "Delete for good" }).click();
    await entryOf(page, "Wreck").waitFor({ state: "detached" });
    await deck.goTo(page, id);
    await page.getByRole("heading", { name: "There is no such session here" }).waitFor();
    await expect(deck.client.call("session/rows", { session: id })).rejects.toMatchObject({ code: "unknown-session" });
  });

  it("ends its process and gets another with the next message", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello", title: "Ferry" });
    await settled(page);
    await chooseFor(page, "Ferry", "End the process");
    await statusOf(page)
      .getByText(/^no process/u)
      .waitFor();
    await send(page, "second thought");
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    expect(deck.promptsToCli().filter((text) => text === "second thought")).toHaveLength(2);
  });
});

describe("finding", () => {
  it("finds sessions by name and by what was said in them", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "tell the report", title: "Harbour works" });
    await rowWith(page, "That is all of it.").waitFor();
    await settled(page);
    await deck.atSession(page, { title: "Something else" });
    await page.keyboard.press("Control+k");
    await page.locator("input[type=search]:focus").waitFor();
    await page.keyboard.type("harbour w");
    await entryOf(page, "Something else").waitFor({ state: "detached" });
    await entryOf(page, "Harbour works").waitFor();
    await railOf(page).getByRole("searchbox").fill("all of it");
    await railOf(page)
      .getByRole("link", { name: /That is all of it/u })
      .first()
      .click();
    await page.getByRole("heading", { level: 1, name: "Harbour works" }).waitFor();
    await rowWith(page, "three gates").waitFor();
    expect(page.url()).toMatch(/#\/s\/[^/]+\/r\/./u);
    await railOf(page).getByRole("searchbox").fill("");
  });

  it("finds in a session, and goes to a row by its link", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "recite", title: "Verses" });
    await settled(page);
    await send(page, "say hello");
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await chooseInRow(page, "Hello from the deck.", "Copy link to this row");
    await page.getByText("Link copied.").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press("Control+f");
    await page.locator("input[type=search]:focus").waitFor();
    await page.keyboard.type("for the time 7,");
    await page.getByText(/of \d+ rows/u).waitFor();
    await page.keyboard.press("Escape");
    await page.goto(`${deck.server.url}/#/`);
    await page.goto(link);
    await rowWith(page, "Hello from the deck.").waitFor();
    expect(link).toContain(page.url());
  });

  it("shows the raw messages of a row", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello" });
    await settled(page);
    await chooseInRow(page, "Hello from the deck.", "Raw messages");
    await page.getByRole("dialog").getByText('"assistant"').first().waitFor();
    expect(await page.getByRole("dialog").textContent()).toContain("Hello from the deck.");
    await page.keyboard.press("Escape");
  });
});

describe("a folder that nobody trusts", () => {
  it("is asked about before anything of its own runs", async () => {
    const { deck, page } = aboard;
    const folder = join(deck.place.cwd, "stranger");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "touch hooked.txt" }] }] };
    writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify({ hooks }));
    await page.goto(`${deck.server.url}/#/`);
    await page.getByRole("heading", { name: "Where to?" }).waitFor();
    await page.keyboard.press("Alt+n");
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByLabel("Folder", { exact: true }).fill(folder);
    await dialog.getByRole("button", { name: "Start" }).click();
    const trust = page.getByRole("dialog", { name: "Do you trust this folder?" });
    await trust.getByText("hook SessionStart: touch hooked.txt").waitFor();
    await trust.getByRole("button", { name: /without/iu }).click();
    await composerOf(page).waitFor();
    await statusOf(page)
      .getByText(/^(?:ready|idle)/u)
      .waitFor();
    const { trust: standing } = await deck.client.call("projects/inspect", { cwd: folder });
    expect(standing).toBe("unknown");
    expect(existsSync(join(folder, "hooked.txt"))).toBe(false);
  });
});
