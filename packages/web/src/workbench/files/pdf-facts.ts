// What is known about a PDF before it is drawn: its version, its pages, and whether it is encrypted or has scripts. The file is hostile: every
// search is bounded.

export interface PdfFacts {
  readonly version?: string;
  /** Absent: not known. */
  readonly pages?: number;
  readonly encrypted: boolean;
  readonly hasScripts: boolean;
}

const MOST_BYTES = 32_000_000;
const MOST_PLACES = 200;
const MOST_INFLATED = 2_000_000;
const MOST_DICTIONARY = 20_000;

export const pdfFacts = async (bytes: Uint8Array): Promise<PdfFacts> => {
  const seen = bytes.subarray(0, MOST_BYTES);
  const text = latin1(seen);
  const version = /^%PDF-(\d\.\d)/mu.exec(text.slice(0, 1024))?.[1];
  const all = [text, ...(await objectStreams(seen, text))];
  const pages = all.flatMap(pageCounts).at(-1);
  return {
    ...(version !== undefined && { version }),
    ...(pages !== undefined && bytes.length <= MOST_BYTES && { pages }),
    encrypted: /\/Encrypt\b/u.test(text),
    hasScripts: all.some((part) => /\/(?:JavaScript|JS)\b/u.test(part)),
  };
};

const latin1 = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);

const placesOf = (text: string, pattern: RegExp): readonly number[] => {
  const places: number[] = [];
  for (const { index } of text.matchAll(pattern)) if (places.push(index) === MOST_PLACES) break;
  return places;
};

/** Objects may stand in compressed streams. */
const objectStreams = async (bytes: Uint8Array, text: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const index of placesOf(text, /\/ObjStm\b/gu)) {
    const start = /stream\r?\n/u.exec(text.slice(index, index + MOST_DICTIONARY));
    if (start === null) continue;
    const from = index + start.index + start[0].length;
    const end = text.indexOf("endstream", from);
    if (end !== -1) found.push(await inflated(bytes.slice(from, end)));
  }
  return found;
};

/** As much as can be read of it. */
const inflated = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || text.length > MOST_INFLATED) break;
      text += latin1(value);
    }
  } catch {
    // Another compression, or line ends behind the stream.
  }
  void reader.cancel().catch(() => {});
  return text;
};

/** The counts of page trees: the dictionaries of the type Pages without a parent. */
const pageCounts = (text: string): readonly number[] => {
  const counts: number[] = [];
  for (const index of placesOf(text, /\/Type\s{0,10}\/Pages\b/gu)) {
    const dictionary = around(text, index);
    const count = /\/Count\s{1,10}(\d{1,7})\b/u.exec(dictionary)?.[1];
    if (count !== undefined && !/\/Parent\b/u.test(dictionary)) counts.push(Number(count));
  }
  return counts;
};

/** The dictionary that this place is in. */
const around = (text: string, at: number): string => {
  let start = at;
  for (let depth = 0; start > at - MOST_DICTIONARY && start > 0; start--) {
    if (text.startsWith(">>", start)) depth++;
    else if (text.startsWith("<<", start) && depth-- === 0) break;
  }
  let end = at;
  for (let depth = 0; end < at + MOST_DICTIONARY && end < text.length; end++) {
    if (text.startsWith("<<", end)) depth++;
    else if (text.startsWith(">>", end) && depth-- === 0) break;
  }
  return text.slice(start, end);
};
