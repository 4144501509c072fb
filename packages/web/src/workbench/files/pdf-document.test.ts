// Hostile files, with the real pdf.js. Drawing needs a browser: e2e/page/files.test.ts.

import { getDocument, GlobalWorkerOptions } from "pdfjs-dist/legacy/build/pdf.mjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { textLinesOf, PdfDocument, PdfError, type PdfEngine } from "./pdf-document.ts";
import { ACTIONS, ENCRYPTED, pdfFile } from "./pdf-file.fixture.ts";
import { MOST_PAGES, MOST_PIECES, nextZoom, pixelsPer, shownSize } from "./pdf-limits.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (char) => char.charCodeAt(0));

const stop = vi.fn<() => void>();
const engine = (): PdfEngine => ({ getDocument, options: {}, stop, failed: new Promise<never>(() => {}) });
const failureOf = async (bytes: Uint8Array): Promise<unknown> =>
  PdfDocument.open(bytes, engine()).then(
    (pdf) => pdf.pages,
    (error: unknown) => (error instanceof PdfError ? error.failure : error),
  );

beforeEach(() => {
  GlobalWorkerOptions.workerSrc = "pdfjs-dist/legacy/build/pdf.worker.min.mjs";
  vi.stubGlobal("fetch", () => {
    throw new Error("nothing may be fetched");
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  stop.mockClear();
});

describe("a hostile PDF", () => {
  it("is refused with a reason, and its workers end", async () => {
    const broken = [
      "",
      "%PDF-1.7",
      "%PDF-1.7\ntrailer << /Root 1 0 R >>",
      `%PDF-1.7\n${"<< ".repeat(5000)}`,
      `%PDF-1.7\n${"[".repeat(5000)}\ntrailer << /Root [`,
    ];
    for (const [at, text] of broken.entries()) expect([at, await failureOf(bytesOf(text))]).toEqual([at, "damaged"]);
    expect(stop).toHaveBeenCalledTimes(broken.length);
    expect(await failureOf(pdfFile({ pages: ["one"], trailer: ENCRYPTED }))).toBe("encrypted");
  });

  it("runs nothing and fetches nothing", async () => {
    const pdf = await PdfDocument.open(pdfFile({ pages: ["quiet"], ...ACTIONS }), engine());
    const { proxy } = await pdf.page(1);
    expect((await pdf.text(proxy)).items.map(({ str }) => str)).toEqual(["quiet"]);
    expect(globalThis).not.toHaveProperty("hacked");
    pdf.close();
    expect(stop).toHaveBeenCalledOnce();
  });

  it("shows at most 2,000 pages, and no more text than can be drawn", async () => {
    const pages = Array.from({ length: MOST_PAGES + 1 }, () => "a");
    const many = await PdfDocument.open(pdfFile({ pages }), engine());
    expect([many.allPages, many.pages]).toEqual([MOST_PAGES + 1, MOST_PAGES]);
    // The count in the page tree is not trusted beyond its pages.
    expect((await PdfDocument.open(pdfFile({ pages: ["a"], count: 1_000_000 }), engine())).pages).toBe(1);
    const content = `BT /F1 1 Tf ${"1 0 0 1 5 5 Tm (x) Tj 9 9 Td ".repeat(MOST_PIECES + 500)} ET`;
    const full = await PdfDocument.open(pdfFile({ pages: ["a"], content }), engine());
    const { items } = await full.text((await full.page(1)).proxy);
    expect(items.length).toBeLessThanOrEqual(MOST_PIECES);
  });

  it("whose pages contain themselves ends with one empty page", async () => {
    const circle = "1 0 obj << /Type /Catalog /Pages 1 0 R /Kids [1 0 R] >> endobj";
    const pdf = await PdfDocument.open(bytesOf(`%PDF-1.7\n${circle}\ntrailer << /Root 1 0 R >>`), engine());
    expect(pdf.pages).toBe(1);
    expect((await pdf.text((await pdf.page(1)).proxy)).items).toEqual([]);
  });

  it("cannot make a page that is too large to draw", async () => {
    for (const size of ["1e9 1e9", "1 1e12", "99999999999 0.0001", "-5 -5", "0 0"]) {
      const pdf = await PdfDocument.open(pdfFile({ pages: ["a"], size }), engine());
      const page = await pdf.page(1);
      for (const zoom of [undefined, 4]) {
        const shown = shownSize(page, zoom, 400);
        expect(Math.max(shown.width, shown.height)).toBeLessThanOrEqual(12_000);
        const ratio = pixelsPer(shown, 3);
        expect(shown.width * shown.height * ratio * ratio).toBeLessThanOrEqual(16_000_001);
      }
    }
    for (const width of [Number.NaN, Infinity, -1, 0])
      expect(shownSize({ width, height: width }, undefined, 400).width).toBe(400);
  });
});

describe("a PDF", () => {
  it("gives its text in lines, each with its place", async () => {
    const pdf = await PdfDocument.open(pdfFile({ pages: ["high water", "low water"] }), engine());
    const lines: unknown[] = [];
    await pdf.lines((more) => lines.push(...more));
    expect(lines).toEqual([
      { page: 1, text: "high water", from: 0, to: 1 },
      { page: 2, text: "low water", from: 0, to: 1 },
    ]);
    const piece = (str: string, hasEOL: boolean) => ({ str, hasEOL });
    expect(textLinesOf([piece("a", false), piece("b", true), piece("", true), piece("c", false)], 3)).toEqual([
      { page: 3, text: "ab", from: 0, to: 2 },
      { page: 3, text: "c", from: 3, to: 4 },
    ]);
  });

  it("is zoomed in steps, and as sharp as the screen", () => {
    expect([nextZoom(0.93, 1), nextZoom(1, 1), nextZoom(1, -1), nextZoom(4, 1), nextZoom(0.5, -1)]).toEqual([
      ...[1, 1.25, 0.75, 4, 0.5],
    ]);
    expect(shownSize({ width: 300, height: 600 }, undefined, 600)).toEqual({ width: 600, height: 1200, scale: 2 });
    expect(pixelsPer({ width: 600, height: 1200 }, 2)).toBe(2);
  });
});
