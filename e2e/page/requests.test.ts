// What the CLI asks, and every way to answer it. What reached the CLI is read from its own stdin.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  allowAs,
  allowIn,
  chooseAllow,
  denyBy,
  dockOf,
  pressArmed,
  rowWith,
  send,
  settled,
  useDeck,
} from "./journey.ts";
import { PHONE } from "./deck.ts";
import { QUESTIONS, SCENARIO } from "./scenario.ts";

// None of them is closed, and by default a server runs no more than twenty at once.
const aboard = useDeck({ scenario: SCENARIO, flags: ["--max-sessions", "60"] });
const made = (name: string): boolean => existsSync(join(aboard.deck.place.cwd, name));
const lastAnswer = () => aboard.deck.answersToCli().at(-1);

describe("[E1] a permission", () => {
  it("shows what would be done, is allowed, and says who allowed it", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "touch it");
    const dock = dockOf(page);
    await dock.getByRole("heading", { name: "Bash wants to run a command" }).waitFor();
    await dock.getByRole("region", { name: "Requested action" }).getByText("touch made.txt").waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(1\) /u);
    expect(made("made.txt")).toBe(false);
    await pressArmed(allowIn(dock));
    await rowWith(page, "It is made.").waitFor();
    await settled(page);
    await expect.poll(() => made("made.txt")).toBe(true);
    await rowWith(page, "You allowed this").waitFor();
    expect(await dock.count()).toBe(0);
    await expect.poll(() => page.title()).not.toMatch(/^\(/u);
  });

  it("is allowed with another input than was asked for", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "misspell it");
    const dock = dockOf(page);
    await dock.getByRole("button", { name: "Edit E" }).click();
    await dock.getByRole("textbox", { name: "command" }).fill("touch right.txt");
    const edit = dock.getByRole("region", { name: "Your changes" });
    await edit.getByText("touch wrong.txt").waitFor();
    await edit.getByText("touch right.txt").waitFor();
    await pressArmed(dock.getByRole("button", { name: "Allow as edited" }));
    await rowWith(page, "The file is there.").waitFor();
    expect([made("wrong.txt"), made("right.txt")]).toEqual([false, true]);
    await expect
      .poll(() => lastAnswer())
      .toMatchObject({ behavior: "allow", updatedInput: { command: "touch right.txt" } });
    await rowWith(page, "edited before running").waitFor();
  });

  it("shows the whole of a new file before it is written", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "write the note");
    const dock = dockOf(page);
    await dock.getByText("new file").waitFor();
    await dock.getByRole("region", { name: "Requested action" }).getByText("two", { exact: true }).waitFor();
    await pressArmed(allowIn(dock));
    await rowWith(page, "Written.").waitFor();
    expect(readFileSync(join(deck.place.cwd, "note.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("is allowed for this session, and not asked for again", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "ring twice");
    const before = deck.answersToCli().length;
    await chooseAllow(dockOf(page), /^For this session/u);
    await pressArmed(allowAs(dockOf(page), "Allow for this session"));
    await rowWith(page, "Rung twice.").waitFor();
    await settled(page);
    await expect
      .poll(() => deck.answersToCli().slice(before))
      .toMatchObject([{ behavior: "allow", updatedPermissions: [{ type: "addRules", destination: "session" }] }]);
    expect(made(".claude")).toBe(false);
  });

  it("writes a shared rule only after its file name was typed", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "touch it");
    const dock = dockOf(page);
    await chooseAllow(dock, /^Always/u);
    await dock.getByLabel("Where to save the rule").selectOption("projectSettings");
    const allow = allowAs(dock, "Allow always");
    const confirm = dock.getByLabel("Type its name to confirm");
    await confirm.fill("something else");
    await expect.poll(() => allow.getAttribute("aria-disabled")).toBe("true");
    await confirm.fill(".claude/settings.json");
    await pressArmed(allow);
    await rowWith(page, "It is made.").waitFor();
    await expect.poll(() => lastAnswer()).toMatchObject({ updatedPermissions: [{ destination: "projectSettings" }] });
  });

  it("scrolls a field that must be filled in into sight, when the card is already full", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await page.setViewportSize({ width: 1440, height: 620 });
    await deck.atSession(page);
    await send(page, "misspell it");
    const dock = dockOf(page);
    await dock.getByRole("button", { name: "Edit E" }).click();
    await dock.getByRole("textbox", { name: "command" }).fill("touch three.txt");
    const isInSight = (field: Locator): Promise<boolean> =>
      field.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return document.elementFromPoint(left + width / 2, top + height / 2) === element;
      });
    await chooseAllow(dock, /^Always/u);
    await dock.getByLabel("Where to save the rule").selectOption("projectSettings");
    await expect.poll(() => isInSight(dock.getByLabel("Type its name to confirm"))).toBe(true);
    // The name is typed from the keyboard, and the buttons stay in sight.
    expect(await isInSight(dock.getByRole("button", { name: "Discard changes" }))).toBe(true);
    await denyBy(dock, "Deny and stop");
    await settled(page);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it("keeps the way to allow that was chosen before the input was edited", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "misspell it");
    const dock = dockOf(page);
    await chooseAllow(dock, /^For this session/u);
    await dock.getByRole("button", { name: "Edit E" }).click();
    await dock.getByRole("textbox", { name: "command" }).fill("touch other.txt");
    await pressArmed(allowAs(dock, "Allow for this session, as edited"));
    await rowWith(page, "The file is there.").waitFor();
    await expect
      .poll(() => lastAnswer())
      .toMatchObject({
        updatedInput: { command: "touch other.txt" },
        updatedPermissions: [{ type: "addRules", destination: "session" }],
      });
  });

  it("says that it would change the mode, where that is what the CLI suggests", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "write the note");
    await chooseAllow(dockOf(page), /^Allow all edits switches this session to “Accept edits”/u);
    // The mode stands there once, and there is no rule to add.
    await expect.poll(() => dockOf(page).getByRole("radio").count()).toBe(2);
    await pressArmed(allowAs(dockOf(page), "Allow all edits"));
    await rowWith(page, "Written.").waitFor();
    await expect
      .poll(() => lastAnswer())
      .toMatchObject({
        updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
      });
    await page.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
  });

  it("is one of a stack; the row of each is one line that leads to its card", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "send two agents");
    const dock = dockOf(page);
    await dock.getByText("1 of 2").waitFor();
    const rows = page.getByRole("main").getByRole("button", { name: "Bash needs you: go to the request" });
    await expect.poll(() => rows.count()).toBe(2);
    // What is asked stands in the card alone.
    await page.locator("[data-row]").getByText("Claude says").first().waitFor({ state: "detached" });
    const asked = dock.getByRole("region", { name: "Requested action" });
    const first = await asked.textContent();
    await rows.last().click();
    await dock.getByText("2 of 2").waitFor();
    await asked.and(page.locator(":focus")).waitFor();
    expect(await asked.textContent()).not.toBe(first);
    await pressArmed(allowIn(dock));
    await expect.poll(() => rows.count()).toBe(1);
    await expect.poll(() => asked.textContent()).toBe(first);
    await pressArmed(allowIn(dock));
    await expect.poll(() => [made("north.txt"), made("south.txt")]).toEqual([true, true]);
    await settled(page);
  });

  it(
    "[E213] keeps what was written in it while another is looked at, here or in another session, and after a reload",
    { tags: "long" },
    async () => {
      const { deck, page } = aboard;
      const id = await deck.atSession(page);
      await send(page, "send two agents");
      const dock = dockOf(page);
      await dock.getByText("1 of 2").waitFor();
      await denyBy(dock, "Deny with a reason");
      const reason = dock.getByLabel("What should Claude do instead?");
      await reason.fill("Look east");
      await dock.getByRole("button", { name: "Next request" }).click();
      await dock.getByText("2 of 2").waitFor();
      await allowIn(dock).waitFor();
      await dock.getByRole("button", { name: "Next request" }).click();
      await expect.poll(() => reason.inputValue()).toBe("Look east");
      await deck.atSession(page, { prompt: "say hello" });
      await rowWith(page, "Hello from the deck.").waitFor();
      await deck.goTo(page, id);
      await expect.poll(() => reason.inputValue()).toBe("Look east");
      await page.reload();
      await expect.poll(() => reason.inputValue()).toBe("Look east");
      expect(await page.evaluate(() => localStorage.getItem("quarterdeck.answers"))).toContain(id);
      await dock.getByRole("button", { name: "Deny with this reason" }).click();
      await allowIn(dock).waitFor();
      await expect.poll(() => page.evaluate(() => localStorage.getItem("quarterdeck.answers"))).toBe("[]");
      await expect.poll(() => lastAnswer()).toMatchObject({ behavior: "deny", message: "Look east" });
      await denyBy(dock, "Deny and stop");
      await settled(page);
    },
  );

  it("says who answered it when that was another device", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    const id = await deck.atSession(page);
    await send(page, "send two agents");
    await dockOf(page).getByText("1 of 2").waitFor();
    const phone = await deck.open({ ...PHONE, name: "Pixel" });
    await deck.goTo(phone, id);
    const sheet = dockOf(phone);
    const shown = await dockOf(page).getByRole("region", { name: "Requested action" }).textContent();
    await sheet.getByText("1 of 2").waitFor();
    const there = sheet.getByRole("region", { name: "Requested action" });
    if ((await there.textContent()) !== shown) await sheet.getByRole("button", { name: "Next request" }).tap();
    await expect.poll(() => there.textContent()).toBe(shown);
    await sheet.getByRole("button", { name: "Deny", exact: true }).tap();
    await page.getByText(/^The request was denied on Pixel/u).waitFor();
    await rowWith(page, "denied on Pixel").first().waitFor();
    await rowWith(phone, "You denied this").first().waitFor();
    await denyBy(dockOf(page), "Deny and stop");
    await settled(page);
  });

  it("is denied with a reason, and the model continues with it", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "delete everything");
    const dock = dockOf(page);
    await denyBy(dock, "Deny with a reason");
    await dock.getByLabel("What should Claude do instead?").fill("Leave the precious one alone.");
    await page.keyboard.press("Enter");
    await rowWith(page, "Understood, I leave it.").waitFor();
    await rowWith(page, "You denied this").waitFor();
    await expect.poll(() => lastAnswer()).toMatchObject({ behavior: "deny", message: "Leave the precious one alone." });
    expect(made("precious.txt")).toBe(false);
  });

  it("is denied, and the turn is stopped", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "sink the ship");
    await denyBy(dockOf(page), "Deny and stop");
    await settled(page);
    await expect.poll(() => lastAnswer()).toMatchObject({ behavior: "deny", interrupt: true });
    expect(await rowWith(page, "Glug.").count()).toBe(0);
    expect(made("sunk.txt")).toBe(false);
  });

  it("is one of several, each answered by itself", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "two at once");
    const dock = dockOf(page);
    await dock.getByText("touch first.txt").first().waitFor();
    await pressArmed(allowIn(dock));
    await dock.getByText("touch second.txt").first().waitFor();
    await dock.getByRole("button", { name: "Deny N", exact: true }).click();
    await rowWith(page, "Both are settled.").waitFor();
    expect([made("first.txt"), made("second.txt")]).toEqual([true, false]);
  });
});

describe("[E2] a question form", () => {
  it("takes one, several and own words, step by step, with numbers and pointer", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "ask me three");
    const dock = dockOf(page);
    await dock.getByText(QUESTIONS[0].question).waitFor();
    await expect.poll(() => dock.getByRole("button", { name: "Next ↵" }).isDisabled()).toBe(true);
    await dock.getByText("Cuxhaven", { exact: true }).click();
    await dock.getByRole("region", { name: "Preview of Cuxhaven" }).getByText("Cuxhaven 01:02").waitFor();
    await dock.getByText("Brest", { exact: true }).click();
    await dock.getByText("Add a note").click();
    await dock.getByLabel("Note", { exact: true }).fill("the old town");
    await dock.getByRole("button", { name: "Next ↵" }).click();

    await dock.getByText(QUESTIONS[1].question).waitFor();
    // The next question has the focus.
    await dock.getByRole("checkbox", { name: "Times" }).and(page.locator(":focus")).waitFor();
    await dock.getByRole("checkbox", { name: "Moon" }).check();
    await dock.getByRole("checkbox", { name: "Times" }).check();
    await dock.getByRole("button", { name: "Next ↵" }).click();

    await dock.getByText(QUESTIONS[2].question).waitFor();
    await dock.getByLabel("Other", { exact: true }).fill("Ebb & Flow");
    await dock.getByRole("button", { name: /^1/u }).click();
    await dock.getByRole("radio", { name: "Brest" }).waitFor();
    await expect.poll(() => dock.getByRole("radio", { name: "Brest" }).isChecked()).toBe(true);
    await dock.getByRole("button", { name: /^3/u }).click();
    await dock.getByRole("button", { name: "Send answers ↵" }).click();

    await rowWith(page, "Noted, all three.").waitFor();
    expect(lastAnswer()?.updatedInput).toMatchObject({
      answers: {
        [QUESTIONS[0].question]: "Brest",
        [QUESTIONS[1].question]: "Times, Moon",
        [QUESTIONS[2].question]: "Ebb & Flow",
      },
      annotations: { [QUESTIONS[0].question]: { notes: "the old town" } },
    });
    await rowWith(page, "Ebb & Flow").waitFor();
  });

  it("is answered by keyboard alone, and its row says what was answered", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "ask me three");
    const card = dockOf(page);
    const row = page.locator("[data-row] section.tool");
    await card.getByText("Mud flats").waitFor();
    // While the dock shows it, its row is one line.
    expect(await row.getByText("Mud flats").count()).toBe(0);
    await page.locator(".ask input:focus").waitFor();
    // Keys that come in the first half second do nothing.
    const pressUntil = async (key: string, locator: Locator): Promise<void> => {
      await expect
        .poll(
          async () => {
            if ((await locator.count()) === 0) await page.keyboard.press(key);
            return locator.count();
          },
          { interval: 700 },
        )
        .toBe(1);
    };
    await pressUntil("2", card.getByRole("radio", { name: "Cuxhaven", checked: true }));
    for (const { options } of QUESTIONS.slice(1)) {
      await pressUntil("Enter", card.getByText(options[0].description));
      await page.locator(".ask input:focus").waitFor();
      await pressUntil("1", card.getByLabel(options[0].label).and(page.locator(":checked")));
    }
    await pressUntil("Enter", rowWith(page, "Noted, all three."));
    await rowWith(page, "Noted, all three.").waitFor();
    expect(lastAnswer()?.updatedInput).toMatchObject({
      answers: {
        [QUESTIONS[0].question]: "Cuxhaven",
        [QUESTIONS[1].question]: "Times",
        [QUESTIONS[2].question]: "Tides",
      },
    });
    await row.getByText("Mud flats").waitFor();
    await row.getByText("You answered").waitFor();
    expect(await row.getByText("edited before running").count()).toBe(0);
  });

  it("may be left without an answer", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "ask me one");
    await dockOf(page).getByRole("button", { name: "Dismiss" }).click();
    await rowWith(page, "Noted.").waitFor();
    await rowWith(page, "You dismissed").waitFor();
    expect(await rowWith(page, "denied").count()).toBe(0);
    await expect.poll(() => lastAnswer()).toMatchObject({ behavior: "deny" });
  });
});

describe("[E3] a plan", () => {
  it("is read, approved into a mode, and carried out in it", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { settings: { permissionMode: "plan" } });
    await send(page, "plan the lock");
    const dock = dockOf(page);
    await dock.getByRole("heading", { name: "Open the lock" }).waitFor();
    await dock.getByLabel("Mode after the plan").selectOption("acceptEdits");
    await pressArmed(dock.getByRole("button", { name: "Approve" }));
    await rowWith(page, "The gate is open.").waitFor();
    await expect
      .poll(() => lastAnswer())
      .toMatchObject({ updatedPermissions: [{ type: "setMode", mode: "acceptEdits" }] });
    expect(readFileSync(join(deck.place.cwd, "gate.txt"), "utf8")).toBe("open\n");
    await page.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
  });

  it("is approved with one press only when its end was in sight", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { settings: { permissionMode: "plan" } });
    await send(page, "plan at length");
    const dock = dockOf(page);
    const approve = dock.getByRole("button", { name: /^Approve/u });
    await approve.getByText("the end is unread").waitFor();
    const answered = deck.answersToCli().length;
    await pressArmed(approve);
    await dock.getByRole("button", { name: /^Approve anyway/u }).waitFor();
    expect(deck.answersToCli()).toHaveLength(answered);
    await dock.getByRole("region", { name: "Plan" }).focus();
    await page.keyboard.press("End");
    await approve.getByText("the end is unread").waitFor({ state: "detached" });
    await pressArmed(dock.getByRole("button", { name: /^Approve ↵/u }));
    await rowWith(page, "Planned at length.").waitFor();
  });

  it("is sent back with what should be different, and comes again", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { settings: { permissionMode: "plan" } });
    await send(page, "plan it twice");
    const dock = dockOf(page);
    await dock.getByRole("button", { name: "Keep planning" }).click();
    const changes = dock.getByLabel(/^(?:Say what to change|Changes to request)/u);
    await changes.and(page.locator(":focus")).waitFor();
    // The hints say what the keys do here.
    const keyOf = (name: string) => dock.getByRole("button", { name }).locator("kbd");
    await keyOf("Approve").waitFor({ state: "hidden" });
    await expect.poll(() => keyOf("Keep planning").innerText()).toBe("Esc");
    await changes.fill("Ring the bell first.");
    await expect.poll(() => keyOf("Keep planning").innerText()).toBe("↵");
    await dock.getByRole("button", { name: "Keep planning" }).click();
    await dock.getByText("Ring the bell.").waitFor();
    await expect.poll(() => lastAnswer()).toMatchObject({ behavior: "deny", message: "Ring the bell first." });
    await rowWith(page, "You kept planning").waitFor();
    await pressArmed(dock.getByRole("button", { name: "Approve" }));
    await rowWith(page, "Planned well.").waitFor();
  });
});

describe("[E4] what waits in another session", () => {
  it("is announced while another session is shown, and a link leads there", { tags: "long" }, async () => {
    const { deck } = aboard;
    const page = await deck.open({ name: "Watch", before: watchNotifications });
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("tab", { name: "Notifications" }).click();
    await page.getByText("When Claude needs me", { exact: true }).click();
    await page.getByText(/^Allowed\./u).waitFor();
    await page.keyboard.press("Escape");
    const id = await deck.startSession({ prompt: "sink the ship", title: "Far away" });
    const shown = () =>
      page.evaluate(() => (globalThis as unknown as Shown).shown.map(({ title, body }) => [title, body]));
    await expect.poll(shown).toEqual([["Far away", "wants to run a command: touch sunk.txt"]]);
    await page.evaluate(() => (globalThis as unknown as Shown).shown[0]!.dispatchEvent(new Event("click")));
    await denyBy(dockOf(page), "Deny and stop");
    await settled(page);
    expect(page.url()).toContain(id);
    expect(await shown()).toHaveLength(1);
  });
});

interface Shown {
  /** In the order in which the browser showed them, not that in which it was asked to. */
  readonly shown: Notification[];
}

/** The browser's own, allowed by the browser; each that it has shown is kept. */
const watchNotifications = async (page: Page): Promise<void> => {
  await page.context().grantPermissions(["notifications"], { origin: aboard.deck.server.url });
  await page.addInitScript(() => {
    const shown: Notification[] = [];
    const Own = Notification;
    class Watched extends Own {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        this.addEventListener("show", () => shown.push(this));
      }
    }
    Object.assign(globalThis, { shown, Notification: Watched });
  });
};
