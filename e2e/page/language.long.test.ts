// The languages of the page: chosen, taken from the browser, and without a network. In a language that no person can choose, each text
// stands between brackets. So a text that does not come from the catalogue is seen.

import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectSound } from "./axe.ts";
import { dockOf, rowWith, settled, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";
import { unmarkedIn } from "./unmarked.ts";
import type { Excuse } from "./unmarked.ts";

const aboard = useDeck({ scenario: SCENARIO }, "nobody");

/** Modules that the page fetches, since it was last loaded. A page before that may still fetch some when a test asks for the next one. */
const scriptsOf = (page: Page): string[] => {
  const scripts: string[] = [];
  page.on("request", (request) => {
    if (request.isNavigationRequest()) scripts.length = 0;
    const { pathname } = new URL(request.url());
    if (/^\/assets\/.*\.js$/u.test(pathname)) scripts.push(pathname);
  });
  return scripts;
};
const languagesIn = (scripts: readonly string[]): readonly string[] =>
  scripts.filter((script) => script.startsWith("/assets/catalogue-"));
const twiceIn = (scripts: readonly string[]): readonly string[] =>
  scripts.filter((script, at) => scripts.indexOf(script) !== at);

const SAID = {
  en: { lang: "en", settings: "Settings", rail: "Home", allow: /^Allow/u, tab: "Tasks", nothing: /^Claude has no/u },
  "zh-CN": {
    lang: "zh-CN",
    settings: "设置",
    rail: "首页",
    allow: /^允许/u,
    tab: "任务",
    nothing: /^这里没有 Claude/u,
  },
  ja: {
    lang: "ja",
    settings: "設定",
    rail: "ホーム",
    allow: /^許可/u,
    tab: "タスク",
    nothing: /Claude のタスクリスト/u,
  },
} as const;
type Said = (typeof SAID)[keyof typeof SAID];

const choose = async (page: Page, { settings }: Said, name: string): Promise<void> => {
  await page.getByRole("button", { name: settings, exact: true }).click();
  // The page begins again at once: nothing is checked afterwards.
  await page.locator("dialog[open]").getByText(name, { exact: true }).click();
};

/** The rail, the card of a request and a panel. */
const expectSpoken = async (page: Page, { lang, settings, rail, allow, tab, nothing }: Said): Promise<void> => {
  await page.locator(`html[lang="${lang}"]`).waitFor();
  await page.getByRole("button", { name: settings, exact: true }).waitFor();
  await page.getByRole("link", { name: rail, exact: true }).first().waitFor();
  await page.locator(".ask").getByRole("button", { name: allow }).first().waitFor();
  await page.getByRole("tabpanel", { name: tab, exact: true }).getByText(nothing).waitFor();
};

describe("[E242] the language of the page", () => {
  it("is the person's choice, else the browser's, and only its file is fetched, once", async () => {
    const { deck } = aboard;
    let scripts: string[] = [];
    const page = await deck.open({ before: async (opened) => (scripts = scriptsOf(opened)) });
    await deck.atSession(page, { prompt: "touch it", title: "Waits" });
    await dockOf(page).waitFor();
    const tab = page.getByRole("tab", { name: SAID.en.tab });
    if (!(await tab.isVisible())) await page.getByRole("button", { name: "Show workbench" }).click();
    await tab.click();
    await expectSpoken(page, SAID.en);
    expect(languagesIn(scripts)).toEqual([]);

    for (const [before, next, name] of [
      [SAID.en, SAID["zh-CN"], "简体中文"],
      [SAID["zh-CN"], SAID.ja, "日本語"],
    ] as const) {
      await choose(page, before, name);
      await expectSpoken(page, next);
      expect(languagesIn(scripts)).toHaveLength(1);
      expect(twiceIn(scripts)).toEqual([]);
    }
    await expectSound(page, "日本語", ".bench");
    await choose(page, SAID.ja, "ブラウザーの設定");
    await expectSpoken(page, SAID.en);
    expect(languagesIn(scripts)).toEqual([]);

    const japanese = await deck.stranger({ locale: "ja-JP" });
    await japanese.goto(await deck.pairingLink());
    await japanese.getByRole("button", { name: "このブラウザーをペアリング" }).click();
    await japanese.getByRole("link", { name: SAID.ja.rail, exact: true }).first().waitFor();
    await japanese.locator(`html[lang="ja"]`).waitFor();
  });
});

/** What may stand without brackets. */
const EXCUSES: readonly Excuse[] = [
  { words: /https?:\S+|~?\/[\w./-]+|\b[\w-]+\.(?:md|txt)\b/gu, why: "addresses and paths" },
  { words: /\b[A-Z][A-Z_]{3,}\b/gu, why: "variables" },
  { words: /Quarterdeck|Claude Code|Claude|claude-[\w-]+|Opus [\d.]+|\bBash\b/gu, why: "names" },
  { words: /English|简体中文|日本語/gu, why: "languages name themselves" },
  { words: /\b(?:Shift|Alt|Ctrl)\b/gu, why: "keys" },
  { words: /\d+:\d+(?::\d+)? [AP]M|\d (?:kB|MB|ms)\b|\bnow\b/gu, why: "times and sizes" },
  { words: /^(?:started|done|default)\b/gu, why: "names on the wire: the delivery of a message, a mode" },
  { words: /\b(?:Ended|Waits|Desk|work)\b/gu, why: "titles of sessions, a device and a folder" },
  { words: /^(?:touch it|say hello|Making it\.|Hello from the deck\.)$/gu, why: "what was said" },
];

describe("[E244] all texts of the main screens", () => {
  it("come from the catalogue", async () => {
    const { deck } = aboard;
    const page = await deck.open();
    const ended = await deck.startSession({ prompt: "say hello", title: "Ended" });
    await deck.goTo(page, ended);
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    writeFileSync(join(deck.place.cwd, "gate.md"), "# Gate\n");
    const waits = await deck.startSession({ prompt: "touch it", title: "Waits" });
    await deck.goTo(page, waits);
    await dockOf(page).waitFor();
    await page.evaluate(() => {
      localStorage.setItem("quarterdeck.language", "marked");
      localStorage.setItem("quarterdeck.workbench", JSON.stringify({ open: true, tab: "changes" }));
    });
    await page.reload();
    await page.locator(".ask button").first().waitFor();

    const excuses = [...EXCUSES, { words: hostname(), why: "this machine" }];
    /** Where each was seen first. */
    const found = new Map<string, string>();
    const look = async (screen: string): Promise<void> => {
      for (const text of await unmarkedIn(page, excuses)) if (!found.has(text)) found.set(text, screen);
    };
    const tabs = page.locator(".bench-tabs").getByRole("tab");
    await tabs.first().waitFor();
    for (const tab of await tabs.all()) {
      await tab.click();
      const name = (await tab.innerText()).replaceAll(/[⟦⟧\d\s]/gu, "");
      await page.locator(".bench-body > .bench-scroll, .bench-body > div, .bench-body > p").first().waitFor();
      await look(name);
    }
    await page.getByRole("button", { name: "⟦Settings⟧", exact: true }).click();
    const dialog = page.locator("dialog[open]");
    await dialog.getByRole("tab").first().waitFor();
    for (const tab of await dialog.getByRole("tab").all()) {
      await tab.click();
      await look("settings dialog");
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    for (const [screen, hash] of [
      ["home", "#/"],
      ["board", "#/board"],
      ["search", "#/search"],
      ["rules", "#/rules"],
      ["server", "#/server"],
      ["replay", `#/s/${ended}/replay`],
    ] as const) {
      await page.goto(`${deck.server.url}/${hash}`);
      await page.locator("main.main :is(h1, h2)").first().waitFor();
      await look(screen);
    }
    expect(Object.fromEntries(found)).toEqual({});
  });
});

/** Files of languages that the service worker keeps. */
const keptFiles = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => {
    const [shell] = (await caches.keys()).filter((name) => name.startsWith("shell-"));
    const files = shell === undefined ? [] : await (await caches.open(shell)).keys();
    return files.map(({ url }) => new URL(url).pathname).filter((path) => path.includes("/catalogue-"));
  });

describe("[E243] without a network", () => {
  it("the page starts in the chosen language, and in English if its file is missing", async () => {
    const { deck } = aboard;
    const page = await deck.open();
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("tab", { name: "Notifications" }).click();
    await page.getByLabel("Keep recent sessions readable offline").check();
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    expect(await keptFiles(page)).toEqual([]);
    await page.getByRole("tab", { name: "Appearance" }).click();
    await page.locator("dialog[open]").getByText("日本語", { exact: true }).click();
    await page.getByRole("link", { name: SAID.ja.rail, exact: true }).first().waitFor();
    await expect.poll(() => keptFiles(page)).toHaveLength(1);

    await deck.kill();
    deck.expectTrouble(
      /WebSocket|ERR_CONNECTION_REFUSED|ERR_FAILED|Failed to fetch|Failed to load|could not be loaded/u,
    );
    await page.reload();
    await page.getByRole("heading", { name: "サーバーが応答しません" }).waitFor();
    await page.locator(`html[lang="ja"]`).waitFor();
    await deck.restart();
    await page.locator("main.main").waitFor();

    const without = await deck.stranger({
      locale: "ja-JP",
      before: (opened) => opened.route("**/assets/catalogue-*.js", (route) => route.abort()),
    });
    await without.goto(await deck.pairingLink());
    await without.getByRole("button", { name: "Pair this browser" }).waitFor();
    await without.locator(`html[lang="en"]`).waitFor();
  });
});
