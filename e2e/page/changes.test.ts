// A review in the workbench: what a session changed, comments that become a prompt, the way back.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Block, Scenario, Step } from "@quarterdeck/simulator";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { PHONE } from "./deck.ts";
import { composerOf, rowWith, send, settled, useDeck } from "./journey.ts";
import { expectSound } from "./axe.ts";

const says = (...say: readonly Block[]): Step => ({ say });
const use = (tool: string, input: Readonly<Record<string, unknown>>): Block => ({ tool, input });
const edit = (path: string, from: string, to: string): Block =>
  use("Edit", { file_path: `{{cwd}}/${path}`, old_string: from, new_string: to });
const bash = (command: string): Block => use("Bash", { command, description: "Do it" });

const SCENARIO: Scenario = {
  name: "review",
  scripts: [
    {
      when: "change the tide",
      steps: [
        says(edit("src/tide.js", "const level = 12;", "const level = measured(12);\nconst spare = 1;")),
        says(edit("src/tide.js", "const level = 48;", "const level = 480;")),
        says(use("Write", { file_path: "{{cwd}}/test/tide.test.js", content: "test();\n" })),
        says(bash("sed -i s/five/six/ docs/limits.md && mv docs/old.md docs/new.md")),
        says({ text: "The tide is changed." }),
      ],
    },
    {
      when: "Address",
      steps: [says(edit("src/tide.js", "const spare = 1;", "const reserve = 1;")), says({ text: "Addressed." })],
    },
    { when: "grow the list", steps: [says(bash("sh grow.sh")), says({ text: "It has grown." })] },
    {
      when: "send a hand",
      steps: [
        says(use("Task", { description: "Raise it", prompt: "raise the level", subagent_type: "general-purpose" })),
        says({ text: "The hand is back." }),
      ],
    },
    {
      when: "raise the level",
      steps: [
        says(edit("src/tide.js", "const level = 7;", "const level = 70;")),
        says(bash("sed -i s/five/nine/ docs/limits.md")),
        says({ text: "Raised." }),
      ],
    },
    {
      when: "wait at the gate",
      steps: [says(bash("until [ -e open-gate ]; do sleep 0.05; done")), says({ text: "The gate opened." })],
    },
  ],
  otherwise: [says({ text: "I know nothing of that." })],
};

const aboard = useDeck({ scenario: SCENARIO });

const TIDE = Array.from({ length: 60 }, (_, at) => `const level = ${at + 1};`).join("\n");

/** A repository of its own for each test, or a folder without one. */
const makeFolder = (name: string, withGit: boolean): string => {
  const folder = mkdtempSync(join(aboard.deck.place.cwd, `${name}-`));
  const files = {
    "src/tide.js": `${TIDE}\n`,
    "docs/limits.md": "# Limits\n\nfive tries\n",
    "docs/old.md": "a page\nthat keeps\nits words\n",
    "grow.sh": "seq 1 20000 | sed 's/^/const grown = /' > src/grown.js\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (!withGit) return folder;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], { cwd: folder });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "Begin");
  return folder;
};

const read = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");

const benchOf = (page: Page): Locator => page.getByRole("complementary", { name: "Workbench" });
const fileIn = (page: Page, path: string): Locator => benchOf(page).getByRole("region", { name: path, exact: true });
const entryOf = (page: Page, path: string): Locator =>
  benchOf(page).getByRole("list", { name: "Changed files" }).getByRole("listitem").filter({ hasText: path });

/** A session in its own folder that has played its first turn, and the page at it. */
const reviewed = async (page: Page, name: string, prompt = "change the tide", withGit = true): Promise<string> => {
  const folder = makeFolder(name, withGit);
  await aboard.deck.atSession(page, {
    cwd: folder,
    title: name,
    settings: { permissionMode: "acceptEdits", allowedTools: ["Bash"] },
  });
  await send(page, prompt);
  await page.locator("footer.turn").first().waitFor();
  await settled(page);
  return folder;
};

const openChanges = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: /^Changes: / }).click();
  await benchOf(page).locator(".review-file").first().waitFor();
};

const commentOn = async (page: Page, path: string, line: number, text: string): Promise<void> => {
  await fileIn(page, path).locator(`[data-side="new"][data-line="${line}"]`).last().click();
  const editor = benchOf(page).getByRole("form", { name: `Comment on line ${line}` });
  await editor.getByRole("textbox", { name: "Comment" }).fill(text);
  await editor.getByRole("button", { name: "Add comment" }).click();
  await benchOf(page)
    .getByRole("article", { name: `Comment on line ${line}` })
    .waitFor();
};

describe("[E133] the workbench", () => {
  it("opens only when asked, keeps its width, and covers no control at any width", { tags: "long" }, async () => {
    const { deck } = aboard;
    const page = await deck.renew(aboard.page);
    await reviewed(page, "widths");
    await expect.poll(() => benchOf(page).count()).toBe(0);
    await openChanges(page);
    const widthOf = async (): Promise<number> => Math.round((await benchOf(page).boundingBox())!.width);
    const before = await widthOf();
    await page.getByRole("separator", { name: "Width of the workbench" }).press("ArrowRight");
    await expect.poll(widthOf).toBe(before - 24);
    await page.reload();
    await benchOf(page).locator(".review-file").first().waitFor();
    expect(await widthOf()).toBe(before - 24);

    for (const width of [1440, 1199, 1024, 901]) {
      await page.setViewportSize({ width, height: 800 });
      const isFolded = width < 1200;
      await expect.poll(() => page.locator(".rail-strip").count()).toBe(isFolded ? 1 : 0);
      const bench = (await benchOf(page).boundingBox())!;
      const sendButton = (await page.getByRole("button", { name: "Send", exact: true }).boundingBox())!;
      expect(sendButton.x + sendButton.width).toBeLessThanOrEqual(bench.x);
      expect(bench.x + bench.width).toBeLessThanOrEqual(width);
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    await page.getByRole("button", { name: "Show sessions" }).click();
    await page
      .getByRole("navigation", { name: "Sessions" })
      .getByRole("link", { name: /widths/u })
      .click();
    await benchOf(page).waitFor();

    // A sheet stays closed until a person opens it again.
    await page.setViewportSize({ width: 880, height: 800 });
    await benchOf(page).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Show workbench" }).click();
    await expect.poll(widthOf).toBe(880);
    await page.getByRole("button", { name: "Conversation" }).click();
    await benchOf(page).waitFor({ state: "detached" });
    await composerOf(page).fill("still here");
  });
});

describe("[E134] keys", () => {
  it("reach every tab, the parts of the page, and what a review does", { tags: "long" }, async () => {
    const { deck } = aboard;
    const page = await deck.renew(aboard.page);
    await reviewed(page, "keys");
    const { keyboard } = page;
    await page.locator("body").evaluate(() => (document.activeElement as HTMLElement).blur());
    const selected = (name: string) => benchOf(page).getByRole("tab", { name, selected: true }).waitFor();
    await keyboard.press("g");
    await keyboard.press("o");
    await selected("Overview");
    await keyboard.press("g");
    await keyboard.press("f");
    await selected("Files");
    await keyboard.press("g");
    await keyboard.press("c");
    await selected("Changes 4");
    await fileIn(page, "src/tide.js").locator(".dl-add").first().waitFor();

    await keyboard.press("j");
    await benchOf(page).locator(".review-here").waitFor();
    await keyboard.press("Shift+J");
    await keyboard.press("Shift+J");
    await fileIn(page, "src/tide.js").locator(".review-here").waitFor();
    await keyboard.press("j");
    await keyboard.press("c");
    const editor = benchOf(page).getByRole("form");
    await editor.getByRole("textbox", { name: "Comment" }).fill("Why?");
    await keyboard.press("Control+Enter");
    await benchOf(page).getByRole("article").getByText("Why?").waitFor();
    await keyboard.press("u");
    await fileIn(page, "src/tide.js").locator(".dl-pair").first().waitFor();
    await keyboard.press("u");
    await keyboard.press("v");
    await fileIn(page, "src/tide.js").getByRole("checkbox", { name: "Viewed" }).and(page.locator(":checked")).waitFor();

    await keyboard.press("F6");
    await page.locator(".rail:focus-within").waitFor();
    await keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await sheet.getByRole("row", { name: "G C Workbench: Changes" }).waitFor();
    await expect.poll(() => sheet.getByRole("row", { name: "G F Workbench: Files" }).count()).toBe(1);
  });
});

describe("[E135] changes", () => {
  it("are listed by file, turn and base, with who made them", async () => {
    const { deck } = aboard;
    const page = await deck.renew(aboard.page);
    const folder = await reviewed(page, "listed");
    await openChanges(page);
    await entryOf(page, "tide.test.js").getByText("+1").waitFor();
    await expect.poll(() => entryOf(page, "src/tide.js").textContent()).toMatch(/^M.*\+3 −2$/u);
    await entryOf(page, "limits.md").getByText("by a command").waitFor();
    await entryOf(page, "new.md").getByText("docs/old.md →").waitFor();
    await page.getByRole("button", { name: "Changes: +5 −3" }).waitFor();
    const rail = page.getByRole("navigation", { name: "Sessions" });
    await rail
      .getByRole("link", { name: /listed/u })
      .getByText("+5")
      .waitFor();

    // Words that differ, and context that unfolds.
    const tide = fileIn(page, "src/tide.js");
    await tide.locator(".dl-add mark", { hasText: "measured(" }).waitFor();
    await tide.getByRole("button", { name: "8 unchanged lines" }).click();
    await tide.locator(".dl-text", { hasText: /^const level = 1;$/u }).waitFor();

    // A mark stays until the file is another one; a person's own change is told apart.
    await entryOf(page, "src/tide.js").getByRole("checkbox").check();
    await entryOf(page, "limits.md").getByRole("checkbox").check();
    await benchOf(page).getByText("2 of 4 viewed").waitFor();
    writeFileSync(join(folder, "docs/limits.md"), "# Limits\n\nseven tries\n");
    writeFileSync(join(folder, "mine.txt"), "by hand\n");
    await page.getByRole("button", { name: "More for changes" }).click();
    await page.getByRole("menuitem", { name: "Refresh" }).click();
    await entryOf(page, "mine.txt").getByText("changed outside this session").waitFor();
    await benchOf(page).getByText("1 of 5 viewed").waitFor();

    // One turn alone, and the last commit.
    await page.getByRole("button", { name: /^Turn: / }).click();
    await page.getByRole("menuitemradio", { name: /^change the tide/u }).click();
    await entryOf(page, "mine.txt").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Turn: / }).click();
    await page.getByRole("menuitemradio", { name: "All turns" }).click();
    await page.getByRole("button", { name: /^Compared with: / }).click();
    await page.getByRole("menuitemradio", { name: /^Since last commit/u }).click();
    await entryOf(page, "mine.txt").waitFor();

    await page.getByRole("button", { name: "More for changes" }).click();
    await page.getByRole("menuitemradio", { name: "Files as a tree" }).click();
    await benchOf(page).locator(".changed-folder", { hasText: "docs" }).waitFor();
    await page.getByRole("button", { name: "Filter files" }).click();
    await page.getByRole("searchbox", { name: "Filter files" }).fill("tide");
    await entryOf(page, "mine.txt").waitFor({ state: "detached" });
    await expect.poll(() => benchOf(page).locator(".changed-file").count()).toBe(2);
  });
});

describe("[E154] an agent in a folder without git", { tags: "long" }, () => {
  it("changes files by a tool and by a command; both are listed, and rewound", async () => {
    const { deck } = aboard;
    const page = await deck.renew(aboard.page);
    const folder = await reviewed(page, "no-git", "send a hand", false);
    await openChanges(page);
    await entryOf(page, "src/tide.js").getByText("+1").waitFor();
    await entryOf(page, "limits.md").getByText("by a command").waitFor();
    await fileIn(page, "src/tide.js").locator(".dl-add", { hasText: "const level = 70;" }).waitFor();
    expect(read(folder, "docs/limits.md")).toContain("nine");

    await benchOf(page).getByRole("button", { name: "Rewind…" }).click();
    await page.getByRole("menuitem", { name: /^send a hand/u }).click();
    const dialog = page.getByRole("dialog", { name: "Rewind to before this message" });
    await dialog.getByRole("radio", { name: /^Files only/u }).check();
    await dialog.getByRole("list", { name: "Files that change" }).getByText("docs/limits.md").waitFor();
    await dialog.locator("button.btn-main:enabled").waitFor();
    await dialog.getByRole("button", { name: "Rewind" }).click();
    await page.getByText(/^Rewound\. 2 files restored\./u).waitFor();
    expect(read(folder, "src/tide.js")).toBe(`${TIDE}\n`);
    expect(read(folder, "docs/limits.md")).toBe("# Limits\n\nfive tries\n");
  });
});

describe("[E136] comments", { tags: "long" }, () => {
  it("survive a reload, become one prompt, and say whether the next turn touched their lines", async () => {
    const { deck } = aboard;
    const page = await deck.renew(aboard.page);
    await reviewed(page, "comments");
    await openChanges(page);
    await commentOn(page, "src/tide.js", 13, "Call this reserve.");
    await commentOn(page, "src/tide.js", 49, "Is that right?");
    // One that is being written is kept, too.
    await fileIn(page, "docs/limits.md").locator('[data-side="new"][data-line="3"]').last().click();
    await benchOf(page).getByRole("textbox", { name: "Comment" }).fill("half a thou");
    await page.reload();
    const draft = benchOf(page).getByRole("textbox", { name: "Comment" });
    await expect.poll(() => draft.inputValue()).toBe("half a thou");
    await benchOf(page).getByRole("button", { name: "Cancel" }).click();
    await benchOf(page).getByRole("button", { name: "Send 2 comments" }).click();
    await rowWith(page, "Addressed.").waitFor();
    await settled(page);
    await expect
      .poll(() => deck.promptsToCli().at(-1))
      .toBe(
        "Address these comments:\n\n1. src/tide.js, line 13:\n```\nconst spare = 1;\n```\nCall this reserve.\n\n" +
          "2. src/tide.js, line 49:\n```\nconst level = 480;\n```\nIs that right?",
      );
    const note = (line: number) => benchOf(page).getByRole("article", { name: `Comment on line ${line}` });
    await note(13).getByText("lines changed").waitFor();
    await note(49).getByText("lines not changed").waitFor();
  });
});

describe("[E137] a revert", () => {
  it("is shown first, changes a hunk or a file, and is undone", async () => {
    const { deck } = aboard;
    const page = await deck.renew(aboard.page);
    const folder = await reviewed(page, "revert");
    const after = read(folder, "src/tide.js");
    await openChanges(page);
    await fileIn(page, "src/tide.js").getByRole("button", { name: "Revert hunk" }).last().click();
    const dialog = page.getByRole("dialog", { name: "Revert this hunk?" });
    await dialog.locator(".is-removed", { hasText: "480" }).waitFor();
    await dialog.getByRole("list", { name: "Files that change" }).getByText("src/tide.js").waitFor();
    expect(read(folder, "src/tide.js")).toBe(after);
    await dialog.getByRole("button", { name: "Revert" }).click();
    await page.getByText("Reverted src/tide.js.").waitFor();
    expect(read(folder, "src/tide.js")).toBe(after.replace("const level = 480;", "const level = 48;"));
    await page.getByRole("region", { name: "Notifications" }).getByRole("button", { name: "Undo" }).click();
    await page.getByText("The revert is undone.").waitFor();
    expect(read(folder, "src/tide.js")).toBe(after);

    await page.getByRole("button", { name: "Menu for docs/limits.md" }).click();
    await page.getByRole("menuitem", { name: "Revert file…" }).click();
    await page.getByRole("dialog", { name: "Revert this file?" }).getByRole("button", { name: "Revert" }).click();
    await page.getByText("Reverted docs/limits.md.").waitFor();
    expect(read(folder, "docs/limits.md")).toBe("# Limits\n\nfive tries\n");
    await entryOf(page, "limits.md").waitFor({ state: "detached" });
  });
});

describe("[E138] a rewind", { tags: "long" }, () => {
  it("shows its files, restores them, is undone, and continues before the message", async () => {
    const { deck } = aboard;
    const page = await deck.renew(aboard.page);
    const folder = await reviewed(page, "rewind");
    const after = read(folder, "src/tide.js");
    const original = page.url();
    const prompt = rowWith(page, "change the tide").first();
    await prompt.hover();
    await prompt.getByRole("button", { name: "Rewind to here" }).click();
    const dialog = page.getByRole("dialog", { name: "Rewind to before this message" });
    await dialog.getByRole("radio", { name: /^Files only/u }).check();
    await dialog.getByRole("list", { name: "Files that change" }).getByText("docs/new.md").waitFor();
    await dialog.getByRole("checkbox", { name: "docs/limits.md" }).uncheck();
    await dialog.getByRole("button", { name: "Rewind" }).click();
    await page.getByText(/^Rewound\. 4 files restored\./u).waitFor();
    expect(read(folder, "src/tide.js")).toBe(`${TIDE}\n`);
    expect(read(folder, "docs/old.md")).toBe("a page\nthat keeps\nits words\n");
    expect(read(folder, "docs/limits.md")).toContain("six");
    await page.getByRole("region", { name: "Notifications" }).getByRole("button", { name: "Undo" }).click();
    await page.getByText(/^The rewind is undone/u).waitFor();
    expect(read(folder, "src/tide.js")).toBe(after);

    // While a turn runs it waits, and says so.
    await send(page, "wait at the gate");
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
    await openChanges(page);
    await benchOf(page).getByRole("button", { name: "Rewind…" }).click();
    await page.getByRole("menuitem", { name: /^change the tide/u }).click();
    await dialog.getByText("A turn is running.").waitFor();
    await expect.poll(() => dialog.getByRole("button", { name: "Rewind" }).isDisabled()).toBe(true);
    writeFileSync(join(folder, "open-gate"), "");
    await dialog.locator("button.btn-main:enabled").waitFor();
    await dialog.getByRole("button", { name: "Rewind" }).click();
    await expect.poll(() => page.url()).not.toBe(original);
    await expect.poll(() => composerOf(page).inputValue()).toBe("change the tide");
    expect(read(folder, "src/tide.js")).toBe(`${TIDE}\n`);
  });

  it("[E139] of the conversation alone edits a message and sends it again", async () => {
    const { deck } = aboard;
    const page = await deck.renew(aboard.page);
    const folder = await reviewed(page, "resend");
    const after = read(folder, "src/tide.js");
    const prompt = rowWith(page, "change the tide").first();
    const message = prompt.locator(".you");
    const { width, height } = (await message.boundingBox())!;
    await prompt.hover();
    await prompt.getByRole("button", { name: "Edit and resend" }).hover();
    expect(await message.boundingBox(), "the message grows under the pointer").toMatchObject({ width, height });
    await prompt.getByRole("button", { name: "Edit and resend" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit and resend" });
    await dialog.getByRole("textbox", { name: "Message" }).fill("change nothing");
    await dialog.locator("button.btn-main:enabled").click();
    await expect.poll(() => composerOf(page).inputValue()).toBe("change nothing");
    await composerOf(page).press("Enter");
    await rowWith(page, "I know nothing of that.").waitFor();
    await expect.poll(() => rowWith(page, "change the tide").count()).toBe(0);
    expect(read(folder, "src/tide.js")).toBe(after);
  });
});

describe("[E140] a diff of 20,000 lines", () => {
  it("is drawn in parts", { tags: "long" }, async () => {
    const { deck } = aboard;
    const page = await deck.renew(aboard.page);
    await reviewed(page, "long", "grow the list");
    await openChanges(page);
    const grown = fileIn(page, "src/grown.js");
    await grown.getByRole("button", { name: "Show them" }).click();
    await grown.locator(".dl-add").first().waitFor();
    const drawn = () => benchOf(page).locator(".dl").count();
    expect(await drawn()).toBeLessThan(400);
    // The first lines come first. The height does not change when the others are there.
    await expect.poll(() => grown.locator(".review-waits").count()).toBe(0);
    const last = grown.locator('[data-line="20000"]');
    const toEnd = (scroll: Element): void => scroll.scrollTo(0, scroll.scrollHeight);
    await expect
      .poll(async () => {
        await benchOf(page).locator(".changes-scroll").evaluate(toEnd);
        return last.count();
      })
      .toBeGreaterThan(0);
    expect(await drawn()).toBeLessThan(400);
  });
});

describe("[E141] a phone", { tags: "long" }, () => {
  it("reads changes, comments and sends by touch alone", async () => {
    const { deck } = aboard;
    const page = await deck.open({ ...PHONE, name: "Pixel" });
    const folder = makeFolder("touch", true);
    const id = await deck.startSession({
      ...{ cwd: folder, title: "touch", prompt: "change the tide" },
      settings: { permissionMode: "acceptEdits", allowedTools: ["Bash"] },
    });
    await deck.goTo(page, id);
    await rowWith(page, "The tide is changed.").waitFor();
    await page.getByRole("button", { name: /^Changes: / }).tap();
    // The way back is here too.
    await benchOf(page).getByRole("button", { name: "Rewind…" }).tap();
    await page.getByRole("menuitem", { name: /^change the tide/u }).tap();
    await page.getByRole("dialog").getByRole("list", { name: "Files that change" }).getByText("tide.js").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).tap();
    await fileIn(page, "src/tide.js").locator(".dl-add", { hasText: "spare" }).tap();
    await benchOf(page).getByRole("textbox", { name: "Comment" }).fill("Call this reserve.");
    await benchOf(page).getByRole("button", { name: "Add comment" }).tap();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await expectSound(page, "changes on a phone", ".bench");
    await benchOf(page).getByRole("button", { name: "Send 1 comment" }).tap();
    await benchOf(page)
      .getByRole("button", { name: /^Conversation/u })
      .tap();
    await rowWith(page, "Addressed.").waitFor();
  });
});

describe("[E142] on a desk", { tags: "long" }, () => {
  it("every tab and dialog is accessible in both themes", async () => {
    const { deck } = aboard;
    const page = await deck.renew(aboard.page);
    const folder = await reviewed(page, "sound");
    renameSync(join(folder, "docs/new.md"), join(folder, "docs/third.md"));
    await openChanges(page);
    await commentOn(page, "src/tide.js", 13, "Call this reserve.");
    await fileIn(page, "src/tide.js").locator('[data-side="new"][data-line="49"]').last().click();
    await expectSound(page, "changes", ".bench");
    await page.getByRole("button", { name: "Full width" }).click();
    await expectSound(page, "changes at full width", ".bench");
    await page.getByRole("button", { name: "Beside the conversation" }).click();
    await benchOf(page).getByRole("tab", { name: "Files" }).click();
    await benchOf(page).getByRole("button", { name: "grow.sh" }).waitFor();
    await expectSound(page, "files", ".bench");
    await benchOf(page).getByRole("button", { name: "grow.sh" }).click();
    await benchOf(page).locator(".dl-text", { hasText: "seq" }).waitFor();
    await expectSound(page, "a file", ".bench");
    await benchOf(page).getByRole("tab", { name: "Overview" }).click();
    await benchOf(page).getByText("Changed files").waitFor();
    await expectSound(page, "overview", ".bench");
    const prompt = rowWith(page, "change the tide").first();
    await prompt.hover();
    await prompt.getByRole("button", { name: "Rewind to here" }).click();
    await page.getByRole("dialog").getByRole("list", { name: "Files that change" }).waitFor();
    await expectSound(page, "rewind", "dialog[open]");
  });
});
