// One page of a PDF: a picture, and above it its text, which cannot be seen but selected. Drawn when it is near the window.

import { TextLayer, type PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { useEffect, useRef, useState } from "react";
import { useNear } from "../near.tsx";
import type { PdfDocument, PdfPage, TextLine } from "./pdf-document.ts";
import { pixelsPer, shownSize, type ShownPage, type Size } from "./pdf-limits.ts";
import { WORDS } from "./words.ts";

export interface PdfPageViewProps {
  readonly pdf: PdfDocument;
  readonly number: number;
  /** Until the page is known. */
  readonly expected: Size;
  readonly zoom: number | undefined;
  readonly room: number;
  readonly found: TextLine | undefined;
  readonly onFailure: (error: unknown) => void;
}

export const PdfPageView = ({ pdf, number, expected, zoom, room, found, onFailure }: PdfPageViewProps) => {
  const ref = useRef<HTMLElement>(null);
  const paper = useRef<HTMLDivElement>(null);
  const { isNear } = useNear(ref, number === 1);
  const [page, setPage] = useState<PdfPage>();
  const [pieces, setPieces] = useState<readonly HTMLElement[]>([]);
  const [isBroken, setIsBroken] = useState(false);
  const shown = shownSize(page ?? expected, zoom, room);
  const failure = useRef(onFailure);
  failure.current = onFailure;
  useEffect(() => {
    if (!isNear || page !== undefined) return;
    pdf.page(number).then(setPage, (error: unknown) => {
      setIsBroken(true);
      failure.current(error);
    });
  }, [isNear, page, pdf, number]);
  const { width, height, scale } = shown;
  useEffect(() => {
    const place = paper.current;
    if (!isNear || page === undefined || place === null) return undefined;
    const drawing = draw(page.proxy, { width, height, scale });
    let isGone = false;
    const show = async (): Promise<void> => {
      await pdf.inTime(drawing.promise);
      if (isGone) return;
      // The former picture stays until this one is ready.
      place.replaceChildren(drawing.canvas);
      const layer = document.createElement("div");
      layer.className = "pdf-text";
      const content = await pdf.text(page.proxy);
      const text = new TextLayer({
        textContentSource: content,
        container: layer,
        viewport: page.proxy.getViewport({ scale }),
      });
      await text.render();
      if (isGone) return;
      place.append(layer);
      setPieces(text.textDivs);
    };
    show().catch((error: unknown) => {
      if (isGone) return;
      setIsBroken(true);
      failure.current(error);
    });
    return () => {
      isGone = true;
      drawing.cancel();
    };
  }, [isNear, page, pdf, width, height, scale]);
  useEffect(() => {
    // A page out of sight needs no picture.
    if (isNear) return;
    paper.current?.replaceChildren();
    setPieces([]);
    page?.proxy.cleanup();
  }, [isNear, page]);
  useEffect(() => {
    if (found === undefined) return undefined;
    const marked = pieces.slice(found.from, found.to);
    for (const piece of marked) piece.classList.add("pdf-found");
    marked[0]?.scrollIntoView({ block: "center", inline: "nearest" });
    return () => {
      for (const piece of marked) piece.classList.remove("pdf-found");
    };
  }, [found, pieces]);
  return (
    <section
      ref={ref}
      className="pdf-page"
      data-page={number}
      aria-label={WORDS.pdf.pageNumber(number)}
      style={{ width, height, "--total-scale-factor": scale } as React.CSSProperties}
    >
      <div ref={paper} className="pdf-paper" />
      {isBroken && <p className="bench-empty">{WORDS.pdf.broken}</p>}
    </section>
  );
};

interface Drawing {
  readonly canvas: HTMLCanvasElement;
  readonly promise: Promise<void>;
  readonly cancel: () => void;
}

const draw = (page: PDFPageProxy, { width, height, scale }: ShownPage): Drawing => {
  const ratio = pixelsPer({ width, height }, devicePixelRatio);
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(width * ratio));
  canvas.height = Math.max(1, Math.floor(height * ratio));
  // The text is beside it, for those who cannot see.
  canvas.setAttribute("aria-hidden", "true");
  const task = page.render({ canvas, viewport: page.getViewport({ scale: scale * ratio }) });
  // A drawing that was cancelled fails. Nobody waits for it any more.
  task.promise.catch(() => {});
  return { canvas, promise: task.promise, cancel: () => task.cancel() };
};
