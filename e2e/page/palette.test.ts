// The command palette, the sheet of keys and the help, as a person uses them.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectSound } from "./axe.ts";
import { PHONE } from "./deck.ts";
import { allowIn, composerOf, dockOf, rowWith, send, settled, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO });
const DIALOG = "dialog[open]";

const paletteOf = (page: Page): Locator => page.getByRole("dialog", { name: "Command palette" });
const fieldOf = (page: Page): Locator => paletteOf(page).getByRole("combobox");
const selected = (page: Page, name: RegExp): Promise<void> =>
  paletteOf(page).getByRole("option", { name, selected: true }).waitFor();
const openPalette = async (page: Page, words: string): Promise<void> => {
  await page.keyboard.press("Control+k");
  await fieldOf(page).and(page.locator(":focus")).waitFor();
  await page.keyboard.type(words);
};
const gone = (page: Page): Promise<void> => page.getByRole("dialog").waitFor({ state: "detached" });

describe("[E180] the command palette", () => {
  it("finds and runs actions, sessions, files, commands and settings by keys", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    const folder = join(deck.place.cwd, "palette");
    mkdirSync(join(folder, "src"), { recursive: true });
    writeFileSync(join(folder, "src", "lighthouse.ts"), "export const lamp = 'lit';\n");
    await deck.startSession({ title: "Far lighthouse" });
    await deck.atSession(page, { cwd: folder, title: "Near", prompt: "say hello" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await composerOf(page).focus();

    await openPalette(page, "lightho");
    await paletteOf(page)
      .getByRole("group", { name: "Sessions" })
      .getByRole("option", { name: /Far lighthouse/u })
      .waitFor();
    await paletteOf(page)
      .getByRole("group", { name: "Files" })
      .getByRole("option", { name: /src\/lighthouse\.ts/u })
      .waitFor();
    await expectSound(page, "palette", DIALOG);
    const chosen = paletteOf(page).getByRole("option", { selected: true });
    await expect
      .poll(
        async () => (await fieldOf(page).getAttribute("aria-activedescendant")) === (await chosen.getAttribute("id")),
      )
      .toBe(true);
    await page.keyboard.press("ArrowDown");
    await selected(page, /src\/lighthouse\.ts/u);
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Workbench" }).getByText("lamp").waitFor();
    await gone(page);
    // The focus is where it was.
    await page.locator("#composer:focus").waitFor();

    // Tab goes through the kinds; Escape leaves everything as it was.
    await openPalette(page, "");
    for (const kind of ["Actions", "Sessions"]) {
      await page.keyboard.press("Tab");
      await paletteOf(page).getByRole("button", { name: kind, pressed: true }).waitFor();
    }
    await selected(page, /Far lighthouse/u);
    await page.keyboard.press("Escape");
    await gone(page);

    // A command goes into the message and is not sent. What was typed stays behind it.
    await composerOf(page).fill("all of it");
    await openPalette(page, "/usage");
    await selected(page, /^\/usage/u);
    await page.keyboard.press("Enter");
    await expect.poll(() => composerOf(page).inputValue()).toBe("/usage all of it");
    expect(deck.promptsToCli()).not.toContain("/usage all of it");
    await composerOf(page).fill("");

    await openPalette(page, "theme light");
    await selected(page, /^Theme: light/u);
    await page.keyboard.press("Enter");
    await page.locator("html[data-theme=light]").waitFor({ state: "attached" });
    await openPalette(page, "theme sys");
    await page.keyboard.press("Enter");
    await page.locator("html:not([data-theme])").waitFor({ state: "attached" });

    await openPalette(page, "rename");
    await selected(page, /^Rename.*F2$/u);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: /^Rename/u }).waitFor();
    await page.keyboard.press("Escape");
    await gone(page);
    await page.keyboard.press("F2");
    await page.getByRole("dialog", { name: /^Rename/u }).waitFor();
    await page.keyboard.press("Escape");
    await gone(page);

    // One key further: all conversations.
    await openPalette(page, "Hello from");
    await page.keyboard.press("Control+Enter");
    await gone(page);
    await page
      .getByRole("link", { name: /Hello from the deck/u })
      .first()
      .waitFor();
    await openPalette(page, "far lighth");
    await selected(page, /Far lighthouse/u);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Far lighthouse" }).waitFor();
  });

  it("works on a phone by touch alone", { tags: "long" }, async () => {
    const { deck } = aboard;
    await deck.startSession({ title: "Touched harbour" });
    const page = await deck.open({ ...PHONE, name: "Pixel" });
    await page.getByRole("button", { name: "Command palette", exact: true }).first().tap();
    await fieldOf(page).fill("touched");
    const option = paletteOf(page).getByRole("option", { name: /Touched harbour/u });
    await option.waitFor();
    for (const box of [
      await option.boundingBox(),
      await paletteOf(page).getByRole("button", { name: "Files" }).boundingBox(),
    ])
      expect(Math.round(box!.height)).toBeGreaterThanOrEqual(44);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await expectSound(page, "palette on a phone", DIALOG);
    await option.tap();
    await page.getByRole("heading", { level: 1, name: "Touched harbour" }).waitFor();
    await page.getByRole("button", { name: "Command palette", exact: true }).first().tap();
    await paletteOf(page).getByRole("button", { name: "Actions" }).tap();
    await fieldOf(page).fill("help");
    await paletteOf(page).getByRole("option", { name: /^Help/u }).tap();
    await page.getByRole("dialog", { name: "Help" }).getByText("Known after the first message").first().waitFor();
    await expectSound(page, "help on a phone", DIALOG);
  });
});

describe("[E184] clearing the view", () => {
  it("hides rows of this page, sends nothing, and is undone", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { title: "Cleared", prompt: "say hello" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    const prompts = deck.promptsToCli().length;
    await openPalette(page, "clear view");
    await selected(page, /^Clear the view/u);
    await page.keyboard.press("Enter");
    await rowWith(page, "Hello from the deck.").waitFor({ state: "detached" });
    await send(page, "second thought");
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    await expect.poll(() => rowWith(page, "Hello from the deck.").count()).toBe(0);
    await page.getByRole("button", { name: "Show them" }).click();
    await rowWith(page, "Hello from the deck.").waitFor();
    await openPalette(page, "clear view");
    await page.keyboard.press("Enter");
    await rowWith(page, "A second thought.").waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Notifications" }).getByRole("button", { name: "Undo" }).click();
    await rowWith(page, "A second thought.").waitFor();
    await expect.poll(() => deck.promptsToCli().slice(prompts)).toEqual(["second thought"]);
  });
});

describe("[E181] the table of keys", { tags: "long" }, () => {
  it("decides what keys do in the page, the message, a request and a tab", async () => {
    const { deck } = aboard;
    const page = await deck.open();
    const { keyboard } = page;
    const keys = { "message.send": ["Alt+S"], "request.reason": ["X"], "tab.cost": ["Alt+C"], palette: ["Alt+P"] };
    await page.evaluate((value) => localStorage.setItem("quarterdeck.keys", value), JSON.stringify(keys));
    await page.reload();
    await deck.atSession(page, { title: "Own keys" });
    await page.locator("#composer:focus").waitFor();
    await keyboard.type("delete everything");
    await keyboard.press("Enter");
    await expect.poll(() => composerOf(page).inputValue()).toBe("delete everything\n");
    await keyboard.press("Alt+s");
    const dock = dockOf(page);
    await allowIn(dock).waitFor();
    await allowIn(dock).and(page.locator(":not([aria-disabled])")).waitFor();
    await dock.getByRole("button", { name: "More ways to deny" }).click();
    await dock.getByRole("button", { name: /^Deny with a reason….* 2 or X$/u }).waitFor();
    await page.getByRole("region", { name: "Requested action" }).focus();
    // Shift+N means nothing any more; X opens the field for a reason.
    await allowIn(dock).and(page.locator(":not([aria-disabled])")).waitFor();
    await keyboard.press("Shift+N");
    expect(await dock.getByLabel("What should Claude do instead?").count()).toBe(0);
    await keyboard.press("x");
    await dock.getByLabel("What should Claude do instead?").waitFor();
    await keyboard.type("Not that.");
    await keyboard.press("Control+Enter");
    await rowWith(page, "Understood, I leave it.").waitFor();
    await settled(page);
    await composerOf(page).focus();
    await keyboard.press("Alt+c");
    await page.getByRole("tab", { name: "Cost", selected: true }).waitFor();
    await keyboard.press("Alt+p");
    await fieldOf(page).waitFor();
  });
});

describe("[E182] the sheet of keys", { tags: "long" }, () => {
  it("changes keys, shows conflicts, resets, exports and imports", async () => {
    const { deck } = aboard;
    const page = await deck.open();
    await deck.atSession(page, { title: "Keys" });
    const { keyboard } = page;
    await page.locator("#composer:focus").waitFor();
    await keyboard.press("Control+/");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    const row = (words: string): Locator => sheet.getByRole("row").filter({ hasText: words });
    await row("Open the command palette").getByText("Ctrl K", { exact: true }).waitFor();
    await expectSound(page, "keys", DIALOG);

    const record = async (words: string, ...keys: readonly string[]): Promise<void> => {
      await sheet.getByRole("button", { name: `Change: ${words}` }).click();
      await sheet.getByLabel(`Keys for: ${words}`).and(page.locator(":focus")).waitFor();
      for (const key of keys) await keyboard.press(key);
    };
    // Copy keeps its key.
    await record("Show help", "Control+c");
    await sheet.getByText("Copy, cut, paste and select all keep their keys.").waitFor();
    await keyboard.press("Escape");
    await record("Show help", "g", "h");
    await sheet.getByText("Already used: Workbench: Hooks.").waitFor();
    await keyboard.press("Escape");
    await record("Show help", "Alt+h");
    await keyboard.press("Enter");
    await row("Show help").getByText("Alt H", { exact: true }).waitFor();
    await record("Open the command palette", "Alt+n", "Enter");
    await row("Open the command palette").getByText("also: New session").waitFor();
    await row("New session").getByText("also: Open the command palette").waitFor();
    await sheet.getByRole("button", { name: "Reset: Open the command palette" }).click();
    await row("Open the command palette").getByText("Ctrl K", { exact: true }).waitFor();

    const [file] = await Promise.all([
      page.waitForEvent("download"),
      sheet.getByRole("button", { name: "Export" }).click(),
    ]);
    const text = readFileSync(await file.path(), "utf8");
    expect(JSON.parse(text)).toEqual({ format: "quarterdeck-keys", version: 1, keys: { help: ["Alt+H"] } });

    // The new key works, also after a reload, and not before the sheet is closed.
    await keyboard.press("Escape");
    await gone(page);
    await page.reload();
    await page.locator("#composer:focus").waitFor();
    await keyboard.press("Alt+h");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await keyboard.press("Escape");
    await gone(page);

    await keyboard.press("Control+/");
    await sheet.getByRole("button", { name: "Reset all" }).click();
    await row("Show help").getByText("none").waitFor();
    const choose = async (contents: string): Promise<void> => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        sheet.getByRole("button", { name: "Import…" }).click(),
      ]);
      await chooser.setFiles({ name: "keys.json", mimeType: "application/json", buffer: Buffer.from(contents) });
    };
    await choose(text.replace('"Alt+H"', '"Alt+H", "Mod+W"'));
    await sheet.getByRole("alert").getByText("Nothing was imported. “Show help”").waitFor();
    await row("Show help").getByText("none").waitFor();
    await choose(text);
    await row("Show help").getByText("Alt H", { exact: true }).waitFor();
    await expect.poll(() => sheet.getByRole("alert").count()).toBe(0);
  });
});

describe("[E183] help", { tags: "long" }, () => {
  it("lists what a session has, before and after its first message, and finds in it", async () => {
    const { deck, page } = aboard;
    await page.goto(`${deck.server.url}/#/`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await openPalette(page, "help");
    await selected(page, /^Help/u);
    await page.keyboard.press("Enter");
    const help = page.getByRole("dialog", { name: "Help" });
    const part = (name: string | RegExp): Locator => help.getByRole("region", { name });
    await part("Tools").getByText("Open a session to see them.").waitFor();
    await part("Versions")
      .getByText(/^Quarterdeck \d/u)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    await gone(page);

    await deck.atSession(page, { title: "Helped" });
    await page.locator("#composer:focus").waitFor();
    await send(page, "/help");
    await part("Commands").getByText("/usage", { exact: true }).waitFor();
    await part("Tools").getByText("Known after the first message").waitFor();
    await page.keyboard.press("Escape");
    await gone(page);
    await send(page, "say hello");
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await send(page, "/help");
    await part("Tools").getByText("Runs a shell command", { exact: true }).first().waitFor();
    await expectSound(page, "help", DIALOG);
    await help.getByRole("searchbox", { name: "Search help" }).fill("shell command");
    await part("Commands").waitFor({ state: "detached" });
    await part("Tools").getByText("Runs a shell command", { exact: true }).first().waitFor();
    await help.getByRole("searchbox", { name: "Search help" }).fill("");
    await help.getByRole("button", { name: "Versions" }).click();
    await part("Versions")
      .getByText(/^Quarterdeck .* on /u)
      .waitFor();
    await expect.poll(() => part("Tools").count()).toBe(0);
  });
});
