// The gallery of packages/web/dev, built and served under the page's policy, and a browser that reports what went wrong
// in it.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type Page } from "playwright-core";
import { build } from "vite";
import { closePages, workerChromium } from "../client/launch-chromium.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "require-trusted-types-for 'script'",
].join("; ");
const DESK = { width: 1100, height: 900 };
/** Nothing takes that long, unless the machine is busy. */
const PATIENCE_MS = 60_000;
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

export interface Opened {
  readonly page: Page;
  /** Policy violations, uncaught errors, console errors, requests to other hosts, dialogs. */
  readonly troubles: string[];
}

export interface Gallery {
  /** In the one page that tests share. It keeps its process and its cache, so this costs a fifth of a new browser. */
  readonly show: (query: string) => Promise<Opened>;
  /** In a browser of its own. */
  readonly open: (
    query: string,
    options?: { phone?: boolean; theme?: "dark" | "light"; bypass?: boolean },
  ) => Promise<Opened>;
  readonly close: () => Promise<void>;
}

export const openGallery = async (): Promise<Gallery> => {
  const folder = await mkdtemp(join(tmpdir(), "quarterdeck-gallery-"));
  await build({
    configFile: fileURLToPath(new URL("../../packages/web/dev/vite.config.ts", import.meta.url)),
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true },
  });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://gallery");
    readFile(join(folder, pathname)).then(
      (bytes) => {
        const type = TYPES[extname(pathname)] ?? "application/octet-stream";
        const kept = pathname.startsWith("/assets/") ? { "cache-control": "max-age=3600" } : {};
        response.writeHead(200, { "content-type": type, "content-security-policy": POLICY, ...kept });
        response.end(bytes);
      },
      () => response.writeHead(pathname === "/favicon.ico" ? 204 : 404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await workerChromium();
  let shared: Promise<Shown> | undefined;
  return {
    show: async (query) => (await (shared ??= sharedPage(browser, `${origin}/timeline.html?`)))(query),
    open: (query, options) => openPage(browser, `${origin}/timeline.html?${query}`, options),
    close: async () => {
      await closePages(browser);
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

type Shown = (query: string) => Promise<Opened>;

const sharedPage = async (browser: Browser, address: string): Promise<Shown> => {
  const page = await (await browser.newContext({ viewport: DESK })).newPage();
  let troubles: string[] = [];
  watch(page, address, (words) => troubles.push(words));
  return async (query) => {
    const own: string[] = [];
    // What the page before does until it is gone belongs to the test before.
    const arrived = page.waitForEvent("framenavigated", (frame) => {
      if (frame !== page.mainFrame()) return false;
      troubles = own;
      return true;
    });
    await Promise.all([arrived, page.goto(`${address}${query}&theme=dark`)]);
    await page.waitForSelector(".list-item");
    return { page, troubles: own };
  };
};

const openPage = async (
  browser: Browser,
  address: string,
  { phone = false, theme = "dark", bypass = false }: { phone?: boolean; theme?: string; bypass?: boolean } = {},
): Promise<Opened> => {
  const context = await browser.newContext({
    viewport: phone ? { width: 390, height: 844 } : DESK,
    hasTouch: phone,
    bypassCSP: bypass,
  });
  const page = await context.newPage();
  const troubles: string[] = [];
  watch(page, address, (words) => troubles.push(words));
  await page.goto(`${address}&theme=${theme}`);
  await page.waitForSelector(".list-item");
  return { page, troubles };
};

const watch = (page: Page, address: string, trouble: (words: string) => void): void => {
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("console", (message) => {
    if (message.type() === "error") trouble(message.text());
  });
  page.on("pageerror", (error) => trouble(error.message));
  page.on("dialog", (dialog) => {
    trouble(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(new URL(address).origin) && !url.startsWith("blob:") && !url.startsWith("data:"))
      trouble(`asked for ${url}`);
  });
};
