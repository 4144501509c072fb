// The page on a phone, at 200 % zoom, without a pointer, with a screen reader and in text from right to left.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Scenario } from "@quarterdeck/simulator";
import { expectSound } from "./axe.ts";
import { NO_SERVER, PHONE } from "./deck.ts";
import { composerOf, dockOf, rowWith, send, settled, useDeck } from "./journey.ts";
import { QUESTIONS, SCENARIO } from "./scenario.ts";
import { expectInReach, expectWhole } from "./touch.ts";

const ANSWER =
  "שלום `src/tides.ts` סוף\n\n- פריט ראשון\n- פריט שני\n\n```js\nconst tide = 1; // גאות\n```\n\nSee \u202Egpj.exe";
const TALK: Scenario = {
  ...SCENARIO,
  scripts: [{ when: "שלום", steps: [{ say: [{ text: ANSWER }] }] }, ...SCENARIO.scripts],
};
const aboard = useDeck({ scenario: TALK }, "nobody");
const SIDEWAYS = { width: 844, height: 390 };
const TABS = [
  "Changes",
  "Git",
  "Files",
  "Tasks",
  "Background",
  "Context",
  "Cost",
  "MCP",
  "Hooks",
  "Wire",
  "Settings",
  "Overview",
];
/** Tabs whose colors and names no other journey looks at on a phone. */
const UNSEEN = new Set(["Git", "Context", "Cost", "MCP", "Hooks", "Settings"]);

const drawerOf = (page: Page): Locator => page.getByRole("navigation", { name: "Sessions" });
const openDrawer = async (page: Page): Promise<Locator> => {
  await page.getByRole("button", { name: /^Sessions/u }).tap();
  await drawerOf(page).getByRole("link", { name: "Board" }).waitFor();
  return drawerOf(page);
};
const close = async (dialog: Locator): Promise<void> => {
  await dialog.getByRole("button", { name: "Close", exact: true }).tap();
  await dialog.waitFor({ state: "detached" });
};
let harbour: Promise<string> | undefined;
/** One session with a change, for all journeys. */
const prepare = (): Promise<string> =>
  (harbour ??= (async () => {
    const { deck } = aboard;
    const settings = { allowedTools: ["Write"] };
    const id = await deck.startSession({ title: "Harbour log", prompt: "write the note", settings });
    await expect
      .poll(async () => {
        const { sessions } = await deck.client.call("sessions/list", { limit: 100 });
        return sessions.find((session) => session.id === id)?.changes?.files;
      })
      .toBe(1);
    return id;
  })());

describe("[E263] on a phone", () => {
  it("every page and dialog is reached by touch, and nothing is small, cut off or covered", async () => {
    const { deck } = aboard;
    await prepare();
    await deck.startSession({ title: "Waits", prompt: "touch it" });
    const cwd = join(deck.place.cwd, "a-folder-whose-name-does-not-fit-into-one-line-of-a-phone");
    mkdirSync(cwd);
    await deck.startSession({ title: "Nothing yet", cwd });
    const page = await deck.open({ ...PHONE, name: "Pixel" });
    await page.getByRole("main").getByText("wants to run a command").waitFor();
    await expectInReach(page, "home");

    for (const [link, proof] of [
      ["Board", page.getByRole("main").getByRole("link", { name: "Harbour log" })],
      ["Search", page.getByRole("main").getByRole("searchbox")],
      ["Rules", page.getByRole("main").getByRole("button", { name: "Add rule" })],
    ] as const) {
      const drawer = await openDrawer(page);
      if (link === "Board") await expectInReach(page, "drawer");
      await drawer.getByRole("link", { name: link, exact: true }).tap();
      await proof.waitFor();
      await expectInReach(page, link);
      if (link === "Rules") await expectSound(page, "rules on a phone", "main");
    }

    await (await openDrawer(page)).getByRole("button", { name: "Settings" }).tap();
    const settings = page.getByRole("dialog", { name: "Settings" });
    await settings.getByRole("tab", { name: "About" }).waitFor();
    for (const tab of await settings.getByRole("tab").all()) {
      await tab.tap();
      await expectInReach(page, `settings, ${(await tab.textContent()) ?? ""}`);
      await expectSound(page, `settings, ${(await tab.textContent()) ?? ""}`, "dialog[open]");
    }
    await settings.getByRole("link", { name: "Server settings" }).tap();
    await page.getByRole("main").getByRole("heading", { name: "Devices" }).waitFor();
    await expectInReach(page, "server");
    await expectSound(page, "server on a phone", "main");

    await (await openDrawer(page)).getByRole("button", { name: "New" }).tap();
    const start = page.getByRole("dialog", { name: "New session" });
    await start.getByText("More options", { exact: true }).tap();
    await expectInReach(page, "new session");
    await expectSound(page, "new session on a phone", "dialog[open]");
    await close(start);

    // The drawer is still open.
    await drawerOf(page)
      .getByRole("link", { name: /Nothing yet/u })
      .tap();
    await page.getByText("New session in").waitFor();
    await expectInReach(page, "empty session");
    await (await openDrawer(page)).getByRole("link", { name: /Harbour log/u }).tap();
    await rowWith(page, "Written.").waitFor();
    await expectInReach(page, "session");
    const menu = page.getByRole("main").getByRole("button", { name: "Session menu" });
    await menu.tap();
    await expectInReach(page, "menu of the session");
    await page.getByRole("menuitem", { name: /^Find in this session/u }).tap();
    await page.getByLabel("Find in this session").fill("Written");
    await page.locator(".find").getByText("1 of 1 rows").waitFor();
    await expectInReach(page, "find");
    await expectSound(page, "find on a phone", ".find");
    await page.getByRole("button", { name: "Close (Esc)" }).tap();

    await menu.tap();
    await page.getByRole("menuitem", { name: "Rename…" }).tap();
    const renamed = page.getByRole("dialog", { name: /^Rename/u });
    await renamed.getByRole("textbox").waitFor();
    await expectInReach(page, "rename");
    await expectSound(page, "rename on a phone", "dialog[open]");
    await close(renamed);
    await menu.tap();
    await page.getByRole("menuitem", { name: "Export…" }).tap();
    const exported = page.getByRole("dialog", { name: "Export session" });
    await exported.getByRole("button", { name: "Download" }).waitFor();
    await expectInReach(page, "export");
    await expectSound(page, "export on a phone", "dialog[open]");
    await close(exported);
    await menu.tap();
    await page.getByRole("menuitem", { name: "Replay" }).tap();
    await page.getByRole("group", { name: "Time line" }).waitFor();
    await expectInReach(page, "replay");
    await expectSound(page, "replay on a phone", "main");
    await page.getByRole("link", { name: "Back to session" }).tap();

    await page.getByRole("button", { name: "Command palette" }).tap();
    await page.getByRole("dialog").getByRole("option").first().waitFor();
    await expectInReach(page, "palette");
    await page.getByRole("combobox").fill("keyboard shortcuts");
    await page.getByRole("option", { name: /^Keyboard shortcuts/u }).tap();
    const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await keys.getByText("Find in this conversation").waitFor();
    await expectInReach(page, "keys");
    await close(keys);
  });

  it("every panel is reached by touch, and the phone can be held sideways", { tags: "long" }, async () => {
    const { deck } = aboard;
    const id = await prepare();
    const page = await deck.open({ ...PHONE, name: "Pixel" });
    await deck.goTo(page, id);
    await page.getByRole("button", { name: /^Changes:/u }).tap();
    const sheet = page.getByRole("complementary", { name: "Workbench" });
    for (const title of TABS) {
      await sheet.getByRole("tab", { name: new RegExp(`^${title}`, "u") }).tap();
      await sheet.getByRole("heading", { level: 2, name: title }).waitFor();
      await expectInReach(page, title);
      if (UNSEEN.has(title)) await expectSound(page, `${title} on a phone`, ".bench");
    }

    await page.setViewportSize(SIDEWAYS);
    for (const title of ["Changes", "Git", "Wire", "Overview"]) {
      await sheet.getByRole("tab", { name: new RegExp(`^${title}`, "u") }).tap();
      await expectInReach(page, `${title}, sideways`);
    }
    await sheet.getByRole("button", { name: "Conversation" }).tap();
    await rowWith(page, "Written.").waitFor();
    await expectInReach(page, "session, sideways");
    // Bars leave more than half of the height to the conversation.
    await expect.poll(async () => (await page.locator(".timeline-list").boundingBox())?.height).toBeGreaterThan(195);
    for (const [hash, words] of [
      ["/", "Recent projects"],
      ["/board", "Harbour log"],
      ["/rules", "Policies"],
      ["/server", "Devices"],
    ] as const) {
      await page.goto(`${deck.server.url}/#${hash}`);
      await page.getByRole("main").getByText(words).first().waitFor();
      await expectInReach(page, `${hash}, sideways`);
    }
    await openDrawer(page);
    await expectInReach(page, "drawer, sideways");
  });
});

describe("[E264] what covers a phone's page", () => {
  it("leaves bars, sheets and dialogs free: the notch, the home bar, the keyboard", async () => {
    const { deck } = aboard;
    const id = await prepare();
    const page = await deck.open({ ...PHONE, name: "Pixel" });
    const device = await page.context().newCDPSession(page);
    const cover = (top: number, left: number, bottom: number): Promise<unknown> =>
      device.send(
        "Emulation.setSafeAreaInsetsOverride" as never,
        { insets: { top, left, bottom, right: left } } as never,
      );
    /** Every part is inside of the safe area. */
    const expectFree = async (parts: readonly Locator[], top: number, left: number, right: number, bottom: number) => {
      for (const part of parts)
        await expect
          .poll(
            async () => {
              const box = (await part.boundingBox())!;
              return [box.y >= top, box.x >= left, box.x + box.width <= right, box.y + box.height <= bottom];
            },
            { message: String(part) },
          )
          .toEqual([true, true, true, true]);
    };
    const sheet = page.getByRole("complementary", { name: "Workbench" });
    const menu = page.getByRole("button", { name: /^Sessions/u });

    await cover(47, 0, 34);
    await deck.goTo(page, id);
    await rowWith(page, "Written.").waitFor();
    await expectFree(
      [
        menu,
        page.getByRole("button", { name: "Session menu" }),
        composerOf(page),
        page.getByRole("button", { name: "Attach files" }),
      ],
      47,
      0,
      390,
      810,
    );
    await (await openDrawer(page)).getByRole("button", { name: "Settings" }).tap();
    const settings = page.getByRole("dialog", { name: "Settings" });
    await expectFree(
      [settings.getByRole("button", { name: "Close", exact: true }), settings.getByRole("tab").first()],
      47,
      0,
      390,
      810,
    );
    await close(settings);
    await page.mouse.click(380, 400);
    await page.getByRole("button", { name: /^Changes:/u }).tap();
    await expectFree(
      [sheet.getByRole("button", { name: "Conversation" }), sheet.getByRole("tab", { name: /^Changes/u })],
      47,
      0,
      390,
      810,
    );

    await page.setViewportSize(SIDEWAYS);
    await cover(0, 47, 21);
    await expectFree(
      [sheet.getByRole("button", { name: "Conversation" }), sheet.getByRole("button", { name: "More tabs" })],
      0,
      47,
      797,
      369,
    );
    await sheet.getByRole("button", { name: "Conversation" }).tap();
    await expectFree([menu, page.getByRole("button", { name: "Session menu" }), composerOf(page)], 0, 47, 797, 369);
    await page.getByRole("button", { name: "Session menu" }).tap();
    await expectFree([page.getByRole("menuitem", { name: /^Find in this session/u })], 0, 47, 797, 369);
    await page.keyboard.press("Escape");

    // Where the keyboard makes the page smaller, and where it only covers it.
    await cover(0, 0, 0);
    await page.setViewportSize({ width: 390, height: 480 });
    await expectFree([menu, composerOf(page)], 0, 0, 390, 480);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Command palette" }).tap();
    await page.getByRole("option", { name: /^New session/u }).tap();
    const start = page.getByRole("dialog", { name: "New session" });
    await start.getByLabel("Message (optional)").fill("say hello");
    await page.evaluate(() => document.documentElement.style.setProperty("--seen-height", "430px"));
    await expectFree(
      [
        start.getByRole("button", { name: "Start", exact: true }),
        start.getByRole("button", { name: "Close", exact: true }),
      ],
      0,
      0,
      390,
      430,
    );
    await close(start);
    await expectFree([menu, composerOf(page)], 0, 0, 390, 430);
  });
});

describe("[E265] at 200 % and 400 % zoom", { tags: "long" }, () => {
  it("nothing is cut off or covered, and nothing is lost", async () => {
    const { deck } = aboard;
    const id = await prepare();
    // 200 % of 1440, and 400 % of 1280.
    const page = await deck.open({ viewport: { width: 720, height: 450 } });
    for (const size of [
      { width: 720, height: 450 },
      { width: 320, height: 640 },
    ]) {
      await page.setViewportSize(size);
      const at = `, ${String(size.width)}`;
      for (const [hash, words] of [
        ["/", "Recent projects"],
        ["/board", "Harbour log"],
        ["/rules", "Policies"],
        ["/search?q=note", "Harbour log"],
        ["/server", "Devices"],
        [`/s/${id}`, "Written."],
      ] as const) {
        await page.goto(`${deck.server.url}/#${hash}`);
        await page.getByRole("main").getByText(words).first().waitFor();
        await expectWhole(page, hash + at);
      }
      await page.keyboard.press("Control+f");
      await page.getByLabel("Find in this session").fill("Written");
      await page
        .locator(".find")
        .getByText(/1 of 1/u)
        .waitFor();
      await expectWhole(page, `find${at}`);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /^Changes:/u }).click();
      const sheet = page.getByRole("complementary", { name: "Workbench" });
      for (const title of ["Changes", "Git", "Cost", "Wire", "Settings"]) {
        await sheet.getByRole("tab", { name: new RegExp(`^${title}`, "u") }).click();
        await expectWhole(page, title + at);
      }
      await page.keyboard.press("Escape");
      await page.keyboard.press("Alt+n");
      const start = page.getByRole("dialog", { name: "New session" });
      await start.getByText("More options", { exact: true }).click();
      await expectWhole(page, `new session${at}`);
      await page.keyboard.press("Escape");
      await start.waitFor({ state: "detached" });
    }
  });
});

/** Whether a person sees all of it, and it is not covered. */
const isInSight = (element: Locator): Promise<boolean> =>
  element.evaluate((one) => {
    const { top, bottom, left, right } = one.getBoundingClientRect();
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && hit !== null && one.contains(hit);
  });

describe("[E209] a long card on a small screen", () => {
  it("keeps its buttons in sight beside what they decide about", async () => {
    const { deck } = aboard;
    const plan = await deck.startSession({ prompt: "plan at length", settings: { permissionMode: "plan" } });
    const question = await deck.startSession({ prompt: "ask me three" });
    const page = await deck.open({ ...PHONE, name: "Small" });
    for (const size of [PHONE.viewport, { width: 320, height: 568 }, SIDEWAYS]) {
      await page.setViewportSize(size);
      const at = `${String(size.width)} x ${String(size.height)}`;
      for (const [session, buttons, words] of [
        [plan, [/^Approve/u, /^Keep planning/u, /^Reject and stop/u], "Look at the lock."],
        [question, [/^Next/u, /^Skip this one/u, /^Dismiss/u], QUESTIONS[0].question],
      ] as const) {
        await deck.goTo(page, session);
        const dock = dockOf(page);
        for (const name of buttons)
          await expect
            .poll(() => isInSight(dock.getByRole("button", { name })), { message: `${String(name)}, ${at}` })
            .toBe(true);
        await expect.poll(() => isInSight(dock.getByText(words).first()), { message: `${words} ${at}` }).toBe(true);
      }
    }
    // The last option is reached by scrolling, and the buttons do not cover it.
    const last = dockOf(page).getByText("Add a note").first();
    await last.scrollIntoViewIfNeeded();
    await expect.poll(() => isInSight(last)).toBe(true);
  });
});

/** What has the focus, and whether one can see that. */
const focused = (page: Page): Promise<{ readonly name: string; readonly isSeen: boolean; readonly isEnd: boolean }> =>
  page.evaluate(() => {
    const element = document.activeElement!;
    const name = element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40);
    // A field shows its caret.
    let isSeen = element.matches("input:not([type=checkbox], [type=radio]), textarea, select");
    for (let part: Element | null = element, up = 0; part !== null && up < 2; part = part.parentElement, up++) {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(part);
      if (part === element || part.matches("label"))
        isSeen ||= (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
    }
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const isEnd = element === document.body;
    return { name, isEnd, isSeen: isSeen && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth };
  });

describe("[E266] by keyboard alone", { tags: "long" }, () => {
  it("the focus is always seen, and drawer and sheet take it and give it back", async () => {
    const { deck } = aboard;
    const id = await prepare();
    const page = await deck.open({ viewport: { width: 720, height: 450 } });
    const { keyboard } = page;
    const isAt = async (name: RegExp): Promise<void> => {
      await expect.poll(async () => (await focused(page)).name, { message: String(name) }).toMatch(name);
    };

    for (const [hash, stops] of [
      ["/", 14],
      ["/board", 14],
      ["/rules", 14],
      ["/server", 14],
      [`/s/${id}`, 16],
    ] as const) {
      await page.goto(`${deck.server.url}/#${hash}`);
      await page.locator("main.main .head").waitFor();
      await page.locator("main.main :is(h1, h2, .timeline-row)").first().waitFor();
      // The composer takes the focus; the order begins at the top.
      await page.getByRole("button", { name: "Skip sessions" }).focus();
      const names: string[] = [];
      for (let stop = 0; stop < stops; stop++) {
        await keyboard.press("Tab");
        const { name, isSeen, isEnd } = await focused(page);
        if (isEnd) break;
        expect({ hash, name, isSeen }).toEqual({ hash, name, isSeen: true });
        names.push(name);
      }
      expect(new Set(names).size, `${hash}: ${names.join(", ")}`).toBeGreaterThan(5);
    }

    await deck.goTo(page, id);
    await rowWith(page, "Written.").waitFor();
    const menu = page.getByRole("button", { name: /^Sessions/u });
    await menu.focus();
    await keyboard.press("Enter");
    await isAt(/^Quarterdeck$/u);
    await keyboard.press("Tab");
    await isAt(/New$/u);
    await keyboard.press("Escape");
    await isAt(/^Sessions/u);

    await page.getByRole("button", { name: /^Changes:/u }).focus();
    await keyboard.press("Enter");
    const sheet = page.getByRole("complementary", { name: "Workbench" });
    await sheet
      .getByRole("tab", { name: /^Changes/u })
      .and(page.locator(":focus"))
      .waitFor();
    await keyboard.press("ArrowRight");
    await sheet.getByRole("tab", { name: /^Git/u }).and(page.locator(":focus")).waitFor();
    await keyboard.press("Escape");
    await isAt(/^Changes:/u);
  });
});

/** Notes what a screen reader would say: each change of a live region. */
const listen = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const said: string[] = [];
    Object.assign(globalThis, { said });
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        const region = element?.closest("[aria-live], [role=status], [role=alert], [role=log], output");
        if (region == null || region.getAttribute("aria-live") === "off") continue;
        const words = region.textContent.trim();
        if (words !== "" && said.at(-1) !== words) said.push(words);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
const heard = (page: Page): Promise<string[]> =>
  page.evaluate(() => (globalThis as unknown as { said: string[] }).said);

describe("[E267] a screen reader", { tags: "long" }, () => {
  it("hears the end of a turn once, nothing while it streams, and no seconds while the page is offline", async () => {
    const { deck } = aboard;
    const page = await deck.open();
    await deck.atSession(page);
    await listen(page);
    await send(page, "recite");
    await rowWith(page, "High water for the time 40,").waitFor();
    await settled(page);
    await expect
      .poll(async () => (await heard(page)).filter((words) => words.startsWith("Turn finished.")))
      .toHaveLength(1);
    expect((await heard(page)).filter((words) => !words.startsWith("Turn finished."))).toEqual([]);

    deck.expectTrouble(NO_SERVER);
    await deck.kill();
    const strip = page.locator(".strip");
    await strip.getByText("Offline").waitFor();
    const first = await strip.textContent();
    // It counts and tries again, and that is not said.
    await expect.poll(() => strip.textContent()).not.toBe(first);
    expect((await heard(page)).filter((words) => /Offline|Retrying|Reconnecting/u.test(words))).toEqual([]);
    await expect.poll(() => page.locator(".sr-only[role=status]", { hasText: "Connection lost." }).count()).toBe(1);
    await deck.restart();
    await page.getByRole("status").getByText("Back online").waitFor();
  });
});

describe("[E268] text from right to left", { tags: "long" }, () => {
  it("begins at the right in prompts and answers, and paths and code keep their order", async () => {
    const { deck } = aboard;
    const page = await deck.open({ ...PHONE, name: "Pixel" });
    await deck.atSession(page);
    await composerOf(page).fill("שלום");
    await expect.poll(() => composerOf(page).evaluate((box) => getComputedStyle(box).direction)).toBe("rtl");
    await page.getByRole("button", { name: "Send", exact: true }).tap();
    const answer = rowWith(page, "gpj.exe").locator(".prose");
    await answer.locator("pre").waitFor();
    // Direction characters are named, so that they reorder nothing.
    await answer.getByText("‹U+202E›gpj.exe").waitFor();
    const places = await answer.evaluate((prose) => {
      const letter = (element: Element, at: number): number => {
        const range = document.createRange();
        const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()!;
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      };
      const right = prose.getBoundingClientRect().right;
      const [first] = prose.querySelectorAll("p");
      const code = prose.querySelector("p code")!;
      return {
        isAtRight: right - letter(first!, 0) < 30,
        isListMirrored: getComputedStyle(prose.querySelector("ul")!).direction,
        isPathInOrder: letter(code, 0) < letter(code, 5),
        isCodeInOrder: letter(prose.querySelector("pre code")!, 0) < letter(prose.querySelector("pre code")!, 8),
      };
    });
    expect(places).toEqual({ isAtRight: true, isListMirrored: "rtl", isPathInOrder: true, isCodeInOrder: true });
    await expectSound(page, "right to left", "main");
  });
});
