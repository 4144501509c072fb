// A session as one page that needs nothing else: no font, no image, no address. All text is escaped, so none of it is
// markup. The only script is the fixed one of the time line, and the page's policy names it by its hash.

import { createHash } from "node:crypto";
import { playClock } from "@quarterdeck/session";
import { escaped } from "./escaped.ts";
import type { Exported } from "./exported.ts";
import { PLAYER, PLAYER_SCRIPT, PLAYER_STYLE } from "./player.ts";
import { proseHtml } from "./prose-html.ts";
import type { RowWords, WordBlock } from "./row-words.ts";

const STYLE = `:root{color-scheme:light dark;--ink:#1d2330;--paper:#fbfaf7;--line:#d9d5cc;--dim:#6a7080;--tool:#f1eee7;--you:#8a6a1f;--bad:#a5322b;--go:#1d6b3a}
@media(prefers-color-scheme:dark){:root{--ink:#e6e3dc;--paper:#161a22;--line:#333a48;--dim:#98a0b0;--tool:#1e2430;--you:#d9b45a;--bad:#f08a80;--go:#7fd09a}}
body{margin:0 auto;max-width:52rem;padding:2rem 1rem 6rem;font:16px/1.6 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem;color:var(--dim);font-size:.875rem}dd{margin:0;overflow-wrap:anywhere}
article{border-top:1px solid var(--line);padding:.75rem 0}article.inner{margin-left:1.5rem}h2{font-size:.8rem;margin:0 0 .25rem;color:var(--dim);font-weight:600}
.person h2{color:var(--you)}.error h2,.error .prose{color:var(--bad)}.prose{white-space:pre-wrap;overflow-wrap:anywhere}.thinking .prose{color:var(--dim);font-style:italic}
details{background:var(--tool);border-radius:6px;padding:.35rem .75rem;margin:.35rem 0}summary{cursor:pointer;font-size:.8rem;color:var(--dim)}pre{margin:.5rem 0;font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
h3,h4{font-size:1rem;margin:1rem 0 .25rem}p,ul,ol,blockquote,table{margin:.5rem 0}p,li{overflow-wrap:anywhere}blockquote{border-left:3px solid var(--line);padding-left:.75rem;color:var(--dim)}
code{font:13px/1.5 ui-monospace,monospace;background:var(--tool);border-radius:4px;padding:0 .25em}pre.code{background:var(--tool);border-radius:6px;padding:.5rem .75rem}table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid var(--line);padding:.2rem .6rem;text-align:left}
.diff .plus{color:var(--go)}.diff .minus{color:var(--bad)}.diff .place{color:var(--dim)}
@media print{details{display:block}}
${PLAYER_STYLE}`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Nothing may be loaded, and nothing may run but our script. */
const POLICY = `default-src 'none'; script-src ${hashOf(PLAYER_SCRIPT)}; style-src ${hashOf(STYLE)}; base-uri 'none'; form-action 'none'`;

export function* htmlOf({ id, title, cwd, createdAt, head, rows }: Exported): Generator<string> {
  const facts = [
    ["Session", id],
    ["Folder", cwd],
    ["Begun", new Date(createdAt).toISOString()],
    ["Model", head.model],
    ["Cost", head.gauges.costUsd === 0 ? undefined : `$${head.gauges.costUsd.toFixed(2)}`],
  ].filter(([, value]) => value !== undefined);
  const places = playClock(timesOf(rows)).places.values();
  yield `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`;
  yield `<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>${escaped(title)}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n`;
  yield `<h1>${escaped(title)}</h1>\n<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value!)}</dd>`).join("")}</dl>\n<main>\n`;
  const placed = (at: number): string => ` data-t="${Math.round(places.next().value!)}" data-at="${Math.round(at)}"`;
  for (const words of rows) {
    yield `<article class="${words.kind}${words.isInner ? " inner" : ""}"${placed(words.at)} data-k="${words.kind}">\n<h2>${escaped(words.who)}</h2>\n`;
    if (words.prose !== undefined && words.kind === "model") yield proseHtml(words.prose);
    else if (words.prose !== undefined) yield `<div class="prose">${escaped(words.prose)}</div>\n`;
    for (const block of words.blocks) yield blockHtml(block, block.at === undefined ? "" : placed(block.at));
    yield "</article>\n";
  }
  yield `</main>\n${PLAYER}<script>${PLAYER_SCRIPT}</script>\n</body>\n</html>\n`;
}

/** In the order in which the page has them. */
function* timesOf(rows: Iterable<RowWords>): Generator<number> {
  for (const { at, blocks } of rows) {
    yield at;
    for (const block of blocks) if (block.at !== undefined) yield block.at;
  }
}

const blockHtml = ({ name, text, isDiff }: WordBlock, attributes: string): string => {
  const open = text.length < 2000 || isDiff === true ? " open" : "";
  const body = isDiff === true ? text.split("\n").map(diffLine).join("") : escaped(text);
  return `<details${open}${attributes}><summary>${name}</summary><pre${isDiff === true ? ' class="diff"' : ""}>${body}</pre></details>\n`;
};

const LINE_CLASSES: Readonly<Record<string, string>> = { "+": "plus", "-": "minus", "@": "place" };

const diffLine = (line: string): string => {
  const kind = LINE_CLASSES[line[0] ?? ""];
  return `<span${kind === undefined ? "" : ` class="${kind}"`}>${escaped(line)}\n</span>`;
};
