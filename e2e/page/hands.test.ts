// The page by touch alone and by keyboard alone, and what prevents a press that allows something by mistake.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { PHONE } from "./deck.ts";
import { allowIn, composerOf, dockOf, rowWith, settled, statusOf, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO }, "nobody");
const made = (name: string): boolean => existsSync(join(aboard.deck.place.cwd, name));

const swipe = async (page: Page, from: number, to: number): Promise<void> => {
  const touch = await page.context().newCDPSession(page);
  const at = (x: number) => ({ touchPoints: [{ x, y: 400 }] });
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", ...at(from) });
  for (const step of [0.25, 0.5, 0.75, 1])
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", ...at(from + (to - from) * step) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await touch.detach();
};

describe("[E21] a phone", () => {
  it("starts a session, answers it and goes to another, by touch alone", async () => {
    const { deck } = aboard;
    await deck.startSession({ title: "Another one", prompt: "say hello" });
    const page = await deck.open({ ...PHONE, name: "Pixel" });
    await page.getByRole("main").getByRole("button", { name: "New session" }).tap();
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByLabel("Message (optional)").fill("touch it");
    await dialog.getByRole("button", { name: "Start" }).tap();

    const dock = dockOf(page);
    await allowIn(dock).waitFor();
    const card = (await dock.boundingBox())!;
    // In thumb's reach: the lower half, and as wide as the hand.
    expect(card.y + card.height).toBeGreaterThan(844 / 2);
    expect(card.width).toBeGreaterThan(340);
    for (const button of await dock.getByRole("button").all()) {
      const box = await button.boundingBox();
      expect(Math.round(box?.height ?? 0), (await button.textContent()) ?? "").toBeGreaterThanOrEqual(44);
    }
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await allowIn(dock).and(page.locator(":not([aria-disabled])")).waitFor();
    await allowIn(dock).tap();
    await rowWith(page, "It is made.").waitFor();
    await expect.poll(() => made("made.txt")).toBe(true);

    await swipe(page, 5, 250);
    const rail = page.getByRole("navigation", { name: "Sessions" });
    await rail.getByRole("link", { name: /Another one/u }).tap();
    await rowWith(page, "Hello from the deck.").waitFor();
    await page.getByRole("button", { name: /^Sessions/u }).tap();
    await rail.getByRole("link", { name: /touch it/u }).waitFor();
    await swipe(page, 300, 60);
    await composerOf(page).tap();
    await composerOf(page).fill("second thought");
    await page.getByRole("button", { name: "Send", exact: true }).tap();
    await rowWith(page, "A second thought.").waitFor();
  });
});

describe("[E22] a keyboard", () => {
  it("does everything: start, answer, deny, choose a mode, ask, find, stop", async () => {
    const { deck } = aboard;
    const page = await deck.open();
    const { keyboard } = page;
    await page.locator(".home h1").waitFor();
    await keyboard.press("Alt+n");
    await page.locator("dialog textarea:focus").waitFor();
    await keyboard.type("touch it");
    await keyboard.press("Control+Enter");
    const dock = dockOf(page);
    await allowIn(dock).waitFor();

    // From pane to pane; Enter in the card allows, once it is armed.
    const goTo = async (selector: string): Promise<void> => {
      for (
        let tries = 0;
        tries < 6 && (await page.locator(`${selector}:focus-within, ${selector}:focus`).count()) === 0;
        tries++
      )
        await keyboard.press("F6");
      await page.locator(`${selector}:focus-within, ${selector}:focus`).waitFor();
    };
    /** Keys that come in the first half second do nothing. */
    const isArmed = () => allowIn(dock).and(page.locator(":not([aria-disabled])")).waitFor();
    // The card takes the focus; F6 goes to the message and back.
    await page.getByRole("region", { name: "Requested action" }).and(page.locator(":focus")).waitFor();
    await keyboard.press("F6");
    await page.locator("#composer:focus").waitFor();
    await keyboard.press("F6");
    await page.getByRole("region", { name: "Requested action" }).and(page.locator(":focus")).waitFor();
    await isArmed();
    await keyboard.press("Enter");
    await rowWith(page, "It is made.").waitFor();
    await settled(page);

    await goTo("#composer");
    await keyboard.press("Alt+m");
    await page.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
    await keyboard.press("Alt+m");
    await page.getByRole("button", { name: "Mode: Plan only" }).waitFor();
    await keyboard.press("Alt+m");
    await page.getByRole("button", { name: "Mode: Ask first" }).waitFor();

    await keyboard.type("ask me one");
    await keyboard.press("Enter");
    await dock.getByText("Which colour?").waitFor();
    const blue = dock.getByRole("radio", { name: "Blue", checked: true });
    await expect
      .poll(
        async () => {
          if ((await blue.count()) === 0) await keyboard.press("2");
          return blue.count();
        },
        { interval: 700 },
      )
      .toBe(1);
    await keyboard.press("Control+Enter");
    await rowWith(page, "Noted.").waitFor();
    await settled(page);
    expect(deck.answersToCli().at(-1)?.updatedInput).toMatchObject({ answers: { "Which colour?": "Blue" } });

    await goTo("#composer");
    await keyboard.type("delete everything");
    await keyboard.press("Enter");
    await isArmed();
    await keyboard.press("Shift+N");
    await page.locator(".ask textarea:focus").waitFor();
    await keyboard.type("Not that.");
    await keyboard.press("Enter");
    await rowWith(page, "Understood, I leave it.").waitFor();
    await settled(page);
    await expect.poll(() => deck.answersToCli().at(-1)).toMatchObject({ behavior: "deny", message: "Not that." });

    await goTo("#composer");
    await keyboard.type("sink the ship");
    await keyboard.press("Enter");
    await isArmed();
    await goTo("#composer");
    // From an empty message, Escape denies the request and does not stop the turn.
    await keyboard.press("Escape");
    await rowWith(page, "Glug.").waitFor();
    await expect.poll(() => deck.answersToCli().at(-1)).toMatchObject({ behavior: "deny" });
    await settled(page);

    await goTo("#composer");
    await keyboard.type("never end");
    await keyboard.press("Enter");
    await rowWith(page, "and on it goes").waitFor();
    await keyboard.press("Escape");
    await settled(page);

    await deck.startSession({ title: "Far harbour" });
    await page.getByRole("link", { name: /Far harbour/u }).waitFor();
    await keyboard.press("Control+k");
    await page.locator("input[role=combobox]:focus").waitFor();
    await keyboard.type("far harb");
    await page.getByRole("option", { name: /Far harbour/u, selected: true }).waitFor();
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Far harbour" }).waitFor();
  });
});

describe("[E23] a card", () => {
  it("cannot be allowed in the first half second, nor right after it has moved, nor by a script (S15)", async () => {
    const { deck } = aboard;
    const page = await deck.open({ before: (fresh) => fresh.clock.install() });
    const id = await deck.atSession(page);
    await composerOf(page).waitFor();
    await statusOf(page).getByText("ready").waitFor();
    const answered = deck.answersToCli().length;
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    await deck.client.command("session/prompt", { session: id, content: "touch it" });
    const dock = dockOf(page);
    const allow = allowIn(dock);
    // The clock of the page moves only when the test moves it.
    await expect
      .poll(async () => {
        await page.clock.runFor(20);
        return allow.count();
      })
      .toBe(1);
    const press = async (): Promise<void> => {
      const box = (await allow.boundingBox())!;
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    };
    const isNow = async (inert: boolean): Promise<void> => {
      await expect.poll(async () => (await allow.getAttribute("aria-disabled")) === "true").toBe(inert);
    };
    await isNow(true);
    await press();
    await page.clock.runFor(300);
    await isNow(true);
    await press();
    await page.clock.runFor(600);
    await isNow(false);

    await page.setViewportSize({ width: 1440, height: 700 });
    await expect
      .poll(async () => {
        await page.clock.runFor(20);
        return allow.getAttribute("aria-disabled");
      })
      .toBe("true");
    await press();
    await page.clock.runFor(700);
    await isNow(false);
    // Only what a person does counts.
    await allow.evaluate((button) => (button as HTMLButtonElement).click());
    await page.clock.runFor(100);
    await expect.poll(() => allow.count()).toBe(1);
    expect(deck.answersToCli()).toHaveLength(answered);

    await press();
    await page.clock.resume();
    await rowWith(page, "It is made.").waitFor();
    await expect.poll(() => deck.answersToCli().slice(answered)).toMatchObject([{ behavior: "allow" }]);
  });
});
