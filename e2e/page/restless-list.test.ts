// A list must come to rest, whatever its rows do. If it asks for other rows after each render, React removes it (error
// 185), and the conversation with it.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, workerChromium } from "../client/launch-chromium.ts";

const folder = mkdtempSync(join(tmpdir(), "quarterdeck-list-"));
let browser: Browser;
beforeAll(async () => {
  await build({
    configFile: fileURLToPath(new URL("../../packages/web/dev/vite.config.ts", import.meta.url)),
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true, rollupOptions: { input: "restless-list.html" } },
  });
  browser = await workerChromium();
});
afterAll(async () => {
  await closePages(browser);
  rmSync(folder, { recursive: true, force: true });
});

const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

const open = async (query = ""): Promise<{ page: Page; troubles: string[] }> => {
  const page = await browser.newPage();
  const troubles: string[] = [];
  page.on("pageerror", ({ message }) => troubles.push(message));
  await page.route("http://list.invalid/**", (route) => {
    const { pathname } = new URL(route.request().url());
    return route.fulfill({ body: readFileSync(join(folder, pathname)), contentType: TYPES[extname(pathname)] ?? "" });
  });
  await page.goto(`http://list.invalid/restless-list.html${query}`);
  await page.locator(".list-item").first().waitFor();
  return { page, troubles };
};

/** What would be painted next: how far the end of the last row is from the window's lower edge. */
const grow = (page: Page, height: number): Promise<number> =>
  page.evaluate((to) => {
    (globalThis as unknown as { grow: (height: number) => void }).grow(to);
    const end = [...document.querySelectorAll(".list-item")].at(-1)!.getBoundingClientRect().bottom;
    return Math.round(Math.abs(end - document.querySelector(".list")!.getBoundingClientRect().bottom));
  }, height);

/** Until two frames have passed without a change of what is rendered, or so many that it will not rest. */
const rest = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const keys = (): string =>
      [...document.querySelectorAll<HTMLElement>(".list-item")].map(({ dataset }) => dataset["key"]).join();
    for (let [before, calm, frames] = ["", 0, 0]; calm < 2 && frames < 60; frames++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      calm = keys() === before ? calm + 1 : 0;
      before = keys();
    }
  });

const lastShown = (page: Page): Promise<string | null> => page.locator(".list-item").last().getAttribute("data-key");

describe("[E27] a list that follows its end", () => {
  it("stays at the end when all rows change their height while a new row arrives", async () => {
    const { page, troubles } = await open();
    for (const [at, height] of [400, 8, 900, 40, 2000, 6].entries()) {
      expect(await grow(page, height)).toBeLessThan(2);
      expect(troubles).toEqual([]);
      await rest(page);
      expect(await lastShown(page)).toBe(String(200 + at));
    }
    await page.close();
  });

  it("stays usable when rows change their height each time they are drawn", async () => {
    const { page, troubles } = await open("?restless");
    for (let turn = 0; turn < 6; turn++) {
      await grow(page, turn);
      await rest(page);
      await page
        .getByRole("region", { name: "Restless" })
        .evaluate((list, at) => list.scrollTo({ top: at }), turn * 2500);
      await rest(page);
    }
    expect(troubles).toEqual([]);
    await expect.poll(() => page.locator(".list-item").count()).toBeGreaterThan(0);
    await page.close();
  });
});
