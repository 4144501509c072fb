// An open PDF. pdf.js reads it in a worker that may load nothing (the policy of its script), and draws it in a second one. Scripts, forms and
// links of the file are never used: there is only a picture of each page, and its text. A step that takes too long ends both workers.

import type { getDocument, PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { MOST_IMAGE_PIXELS, MOST_PAGES, MOST_PIECES, MOST_TEXT, PATIENCE_MS } from "./pdf-limits.ts";

export type PdfFailure = "encrypted" | "damaged" | "slow" | "large" | "unavailable";

export class PdfError extends Error {
  readonly failure: PdfFailure;

  constructor(failure: PdfFailure, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}

type Options = NonNullable<Parameters<typeof getDocument>[0]>;

/** The page's policy allows no eval and no WebAssembly. Everything that a file could ask for is off. */
const PDF_OPTIONS = {
  useWasm: false,
  useWorkerFetch: false,
  enableXfa: false,
  disableAutoFetch: true,
  disableRange: true,
  disableStream: true,
  maxImageSize: MOST_IMAGE_PIXELS,
  verbosity: 0,
} as const satisfies Options;

export interface PdfEngine {
  readonly getDocument: typeof getDocument;
  /** Where it runs, and more. */
  readonly options: Options;
  /** Ends its workers, whatever they do. */
  readonly stop: () => void;
  /** Fails if a worker fails. */
  readonly failed: Promise<never>;
}

export interface TextLine {
  readonly page: number;
  readonly text: string;
  /** Pieces of the page's text, the last one exclusive. */
  readonly from: number;
  readonly to: number;
}

export interface PdfPage {
  readonly proxy: PDFPageProxy;
  readonly width: number;
  readonly height: number;
}

export class PdfDocument {
  /** Pages of the file. */
  readonly allPages: number;
  /** Pages that are shown. */
  readonly pages: number;
  readonly #proxy: PDFDocumentProxy;
  readonly #engine: PdfEngine;
  #isClosed = false;

  constructor(proxy: PDFDocumentProxy, engine: PdfEngine) {
    this.#proxy = proxy;
    this.#engine = engine;
    this.allPages = proxy.numPages;
    this.pages = Math.min(proxy.numPages, MOST_PAGES);
  }

  static async open(bytes: Uint8Array, engine: PdfEngine): Promise<PdfDocument> {
    const task = engine.getDocument({ ...PDF_OPTIONS, ...engine.options, data: bytes });
    // pdf.js waits for a password until it is told that nobody has one.
    const needsPassword = new Promise<never>((_, reject) => {
      task.onPassword = () => reject(new PdfError("encrypted"));
    });
    try {
      const proxy = await inTime(Promise.race([task.promise, needsPassword, engine.failed]));
      return new PdfDocument(proxy, engine);
    } catch (error) {
      engine.stop();
      throw asPdfError(error);
    }
  }

  async page(number: number): Promise<PdfPage> {
    const proxy = await this.inTime(this.#proxy.getPage(number));
    const { width, height } = proxy.getViewport({ scale: 1 });
    return { proxy, width, height };
  }

  /** A step that never ends closes the document. */
  async inTime<T>(step: Promise<T>): Promise<T> {
    try {
      return await inTime(Promise.race([step, this.#engine.failed]));
    } catch (error) {
      if (error instanceof PdfError) this.close();
      throw error;
    }
  }

  /** The lines of all pages, up to a limit. */
  async lines(onPage: (lines: readonly TextLine[]) => void): Promise<void> {
    let size = 0;
    for (let page = 1; page <= this.pages && size < MOST_TEXT && !this.#isClosed; page++) {
      const { proxy } = await this.page(page);
      const lines = textLinesOf((await this.text(proxy)).items, page);
      size += lines.reduce((sum, { text }) => sum + text.length, 0);
      onPage(lines);
    }
  }

  /** The text of a page in pieces. Too many of them are cut off. */
  async text(page: PDFPageProxy): Promise<PageText> {
    const reader = page.streamTextContent({ disableNormalization: true }).getReader() as TextReader;
    const text: PageText = { items: [], styles: {}, lang: null };
    for (;;) {
      const { done, value } = await this.inTime(reader.read());
      if (done) return text;
      text.lang ??= value.lang;
      Object.assign(text.styles, value.styles);
      text.items.push(...value.items.filter((item) => "str" in item));
      if (text.items.length < MOST_PIECES) continue;
      text.items.length = MOST_PIECES;
      void reader.cancel(new PdfError("large")).catch(() => {});
      return text;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#engine.stop();
  }
}

/** What `TextLayer` wants. */
type TextContent = Awaited<ReturnType<PDFPageProxy["getTextContent"]>>;
export type PageText = Omit<TextContent, "items"> & { items: Extract<TextContent["items"][number], { str: string }>[] };
type TextReader = ReadableStreamDefaultReader<TextContent>;

export interface TextPiece {
  readonly str: string;
  readonly hasEOL: boolean;
}

export const textLinesOf = (pieces: readonly TextPiece[], page: number): readonly TextLine[] => {
  const lines: TextLine[] = [];
  let from = 0;
  for (const [index, { hasEOL }] of pieces.entries()) {
    if (!hasEOL && index < pieces.length - 1) continue;
    const text = pieces
      .slice(from, index + 1)
      .map(({ str }) => str)
      .join("");
    if (text.trim() !== "") lines.push({ page, text, from, to: index + 1 });
    from = index + 1;
  }
  return lines;
};

/** A page that nobody looks at draws nothing, and its time does not count. */
const inTime = async <T>(step: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const wait = (): void => {
      timer = setTimeout(() => {
        if ((globalThis.document as Document | undefined)?.hidden === true) wait();
        else reject(new PdfError("slow"));
      }, PATIENCE_MS);
    };
    wait();
  });
  try {
    return await Promise.race([step, tooLong]);
  } finally {
    clearTimeout(timer);
  }
};

export const asPdfError = (error: unknown): PdfError => {
  if (error instanceof PdfError) return error;
  return new PdfError(error instanceof Error && error.name === "PasswordException" ? "encrypted" : "damaged", error);
};
