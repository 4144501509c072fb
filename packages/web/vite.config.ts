// The page's build. Nothing is inlined, so that the server's policy (no inline script or style, no eval, Trusted Types)
// holds. Every file is compressed once here, not at each request.

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

/**
 * The page uses only the lexer of marked. Its function `marked` is made when the file is loaded, which keeps the parser and the renderer in
 * the page (3 kB gzip). Without that function, the bundler drops them. An unknown form of the file stays as it is: right, but larger.
 */
const lexerOnly = (): Plugin => ({
  name: "lexer-only",
  apply: "build",
  transform: {
    filter: { id: /\/marked\/lib\/marked\.esm\.js$/u },
    handler: (code) => {
      const main = /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse[\s\S]*?(?=export\{)/u;
      const CLASSES = / as (?:Lexer|Tokenizer|getDefaults)$/u;
      if (!main.test(code)) return undefined;
      return code.replace(main, "").replace(/export\{([^}]*)\}/u, (_, names: string) => {
        const kept = names.split(",").filter((name) => CLASSES.test(name));
        return `export{${kept.join(",")}}`;
      });
    },
  },
});

/**
 * Modules that the page loads first are one file, whatever lazy parts share with them: many small files compress worse. The entry
 * imports them without `import()`.
 */
const loadedFirst = (): ((id: string, context: Graph) => string | null) => {
  let first: Set<string> | undefined;
  return (id, graph) => {
    if (first === undefined) {
      first = new Set();
      const waiting = [join(import.meta.dirname, "src", "main.tsx")];
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (first.has(next)) continue;
        first.add(next);
        waiting.push(...(graph.getModuleInfo(next)?.importedIds ?? []));
      }
    }
    return first.has(id) ? "page" : null;
  };
};
interface Graph {
  readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null;
}

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
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: loadedFirst() }] } } },
  },
  // The highlighter loads its languages one by one.
  worker: { format: "es" },
  plugins: [lexerOnly(), precompress()],
});
