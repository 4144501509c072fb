// Files in the workbench: links to a line, and every kind of file.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Scenario, Step } from "@quarterdeck/simulator";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ACTIONS, ENCRYPTED, pdfFile, SCAN } from "../../packages/web/src/workbench/files/pdf-file.fixture.ts";
import { expectSound } from "./axe.ts";
import { PHONE } from "./deck.ts";
import { composerOf, rowWith, send, settled, useDeck } from "./journey.ts";

const says = (...say: readonly Block[]): Step => ({ say });
const use = (tool: string, input: Readonly<Record<string, unknown>>): Block => ({ tool, input });

const TRACE = "node -e 'console.log(\"    at high (src/tide.js:12:3)\")'";

const SCENARIO: Scenario = {
  name: "files",
  scripts: [
    {
      when: "where is it",
      steps: [
        says(use("Read", { file_path: "{{cwd}}/src/tide.js", offset: 20, limit: 5 })),
        says(use("Bash", { command: TRACE, description: "Fail" })),
        says({ text: "It is in `src/tide.js:30`, not at [home](https://example.org/src/tide.js)." }),
      ],
    },
  ],
  otherwise: [says({ text: "I know nothing of that." })],
};

const aboard = useDeck({ scenario: SCENARIO });

const TIDE = Array.from({ length: 60 }, (_, at) => `const level = ${at + 1};`).join("\n");
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const NOTEBOOK = {
  cells: [
    { cell_type: "markdown", source: "# Measured" },
    { cell_type: "code", source: "print(6 * 7)", outputs: [{ output_type: "stream", text: "42\n" }] },
  ],
  metadata: {},
};

const fill = (folder: string): void => {
  mkdirSync(join(folder, "src"), { recursive: true });
  const files: Record<string, string | Uint8Array> = {
    "src/tide.js": `${TIDE}\n`,
    "read.md": "# Tides\n\nhigh **water**\n",
    "measured.ipynb": JSON.stringify(NOTEBOOK),
    "old.txt": Buffer.from("caf\u00e9 au lait, d\u00e9j\u00e0 vu\n", "latin1"),
    "dot.png": Buffer.from(PIXEL, "base64"),
    "broken.pdf": "%PDF-1.4\n%\u00e2\n1 0 obj << /Type /Pages /Count 2 /Kids [] >>\nendobj\n",
    "locked.pdf": pdfFile({ pages: ["secret"], trailer: ENCRYPTED }),
    "scan.pdf": pdfFile(SCAN),
    "paper.pdf": pdfFile({
      pages: Array.from({ length: 30 }, (_, at) => `Berth ${at + 1} of the harbour`),
      ...ACTIONS,
    }),
    "blob.bin": Buffer.from([0, 1, 2, 255]),
    "long.txt": Array.from({ length: 90_000 }, (_, at) => `line ${at + 1} of a long text`).join("\n"),
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
};

const benchOf = (page: Page): Locator => page.getByRole("complementary", { name: "Workbench" });
const lineOf = (page: Page, line: number): Locator => benchOf(page).locator(".dl-cursor", { hasText: String(line) });

/** The file is open at the line, and the line is in sight. */
const expectAt = async (page: Page, line: number): Promise<void> => {
  await lineOf(page, line).waitFor();
  await expect
    .poll(() =>
      lineOf(page, line).evaluate((row) => {
        const [own, seen] = [row.getBoundingClientRect(), row.closest(".file-lines")!.getBoundingClientRect()];
        return own.top >= seen.top && own.bottom <= seen.bottom;
      }),
    )
    .toBe(true);
};

describe("[E143] a path", { tags: "long" }, () => {
  it("in an answer, a card, an output or a message opens the file at its line", async () => {
    const { deck, page } = aboard;
    fill(deck.place.cwd);
    await deck.atSession(page, { settings: { allowedTools: ["Bash", "Read"] } });
    await send(page, "where is it, @src/tide.js");
    await page.locator("footer.turn").first().waitFor();
    await settled(page);

    await rowWith(page, "It is in").getByRole("link", { name: "src/tide.js:30" }).click();
    await expectAt(page, 30);
    // A link to another site stays a link.
    await expect.poll(() => rowWith(page, "It is in").locator("a .file-link").count()).toBe(0);
    await page
      .getByRole("button", { name: /^Open .*src\/tide\.js$/u })
      .first()
      .click();
    await expectAt(page, 20);
    const trace = rowWith(page, "console.log");
    if ((await trace.getByRole("link", { name: "src/tide.js:12:3" }).count()) === 0)
      await trace.locator(".tool-line").click();
    await trace.getByRole("link", { name: "src/tide.js:12:3" }).last().click();
    await expectAt(page, 12);
    await rowWith(page, "where is it").getByRole("link", { name: "@src/tide.js" }).click();
    await benchOf(page)
      .getByRole("region", { name: /src\/tide\.js$/u })
      .last()
      .waitFor();
    // The composer is not covered, and its text stays.
    await composerOf(page).fill("still here");

    await page.getByRole("button", { name: "Find in file" }).click();
    await page.getByRole("searchbox", { name: "Find in file" }).fill("level = 4");
    await benchOf(page).getByText("1 of 11").waitFor();
    await expectAt(page, 4);
    await page.getByRole("button", { name: "Next match" }).click();
    await expectAt(page, 40);
    await page.getByRole("button", { name: "Open in editor" }).click();
    await page.getByRole("menuitemradio", { name: "VS Code" }).waitFor();
    await page.keyboard.press("Escape");
  });
});

describe("[E144] the viewer", () => {
  it("shows each kind of file, and says what it cannot show", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    fill(deck.place.cwd);
    await deck.atSession(page);
    await composerOf(page).waitFor();
    await page.locator("body").evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    const open = async (name: string): Promise<void> => {
      const back = benchOf(page).getByRole("button", { name: "Files", exact: true });
      if ((await back.count()) > 0) await back.click();
      await benchOf(page).locator(".tree-row", { hasText: name }).click();
    };
    await open("read.md");
    await benchOf(page).getByRole("heading", { name: "Tides" }).waitFor();
    await benchOf(page).getByRole("button", { name: "Raw" }).click();
    await benchOf(page).locator(".dl-text", { hasText: "high **water**" }).waitFor();
    await open("measured.ipynb");
    await benchOf(page).getByRole("heading", { name: "Measured" }).waitFor();
    await benchOf(page).getByText("42", { exact: true }).waitFor();
    await open("old.txt");
    await benchOf(page).getByText("café au lait, déjà vu").waitFor();
    await benchOf(page).getByText("Shown as Latin-1").waitFor();
    await open("dot.png");
    await expect
      .poll(() =>
        benchOf(page)
          .locator(".file-image img")
          .evaluate((image) => (image as HTMLImageElement).naturalWidth),
      )
      .toBe(1);
    await open("broken.pdf");
    await benchOf(page).getByText("This PDF is damaged, so its pages cannot be shown here.").waitFor();
    await benchOf(page).getByRole("link", { name: "Open in a new tab" }).waitFor();
    await benchOf(page)
      .getByText(/^PDF 1\.4, 2 pages, /u)
      .waitFor();
    await open("locked.pdf");
    await benchOf(page).getByText("This PDF needs a password. Open it in a new tab to enter it.").waitFor();
    await open("blob.bin");
    await benchOf(page)
      .getByText(/^A binary file/u)
      .waitFor();

    // A large file is loaded in parts: its end when somebody asks for it.
    await open("long.txt");
    await benchOf(page).locator(".dl-text", { hasText: "line 1 of" }).first().waitFor();
    await expect.poll(() => benchOf(page).locator(".dl").count()).toBeLessThan(300);
    const last = benchOf(page).locator(".dl-text", { hasText: "line 90000 of" });
    await expect
      .poll(
        async () => {
          await benchOf(page)
            .locator(".file-lines")
            .evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight));
          const more = benchOf(page).getByRole("button", { name: "Show more" });
          if ((await more.count()) > 0) await more.click();
          return last.count();
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    await expect.poll(() => benchOf(page).locator(".dl").count()).toBeLessThan(300);
  });
});

describe("[E212] a PDF", { tags: "long" }, () => {
  /** Dark pixels of the drawn page: its text and a black box. */
  const inkOf = (page: Page, number: number): Promise<number> =>
    pdfPage(page, number).evaluate((sheet) => {
      const canvas = sheet.querySelector("canvas");
      if (canvas === null || canvas.width === 0) return 0;
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      let dark = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at]! + data[at + 1]! + data[at + 2]! < 120) dark++;
      return dark / (data.length / 4);
    });
  const pdfPage = (page: Page, number: number): Locator => benchOf(page).locator(`.pdf-page[data-page="${number}"]`);
  const pagesOf = (page: Page): Locator => benchOf(page).getByRole("region", { name: "Pages of paper.pdf" });

  it("is drawn page by page, and can be searched, zoomed and read by keys", async () => {
    const { deck, page } = aboard;
    fill(deck.place.cwd);
    await deck.atSession(page);
    await composerOf(page).waitFor();
    await page.locator("body").evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    const back = benchOf(page).getByRole("button", { name: "Files", exact: true });
    if ((await back.count()) > 0) await back.click();
    await benchOf(page).locator(".tree-row", { hasText: "paper.pdf" }).click();

    await pdfPage(page, 1).getByText("Berth 1 of the harbour").waitFor();
    // The box fills 8 % of the page.
    await expect.poll(() => inkOf(page, 1)).toBeGreaterThan(0.07);
    await benchOf(page).getByText("It has scripts of its own.").waitFor();
    expect(await page.evaluate(() => "hacked" in globalThis)).toBe(false);
    // Its links, buttons and forms are part of the picture.
    expect(await pagesOf(page).locator("a, button, input, form, iframe").count()).toBe(0);
    // Pages that are far away are not drawn.
    expect(await pdfPage(page, 30).locator("canvas").count()).toBe(0);

    const number = benchOf(page).getByRole("textbox", { name: "Page" });
    await number.fill("30");
    await number.press("Enter");
    await pdfPage(page, 30).getByText("Berth 30 of the harbour").waitFor();
    await expect.poll(() => inkOf(page, 30)).toBeGreaterThan(0.07);
    await expect.poll(() => pdfPage(page, 1).locator("canvas").count()).toBe(0);
    await expect.poll(() => number.inputValue()).toBe("30");
    await pagesOf(page).press("p");
    await expect.poll(() => number.inputValue()).toBe("29");

    const widthOf = async (): Promise<number> => (await pdfPage(page, 29).boundingBox())!.width;
    const fitting = await widthOf();
    await pagesOf(page).press("+");
    await expect.poll(widthOf).toBeGreaterThan(fitting);
    await pagesOf(page).press("0");
    await expect.poll(widthOf).toBe(fitting);

    await benchOf(page).getByRole("button", { name: "Find in file" }).click();
    await page.getByRole("searchbox", { name: "Find in file" }).fill("berth 17");
    await benchOf(page).getByText("1 of 1", { exact: true }).waitFor();
    await pdfPage(page, 17).locator(".pdf-found", { hasText: "Berth 17 of the harbour" }).waitFor();
    await expectSound(page, "a PDF", ".bench");
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: "Find in file" }).waitFor({ state: "detached" });
    // After each test the deck reports foreign requests, windows, dialogs and what the page's policy refused.
  });

  it("is as wide as a phone", async () => {
    const { deck } = aboard;
    fill(deck.place.cwd);
    const page = await deck.open({ ...PHONE, name: "Reader" });
    await deck.atSession(page);
    await composerOf(page).waitFor();
    await page.getByRole("button", { name: "Show workbench" }).tap();
    await benchOf(page).getByRole("tab", { name: "Files" }).tap();
    await benchOf(page).locator(".tree-row", { hasText: "paper.pdf" }).tap();
    await pdfPage(page, 1).getByText("Berth 1 of the harbour").waitFor();
    await expect.poll(() => inkOf(page, 1)).toBeGreaterThan(0.07);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const { x, width } = (await pdfPage(page, 1).boundingBox())!;
    expect([x >= 0, x + width <= 390, width > 340]).toEqual([true, true, true]);
    await expectSound(page, "a PDF on a phone", ".bench");
    await benchOf(page).getByRole("button", { name: "Files", exact: true }).tap();
    await benchOf(page).locator(".tree-row", { hasText: "scan.pdf" }).tap();
    await pdfPage(page, 1).getByText("日本").waitFor();
    // The picture fills 64 % of the page.
    await expect.poll(() => inkOf(page, 1)).toBeGreaterThan(0.6);
  });
});
