// The request card: what it shows, what its keys do, and what makes it wait. What reached the CLI is read from its own stdin.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSound } from "./axe.ts";
import { CARD_SCENARIO, UPLOAD } from "./card-scenario.ts";
import { PHONE } from "./deck.ts";
import {
  allowAs,
  allowIn,
  chooseAllow,
  composerOf,
  dockOf,
  pressTwice,
  rowWith,
  send,
  settled,
  useDeck,
} from "./journey.ts";

const aboard = useDeck({ scenario: CARD_SCENARIO });
const answers = () => aboard.deck.answersToCli();

const regionOf = (page: Page): Locator => dockOf(page).getByRole("region", { name: "Requested action" });
const hasFocus = (locator: Locator): Promise<void> => locator.and(locator.page().locator(":focus")).waitFor();
/** Keys and presses that come earlier do nothing. */
const isArmed = (button: Locator): Promise<void> =>
  button.and(button.page().locator(":not([aria-disabled])")).waitFor();

beforeAll(() => {
  mkdirSync(join(aboard.deck.place.cwd, "src"), { recursive: true });
  writeFileSync(join(aboard.deck.place.cwd, "src/upload.mjs"), UPLOAD);
});

describe("[E226] the card of an edit", () => {
  it("takes the focus, shows path, size, colors and changed words once, and Enter allows it", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "log every retry");
    const dock = dockOf(page);
    await dock.getByRole("heading", { name: "Claude wants to edit" }).waitFor();
    const region = regionOf(page);
    await region.getByText("MAX_ATTEMPTS").waitFor();
    await hasFocus(region);
    // The server compares the file for the size and the marks, which come after the input.
    await expect
      .poll(async () => (await dock.locator(".ask-top").innerText()).replaceAll(/\s+/gu, " "))
      .toContain("src/upload.mjs +3 −2");
    await region.locator(".is-added mark", { hasText: "MAX_ATTEMPTS" }).first().waitFor();
    await region.locator(".is-removed mark", { hasText: "3" }).first().waitFor();
    await expect
      .poll(() => page.evaluate(() => [...CSS.highlights.values()].some((highlight) => highlight.size > 0)))
      .toBe(true);
    // The row is one line that leads here.
    await page.getByRole("main").getByRole("button", { name: "Edit needs you: go to the request" }).waitFor();
    expect(await rowWith(page, "MAX_ATTEMPTS").count()).toBe(0);
    await isArmed(allowIn(dock));
    await page.keyboard.press("Enter");
    await rowWith(page, "Logged.").waitFor();
    expect(readFileSync(join(deck.place.cwd, "src/upload.mjs"), "utf8")).toContain("MAX_ATTEMPTS");
    await settled(page);
    await hasFocus(composerOf(page));
    // A phone has one column of numbers: a removed line has the one of the old file.
    await page.setViewportSize({ width: 390, height: 844 });
    const removed = rowWith(page, "MAX_ATTEMPTS").locator(".diff-line.is-removed > i:visible");
    await expect.poll(() => removed.allInnerTexts()).toEqual(["7", "8"]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

describe("[E227] a dangerous command (S17)", () => {
  it("is marked and described; Enter never allows it, A pressed twice does", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    const before = answers().length;
    await send(page, "publish it");
    const dock = dockOf(page);
    await dock.getByRole("heading", { name: "Bash wants to run 2 commands" }).waitFor();
    await expect
      .poll(() => dock.getByRole("list", { name: "Dangers" }).getByRole("listitem").allInnerTexts())
      .toEqual([
        "Deletes build and .cache. This cannot be undone.",
        "Overwrites origin/release/2.4. Commits that others pushed can be lost.",
        "Uses the network: git push.",
      ]);
    await expect
      .poll(() => regionOf(page).locator(".ask-marked").allTextContents())
      .toEqual(["rm -rf", "git", "--force"]);
    await allowIn(dock).getByText("press twice").waitFor();
    await hasFocus(regionOf(page));
    await isArmed(allowIn(dock));
    await page.keyboard.press("Enter");
    await page.keyboard.press("a");
    const anyway = dock.getByRole("button", { name: /^Allow anyway/u });
    // Enter did nothing: this is the first press.
    await anyway.getByText("press again").waitFor();
    await isArmed(anyway);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    // Escape takes the first press back and denies nothing.
    await allowIn(dock).getByText("press twice").waitFor();
    expect(answers()).toHaveLength(before);
    // On a phone on its side, the dangers stay beside the decision, and so does the rule that was chosen.
    await page.setViewportSize({ width: 844, height: 390 });
    await chooseAllow(dock, /^Always/u);
    await allowAs(dock, "Allow always").waitFor();
    const inSight = (selector: string): Promise<boolean> =>
      dock
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { left, right, top, bottom } = element.getBoundingClientRect();
          const [x, y] = [(left + right) / 2, (top + bottom) / 2];
          return document.elementsFromPoint(x, y).includes(element);
        });
    for (const selector of [".ask-dangers li:first-child", ".ask-dangers li:last-child", ".ask-rule .ask-text"])
      await expect.poll(() => inSight(selector), { message: selector }).toBe(true);
    // The turn can still be stopped.
    await page.getByRole("main").getByRole("button", { name: "Stop", exact: true }).click({ trial: true });
    // Upright, all ways to answer an edited input are in reach.
    await page.setViewportSize({ width: 390, height: 844 });
    await dock.getByRole("button", { name: /^Edit/u }).click();
    await allowAs(dock, "Allow always, as edited").waitFor();
    const outside = (buttons: readonly Element[]): (string | null)[] =>
      buttons
        .filter((each) => each.getBoundingClientRect().left < 0 || each.getBoundingClientRect().right > 390)
        .map(({ textContent }) => textContent);
    await expect.poll(() => dock.locator(".ask-acts button").evaluateAll(outside)).toEqual([]);
    await dock.getByRole("button", { name: "Discard changes" }).click();
    await page.setViewportSize({ width: 1440, height: 900 });
    await chooseAllow(dock, /^Once/u);
    await isArmed(allowIn(dock));
    await page.keyboard.press("a");
    await isArmed(anyway);
    await page.keyboard.press("a");
    await rowWith(page, "Published.").waitFor();
    await expect.poll(() => answers().slice(before)).toMatchObject([{ behavior: "allow" }]);
    await settled(page);
  });
});

describe("[E228] the choices of a card", () => {
  it("open inside it, by numbers; keys are text in the message; Enter and Escape act from an empty one", async () => {
    const { deck, page } = aboard;
    const session = await deck.atSession(page);
    const before = answers().length;
    // A person is typing, so the card does not take the focus.
    await composerOf(page).fill("wait");
    await deck.client.command("session/prompt", { session, content: "ring twice" });
    const dock = dockOf(page);
    await isArmed(allowIn(dock));
    await hasFocus(composerOf(page));
    await composerOf(page).pressSequentially("a1ne");
    await expect.poll(() => composerOf(page).inputValue()).toBe("waita1ne");
    // The card names no keys that would be text.
    const hints = dock.locator(".ask-acts kbd");
    await hints.first().waitFor({ state: "hidden" });
    await page.keyboard.press("F6");
    await hasFocus(regionOf(page));
    await hints.first().waitFor();
    await page.keyboard.press("3");
    await isArmed(allowAs(dock, "Allow always"));
    await dock
      .getByRole("radio", { name: /^Always adds this rule to \.claude\/settings\.local\.json/u, checked: true })
      .waitFor();
    const [command, choices] = [await regionOf(page).boundingBox(), await dock.locator(".ask-choices").boundingBox()];
    expect(choices!.y).toBeGreaterThanOrEqual(command!.y + command!.height);
    await page.keyboard.press("2");
    await isArmed(allowAs(dock, "Allow for this session"));
    await page.keyboard.press("1");
    await isArmed(allowIn(dock));
    await page.keyboard.press("Escape");
    await dock.locator(".ask-choices").waitFor({ state: "detached" });
    expect(answers()).toHaveLength(before);
    await isArmed(allowIn(dock));
    // Going back answers nothing, so it does not wait half a second.
    await dock.getByRole("button", { name: "More ways to allow" }).click();
    await page.keyboard.press("Escape");
    await dock.locator(".ask-choices").waitFor({ state: "detached" });
    expect(answers()).toHaveLength(before);
    await isArmed(allowIn(dock));
    // Back to the message, and from an empty one Enter allows.
    await page.keyboard.press("F6");
    await hasFocus(composerOf(page));
    await composerOf(page).fill("");
    await page.keyboard.press("Enter");
    await expect.poll(() => answers().slice(before)).toMatchObject([{ behavior: "allow" }]);
    await rowWith(page, "You allowed this").waitFor();
    // The second request. Escape denies it, and the turn continues.
    await page.getByRole("main").getByRole("button", { name: "Bash needs you: go to the request" }).waitFor();
    await isArmed(allowIn(dock));
    await composerOf(page).focus();
    await page.keyboard.press("Escape");
    await rowWith(page, "Rung twice.").waitFor();
    await expect.poll(() => answers().slice(before)).toMatchObject([{ behavior: "allow" }, { behavior: "deny" }]);
    await rowWith(page, "You denied this").waitFor();
    await settled(page);
  });

  it("say that “always” would change nothing where an ask rule decided", async () => {
    const { deck, page } = aboard;
    const { client, place } = deck;
    const change = { to: { scope: "localSettings", behavior: "ask", rule: "Bash(touch bell.txt)" } } as const;
    const { files } = await client.call("rules/preview", { cwd: place.cwd, change });
    await client.command("rules/save", { cwd: place.cwd, change, hashes: files.map(({ hash }) => hash) });
    await deck.atSession(page);
    await send(page, "ring once");
    const dock = dockOf(page);
    await isArmed(allowIn(dock));
    await dock.getByRole("button", { name: "More ways to allow" }).click();
    await dock.getByText("“Always” would change nothing: the rule Bash(touch bell.txt) asks each time").waitFor();
    await expect.poll(() => dock.getByRole("radio").count()).toBe(1);
    await dock.getByRole("button", { name: /^Deny/u }).first().click();
    await rowWith(page, "Rung.").waitFor();
    await settled(page);
  });
});

/** What a person sees and can press: the middle of the first lines, and every button. */
const seen = (page: Page) =>
  page.evaluate((screenWidth) => {
    const isOnTop = (element: Element): boolean => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const there = document.elementFromPoint(left + Math.min(width / 2, 40), top + height / 2);
      return there !== null && (element.contains(there) || there.contains(element));
    };
    const lines = [...document.querySelectorAll(".ask-input .diff-line")].slice(0, 2);
    const buttons = [...document.querySelectorAll(".ask-acts button")];
    return {
      lines: lines.map(isOnTop),
      hidden: buttons.filter((button) => !isOnTop(button)).map((button) => button.textContent),
      isWide: document.documentElement.scrollWidth > screenWidth,
    };
  }, page.viewportSize()!.width);

describe("[E229] a long request (S17)", () => {
  it(
    "shows its content beside its buttons at every size, says what is unread, and leads to its end",
    { tags: "long" },
    async () => {
      const { deck, page } = aboard;
      await deck.atSession(page);
      await send(page, "write the tides");
      const dock = dockOf(page);
      await allowIn(dock)
        .getByText(/^\d+ lines are unread$/u)
        .waitFor();
      await dock.getByText(/^200 lines, /u).waitFor();
      // The last but one is a desk of 1440x900 at 200 % zoom.
      for (const [width, height] of [
        [1024, 768],
        [844, 390],
        [720, 450],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        await expect
          .poll(() => seen(page), { message: `${width}x${height}` })
          .toEqual({ lines: [true, true], hidden: [], isWide: false });
        if (height !== 768) await expectSound(page, `a long request at ${width}x${height}`, ".requests-slot");
      }
      await page.setViewportSize({ width: 1440, height: 900 });
      await dock.getByRole("button", { name: /^To the end/u }).click();
      await allowIn(dock).getByText("unread").waitFor({ state: "detached" });
      await hasFocus(regionOf(page));
      await isArmed(allowIn(dock));
      await page.keyboard.press("Enter");
      await rowWith(page, "The tides are written.").waitFor();
      await settled(page);
    },
  );

  it("is allowed unread with a second tap", { tags: "long" }, async () => {
    const { deck } = aboard;
    const page = await deck.open({ ...PHONE, name: "Pixel" });
    await deck.atSession(page, { prompt: "write the tides" });
    const dock = dockOf(page);
    await allowIn(dock)
      .getByText(/^\d+ lines are unread$/u)
      .waitFor();
    const before = answers().length;
    await pressTwice(allowIn(dock));
    await rowWith(page, "The tides are written.").waitFor();
    await expect.poll(() => answers().slice(before)).toMatchObject([{ behavior: "allow" }]);
  });
});
