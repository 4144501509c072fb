// Sessions from outside: fork, rename, archive, delete, find, come back to a row by its link, trust.

import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { composerOf, rowIds, rowWith, send, settled, statusOf, useDeck } from "./journey.ts";
import { expectSound } from "./axe.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO }, { permissions: ["clipboard-read", "clipboard-write"] });

const railOf = (page: Page): Locator => page.getByRole("navigation", { name: "Sessions" });
/** Its entry in the list. A hit of the search has the session's title too. */
const entryOf = (page: Page, title: string): Locator => railOf(page).locator("a.entry-link", { hasText: title });
const chooseFor = async (page: Page, title: string, item: string): Promise<void> => {
  await railOf(page)
    .getByRole("button", { name: `Menu for ${title}`, exact: true })
    .click();
  await page.getByRole("menuitem", { name: new RegExp(`^${item}`, "u") }).click();
};
const chooseInRow = async (page: Page, words: string, item: string): Promise<void> => {
  await rowWith(page, words).hover();
  await rowWith(page, words).getByRole("button", { name: "Message menu" }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

describe("[E10] a fork", () => {
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
    await page.getByText("Forked. The original session is unchanged.").waitFor();
    await page.waitForURL((url) => url.href !== original);
    await rowWith(page, "second thought").first().waitFor({ state: "detached" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await expect.poll(() => rowWith(page, "second thought").count()).toBe(0);
    await send(page, "third thought");
    await rowWith(page, "A third thought.").waitFor();
    await settled(page);
    await page.goto(original);
    await rowWith(page, "A second thought.").waitFor();
    await expect.poll(() => rowIds(page)).toEqual(whole);
    await expect.poll(() => rowWith(page, "A third thought.").count()).toBe(0);
  });
});

describe("[E11] a session", () => {
  it("gets another name, everywhere", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { title: "Sloop" });
    await chooseFor(page, "Sloop", "Rename…");
    await page.getByRole("dialog", { name: "Rename session" }).getByLabel("Title").fill("Brigantine");
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
    await railOf(page).getByRole("button", { name: "Archived", exact: true }).click();
    await entryOf(page, "Lugger").waitFor();
    await chooseFor(page, "Lugger", "Unarchive");
    await railOf(page).getByRole("button", { name: "Hide archived" }).click();
    await entryOf(page, "Lugger").waitFor();
    await expect.poll(() => page.getByText("No sessions yet").count()).toBe(0);
  });

  it("is deleted only when that was confirmed, and then for good", async () => {
    const { deck, page } = aboard;
    const id = await deck.atSession(page, { title: "Wreck" });
    await chooseFor(page, "Wreck", "Delete…");
    const dialog = page.getByRole("dialog", { name: "Delete this session?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await entryOf(page, "Wreck").waitFor();
    await chooseFor(page, "Wreck", "Delete…");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await entryOf(page, "Wreck").waitFor({ state: "detached" });
    // With the answer the page goes home, and would do so from wherever this one goes before it.
    await page.getByText("Deleted “Wreck”.").waitFor();
    await deck.goTo(page, id);
    await page.getByRole("heading", { name: "Session not found" }).waitFor();
    await expect(deck.client.call("session/rows", { session: id })).rejects.toMatchObject({ code: "unknown-session" });
  });

  it("ends its process and gets another with the next message", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello", title: "Ferry" });
    await settled(page);
    await chooseFor(page, "Ferry", "Stop process");
    await statusOf(page)
      .getByText(/^not running/u)
      .waitFor();
    await send(page, "second thought");
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    expect(deck.promptsToCli().filter((text) => text === "second thought")).toHaveLength(2);
  });
});

describe("[E12] finding", { tags: "long" }, () => {
  it("finds sessions by name and by what was said in them", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "tell the report", title: "Harbour works" });
    await rowWith(page, "That is all of it.").waitFor();
    await settled(page);
    await deck.atSession(page, { title: "Something else" });
    await railOf(page).getByRole("searchbox").focus();
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
    await expect.poll(() => page.url()).toMatch(/#\/s\/[^/]+\/r\/./u);
    await railOf(page).getByRole("searchbox").fill("");
  });

  it("keeps the focus in a text field when a session opens", async () => {
    const { deck, page } = aboard;
    const id = await deck.startSession({ title: "Slow to open" });
    await page.goto(`${deck.server.url}/#/`);
    await page.getByRole("heading", { name: "Start a session" }).waitFor();
    await railOf(page).getByRole("searchbox").focus();
    await deck.goTo(page, id);
    await composerOf(page).waitFor();
    await page.keyboard.type("slow");
    await expect.poll(() => railOf(page).getByRole("searchbox").inputValue()).toBe("slow");
    await expect.poll(() => composerOf(page).inputValue()).toBe("");
    // Enter opens the found session, and the person can continue there.
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Slow to open" }).waitFor();
    await expect.poll(() => page.locator("input[type=search]:focus").count()).toBe(0);
    await railOf(page).getByRole("searchbox").fill("");
  });

  it("finds in a session, and goes to a row by its link", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "recite", title: "Verses" });
    await settled(page);
    await send(page, "say hello");
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await chooseInRow(page, "Hello from the deck.", "Copy link");
    await page.getByText("Link copied.").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await composerOf(page).focus();
    await page.keyboard.press("Control+f");
    await page.locator("input[type=search]:focus").waitFor();
    await page.keyboard.type("for the time 7,");
    await page.getByText(/of \d+ rows/u).waitFor();
    await page.keyboard.press("Escape");
    // The person can continue to write.
    await page.locator("#composer:focus").waitFor();
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
    await expect.poll(() => page.getByRole("dialog").textContent()).toContain("Hello from the deck.");
    await page.keyboard.press("Escape");
  });
});

describe("[E13] a session of a terminal", () => {
  /** Forgotten here, it is the CLI's own alone. */
  const begunElsewhere = async (prompt: string): Promise<string> => {
    const { deck, page } = aboard;
    const id = await deck.atSession(page, { prompt });
    await settled(page);
    await deck.client.command("sessions/close", { session: id });
    await deck.client.command("sessions/delete", { session: id });
    await page.goto(`${deck.server.url}/#/`);
    return id;
  };
  const inDialog = async (words: string): Promise<Locator> => {
    const { page } = aboard;
    await railOf(page).getByRole("button", { name: "Resume", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Resume a session" });
    await dialog.getByLabel("Search by title or project").fill(words);
    // Until the answer is here, the rows below the others move up under the pointer.
    await expect.poll(() => dialog.getByRole("listitem").filter({ hasNotText: words }).count()).toBe(0);
    const isTerminals = page.getByText("terminal", { exact: true });
    return dialog.getByRole("listitem").filter({ hasText: words }).filter({ has: isTerminals });
  };

  /** The terminal writes one more answer, after the one with these words. */
  const appendAnswer = (id: string, after: string, text: string): void => {
    const projects = join(aboard.deck.place.home, ".claude", "projects");
    const file = globSync(join(projects, "*", `${id}.jsonl`))[0]!;
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const last = JSON.parse(lines.findLast((line) => line.includes(after))!) as {
      uuid: string;
      message: { id: string };
    };
    const next = { ...last, uuid: crypto.randomUUID(), parentUuid: last.uuid, timestamp: new Date().toISOString() };
    const message = { ...last.message, id: `msg_${next.uuid}`, content: [{ type: "text", text }] };
    appendFileSync(file, `${JSON.stringify({ ...next, message })}\n`);
  };

  it("is read along as it happens, and taken over when that was confirmed", { tags: "long" }, async () => {
    const { page } = aboard;
    const id = await begunElsewhere("third thought");
    await (await inDialog("third thought")).getByRole("button", { name: "third thought" }).click();
    await rowWith(page, "A third thought.").waitFor();
    await page.getByText("You can follow along here.").waitFor();
    await expect.poll(() => composerOf(page).count()).toBe(0);

    appendAnswer(id, "A third thought.", "From afar.");
    await rowWith(page, "From afar.").waitFor();

    await page.getByRole("button", { name: "Take over" }).click();
    const dialog = page.getByRole("dialog", { name: "Take over this session?" });
    await dialog.getByRole("button", { name: "Take over" }).click();
    await send(page, "second thought");
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    await rowWith(page, "A third thought.").waitFor();
  });

  it("[E261] that began here is handed over with what that ends, read along, and taken back", async () => {
    const { deck, page } = aboard;
    const title = "Fog in the terminal";
    const id = await deck.atSession(page, { prompt: "mind the fog", title });
    await rowWith(page, "I mind the fog.").waitFor();
    await settled(page);
    await chooseFor(page, title, "Continue in a terminal");
    const dialog = page.getByRole("dialog", { name: "Continue in a terminal" });
    await dialog.getByText(`quarterdeck attach ${id.slice(0, 8)}`).waitFor();
    await dialog.getByText("The conversation and your files stay.").waitFor();
    await expectSound(page, "the dialog of the terminal", ".dialog");
    await dialog.getByRole("button", { name: "Stop here" }).click();
    const command = `cd ${deck.place.cwd} && claude --resume ${id}`;
    await dialog.getByText(command, { exact: true }).waitFor();
    const { sessions } = await deck.client.call("sessions/list", {});
    expect(sessions.find((summary) => summary.id === id)).toMatchObject({ live: false, handedOver: { command } });
    await page.keyboard.press("Escape");
    const note = page.getByRole("status").filter({ hasText: "Continues in a terminal." });
    await note.getByText(command, { exact: true }).waitFor();

    appendAnswer(id, "I mind the fog.", "Said in the terminal.");
    await rowWith(page, "Said in the terminal.").waitFor();
    await note.getByRole("button", { name: "Take back" }).click();
    await note.waitFor({ state: "detached" });
    await send(page, "say hello");
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await expect.poll(() => rowWith(page, "Said in the terminal.").count()).toBe(1);
  });

  it("is resumed here from the list", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    const id = await begunElsewhere("mind the fog");
    await (await inDialog("mind the fog")).getByRole("button", { name: "Resume" }).click();
    await rowWith(page, "I mind the fog.").waitFor();
    await send(page, "say hello");
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    const { sessions } = await deck.client.call("sessions/list", {});
    expect(sessions.find((summary) => summary.id === id)).toMatchObject({ origin: "quarterdeck", live: true });
  });
});

describe("[E14] a folder that nobody trusts", () => {
  it("is asked about before anything of its own runs", async () => {
    const { deck, page } = aboard;
    const folder = join(deck.place.cwd, "stranger");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "touch hooked.txt" }] }] };
    writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify({ hooks }));
    await page.goto(`${deck.server.url}/#/`);
    await page.locator(".home h1").waitFor();
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

    await send(page, "recite");
    const look = page.getByRole("button", { name: "Review settings" });
    await look.click();
    await trust.getByText("hook SessionStart: touch hooked.txt").waitFor();
    // It runs without them already.
    await expect.poll(() => trust.getByRole("button", { name: /without/iu }).count()).toBe(0);
    await trust.getByRole("button", { name: /^Trust/u }).click();
    await rowWith(page, "Resumed with a new process").waitFor();
    await expect.poll(() => existsSync(join(folder, "hooked.txt"))).toBe(true);
    await expect.poll(() => look.count()).toBe(0);
    await send(page, "say hello");
    await rowWith(page, "Hello from the deck.").waitFor();
  });
});
