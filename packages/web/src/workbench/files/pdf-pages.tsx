// The pages of a PDF below each other, with a page number, zoom and search. A large module, loaded with the first PDF.

import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { Button, IconButton } from "../../parts/button.tsx";
import { NearScroll } from "../near.tsx";
import { FindInFile } from "./find-bar.tsx";
import { asPdfError, PdfDocument, type PdfFailure, type TextLine } from "./pdf-document.ts";
import { startEngine } from "./pdf-engine.ts";
import { nextZoom, shownSize, zoomOf, type Size } from "./pdf-limits.ts";
import { PdfPageView } from "./pdf-page.tsx";
import { WORDS } from "./words.ts";
import "./pdf.css";

const { pdf: SAID } = WORDS;

export interface PdfPagesProps {
  readonly bytes: ArrayBuffer;
  readonly name: string;
  readonly onFailure: (failure: PdfFailure) => void;
}

interface Opened {
  readonly pdf: PdfDocument;
  readonly first: Size;
}

/** On both sides of a page. */
const MARGIN = 12;

export const PdfPages = ({ bytes, name, onFailure }: PdfPagesProps) => {
  const [opened, setOpened] = useState<Opened>();
  const failure = useRef(onFailure);
  failure.current = onFailure;
  useEffect(() => {
    let isGone = false;
    let pdf: PdfDocument | undefined;
    const open = async (): Promise<void> => {
      // The worker gets a copy.
      pdf = await PdfDocument.open(new Uint8Array(bytes.slice(0)), startEngine());
      if (isGone) return pdf.close();
      const first = await pdf.page(1);
      if (!isGone) setOpened({ pdf, first });
    };
    open().catch((error: unknown) => {
      if (!isGone) failure.current(asPdfError(error).failure);
    });
    return () => {
      isGone = true;
      pdf?.close();
    };
  }, [bytes]);
  if (opened === undefined)
    return (
      <p className="bench-empty" role="status">
        {SAID.opening}
      </p>
    );
  return <Pages {...opened} name={name} onFailure={onFailure} />;
};

interface PagesProps extends Opened {
  readonly name: string;
  readonly onFailure: (failure: PdfFailure) => void;
}

const Pages = ({ pdf, first, name, onFailure }: PagesProps) => {
  const [root, setRoot] = useState<HTMLElement | null>(null);
  const [zoom, setZoom] = useState<number>();
  const [page, setPage] = useState(1);
  const [finds, setFinds] = useState(false);
  const [found, setFound] = useState<TextLine>();
  const room = useRoom(root);
  const lines = useLines(pdf, finds);
  const texts = useMemo(() => lines.map(({ text }) => text), [lines]);
  useScrolledPage(root, setPage);
  const go = (to: number): void => {
    const number = Math.max(1, Math.min(pdf.pages, to));
    root?.querySelector(`[data-page="${number}"]`)?.scrollIntoView({ block: "start" });
    setPage(number);
  };
  const percent = zoomOf(shownSize(first, zoom, room));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
    const act = {
      "+": () => setZoom(nextZoom(percent, 1)),
      "=": () => setZoom(nextZoom(percent, 1)),
      "-": () => setZoom(nextZoom(percent, -1)),
      "0": () => setZoom(undefined),
      n: () => go(page + 1),
      p: () => go(page - 1),
    }[event.key];
    if (act === undefined) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };
  const close = (): void => {
    setFinds(false);
    setFound(undefined);
  };
  return (
    <div className="pdf" onKeyDown={onKeyDown}>
      <div className="pdf-bar" role="toolbar" aria-label={SAID.toolbar}>
        <IconButton icon="up" label={SAID.previous} disabled={page <= 1} onClick={() => go(page - 1)} />
        <IconButton icon="down" label={SAID.next} disabled={page >= pdf.pages} onClick={() => go(page + 1)} />
        <PageNumber page={page} pages={pdf.pages} onGo={go} />
        <span className="gap" />
        <Button small tone="quiet" aria-label={SAID.zoomOut} onClick={() => setZoom(nextZoom(percent, -1))}>
          −
        </Button>
        <span className="num pdf-zoom" role="status" aria-label={SAID.zoom}>
          {Math.round(percent * 100)} %
        </span>
        <Button small tone="quiet" aria-label={SAID.zoomIn} onClick={() => setZoom(nextZoom(percent, 1))}>
          +
        </Button>
        <Button
          small
          tone="quiet"
          aria-pressed={zoom === undefined}
          tip={SAID.fitKey}
          onClick={() => setZoom(undefined)}
        >
          {SAID.fit}
        </Button>
        <IconButton
          icon="search"
          label={WORDS.findInFile}
          aria-pressed={finds}
          onClick={() => (finds ? close() : setFinds(true))}
        />
      </div>
      {finds && <FindInFile lines={texts} onGo={(line) => setFound(lines[line - 1])} onClose={close} />}
      {pdf.allPages > pdf.pages && <p className="review-note">{SAID.first(pdf.pages, pdf.allPages)}</p>}
      <NearScroll className="pdf-scroll" label={SAID.pagesOf(name)} onRoot={setRoot}>
        {room > 0 &&
          Array.from({ length: pdf.pages }, (_, index) => (
            <PdfPageView
              key={index}
              pdf={pdf}
              number={index + 1}
              expected={first}
              zoom={zoom}
              room={room}
              found={found?.page === index + 1 ? found : undefined}
              onFailure={(error) => {
                const { failure } = asPdfError(error);
                // One damaged page leaves the others as they are.
                if (failure !== "damaged") onFailure(failure);
              }}
            />
          ))}
      </NearScroll>
      <FoundPage root={root} found={found} />
    </div>
  );
};

/** Goes to the page of what was found. The page goes to the place once it is drawn. */
const FoundPage = ({ root, found }: { readonly root: HTMLElement | null; readonly found: TextLine | undefined }) => {
  useEffect(() => {
    if (found !== undefined) root?.querySelector(`[data-page="${found.page}"]`)?.scrollIntoView({ block: "nearest" });
  }, [root, found]);
  return null;
};

interface PageNumberProps {
  readonly page: number;
  readonly pages: number;
  readonly onGo: (page: number) => void;
}

const PageNumber = ({ page, pages, onGo }: PageNumberProps) => {
  const [typed, setTyped] = useState<string>();
  return (
    <form
      className="pdf-number num"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = Number(typed);
        if (Number.isInteger(wanted) && wanted >= 1) onGo(wanted);
        setTyped(undefined);
      }}
    >
      <input
        aria-label={SAID.page}
        inputMode="numeric"
        size={3}
        value={typed ?? String(page)}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => setTyped(undefined)}
      />
      {SAID.of(pages)}
    </form>
  );
};

/** The width that a page may have. */
const useRoom = (root: HTMLElement | null): number => {
  const [room, setRoom] = useState(0);
  useEffect(() => {
    if (root === null) return undefined;
    const measure = (): void => setRoom(Math.floor(root.clientWidth - 2 * MARGIN));
    const observer = new ResizeObserver(measure);
    observer.observe(root);
    measure();
    return () => observer.disconnect();
  }, [root]);
  return room;
};

/** The page in the upper half of the window. */
const useScrolledPage = (root: HTMLElement | null, onPage: (page: number) => void): void => {
  useEffect(() => {
    if (root === null) return undefined;
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const pages = root.querySelectorAll<HTMLElement>("[data-page]");
      const line = root.scrollTop + root.clientHeight / 3;
      let [low, high] = [0, pages.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (pages[middle]!.offsetTop <= line) low = middle;
        else high = middle - 1;
      }
      onPage(low + 1);
    };
    const onScroll = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    root.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      root.removeEventListener("scroll", onScroll);
    };
  }, [root, onPage]);
};

/** The text of the file, from the first search on, page by page. */
const useLines = (pdf: PdfDocument, isWanted: boolean): readonly TextLine[] => {
  const [lines, setLines] = useState<readonly TextLine[]>([]);
  const asked = useRef(false);
  useEffect(() => {
    if (!isWanted || asked.current) return;
    asked.current = true;
    const all: TextLine[] = [];
    let shown = 0;
    pdf
      .lines((more) => {
        all.push(...more);
        // Often at first, then in larger steps.
        if (all.length < shown * 1.5) return;
        shown = all.length;
        setLines([...all]);
      })
      // A page without readable text ends the search there.
      .catch(() => {})
      .finally(() => setLines([...all]));
  }, [pdf, isWanted]);
  return lines;
};
