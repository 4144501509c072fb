// Search over all sessions, exports without secrets, and replays: what a person finds, shares and looks at again.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Block, Scenario, Step } from "@quarterdeck/simulator";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectSound } from "./axe.ts";
import { PHONE } from "./deck.ts";
import { rowWith, settled, useDeck } from "./journey.ts";
import { expectFits } from "./touch.ts";

const says = (...say: readonly Block[]): Step => ({ say });
const use = (tool: string, input: Readonly<Record<string, unknown>>): Block => ({ tool, input });
const bash = (command: string): Block => use("Bash", { command, description: "Do it" });

const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>`;
const PASSWORD = "hunter2hunter";
const AWS = ["AKIA", "QWERTYUIOPASDFGH"].join("");

const SCENARIO: Scenario = {
  name: "search",
  scripts: [
    {
      when: "measure the estuary",
      steps: [
        says(bash(`echo estuary DB_PASSWORD=${PASSWORD} ${AWS}`)),
        says(use("Write", { file_path: "{{cwd}}/estuary.txt", content: "low\nhigh\n" })),
        says({ text: `The estuary is measured. ${HOSTILE}` }),
      ],
    },
    { when: "sound the estuary", steps: [says({ text: "Nine fathoms." })] },
    {
      when: "wait at the gate",
      steps: [says(bash("until [ -e open-gate ]; do sleep 0.05; done")), says({ text: "The gate opened." })],
    },
  ],
  otherwise: [says({ text: "I know nothing of that." })],
};

const aboard = useDeck({ scenario: SCENARIO });
const SETTINGS = { permissionMode: "acceptEdits", allowedTools: ["Bash"] };

const measured = async (page: Page, title: string): Promise<string> => {
  const id = await aboard.deck.atSession(page, { prompt: "measure the estuary", title, settings: SETTINGS });
  await rowWith(page, "The estuary is measured.").waitFor();
  await settled(page);
  return id;
};

const hits = (page: Page) => page.locator(".search-hit");

describe("[E189] the page of the search", () => {
  it("groups and marks what it finds, is filtered and walked by keys, and jumps to the row", async () => {
    const { deck, page } = aboard;
    await measured(page, "Measuring");
    await deck.atSession(page, { prompt: "sound the estuary", title: "Sounding" });
    await rowWith(page, "Nine fathoms.").waitFor();
    await settled(page);
    await page.getByRole("link", { name: "Search", exact: true }).click();
    const words = page.getByRole("main").getByRole("searchbox", { name: "Search all sessions" });
    await page.getByText("Finds rows that contain every word").waitFor();
    await words.fill("estuar");
    await page.getByText("5 matches in 2 sessions").waitFor();
    const kinds = async (session: string): Promise<string[]> =>
      page.getByRole("region", { name: session, exact: true }).locator(".search-hit b").allInnerTexts();
    expect(await kinds("Sounding")).toEqual(["Prompt"]);
    expect(await kinds("Measuring")).toEqual(["Answer", "File", "Command", "Prompt"]);
    await expect.poll(() => page.locator(".search-hit mark").first().innerText()).toBe("estuar");
    expect(page.url()).toMatch(/#\/search\?q=estuar$/u);
    await expectSound(page, "search", "main");

    await page.getByRole("checkbox", { name: "Commands" }).check();
    await page.getByText("1 match in 1 session").waitFor();
    await page.getByRole("checkbox", { name: "Prompts" }).check();
    await page.getByText("3 matches in 2 sessions").waitFor();
    await page.getByLabel("Time").selectOption("7d");
    expect(page.url()).toMatch(/q=estuar&kind=prompt%2Ccommand&since=7d$/u);
    await page.reload();
    await page.getByText("3 matches in 2 sessions").waitFor();
    await expect.poll(() => page.getByRole("checkbox", { name: "Commands" }).isChecked()).toBe(true);

    await words.fill("nowhere");
    await page.getByText("Nothing matches “nowhere” with these filters.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await words.fill("measured");
    await page.getByText("1 match in 1 session").waitFor();
    await words.press("ArrowDown");
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/s\/[^/]+\/r\//u);
    await rowWith(page, "The estuary is measured.").waitFor();
    await page.goBack();
    await page.getByText("1 match in 1 session").waitFor();
  });

  it("fits a phone, for a device that may only read", async () => {
    const { deck } = aboard;
    const page = await deck.open({ ...PHONE, role: "view" });
    await deck.atSession(page, { prompt: "sound the estuary", title: "Pocket" });
    // A search does not look again when more is said.
    await rowWith(page, "sound the estuary").waitFor();
    await page.goto(`${deck.server.url}/#/search?q=estuary&kind=prompt`);
    await page.getByRole("region", { name: "Pocket", exact: true }).getByText("estuary").waitFor();
    await expectFits(page);
    await expectSound(page, "search on a phone", "main");
    await hits(page).first().tap();
    await rowWith(page, "sound the estuary").waitFor();
  });
});

describe("[E190] an export", () => {
  it("is chosen in a dialog, has only secrets that the person keeps, and plays as one file without a network", async () => {
    const { deck, page } = aboard;
    await measured(page, "To share");
    const openDialog = async () => {
      await page.locator(".head").getByRole("button", { name: "Session menu" }).click();
      await page.getByRole("menuitem", { name: "Export…" }).click();
      const dialog = page.getByRole("dialog", { name: "Export session" });
      await dialog.getByText("2 secrets will be removed.").waitFor();
      return dialog;
    };
    const saved = async (dialog: Awaited<ReturnType<typeof openDialog>>): Promise<{ path: string; text: string }> => {
      const downloading = page.waitForEvent("download");
      await dialog.getByRole("button", { name: "Download" }).click();
      const path = await (await downloading).path();
      await dialog.waitFor({ state: "detached" });
      return { path, text: readFileSync(path, "utf8") };
    };
    let dialog = await openDialog();
    const list = dialog.getByRole("list", { name: "Secrets to remove" });
    await expect.poll(() => list.locator("b").allInnerTexts()).toEqual(["named secret", "AWS key"]);
    expect(await list.innerText()).not.toContain(PASSWORD);
    await expect.poll(() => list.innerText()).toContain("hunt…er");
    await expectSound(page, "export", "dialog");
    await list.getByRole("checkbox", { name: /AWS key/u }).uncheck();
    await dialog.getByText("1 secret will be removed, 1 will stay.").waitFor();
    const html = await saved(dialog);
    expect(html.text).toContain(AWS);
    expect(html.text).not.toContain(PASSWORD);

    dialog = await openDialog();
    await dialog.getByRole("radio", { name: "Markdown" }).check();
    await dialog.getByRole("checkbox", { name: "Results of tools" }).uncheck();
    const markdown = await saved(dialog);
    expect(markdown.text).toContain("```diff\n+low\n+high\n```");
    expect(markdown.text).not.toMatch(/result:|hunter2|QWERTY/u);

    dialog = await openDialog();
    await dialog.getByRole("radio", { name: "JSON lines" }).check();
    const lines = await saved(dialog);
    for (const line of lines.text.trim().split("\n")) JSON.parse(line);
    expect(lines.text).not.toMatch(/hunter2|QWERTY/u);

    // The file, in a browser that has no network.
    const file = join(deck.place.cwd, "shared.html");
    writeFileSync(file, html.text);
    const context = await deck.browser.newContext({ offline: true, reducedMotion: "reduce" });
    try {
      const reader = await context.newPage();
      const troubles: string[] = [];
      reader.on("console", (message) => troubles.push(message.text()));
      reader.on("pageerror", (error) => troubles.push(error.message));
      reader.on("dialog", (shown) => {
        troubles.push(shown.message());
        void shown.dismiss();
      });
      reader.on("request", (request) => troubles.push(...(request.url().startsWith("file:") ? [] : [request.url()])));
      await reader.goto(pathToFileURL(file).href);
      await reader.getByText(HOSTILE).waitFor();
      expect(await reader.locator("img, main script").count()).toBe(0);
      await expect.poll(() => reader.locator(".diff .plus").allInnerTexts()).toEqual(["+low\n", "+high\n"]);
      const shown = (): Promise<number> => reader.locator("article:visible").count();
      const all = await shown();
      await reader.keyboard.press("Home");
      const first = await shown();
      expect(first).toBeLessThan(all);
      await reader.keyboard.press("t");
      await expect.poll(() => reader.locator("article.tool:visible").count()).toBe(1);
      await reader.keyboard.press("End");
      expect(await shown()).toBe(all);
      await reader.keyboard.press("Shift+ArrowLeft");
      expect(await shown()).toBeLessThan(all);
      await reader.keyboard.press("Home");
      await reader.getByLabel("Speed").selectOption("16");
      await reader.getByRole("button", { name: "Play" }).click();
      await expect.poll(shown).toBe(all);
      await reader.getByRole("button", { name: "Play" }).waitFor();
      expect(troubles).toEqual([]);
    } finally {
      await context.close();
    }
  });
});

describe("[E193] a replay", () => {
  it("plays, scrubs and steps through an ended session, and follows a running session", async () => {
    const { deck, page } = aboard;
    await measured(page, "Again");
    await page.locator(".head").getByRole("button", { name: "Session menu" }).click();
    await page.getByRole("menuitem", { name: "Replay" }).click();
    const replay = page.getByRole("region", { name: "Replay" });
    const end = rowWith(page, "The estuary is measured.");
    await replay.getByText("measure the estuary").waitFor();
    const time = page.getByRole("slider", { name: "Time" });
    await expect.poll(() => time.inputValue()).toBe("0");
    await expect.poll(() => end.count()).toBe(0);
    await page.getByRole("button", { name: "Next tool call" }).click();
    await replay
      .getByText(/echo estuary/u)
      .first()
      .waitFor();
    await expect.poll(() => end.count()).toBe(0);
    await page.keyboard.press("End");
    await end.waitFor();
    await expectSound(page, "replay", "main");
    await page.keyboard.press("Shift+ArrowLeft");
    await end.waitFor({ state: "detached" });
    await page.getByLabel("Speed").selectOption("16");
    await page.getByRole("button", { name: "Play" }).click();
    await end.waitFor();
    await page.getByRole("button", { name: "Play" }).waitFor();

    const id = await deck.startSession({ prompt: "wait at the gate", settings: SETTINGS });
    await page.goto(`${deck.server.url}/#/s/${id}/replay`);
    await replay.getByText("wait at the gate").waitFor();
    await page.keyboard.press("End");
    await replay
      .getByText(/until \[ -e open-gate \]/u)
      .first()
      .waitFor();
    writeFileSync(join(deck.place.cwd, "open-gate"), "");
    await rowWith(page, "The gate opened.").waitFor();
    await page.getByRole("link", { name: "Back to session" }).click();
    await rowWith(page, "The gate opened.").waitFor();
    await settled(page);
  });
});
