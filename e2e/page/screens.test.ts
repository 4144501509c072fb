// Every screen in both themes, on a desk and on a phone: axe finds nothing serious in any of them.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectSound } from "./axe.ts";
import { PHONE } from "./deck.ts";
import { allowIn, chooseAllow, composerOf, denyBy, dockOf, rowWith, send, settled, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO });
const DIALOG = "dialog[open]";
const DOCK = ".requests-slot";
const SURFACES = [
  ["/help", "Help"],
  ["/keybindings-help", "Keyboard shortcuts"],
  ["/permissions", "Permissions"],
  ["/mcp", "MCP servers"],
  ["/resume", "Resume a session"],
] as const;

describe("[E24] on a desk", () => {
  it("a browser that is not paired, and a browser with a pairing link", { tags: "long" }, async () => {
    const { deck } = aboard;
    const page = await deck.stranger();
    await page.goto(deck.server.url);
    await page.getByRole("heading", { name: "This browser isn't paired yet" }).waitFor();
    await expectSound(page, "not paired");
    await page.goto(await deck.pairingLink());
    await page.getByRole("heading", { name: "Pair this browser" }).waitFor();
    await expectSound(page, "pairing");
  });

  it("home, empty and with sessions; a new session; a folder to trust", async () => {
    const { deck, page } = aboard;
    await expectSound(page, "home, empty");
    await deck.startSession({ prompt: "touch it", title: "Waits" });
    await page.getByRole("main").getByText("wants to run a command").waitFor();
    await expectSound(page, "home");
    await page.keyboard.press("Alt+n");
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByText("More options", { exact: true }).click();
    await expectSound(page, "new session", DIALOG);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    const folder = join(deck.place.cwd, "stranger");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "true" }] }] };
    writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify({ hooks }));
    await page.keyboard.press("Alt+n");
    await dialog.getByLabel("Folder", { exact: true }).fill(folder);
    await dialog.getByRole("button", { name: "Start" }).click();
    const trust = page.getByRole("dialog", { name: "Do you trust this folder?" });
    await trust.getByText("hook SessionStart: true").waitFor();
    await expectSound(page, "trust", DIALOG);
    for (const open of [trust, dialog]) {
      await page.keyboard.press("Escape");
      await open.waitFor({ state: "detached" });
    }
  });

  it("a conversation: while it streams, after it ended, its menus, and its search", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { title: "Harbour" });
    await expectSound(page, "empty session");
    await send(page, "recite");
    await page.locator("[data-row]").getByRole("listitem").nth(1).waitFor();
    await expectSound(page, "streaming");
    await settled(page);
    await send(page, "tell the report");
    await rowWith(page, "That is all of it.").waitFor();
    await settled(page);
    await expectSound(page, "conversation");
    await page.getByRole("main").getByRole("button", { name: "Session menu" }).click();
    await page.getByRole("menuitem", { name: "Fork" }).waitFor();
    await expectSound(page, "menu of the session");
    await page.getByRole("menuitem", { name: /^Delete/u }).click();
    await page.getByRole("dialog", { name: "Delete this session?" }).waitFor();
    await expectSound(page, "confirmation", DIALOG);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+f");
    await page.keyboard.type("gates");
    await page.getByText(/of \d+ rows/u).waitFor();
    await expectSound(page, "find");
    await page.keyboard.press("Escape");
  });

  it("what the composer opens: completions and every surface of its own", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello" });
    await settled(page);
    await composerOf(page).pressSequentially("/");
    await page.getByRole("listbox", { name: "Completions" }).waitFor();
    await expectSound(page, "completions");
    await composerOf(page).fill("");
    for (const [command, title] of SURFACES) {
      await composerOf(page).pressSequentially(command);
      await page.getByRole("option", { name: new RegExp(`^${command} `, "u") }).waitFor();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: title });
      await dialog.waitFor();
      await expectSound(page, title, DIALOG);
      for (const tab of await dialog.getByRole("tab").all()) {
        await tab.click();
        await expectSound(page, `${title}, ${(await tab.textContent()) ?? ""}`, DIALOG);
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  });

  it("every form of a permission", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "touch it");
    const dock = dockOf(page);
    await allowIn(dock).waitFor();
    await expectSound(page, "permission");
    await chooseAllow(dock, /^Always/u);
    await dock.getByLabel("Where to save the rule").selectOption("userSettings");
    await expectSound(page, "permission with a rule", DOCK);
    await dock.getByRole("button", { name: "Edit E" }).click();
    await dock.getByRole("textbox", { name: "command" }).fill("touch other.txt");
    await expectSound(page, "permission, edited", DOCK);
    await denyBy(dock, "Deny with a reason");
    await expectSound(page, "permission, denied", DOCK);
    await dock.getByRole("button", { name: "Back" }).click();
    await denyBy(dock, "Deny and stop");
    await settled(page);
  });

  it("a file to be written, a question, a plan", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    const dock = dockOf(page);
    await deck.atSession(page);
    await send(page, "write the note");
    await dock.getByText("new file").waitFor();
    await expectSound(page, "new file", DOCK);
    await denyBy(dock, "Deny and stop");
    await settled(page);
    await send(page, "ask me three");
    await dock.getByText("Brest", { exact: true }).click();
    await dock.getByRole("region", { name: /^Preview/u }).waitFor();
    await expectSound(page, "question", DOCK);
    await dock.getByRole("button", { name: "Dismiss" }).click();
    await settled(page);
    await deck.atSession(page, { settings: { permissionMode: "plan" } });
    await send(page, "plan the lock");
    await dock.getByRole("heading", { name: "Open the lock" }).waitFor();
    await expectSound(page, "plan", DOCK);
    await dock.getByRole("button", { name: "Reject and stop" }).click();
    await settled(page);
  });
});

describe("[E25] on a phone", () => {
  it("home, the drawer, a conversation with open requests", async () => {
    const { deck } = aboard;
    const id = await deck.startSession({ prompt: "touch it", title: "By thumb" });
    const page = await deck.open({ ...PHONE, name: "Pixel" });
    await expectSound(page, "home on a phone");
    await deck.goTo(page, id);
    await allowIn(dockOf(page)).waitFor();
    await expectSound(page, "permission on a phone");
    await page.getByRole("button", { name: /^Sessions/u }).tap();
    await page
      .getByRole("navigation", { name: "Sessions" })
      .getByRole("link", { name: /By thumb/u })
      .waitFor();
    await expectSound(page, "drawer on a phone");
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
