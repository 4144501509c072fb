// Where one begins, and all sessions at once: the home page, the board and the rail.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectSound } from "./axe.ts";
import { PHONE } from "./deck.ts";
import { dockOf, rowWith, settled, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO });

/** The board shows the older of two requests. */
const ASKED = /^touch (?:north|south)\.txt$/u;

const boxOf = (page: Page): Locator => page.getByRole("textbox", { name: "What should Claude do?" });
const railOf = (page: Page): Locator => page.getByRole("navigation", { name: "Sessions" });
const laneOf = (page: Page, name: string): Locator => page.getByRole("main").getByRole("region", { name, exact: true });
const goHome = async (page: Page): Promise<void> => {
  await page.goto(`${aboard.deck.server.url}/#/`);
  await boxOf(page).waitFor();
};
const goToBoard = async (page: Page): Promise<void> => {
  await page.goto(`${aboard.deck.server.url}/#/board`);
  await page.getByRole("heading", { name: "Board", exact: true }).waitFor();
};
const chooseIn = async (page: Page, chip: RegExp, item: string | RegExp): Promise<void> => {
  await page.getByRole("main").getByRole("button", { name: chip }).click();
  await page.getByRole("menuitemradio", { name: item }).click();
};

describe("[E173] the composer of the home page", () => {
  it("starts a session with files, a mention, a mode and an effort, and knows what was sent before", async () => {
    const { deck, page } = aboard;
    writeFileSync(join(deck.place.cwd, "tides.txt"), "06:15");
    await goHome(page);
    await chooseIn(page, /^Mode: /u, /^Accept edits/u);
    await chooseIn(page, /^Effort: /u, /^High/u);
    await boxOf(page).focus();
    await page.keyboard.type("say hello to @tid");
    const option = page.getByRole("option", { name: "tides.txt" });
    await option.waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => boxOf(page).inputValue()).toBe("say hello to @tides.txt ");
    await page
      .locator(".home-start input[type=file]")
      .setInputFiles({ name: "chart.txt", mimeType: "text/plain", buffer: Buffer.from("depth 4 m") });
    await page.getByRole("button", { name: "Start", exact: true }).and(page.locator(":not([aria-busy])")).click();
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await page.getByRole("heading", { level: 1, name: "say hello to tides.txt" }).waitFor();
    const sent = deck.promptsToCli().at(-1)!;
    expect(sent).toContain("say hello to @tides.txt");
    expect(sent).toContain('The file "chart.txt" is attached');
    const { sessions } = await deck.client.call("sessions/list", {});
    expect(sessions[0]).toMatchObject({ title: "say hello to tides.txt", mode: "acceptEdits" });

    await goHome(page);
    await expect.poll(() => boxOf(page).inputValue()).toBe("");
    await boxOf(page).press("ArrowUp");
    await expect.poll(() => boxOf(page).inputValue()).toBe("say hello to @tides.txt");
    await boxOf(page).press("ArrowDown");
    // The commands of the last session, and those of the page that need no session.
    await boxOf(page).fill("/comp");
    await page.getByRole("option", { name: /^\/compact/u }).waitFor();
    await boxOf(page).fill("/mod");
    await page.getByRole("option", { name: /^\/model/u }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitemradio", { name: /^Opus/u }).first().click();
    await page.getByRole("button", { name: /^Model: Opus/u }).waitFor();
    // Text that was not sent survives a reload.
    await boxOf(page).fill("to be continued");
    await page.reload();
    await expect.poll(() => boxOf(page).inputValue()).toBe("to be continued");
    // The whole form begins with it.
    await page.getByRole("button", { name: "New session, more options" }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    await expect.poll(() => dialog.getByLabel("Message (optional)").inputValue()).toBe("to be continued");
    await expect.poll(() => dialog.getByLabel("Folder", { exact: true }).inputValue()).toBe(deck.place.cwd);
    await page.keyboard.press("Escape");
    await boxOf(page).fill("");
    await expectSound(page, "home with a session", "main");
  });
});

describe("[E174] what needs a person", { tags: "long" }, () => {
  it("is listed request by request, and one press opens that request", async () => {
    const { deck, page } = aboard;
    const two = await deck.startSession({ prompt: "send two agents", title: "Two agents" });
    await deck.startSession({ prompt: "ask me one", title: "A question" });
    await goHome(page);
    const needs = laneOf(page, "Sessions that need you");
    await needs.getByText("touch north.txt").waitFor();
    await needs.getByText("touch south.txt").waitFor();
    await needs.getByRole("link", { name: /^A question asks you a question/u }).waitFor();
    await needs.getByRole("link", { name: /touch south\.txt/u }).click();
    await page.locator(`.deck[data-session="${two}"]`).waitFor();
    await dockOf(page).getByText("touch south.txt").first().waitFor();

    const phone = await deck.open({ ...PHONE, name: "Pixel" });
    await laneOf(phone, "Sessions that need you")
      .getByRole("link", { name: /touch north\.txt/u })
      .tap();
    await dockOf(phone).getByText("touch north.txt").first().waitFor();
    await phone.goto(`${deck.server.url}/#/`);
    await boxOf(phone).waitFor();
    await expect.poll(() => phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    // A phone has one way to the whole form.
    await phone.getByRole("button", { name: "New session, more options" }).waitFor();
    expect(await phone.getByRole("button", { name: "Open in a new worktree" }).isVisible()).toBe(false);
    await expectSound(phone, "home on a phone", "main");
    await phone.goto(`${deck.server.url}/#/board`);
    await laneOf(phone, "Needs you").getByText(ASKED).waitFor();
    await expectSound(phone, "board on a phone", "main");
  });
});

describe("[E177] the board", { tags: "long" }, () => {
  it("shows each session in the lane of its state, with its last line, cost, branch and machine", async () => {
    const { deck, page } = aboard;
    const idle = await deck.atSession(page, { prompt: "say hello", title: "Idle one" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await deck.startSession({ prompt: "wait at the gate", title: "At the gate", settings: { allowedTools: ["Bash"] } });
    await goToBoard(page);
    await laneOf(page, "Needs you").getByText(ASKED).waitFor();
    await laneOf(page, "Working").getByRole("link", { name: "At the gate" }).waitFor();
    const card = laneOf(page, "Idle").getByRole("listitem").filter({ hasText: "Idle one" });
    await card.getByText("Hello from the deck.").waitFor();
    const { hostname } = deck.client.info!.machine;
    await expect.poll(() => card.textContent()).toContain(hostname);
    await expect.poll(() => card.textContent()).toContain("$0.01");
    // Another device continues it while no page here is visible.
    await deck.client.command("session/prompt", { session: idle, content: "second thought" });
    const unseen = laneOf(page, "Done, not seen").getByRole("listitem").filter({ hasText: "Idle one" });
    await unseen.getByText("A second thought.").waitFor();
    await expectSound(page, "board", "main");

    // By keys: to the card, selected, and to the lane beside it.
    const link = page.getByRole("main").getByRole("link", { name: /^Idle one/u });
    await link.focus();
    await page.keyboard.press("x");
    const several = page.getByRole("toolbar", { name: "Selected sessions" });
    await several.getByText("1 selected").waitFor();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("At the gate");
    await several.getByRole("button", { name: "Mark as seen" }).click();
    await laneOf(page, "Idle").getByRole("link", { name: "Idle one" }).waitFor();
    writeFileSync(join(deck.place.cwd, "open-gate"), "");
    await laneOf(page, "Working").getByRole("link", { name: "At the gate" }).waitFor({ state: "detached" });
  });

  it("shows the branch and the changes of a session, and a session that died with a way to resume it", async () => {
    const { deck, page } = aboard;
    const cwd = join(deck.place.cwd, "skiff");
    mkdirSync(cwd);
    execFileSync("git", ["init", "--quiet", "--initial-branch", "harbour"], { cwd });
    const settings = { allowedTools: ["Write", "Bash"] };
    const changed = await deck.startSession({ cwd, prompt: "write the note", title: "Skiff", settings });
    const died = await deck.startSession({ cwd, prompt: "wait at the gate", title: "Lost one", settings });
    const headOf = async (session: string) => (await deck.client.call("session/subscribe", { session, rows: 0 })).head;
    await expect.poll(async () => (await headOf(changed)).gauges?.turns).toBe(1);
    await expect.poll(async () => (await headOf(died)).phase).toBe("tool");
    process.kill((await headOf(died)).process!.pid!, "SIGKILL");
    await goToBoard(page);
    const skiff = page
      .getByRole("main")
      .getByRole("listitem")
      .filter({ has: page.getByRole("link", { name: /^Skiff/u }) });
    await skiff.getByText("skiff · harbour").waitFor();
    await expect.poll(() => skiff.innerText()).toMatch(/\+2(?! −)/u);
    const failed = laneOf(page, "Failed").getByRole("listitem").filter({ hasText: "Lost one" });
    await failed.getByRole("button", { name: "Resume: Lost one" }).click();
    await laneOf(page, "Failed").getByRole("link", { name: "Lost one" }).waitFor({ state: "detached" });
    await deck.client.command("sessions/delete", { session: died });
    await deck.client.command("sessions/delete", { session: changed });
  });

  it("acts on several: archives with an undo, stops, and deletes what was confirmed", async () => {
    const { deck, page } = aboard;
    const ids = await Promise.all(["Sloop", "Ketch", "Yawl"].map((title) => deck.startSession({ title })));
    await goToBoard(page);
    await page.getByRole("radio", { name: "Table" }).check();
    const table = page.getByRole("table");
    const several = page.getByRole("toolbar", { name: "Selected sessions" });
    const rowOf = (title: string): Locator => table.getByRole("row").filter({ hasText: title });
    const pick = async (...titles: string[]): Promise<void> => {
      for (const title of titles) await page.getByRole("checkbox", { name: `Select ${title}`, exact: true }).check();
      await several.getByText(`${titles.length} selected`).waitFor();
    };
    await pick("Sloop", "Ketch");
    await several.getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByText("Archived 2 sessions.").waitFor();
    await rowOf("Sloop").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await rowOf("Sloop").waitFor();
    await rowOf("Ketch").waitFor();

    await pick("Ketch", "Yawl");
    await several.getByRole("button", { name: "Stop 2 processes" }).click();
    await page.getByText(/^Stopped 2 sessions\./u).waitFor();
    const live = async (): Promise<string[]> => {
      const { sessions } = await deck.client.call("sessions/list", { state: "live" });
      return sessions.map(({ id }) => id).filter((id) => ids.includes(id));
    };
    await expect.poll(live).toEqual([ids[0]]);

    await pick("Sloop", "Yawl");
    await several.getByRole("button", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 2 sessions?" });
    await dialog.getByText(/“Sloop”/u).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await rowOf("Sloop").waitFor();
    await several.getByRole("button", { name: "Delete…" }).click();
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Deleted 2 sessions.").waitFor();
    await rowOf("Sloop").waitFor({ state: "detached" });
    await rowOf("Yawl").waitFor({ state: "detached" });
    await rowOf("Ketch").waitFor();
    await expectSound(page, "board as a table", "main");
  });
});

describe("[E178] choices of the list", { tags: "long" }, () => {
  it("filters and saved views of the board survive a reload", async () => {
    const { page } = aboard;
    await goToBoard(page);
    await page.getByRole("radio", { name: "Table" }).check();
    await page.getByRole("searchbox", { name: "Filter sessions" }).fill("ketch");
    const titles = (): Promise<string[]> => page.getByRole("table").getByRole("rowheader").allTextContents();
    await expect.poll(titles).toEqual(["Ketch"]);
    await page.getByRole("button", { name: /^View: Changed/u }).click();
    await page.getByRole("menuitem", { name: "Save this view…" }).click();
    await page.getByRole("dialog", { name: "Save this view" }).getByLabel("Name").fill("Only Ketch");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "View: Only Ketch" }).waitFor();
    await chooseIn(page, /^View: /u, "By state");
    await laneOf(page, "Needs you").getByText(ASKED).waitFor();
    await page.reload();
    await chooseIn(page, /^View: By state/u, "Only Ketch");
    await expect.poll(titles).toEqual(["Ketch"]);
    await chooseIn(page, /^View: /u, "By state");
  });

  it("pins, folded projects and the width of the rail survive a reload", async () => {
    const { deck, page } = aboard;
    await goHome(page);
    const rail = railOf(page);
    const pinned = rail.getByRole("region", { name: "Pinned" });
    await rail.getByRole("button", { name: "Menu for Ketch", exact: true }).click();
    await page.getByRole("menuitem", { name: /^Pin/u }).click();
    await pinned.getByRole("link", { name: /^Ketch/u }).waitFor();
    const project = rail.getByRole("button", { name: "work", exact: true });
    await project.click();
    await rail.getByRole("link", { name: /^Idle one/u }).waitFor({ state: "detached" });
    const width = async (): Promise<number> => Math.round((await rail.boundingBox())!.width);
    const before = await width();
    const grip = rail.getByRole("separator", { name: "Width of the session list" });
    await grip.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(width).toBe(before + 24);
    const box = (await grip.boundingBox())!;
    await page.mouse.move(box.x + 4, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 64, box.y + 300, { steps: 3 });
    await page.mouse.up();
    await expect.poll(width).toBe(before + 84);
    await page.reload();
    await pinned.getByRole("link", { name: /^Ketch/u }).waitFor();
    await expect.poll(() => project.getAttribute("aria-expanded")).toBe("false");
    await expect.poll(width).toBe(before + 84);
    await expectSound(page, "rail with pins", ".rail");
    await grip.focus();
    await page.keyboard.press("Home");
    await expect.poll(width).toBe(before);
    await project.click();
    await rail.getByRole("link", { name: /^Idle one/u }).waitFor();
    expect(deck.takeTroubles()).toEqual([]);
  });
});

describe("[E175] demo mode", { tags: "long" }, () => {
  const demo = useDeck({ scenario: SCENARIO, flags: ["--demo"] });

  it("offers the chapters of the tour as buttons, and plays one", async () => {
    const { page } = demo;
    const chapters = page.getByRole("region", { name: "Try a demo" });
    await chapters.getByRole("button", { name: "Files and diffs" }).waitFor();
    await chapters.getByRole("button", { name: "Two questions" }).click();
    await page.getByRole("heading", { level: 1, name: "Demo: Two questions" }).waitFor();
    await dockOf(page).getByText("Which harbour should the table be for?").first().waitFor();
    expect(page.url()).toContain("#/s/");
  });
});
