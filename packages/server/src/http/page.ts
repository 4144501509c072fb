// The page's files, each with its type, its tag and the compressed forms from the build. Vite names files in `assets/`
// by their content, so browsers may cache them forever. Other files are requested again each time, mostly with the
// answer "not modified". Files are read when they are first requested, so a server without visitors holds none.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";

export type Encoding = "br" | "gzip";

export interface Asset {
  readonly body: Buffer;
  readonly mediaType: string;
  readonly etag: string;
  readonly isImmutable: boolean;
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

export interface Page {
  /** By path: `/assets/index-abc.js`. A path without an extension is a place in the page. */
  readonly find: (path: string) => Asset | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Quarterdeck</title>
<h1>The server runs; the page is not built</h1>
<p>In the repository, <code>npm start</code> builds it. Programs and the command <code>quarterdeck</code> work without it.</p>
</html>
`;

export const loadPage = (folder: string | undefined): Page => {
  const read = new Map<string, Asset>();
  if (folder === undefined || !existsSync(join(folder, "index.html"))) {
    read.set("/index.html", assetOf("/index.html", Buffer.from(NOT_BUILT)));
    return { find: (path) => read.get(extname(path) === "" ? "/index.html" : path) };
  }
  // Only files in this list are opened, so no path can lead elsewhere.
  const files = new Map(filesIn(folder).map((name) => [`/${name.split(sep).join("/")}`, join(folder, name)]));
  const load = (path: string): Asset | undefined => {
    const file = files.get(path);
    const known = read.get(path);
    if (file === undefined || known !== undefined) return known;
    const asset = assetOf(path, readFileSync(file), {
      ...(files.has(`${path}.br`) && { br: readFileSync(`${file}.br`) }),
      ...(files.has(`${path}.gz`) && { gzip: readFileSync(`${file}.gz`) }),
    });
    read.set(path, asset);
    return asset;
  };
  return { find: (path) => load(path) ?? (extname(path) === "" ? load("/index.html") : undefined) };
};

/** The best encoding that the client accepts. */
export const encodingFor = (asset: Asset, accepted: string | undefined): Encoding | undefined => {
  const names = new Set(
    (accepted ?? "")
      .toLowerCase()
      .split(",")
      .map((one) => one.trim().split(/\s*;\s*/u))
      .filter(([, quality]) => !/^q=0(?:\.0*)?$/u.test(quality ?? ""))
      .map(([name]) => name),
  );
  return (["br", "gzip"] as const).find((name) => names.has(name) && asset.encoded[name] !== undefined);
};

const assetOf = (path: string, body: Buffer, encoded: Asset["encoded"] = {}): Asset => ({
  body,
  mediaType: TYPES[extname(path)] ?? "application/octet-stream",
  etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`,
  isImmutable: path.startsWith("/assets/"),
  encoded,
});

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
