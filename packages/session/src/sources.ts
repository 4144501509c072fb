// The sources that the model names for a text, from any of the API's forms of citations. All of it is untrusted: addresses may
// be of any kind, and titles may be long or empty.

export interface Source {
  readonly title: string;
  /** Only web addresses: `http:` or `https:`. */
  readonly url?: string;
  /** The words that the model took from it. */
  readonly quote?: string;
}

const MOST = 50;
const LONGEST = 300;
const LONGEST_ADDRESS = 2000;

/** Each source once, in the order of the text. */
export const sourcesOf = (citations: readonly Readonly<Record<string, unknown>>[] = []): readonly Source[] => {
  const sources = new Map<string, Source>();
  for (const citation of citations) {
    const source = sourceOf(citation);
    const key = source === undefined ? "" : (source.url ?? source.title);
    if (source !== undefined && !sources.has(key)) sources.set(key, source);
    if (sources.size === MOST) break;
  }
  return [...sources.values()];
};

const sourceOf = (citation: Readonly<Record<string, unknown>>): Source | undefined => {
  const address = textIn(citation, "url") ?? textIn(citation, "source");
  const url = webAddress(address);
  const title = textIn(citation, "title") ?? textIn(citation, "document_title") ?? address;
  const quote = textIn(citation, "cited_text");
  if (title === undefined && quote === undefined) return undefined;
  return {
    title: shortened(withPage(title ?? quote!, citation)),
    ...(url !== undefined && { url }),
    ...(quote !== undefined && title !== undefined && { quote: shortened(quote) }),
  };
};

const withPage = (title: string, { start_page_number: page }: Readonly<Record<string, unknown>>): string =>
  typeof page === "number" ? `${title}, p. ${String(page)}` : title;

const textIn = (citation: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = citation[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
};

/** The page decides whether it can be opened. */
const webAddress = (address = ""): string | undefined =>
  address.length <= LONGEST_ADDRESS && /^https?:\/\/[^\s/?#]+\S*$/iu.test(address) ? address : undefined;

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
};
