// What the CLI asks, and every way to answer it. What reached the CLI is read from its own stdin.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { allowIn, dockOf, pressArmed, rowWith, send, settled, useDeck } from "./journey.ts";
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
    await dock.getByRole("heading", { name: "Bash" }).waitFor();
    await dock.getByText("touch made.txt").first().waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(1\) /u);
    expect(made("made.txt")).toBe(false);
    await allowIn(dock).click();
    await rowWith(page, "It is made.").waitFor();
    await settled(page);
    expect(made("made.txt")).toBe(true);
    await rowWith(page, "You allowed this").waitFor();
    expect(await dock.count()).toBe(0);
    await expect.poll(() => page.title()).not.toMatch(/^\(/u);
  });

  it("is allowed with another input than was asked for", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "misspell it");
    const dock = dockOf(page);
    await dock.getByRole("button", { name: "Edit E" }).click();
    await dock.getByRole("textbox", { name: "command" }).fill("touch right.txt");
    const edit = dock.getByRole("region", { name: "Your changes" });
    await edit.getByText("touch wrong.txt").waitFor();
    await edit.getByText("touch right.txt").waitFor();
    await dock.getByRole("button", { name: "Allow as edited" }).click();
    await rowWith(page, "The file is there.").waitFor();
    expect([made("wrong.txt"), made("right.txt")]).toEqual([false, true]);
    expect(lastAnswer()).toMatchObject({ behavior: "allow", updatedInput: { command: "touch right.txt" } });
    await rowWith(page, "edited before running").waitFor();
  });

  it("shows the whole of a new file before it is written", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "write the note");
    const dock = dockOf(page);
    await dock.getByText("new file").waitFor();
    await dock.getByText("one", { exact: false }).first().waitFor();
    await allowIn(dock).click();
    await rowWith(page, "Written.").waitFor();
    expect(readFileSync(join(deck.place.cwd, "note.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("is allowed for this session, and not asked for again", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "ring twice");
    const before = deck.answersToCli().length;
    await dockOf(page).getByRole("button", { name: "Allow for this session" }).click();
    await rowWith(page, "Rung twice.").waitFor();
    await settled(page);
    expect(deck.answersToCli().slice(before)).toMatchObject([
      { behavior: "allow", updatedPermissions: [{ type: "addRules", destination: "session" }] },
    ]);
    expect(made(".claude")).toBe(false);
  });

  it("writes a rule for everybody only when its file's name is typed", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "touch it");
    const dock = dockOf(page);
    await dock.getByRole("checkbox", { name: /^Always allow Bash/u }).check({ force: true });
    await dock.getByLabel("Where to save the rule").first().selectOption("projectSettings");
    const allow = dock.getByRole("button", { name: "Allow and remember" });
    const confirm = dock.getByLabel("Type its name to confirm");
    await confirm.fill("something else");
    expect(await allow.getAttribute("aria-disabled")).toBe("true");
    await confirm.fill(".claude/settings.json");
    await allow.click();
    await rowWith(page, "It is made.").waitFor();
    expect(lastAnswer()).toMatchObject({ updatedPermissions: [{ destination: "projectSettings" }] });
  });

  it("brings what must be typed in sight, where the card is full already", async () => {
    const { deck, page } = aboard;
    await page.setViewportSize({ width: 1440, height: 620 });
    await deck.atSession(page);
    await send(page, "write the note");
    const dock = dockOf(page);
    await dock.getByRole("button", { name: "Edit E" }).click();
    await dock.getByRole("textbox", { name: "content" }).fill("one\nthree\n");
    const isInSight = (field: Locator): Promise<boolean> =>
      field.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return document.elementFromPoint(left + width / 2, top + height / 2) === element;
      });
    const where = dock.getByLabel("Where to save the rule").first();
    await where.focus();
    expect(await isInSight(where)).toBe(true);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    await where.selectOption("projectSettings");
    expect(await isInSight(dock.getByLabel("Type its name to confirm"))).toBe(true);
    await dock.getByRole("button", { name: "Deny and stop" }).click();
    await settled(page);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it("keeps a rule in sight that was chosen before the input was edited", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "misspell it");
    const dock = dockOf(page);
    const rule = dock.getByRole("checkbox", { name: /^Always allow Bash/u });
    await rule.check({ force: true });
    await dock.getByRole("button", { name: "Edit E" }).click();
    expect(await rule.isChecked()).toBe(true);
    await dock.getByRole("textbox", { name: "command" }).fill("touch other.txt");
    await dock.getByRole("button", { name: "Allow as edited and remember" }).click();
    await rowWith(page, "The file is there.").waitFor();
    expect(lastAnswer()).toMatchObject({
      updatedInput: { command: "touch other.txt" },
      updatedPermissions: [{ type: "addRules", destination: "session" }],
    });
  });

  it("says that it would change the mode, where that is what the CLI suggests", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "write the note");
    await dockOf(page).getByRole("button", { name: "Allow all edits" }).click();
    await rowWith(page, "Written.").waitFor();
    expect(lastAnswer()).toMatchObject({
      updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    });
    await page.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
  });

  it("is one of a stack, and each is answered in its row", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "send two agents");
    const dock = dockOf(page);
    await dock.getByText("1 of 2").waitFor();
    const rows = page.getByRole("main").getByRole("button", { name: "Bash needs you: answer here" });
    await expect.poll(() => rows.count()).toBe(2);
    const asked = dock.getByRole("region", { name: "Requested action" });
    const first = await asked.textContent();
    await rows.last().click();
    await page.locator(".requests-slot").getByText("2 of 2").waitFor();
    await page.locator("[data-row] .ask :focus").waitFor();
    expect(await asked.textContent()).not.toBe(first);
    await pressArmed(allowIn(dock));
    await expect.poll(() => rows.count()).toBe(1);
    await page.locator(".requests-slot .ask").waitFor();
    await allowIn(dock).click();
    await expect.poll(() => [made("north.txt"), made("south.txt")]).toEqual([true, true]);
    await settled(page);
  });

  it("moves to its row and back with what was written in it", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "misspell it");
    const card = dockOf(page);
    await card.getByRole("button", { name: "Edit E" }).click();
    await card.getByRole("textbox", { name: "command" }).fill("touch moved.txt");
    const toggle = page.getByRole("main").getByRole("button", { name: "Bash needs you: answer here" });
    await toggle.click();
    const inRow = page.locator("[data-row] .ask");
    await inRow.waitFor();
    expect(await dockOf(page).count()).toBe(1);
    expect(await toggle.getAttribute("aria-expanded")).toBe("true");
    expect(await card.getByRole("textbox", { name: "command" }).inputValue()).toBe("touch moved.txt");
    await page.getByRole("button", { name: "Answer here", exact: true }).click();
    await page.locator(".requests-slot .ask").waitFor();
    expect(await inRow.count()).toBe(0);
    await toggle.click();
    await pressArmed(inRow.getByRole("button", { name: "Allow as edited" }));
    await rowWith(page, "The file is there.").waitFor();
    expect([made("wrong.txt"), made("moved.txt")]).toEqual([false, true]);
    expect(await page.locator(".ask").count()).toBe(0);
  });

  it("keeps what was written in it while another is looked at, here or in another session", async () => {
    const { deck, page } = aboard;
    const id = await deck.atSession(page);
    await send(page, "send two agents");
    const dock = dockOf(page);
    await dock.getByText("1 of 2").waitFor();
    await dock.getByRole("button", { name: "Deny… N" }).click();
    const reason = dock.getByLabel("What should Claude do instead?");
    await reason.fill("Look east");
    await dock.getByRole("button", { name: "Next request" }).click();
    await dock.getByText("2 of 2").waitFor();
    await allowIn(dock).waitFor();
    await dock.getByRole("button", { name: "Next request" }).click();
    expect(await reason.inputValue()).toBe("Look east");
    await deck.atSession(page, { prompt: "say hello" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await deck.goTo(page, id);
    expect(await reason.inputValue()).toBe("Look east");
    await dock.getByRole("button", { name: "Deny with this reason" }).click();
    await allowIn(dock).waitFor();
    expect(lastAnswer()).toMatchObject({ behavior: "deny", message: "Look east" });
    await dock.getByRole("button", { name: "Deny and stop" }).click();
    await settled(page);
  });

  it("comes back to the dock from a row that leaves the page, and is written on in", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "walk far");
    const card = dockOf(page);
    await card.waitFor();
    const toggle = page.getByRole("main").getByRole("button", { name: "Bash needs you: answer here" });
    await toggle.focus();
    await page.keyboard.press("Enter");
    await page.locator("[data-row] .ask [role=region]:focus").waitFor();
    await page.keyboard.press("e");
    await card.getByRole("textbox", { name: "command" }).and(page.locator(":focus")).fill("touch far");
    await page.getByRole("region", { name: "Messages" }).evaluate((list) => list.scrollTo({ top: 0 }));
    await page.locator(".requests-slot .ask textarea:focus").waitFor();
    expect(await toggle.count()).toBe(0);
    await page.keyboard.press("End");
    await page.keyboard.type("away.txt");
    await page.getByRole("button", { name: /Jump to end/u }).click();
    await toggle.click();
    await page.locator("[data-row] .ask").waitFor();
    await pressArmed(card.getByRole("button", { name: "Allow as edited" }));
    await rowWith(page, "There at last.").waitFor();
    expect(lastAnswer()).toMatchObject({ updatedInput: { command: "touch faraway.txt" } });
  });

  it("leaves its row when another device answers it", async () => {
    const { deck, page } = aboard;
    const id = await deck.atSession(page);
    await send(page, "send two agents");
    const rows = page.getByRole("main").getByRole("button", { name: "Bash needs you: answer here" });
    await expect.poll(() => rows.count()).toBe(2);
    await rows.first().click();
    await page.locator("[data-row] .ask").waitFor();
    const phone = await deck.open({ ...PHONE, name: "Pixel" });
    await deck.goTo(phone, id);
    const sheet = dockOf(phone);
    const inRow = await dockOf(page).getByRole("region", { name: "Requested action" }).textContent();
    await sheet.getByText("1 of 2").waitFor();
    const shown = sheet.getByRole("region", { name: "Requested action" });
    if ((await shown.textContent()) !== inRow) await sheet.getByRole("button", { name: "Next request" }).tap();
    await expect.poll(() => shown.textContent()).toBe(inRow);
    await sheet.getByRole("button", { name: "Deny and stop" }).tap();
    await page.getByText(/^The request was denied on Pixel/u).waitFor();
    await page.locator(".requests-slot .ask").waitFor();
    expect(await page.locator("[data-row] .ask").count()).toBe(0);
    await dockOf(page).getByRole("button", { name: "Deny and stop" }).click();
    await settled(page);
  });

  it("is denied with a reason, and the model goes on with it", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "delete everything");
    const dock = dockOf(page);
    await dock.getByRole("button", { name: "Deny… N" }).click();
    await dock.getByLabel("What should Claude do instead?").fill("Leave the precious one alone.");
    await dock.getByRole("button", { name: "Deny with this reason" }).click();
    await rowWith(page, "Understood, I leave it.").waitFor();
    await rowWith(page, "You denied this").waitFor();
    expect(lastAnswer()).toMatchObject({ behavior: "deny", message: "Leave the precious one alone." });
    expect(made("precious.txt")).toBe(false);
  });

  it("is denied, and the turn is stopped", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "sink the ship");
    await dockOf(page).getByRole("button", { name: "Deny and stop" }).click();
    await settled(page);
    expect(lastAnswer()).toMatchObject({ behavior: "deny", interrupt: true });
    expect(await rowWith(page, "Glug.").count()).toBe(0);
    expect(made("sunk.txt")).toBe(false);
  });

  it("is one of several, each answered by itself", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "two at once");
    const dock = dockOf(page);
    await dock.getByText("touch first.txt").first().waitFor();
    await allowIn(dock).click();
    await dock.getByText("touch second.txt").first().waitFor();
    await dock.getByRole("button", { name: "Deny… N" }).click();
    await dock.getByRole("button", { name: "Deny", exact: true }).click();
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
    expect(await dock.getByRole("button", { name: "Next ↵" }).isDisabled()).toBe(true);
    await dock.getByText("Cuxhaven", { exact: true }).click();
    await dock.getByRole("region", { name: "Preview of Cuxhaven" }).getByText("Cuxhaven 01:02").waitFor();
    await dock.getByText("Brest", { exact: true }).click();
    await dock.getByText("Add a note").click();
    await dock.getByLabel("Note", { exact: true }).fill("the old town");
    await dock.getByRole("button", { name: "Next ↵" }).click();

    await dock.getByText(QUESTIONS[1].question).waitFor();
    await dock.getByRole("checkbox", { name: "Times" }).focus();
    await page.keyboard.press("3");
    await page.keyboard.press("1");
    await page.keyboard.press("2");
    await page.keyboard.press("2");
    await dock.getByRole("button", { name: "Next ↵" }).click();

    await dock.getByText(QUESTIONS[2].question).waitFor();
    await dock.getByLabel("Other", { exact: true }).fill("Ebb & Flow");
    await dock.getByRole("button", { name: /^1/u }).click();
    await dock.getByRole("radio", { name: "Brest" }).waitFor();
    expect(await dock.getByRole("radio", { name: "Brest" }).isChecked()).toBe(true);
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

  it("is answered in its row by keyboard alone, and says there what was answered", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "ask me three");
    const card = dockOf(page);
    const row = page.locator("[data-row] section.tool");
    await card.getByText("Mud flats").waitFor();
    // While the dock shows it, its row is one line.
    expect(await row.getByText("Mud flats").count()).toBe(0);
    await row.getByRole("button", { name: "Question needs you: answer here" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("[data-row] .ask input:focus").waitFor();
    await page.keyboard.press("2");
    for (const { options } of QUESTIONS.slice(1)) {
      await page.keyboard.press("Enter");
      await card.getByText(options[0].description).waitFor();
      await page.locator("[data-row] .ask input:focus").waitFor();
      await page.keyboard.press("1");
    }
    await page.keyboard.press("Enter");
    await rowWith(page, "Noted, all three.").waitFor();
    expect(lastAnswer()?.updatedInput).toMatchObject({
      answers: {
        [QUESTIONS[0].question]: "Cuxhaven",
        [QUESTIONS[1].question]: "Times",
        [QUESTIONS[2].question]: "Tides",
      },
    });
    await row.getByText("Mud flats").waitFor();
  });

  it("may be left without an answer", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "ask me one");
    await dockOf(page).getByRole("button", { name: "Dismiss" }).click();
    await rowWith(page, "Noted.").waitFor();
    expect(lastAnswer()).toMatchObject({ behavior: "deny" });
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
    await dock.getByRole("button", { name: "Approve" }).click();
    await rowWith(page, "The gate is open.").waitFor();
    expect(lastAnswer()).toMatchObject({ updatedPermissions: [{ type: "setMode", mode: "acceptEdits" }] });
    expect(readFileSync(join(deck.place.cwd, "gate.txt"), "utf8")).toBe("open\n");
    await page.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
  });

  it("cannot be approved before its end was in sight", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { settings: { permissionMode: "plan" } });
    await send(page, "plan at length");
    const dock = dockOf(page);
    const approve = dock.getByRole("button", { name: "Approve" });
    await dock.getByText("Scroll to the end before you approve this.").waitFor();
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    await dock.getByRole("region", { name: "Plan" }).focus();
    await page.keyboard.press("End");
    await pressArmed(approve);
    await rowWith(page, "Planned at length.").waitFor();
  });

  it("is sent back with what should be different, and comes again", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { settings: { permissionMode: "plan" } });
    await send(page, "plan it twice");
    const dock = dockOf(page);
    await dock.getByRole("button", { name: "Keep planning" }).click();
    await dock.getByLabel(/^Changes to request/u).fill("Ring the bell first.");
    await dock.getByRole("button", { name: "Keep planning" }).click();
    await dock.getByText("Ring the bell.").waitFor();
    expect(lastAnswer()).toMatchObject({ behavior: "deny", message: "Ring the bell first." });
    await dock.getByRole("button", { name: "Approve" }).click();
    await rowWith(page, "Planned well.").waitFor();
  });
});

describe("[E4] what waits in another session", () => {
  it("calls whoever looks elsewhere, and leads there", async () => {
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
    await dockOf(page).getByRole("button", { name: "Deny and stop" }).click();
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
