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
import { launchChromium } from "../client/launch-chromium.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "require-trusted-types-for 'script'",
].join("; ");
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
        response.writeHead(200, { "content-type": type, "content-security-policy": POLICY });
        response.end(bytes);
      },
      () => response.writeHead(pathname === "/favicon.ico" ? 204 : 404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await launchChromium();
  return {
    open: (query, options) => openPage(browser, `${origin}/timeline.html?${query}`, options),
    close: async () => {
      await browser.close();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const openPage = async (
  browser: Browser,
  address: string,
  { phone = false, theme = "dark", bypass = false }: { phone?: boolean; theme?: string; bypass?: boolean } = {},
): Promise<Opened> => {
  const context = await browser.newContext({
    viewport: phone ? { width: 390, height: 844 } : { width: 1100, height: 900 },
    hasTouch: phone,
    bypassCSP: bypass,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const troubles: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(new URL(address).origin) && !url.startsWith("blob:") && !url.startsWith("data:"))
      troubles.push(`asked for ${url}`);
  });
  await page.goto(`${address}&theme=${theme}`);
  await page.waitForSelector(".list-item");
  return { page, troubles };
};
