// The next build of the page, as a browser sees it: the same files with another service worker. A server that is started
// with these variables serves it. A copy of the whole page for two changed files would cost more than the test.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const BUILT = join(import.meta.dirname, "..", "..", "packages", "web", "dist");
const WORKER = "sw.js";

export interface NextBuild {
  /** Names the files that the new worker keeps. */
  readonly id: string;
  /** For the server. */
  readonly env: Readonly<Record<string, string>>;
}

export const nextBuild = (root: string): NextBuild => {
  const folder = join(root, "next-build");
  mkdirSync(folder);
  const id = "0123456789ab";
  const built = readFileSync(join(BUILT, WORKER), "utf8");
  const worker = built.replace(/build:(["'`])[0-9a-f]{12}\1/u, `build:"${id}"`);
  if (worker === built) throw new Error("The worker names no build.");
  writeFileSync(join(folder, WORKER), worker);
  writeFileSync(join(folder, `${WORKER}.br`), brotliCompressSync(worker));
  writeFileSync(join(folder, `${WORKER}.gz`), gzipSync(worker));
  const preload = join(folder, "preload.mjs");
  writeFileSync(preload, PRELOAD);
  return { id, env: { NODE_OPTIONS: `--import ${pathToFileURL(preload).href}` } };
};

/** The server reads each file of the page once, when it is first requested. */
const PRELOAD = `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
const { readFileSync } = fs;
fs.readFileSync = (path, ...options) => {
  const isWorker = typeof path === "string" && /[/]web[/]dist[/]sw[.]js(?:[.]br|[.]gz)?$/u.test(path);
  return readFileSync(isWorker ? join(import.meta.dirname, basename(path)) : path, ...options);
};
syncBuiltinESMExports();
`;
