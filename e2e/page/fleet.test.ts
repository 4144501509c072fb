// One page for two machines, with a real NATS server between them. The page comes from the hub; the box is reached through it.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@quarterdeck/test-kit/nats-server";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makePlace } from "../bridge/server-process.ts";
import { Machine } from "../fleet/machines.ts";
import { expectSound } from "./axe.ts";
import { NO_SERVER, PHONE } from "./deck.ts";
import { allowIn, composerOf, dockOf, pressArmed, rowWith, send, settled, statusOf, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO });
const box = new Machine(makePlace(SCENARIO));
let hub: Machine;

/** What a browser says when another machine does not answer. */
const AWAY = new RegExp(`${NO_SERVER.source}|status of (?:403|502|503)`, "u");

/** Starts a session on the box, as a person at that machine would. */
const startOnBox = async (title: string, prompt: string): Promise<string> => {
  const admin = box.admin();
  const { session } = await admin
    .command("sessions/start", { cwd: box.place.cwd, title, prompt })
    .finally(() => admin.close());
  return session.id;
};
const machinesOf = (page: Page) => page.getByRole("region", { name: "Machines", exact: true });
const entryOf = (page: Page, title: string) =>
  page
    .getByRole("navigation", { name: "Sessions" })
    .locator(".entry")
    .filter({ has: page.getByRole("link", { name: new RegExp(`^${title}\\b`, "u") }) });
const benchOf = (page: Page) => page.getByRole("complementary", { name: "Workbench" });
const hashOf = (page: Page) => page.evaluate(() => location.hash);
/** The page knows the box and has its list. */
const fleetIn = (page: Page) =>
  machinesOf(page)
    .getByRole("link", { name: /^box\b.*\d+ (?:sessions?|needs? you)/u })
    .waitFor();

/** The files that only a fleet needs and that the page has loaded. */
const fleetFiles = (page: Page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map(({ name }) => name)
      .filter((name) => name.includes("fleet")),
  );
let filesAlone: string[] = [];

beforeAll(async () => {
  const { deck, page } = aboard;
  await box.start();
  hub = new Machine(deck.place);
  hub.server = deck.server;
  const { code } = await hub.create(await freePort());
  await box.join(code, "box", "operate");
  await vi.waitUntil(async () => (await hub.sees("box")) === "here", { timeout: 60_000 });
  writeFileSync(join(box.place.cwd, "only-on-the-box.txt"), "Words of the box.\n");
  await deck.startSession({ title: "On the hub", prompt: "say hello" });
  await startOnBox("On the box", "say hello");
  filesAlone = await fleetFiles(page);
  await page.reload();
  await fleetIn(page);
});
afterAll(() => box.close());

describe("the page of a fleet", () => {
  it("[E269] opens a session of another machine, and everything in it happens there", async () => {
    const { deck, page } = aboard;
    // [E325] A page of one machine alone loads no file for other machines.
    expect([filesAlone, (await fleetFiles(page)).length > 0]).toEqual([[], true]);
    // One list. Each row names its machine.
    await entryOf(page, "On the hub").locator(".entry-place").getByText("hub", { exact: true }).waitFor();
    await entryOf(page, "On the box").locator(".entry-place").getByText("box", { exact: true }).waitFor();
    await machinesOf(page)
      .getByRole("link", { name: /^hub\b.*here/u })
      .waitFor();
    // Sessions that need a person come first, from every machine. The home page has them too.
    const id = await startOnBox("Asks on the box", "touch it");
    const needs = page.getByRole("main").getByRole("region", { name: "Sessions that need you" });
    await needs.getByRole("link", { name: /Asks on the box.*box/u }).waitFor();
    await machinesOf(page)
      .getByRole("link", { name: /^box\b.*1 needs you/u })
      .waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(1\)/u);
    await expectSound(page, "home of a fleet");
    await needs.getByRole("link", { name: /Asks on the box/u }).click();
    await expect.poll(() => hashOf(page)).toBe(`#/m/box/s/${id}`);
    // The request is answered there.
    const given = deck.answersToCli().length;
    await pressArmed(allowIn(dockOf(page)));
    await rowWith(page, "It is made.").waitFor();
    await settled(page);
    expect(existsSync(join(box.place.cwd, "made.txt"))).toBe(true);
    expect(deck.answersToCli()).toHaveLength(given);
    // An upload goes to the machine, and its files are those of the panel.
    await page
      .getByRole("form", { name: "Message" })
      .locator("input[type=file]")
      .setInputFiles({ name: "chart.txt", mimeType: "text/plain", buffer: Buffer.from("depth 4 m") });
    await page.getByRole("button", { name: "Remove chart.txt" }).waitFor();
    await composerOf(page).fill("read the file");
    // While a file is on its way, the button says so and sends nothing.
    await page.getByRole("button", { name: "Send", exact: true }).and(page.locator(":not([aria-busy])")).click();
    await rowWith(page, "I have read it.").waitFor();
    await settled(page);
    expect(JSON.stringify(box.place.linesToCli())).toContain("chart.txt");
    const place = page.locator(".head-path");
    await expect.poll(() => place.innerText()).toBe(`box:${box.place.cwd}`);
    await page.getByRole("button", { name: "Show workbench" }).click();
    // In less room, a person who allows something still sees where.
    await expect.poll(() => place.innerText()).toBe("box");
    await page.getByRole("tab", { name: "Files", exact: true }).click();
    await benchOf(page).getByText("only-on-the-box.txt").first().click();
    await benchOf(page).getByText("Words of the box.").waitFor();
    // An export comes from the machine.
    await page.getByRole("button", { name: "Session menu" }).click();
    await page.getByRole("menuitem", { name: "Export…" }).click();
    const dialog = page.getByRole("dialog", { name: "Export session" });
    await dialog.getByRole("radio", { name: /Markdown/u }).check();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(readFileSync(await file.path(), "utf8")).toContain("It is made.");
    // The address is enough: after a reload, and on the way back.
    await page.reload();
    await page.locator(`.deck[data-session="${id}"]`).waitFor();
    await rowWith(page, "I have read it.").waitFor();
    await fleetIn(page);
    await entryOf(page, "On the hub").getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "On the hub" }).waitFor();
    await expect.poll(() => hashOf(page)).toMatch(/^#\/s\//u);
    await page.goBack();
    await page.locator(`.deck[data-session="${id}"]`).waitFor();
    await expectSound(page, "session of another machine");
  });

  it("[E270] starts a session on the machine that is chosen, with its folders", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await page.goto(`${deck.server.url}/#/board`);
    await page.getByRole("button", { name: "New session" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    const machine = dialog.getByRole("combobox", { name: "Machine" });
    await expect.poll(() => machine.locator("option").allInnerTexts()).toEqual(["hub (here)", "box"]);
    await dialog.getByRole("textbox", { name: "Message" }).fill("mind the fog");
    await machine.selectOption("box");
    // The folder of the box, and the message that was typed before.
    await dialog.getByRole("button", { name: new RegExp(`^work ${box.place.cwd}`, "u") }).click();
    await expect.poll(() => dialog.getByRole("textbox", { name: "Folder" }).inputValue()).toBe(box.place.cwd);
    await expect.poll(() => dialog.getByRole("textbox", { name: "Message" }).inputValue()).toBe("mind the fog");
    await expectSound(page, "start on a machine", "dialog");
    await dialog.getByRole("button", { name: "Start", exact: true }).click();
    await rowWith(page, "I mind the fog.").waitFor();
    await settled(page);
    await expect.poll(() => hashOf(page)).toMatch(/^#\/m\/box\/s\//u);
    expect(JSON.stringify(box.place.linesToCli())).toContain("mind the fog");
    expect(deck.promptsToCli().join()).not.toContain("mind the fog");
    // The home page of the machine has its projects.
    await machinesOf(page)
      .getByRole("link", { name: /^box\b/u })
      .click();
    await page.getByRole("main").getByRole("button", { name: "Machine: box" }).waitFor();
    await page.getByRole("region", { name: "Recent projects" }).getByText(box.place.cwd).waitFor();
    // The board of all machines, and of one.
    await page.goto(`${deck.server.url}/#/board`);
    const cards = page.locator(".board-link");
    await cards.filter({ hasText: "On the hub" }).waitFor();
    await page.getByRole("button", { name: "Machine: All machines" }).click();
    await page.getByRole("menuitemradio", { name: "box" }).click();
    await cards.filter({ hasText: "On the hub" }).waitFor({ state: "detached" });
    await page.getByRole("main").getByRole("link", { name: "On the box", exact: true }).waitFor();
    await expectSound(page, "board of a fleet");
    await page.getByRole("button", { name: "Machine: box" }).click();
    await page.getByRole("menuitemradio", { name: "All machines" }).click();
  });

  it("[E271] searches all machines, and sums their cost", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await page.goto(`${deck.server.url}/#/search?q=hello`);
    const found = (title: string) => page.getByRole("main").getByRole("region", { name: title, exact: true });
    await found("On the hub").getByText("hub", { exact: true }).waitFor();
    await found("On the box").getByText("box", { exact: true }).waitFor();
    await found("On the box")
      .getByRole("link", { name: /Hello from the deck/u })
      .click();
    await expect.poll(() => hashOf(page)).toMatch(/^#\/m\/box\/s\/.+\/r\//u);
    await rowWith(page, "Hello from the deck.").waitFor();
    const tab = page.getByRole("tab", { name: "Cost", exact: true });
    if (!(await tab.isVisible())) await page.getByRole("button", { name: "Show workbench" }).click();
    await tab.click();
    const panel = page.getByRole("region", { name: "Cost", exact: true });
    await panel.getByText("All projects").click();
    const byMachine = panel.getByRole("region", { name: "Cost by machine" });
    await expect
      .poll(() =>
        byMachine
          .locator("li > span:first-child")
          .allInnerTexts()
          .then((names) => names.toSorted()),
      )
      .toEqual(["box", "hub"]);
    const reports = await Promise.all(
      [deck.client, box.admin()].map((client) =>
        client.call("usage/report", {}).finally(() => client !== deck.client && client.close()),
      ),
    );
    const sessions = reports.reduce((sum, { sessionCount }) => sum + sessionCount, 0);
    await panel.getByRole("heading", { name: `Sessions ${String(sessions)}` }).waitFor();
    await expectSound(page, "cost of a fleet", "aside");
  });

  it("[E291] works on a phone, and says where a device may do less", { tags: "long" }, async () => {
    const { deck } = aboard;
    const id = await startOnBox("Asks the phone", "delete everything");
    const page = await deck.open({ ...PHONE, name: "Phone" });
    await page.getByRole("link", { name: /Asks the phone.*box/u }).click();
    await expect.poll(() => hashOf(page)).toBe(`#/m/box/s/${id}`);
    await dockOf(page).getByText("touch precious.txt").waitFor();
    await expectSound(page, "request of another machine on a phone");
    await pressArmed(allowIn(dockOf(page)));
    await rowWith(page, "Understood, I leave it.").waitFor();
    await page.getByRole("button", { name: "Sessions", exact: true }).tap();
    await machinesOf(page)
      .getByRole("link", { name: /^box\b/u })
      .waitFor();
    await page.keyboard.press("Escape");
    // The owner of the box allows less: the page says so, and what to do.
    await box.fleet("allow", "hub", "view");
    await page.reload();
    const note = page.getByRole("status").filter({ hasText: "On box this device can only look on." });
    await note.getByText("quarterdeck fleet allow hub operate").waitFor();
    await expect.poll(() => composerOf(page).count()).toBe(0);
    await expectSound(page, "a session that may only be looked at, on a phone");
    await box.fleet("allow", "hub", "operate");
    // As a page of another version: the box says what follows, and everything else works.
    await page.routeWebSocket(/\/m\/box\/bridge$/u, (near) => {
      const far = near.connectToServer();
      near.onMessage((text) => far.send(String(text).replace('"bridge":1', '"bridge":0')));
      far.onMessage((text) => near.send(String(text).replace('"bridge":1', '"bridge":2')));
    });
    await page.reload();
    const notice = page.getByText("box runs a newer Quarterdeck than hub. What both know works. Update hub.");
    await notice.waitFor();
    const { x, width } = (await notice.boundingBox())!;
    expect([x >= 0, x + width <= PHONE.viewport.width]).toEqual([true, true]);
    await composerOf(page).waitFor();
    await expectSound(page, "a machine of another version, on a phone");
  });

  it("[E272] shows what was known of a machine that is away, and sends it nothing", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    deck.expectTrouble(AWAY);
    await page.goto(`${deck.server.url}/#/`);
    await entryOf(page, "On the box").getByRole("link").click();
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await box.server!.stop();
    const note = page.getByRole("status").filter({ hasText: /^box is away since \d/u });
    await note.waitFor();
    await machinesOf(page)
      .getByRole("link", { name: /^box\b.*away since/u })
      .waitFor();
    await entryOf(page, "On the box").and(page.locator(".entry-away")).waitFor();
    // What is sent is refused in words.
    await send(page, "say hello once more");
    await page.getByText("box is away. Nothing was sent. Try again when it is back.").waitFor();
    await expectSound(page, "a machine that is away");
    // Also after a reload.
    await page.reload();
    await note.waitFor();
    await entryOf(page, "On the box").and(page.locator(".entry-away")).waitFor();
    await page.getByText("The conversation is on box. It appears when box answers.").waitFor();
    await expect.poll(() => statusOf(page).getByText("starting").count()).toBe(0);
    await page.goto(`${deck.server.url}/#/search?q=hello`);
    await page.getByText("These machines do not answer and were not searched: box.").waitFor();
    await page.goto(`${deck.server.url}/#/m/nowhere/`);
    await page.getByText("The fleet has no machine nowhere.").waitFor();
    await page.goto(`${deck.server.url}/#/board`);
    await page
      .locator(".board-card")
      .filter({ hasText: "On the box" })
      .getByText(/box · away since \d/u)
      .first()
      .waitFor();
    // The machine comes back. Nothing was queued for it.
    await box.start();
    await page.goto(`${deck.server.url}/#/`);
    await fleetIn(page);
    await entryOf(page, "On the box").and(page.locator(":not(.entry-away)")).getByRole("link").click();
    await rowWith(page, "Hello from the deck.").waitFor();
    await send(page, "second thought");
    await rowWith(page, "A second thought.").waitFor();
    expect(JSON.stringify(box.place.linesToCli())).not.toContain("say hello once more");
  });
});
