// How much of a PDF is drawn. The file is hostile: it may have a million pages of any size.

/** Larger files are not read into the page. */
export const MOST_BYTES = 64_000_000;
/** Pages behind these are not shown. */
export const MOST_PAGES = 2000;
/** For opening the file, and for drawing one page. */
export const PATIENCE_MS = 60_000;
/** A page with more pieces of text is drawn, but its text cannot be selected. */
export const MOST_PIECES = 10_000;
/** Characters in which a person can search. */
export const MOST_TEXT = 4_000_000;
/** Larger pictures in the file are left out. */
export const MOST_IMAGE_PIXELS = 64_000_000;

const MOST_PIXELS = 16_000_000;
const LONGEST_SIDE = 8192;
/** Longest side of a page on the screen, in CSS pixels. */
const LONGEST_SHOWN = 12_000;
/** CSS pixels in the unit of a PDF, which is a point. */
const POINT = 96 / 72;

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4] as const;

export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface ShownPage extends Size {
  /** From the unit of the PDF to CSS pixels. */
  readonly scale: number;
}

const side = (value: number): number => (Number.isFinite(value) && value > 0 ? value : 1);

/** The page on the screen. `zoom` undefined: as wide as there is room. */
export const shownSize = (page: Size, zoom: number | undefined, room: number): ShownPage => {
  const [width, height] = [side(page.width), side(page.height)];
  const wanted = zoom === undefined ? Math.max(room, 100) / width : zoom * POINT;
  const scale = Math.min(wanted, LONGEST_SHOWN / Math.max(width, height));
  return { width: Math.max(1, width * scale), height: Math.max(1, height * scale), scale };
};

/** Pixels of the canvas for a CSS pixel: as many as the screen has, if they are not too many in all. */
export const pixelsPer = ({ width, height }: Size, screen: number): number =>
  Math.min(Math.max(screen, 1), Math.sqrt(MOST_PIXELS / (width * height)), LONGEST_SIDE / Math.max(width, height));

/** The next zoom in this direction. */
export const nextZoom = (now: number, by: 1 | -1): number =>
  (by === 1 ? ZOOMS.find((zoom) => zoom > now + 0.01) : ZOOMS.findLast((zoom) => zoom < now - 0.01)) ?? now;

/** The zoom that a page on the screen has. */
export const zoomOf = ({ scale }: ShownPage): number => scale / POINT;
