// The page's build. Nothing is inlined, so that the server's policy (no inline script or style, no eval, Trusted Types)
// holds, and every file is compressed here once instead of at each request.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const { version } = JSON.parse(await readFile(join(import.meta.dirname, "package.json"), "utf8")) as {
  version: string;
};
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
const COMPRESSIBLE = /\.(?:js|css|html|svg|json|wasm)$/u;

const precompress = (): Plugin => {
  let out = "";
  return {
    name: "precompress",
    apply: "build",
    configResolved: (config) => {
      out = resolve(config.root, config.build.outDir);
    },
    closeBundle: async () => {
      const files = await readdir(out, { recursive: true });
      await Promise.all(
        files
          .filter((file) => COMPRESSIBLE.test(file))
          .map(async (file) => {
            const path = join(out, file);
            const bytes = await readFile(path);
            const quality = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
            await writeFile(`${path}.br`, await brotli(bytes, { params: quality }));
            await writeFile(`${path}.gz`, await gzipped(bytes, { level: 9 }));
          }),
      );
    },
  };
};

interface Modules {
  getModuleInfo(id: string): { readonly isEntry: boolean; readonly importers: readonly string[] } | null;
}
const isFirst = new Map<string, boolean>();

/**
 * What the page needs at once is one chunk. Otherwise each module that a lazy part shares with it becomes a chunk of its own, and many small
 * files compress worse than one.
 */
const firstLoad = (id: string, modules: Modules): string | null => {
  const reaches = (one: string): boolean => {
    const known = isFirst.get(one);
    if (known !== undefined) return known;
    // In a circle of imports, the others decide.
    isFirst.set(one, false);
    const info = modules.getModuleInfo(one);
    const found = info !== null && (info.isEntry || info.importers.some(reaches));
    isFirst.set(one, found);
    return found;
  };
  return reaches(id) ? "index" : null;
};

export default defineConfig({
  root: import.meta.dirname,
  define: { "import.meta.env.VITE_VERSION": JSON.stringify(version) },
  resolve: { conditions: ["source", "module", "browser"] },
  build: {
    outDir: "dist",
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: firstLoad }] } } },
  },
  // The highlighter loads its languages one by one.
  worker: { format: "es" },
  plugins: [precompress()],
});
