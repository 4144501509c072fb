// Where a link goes, and whether its text says so. The author of the text chooses the words of a link, and may want the
// reader to see another address. So the real host is shown next to the words, unless the words are exactly that host.

export interface Link {
  readonly href: string;
  /** In ASCII: a name with letters of other alphabets is written in punycode. For mail, the address. */
  readonly host: string;
}

/** A link that may be followed. Anything except the web and mail is only text. */
export const linkOf = (href: string): Link | undefined => {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return undefined;
  }
  if (url.protocol === "mailto:") return { href: url.href, host: decoded(url.pathname) };
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  return { href: url.href, host: url.host };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    // Invalid percent-encoding.
    return text;
  }
};

/**
 * `named`: the words are the address. `other`: the words look like another address, or hide something, so the reader is
 * warned. `beside`: ordinary words, with the host next to them.
 */
export type HostShown = "named" | "beside" | "other";

export const hostShown = (words: string, { href, host }: Link): HostShown => {
  const isMail = href.startsWith("mailto:");
  // "https://github.com@evil.example" goes to evil.example. Such links have no good use in a text.
  if (!isMail && hasUserInfo(href)) return "other";
  // A host is hard to find in a very long link.
  if (words.length > LONGEST || host.length > LONGEST_HOST) return "other";
  const plain = unhidden(words);
  const shown = addressesIn(plain);
  const hides = plain !== words.normalize("NFKC").replaceAll(/\s/gu, " ");
  if (TURNS.test(words) || (hides && shown.length > 0)) return "other";
  if (shown.length === 0) return "beside";
  if (isMail) return trimmed(plain) === host.toLowerCase() ? "named" : "other";
  if (shown.every((address) => address === host)) return CUT.test(words) ? "beside" : "named";
  return shown.every((address) => isSameSite(address, host) || isFileAt(address, href)) ? "beside" : "other";
};

const LONGEST = 2_000;
const LONGEST_HOST = 64;

/** The end of a host shows its owner, so a very long host is cut at its start. */
export const hostText = (host: string): string => (host.length > LONGEST_HOST ? `\u2026${host.slice(-48)}` : host);

const hasUserInfo = (href: string): boolean => {
  const { username, password } = new URL(href);
  return username !== "" || password !== "";
};

/** Characters that change the direction of the following text. */
const TURNS = /[\u061c\u202a-\u202e\u2066-\u2069]/u;
/** Characters without a width, or that look like a space. Emoji need the variation selector and the joiner. */
const HIDDEN =
  /(?![\ufe0f\u200d])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13430}-\u{1345f}\u{16fe4}]/gu;
/** Full-width letters and dots count as plain ones, as in a browser. */
const unhidden = (words: string): string =>
  words
    .normalize("NFKC")
    .replaceAll(/\s/gu, " ")
    .replaceAll(HIDDEN, "")
    .replaceAll(/[\u3002\uff61]/gu, ".");
const CUT = /\u2026|\.\.\./u;

/** What a reader would take for an address in the words, in lower case. Linear in the words. */
const addressesIn = (words: string): string[] =>
  words.split(" ").flatMap((word) => {
    const scheme = word.search(/https?:|:[\\/]{2}/iu);
    const rest =
      scheme === -1 ? word.replace(/^[^\p{L}\p{N}]+/u, "") : word.slice(scheme).replace(/^(?:https?)?:[\\/]*/iu, "");
    const [head = ""] = rest.split(/[/?#\\]/u, 1);
    if (scheme !== -1 || head.includes("@")) return head === "" ? [] : [trimmed(head)];
    return head
      .split(/[^\p{L}\p{N}\p{M}_.:-]+|:(?!\d)/u)
      .map(trimmed)
      .filter(looksLikeHost);
  });
const trimmed = (address: string): string =>
  address
    .trim()
    .toLowerCase()
    .replace(/^mailto:/u, "")
    .replace(/^[^\p{L}\p{N}[]+|[^\p{L}\p{N}\p{M}\]]+$/gu, "");

/** `Array.prototype.map`, `Node.js` and `v1.2.beta` have dots too, so a host needs a well-known ending. */
const looksLikeHost = (name: string): boolean => {
  const labels = name.replace(/:\d+$/u, "").split(".");
  const end = labels.at(-1)!;
  if (labels.length === 1) return end === "localhost";
  if (labels.length === 4 && labels.every((label) => /^\d{1,3}$/u.test(label))) return true;
  // An ending that is not ASCII belongs to a country, or imitates one.
  return labels[0] === "www" || ENDINGS.has(end) || (/^\p{L}/u.test(end) && !/^[a-z0-9-]+$/u.test(end));
};
const ENDINGS = new Set(
  (
    "com org net edu gov mil int info biz name pro mobi app dev page cloud online site shop store tech blog link live news " +
    "bank zip mov xyz top club win icu vip work wiki support email google amazon apple microsoft example test local onion " +
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca " +
    "cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo " +
    "fr ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je " +
    "jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo " +
    "mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt " +
    "pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk " +
    "tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"
  ).split(" "),
);

/** `github.com` for `docs.github.com`: the real host is shown next to the words anyway. */
const isSameSite = (shown: string, host: string): boolean => {
  const bare = shown.replace(/^www\./u, "");
  return host === bare || host.endsWith(`.${bare}`) || asciiOf(shown) === host;
};

/** A host as a browser writes it. Undefined if it mixes look-alike letters of several alphabets. */
const asciiOf = (shown: string): string | undefined => {
  if (ALIKE.test(shown) && /\p{Script=Latin}/u.test(shown)) return undefined;
  try {
    return new URL(`https://${shown}`).host;
  } catch {
    return undefined;
  }
};
const ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}]/u;

/** `README.md` and `main.rs` look like hosts. They are files if the path of the address contains them. */
const isFileAt = (shown: string, href: string): boolean => {
  const { pathname, hash } = new URL(href);
  const end = shown.slice(shown.lastIndexOf(".") + 1);
  return (
    FILES.has(end) &&
    decoded(pathname + hash)
      .toLowerCase()
      .includes(shown)
  );
};
const FILES = new Set("ac am cc in md mk ml pl ps py rs sh so tf zip".split(" "));
