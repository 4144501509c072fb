// The page's build. Nothing is inlined, so that the server's policy (no inline script or style, no eval, Trusted Types)
// holds. Every file is compressed once here, not at each request.

import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, defineConfig, type Plugin } from "vite";

const { version } = JSON.parse(await readFile(join(import.meta.dirname, "package.json"), "utf8")) as {
  version: string;
};
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
const PDFJS = join(import.meta.dirname, "..", "..", "node_modules", "pdfjs-dist");
const { version: pdfVersion } = JSON.parse(await readFile(join(PDFJS, "package.json"), "utf8")) as { version: string };
/** Another version gets another folder, because browsers keep these files. */
const PDF_PARTS = `assets/pdf-${pdfVersion}`;
const COMPRESSIBLE = /\.(?:js|css|html|svg|json|wasm|webmanifest)$/u;
const RESOLVE = { conditions: ["source", "module", "browser"] };
/** Bytes. The best compression of the ten larger files that are loaded later takes half of the build, and saves a tenth of their size. */
const LARGE = 200_000;
const QUICK_QUALITY = 9;
/** What the page needs to start without a network, besides the modules that it loads first. */
const SHELL = ["/", "/manifest.webmanifest", "/icons/icon-192.png"];
const OFFLINE = join(import.meta.dirname, "src", "notify", "offline-sessions.tsx");
/** The texts of a language: one file, which the worker keeps if it is the page's. */
const LANGUAGE = /\/src\/words\/([\w-]+)\/catalogue\.ts$/u;

/** The service worker is one file of its own: it must not load the page's modules. It is told which files the page starts with. */
const buildWorker = async (files: readonly string[], languages: Readonly<Record<string, string>>): Promise<void> => {
  const shell = [...SHELL, ...files];
  const named = [...shell, ...Object.values(languages)].join();
  const buildId = createHash("sha256").update(version).update(named).digest("hex").slice(0, 12);
  await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: "error",
    publicDir: false,
    define: { "import.meta.env.VITE_SHELL": JSON.stringify({ build: buildId, files: shell, languages }) },
    resolve: RESOLVE,
    build: {
      outDir: "dist",
      emptyOutDir: false,
      target: "es2023",
      reportCompressedSize: false,
      rolldownOptions: {
        input: join(import.meta.dirname, "src", "notify", "service-worker.ts"),
        output: { format: "iife", entryFileNames: "sw.js" },
      },
    },
  });
};

const workerAndCompression = (): Plugin => {
  let out = "";
  let shell: readonly string[] = [];
  let languages: Readonly<Record<string, string>> = {};
  return {
    name: "worker-and-compression",
    apply: "build",
    configResolved: (config) => {
      out = resolve(config.root, config.build.outDir);
    },
    generateBundle(_options, bundle) {
      const wanted = new Set<string>();
      const add = (name: string): void => {
        const chunk = bundle[name];
        if (chunk?.type !== "chunk" || wanted.has(name)) return;
        wanted.add(name);
        for (const css of chunk.viteMetadata?.importedCss ?? []) wanted.add(css);
        for (const other of chunk.imports) add(other);
      };
      for (const [name, chunk] of Object.entries(bundle))
        if (chunk.type === "chunk" && (chunk.isEntry || chunk.facadeModuleId === OFFLINE)) add(name);
      shell = [...wanted].map((name) => `/${name}`).toSorted();
      languages = Object.fromEntries(
        Object.values(bundle).flatMap((chunk) => {
          const language = chunk.type === "chunk" ? LANGUAGE.exec(chunk.facadeModuleId ?? "")?.[1] : undefined;
          if (chunk.type !== "chunk" || language === undefined) return [];
          // The page waits for this file before it runs. If the file needed the page, neither would ever start.
          if (chunk.imports.length > 0) this.error(`The texts of ${language} import ${chunk.imports.join(", ")}.`);
          return [[language, `/${chunk.fileName}`]];
        }),
      );
    },
    closeBundle: async () => {
      // An entry that only imports another file is not written.
      const written = new Set((await readdir(out, { recursive: true })).map((file) => `/${file}`));
      await buildWorker(
        shell.filter((file) => written.has(file)),
        languages,
      );
      const files = await readdir(out, { recursive: true });
      await Promise.all(
        files
          .filter((file) => COMPRESSIBLE.test(file))
          .map(async (file) => {
            const path = join(out, file);
            const bytes = await readFile(path);
            const params = {
              [constants.BROTLI_PARAM_QUALITY]:
                bytes.length > LARGE && !shell.includes(`/${file}`) ? QUICK_QUALITY : constants.BROTLI_MAX_QUALITY,
              [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
              // One block for the whole file: 120 bytes less for the page's script.
              [constants.BROTLI_PARAM_LGBLOCK]: constants.BROTLI_MAX_INPUT_BLOCK_BITS,
            };
            await writeFile(`${path}.br`, await brotli(bytes, { params }));
            await writeFile(`${path}.gz`, await gzipped(bytes, { level: 9 }));
          }),
      );
    },
  };
};

/**
 * What pdf.js loads by name, below `PDF_PARTS`: tables of character codes for fonts of East Asia, and decoders of two kinds of pictures.
 * The page's policy allows no WebAssembly, so these decoders are scripts.
 */
const pdfParts = (): Plugin => ({
  name: "pdf-parts",
  apply: "build",
  generateBundle: async function () {
    for (const [folder, pattern] of [
      ["cmaps", /\.bcmap$|^LICENSE/u],
      ["wasm", /_nowasm_fallback\.js$|^LICENSE_(?:PDFJS_)?(?:JBIG2|OPENJPEG)$/u],
    ] as const)
      for (const file of await readdir(join(PDFJS, folder)))
        if (pattern.test(file))
          this.emitFile({
            type: "asset",
            fileName: `${PDF_PARTS}/${folder}/${file}`,
            source: await readFile(join(PDFJS, folder, file)),
          });
  },
});

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
    return first.has(id) && !NAMED_ONLY.some((path) => id.endsWith(path)) ? "page" : null;
  };
};
/** The index of their package names them, but only parts that are loaded later use them. */
const NAMED_ONLY = [
  "/packages/session/src/sources.ts",
  "/packages/session/src/alarms.ts",
  "/packages/permissions/src/rule.ts",
  "/packages/protocol/src/tools/questions.ts",
];
interface Graph {
  readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null;
}

export default defineConfig({
  root: import.meta.dirname,
  define: {
    "import.meta.env.VITE_VERSION": JSON.stringify(version),
    "import.meta.env.VITE_PDF_PARTS": JSON.stringify(`/${PDF_PARTS}/`),
  },
  resolve: RESOLVE,
  build: {
    outDir: "dist",
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      // The first start would greet a newcomer with ten lines about slow plugins.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: { groups: [{ name: loadedFirst() }] },
        // The page names 150 files. Seven characters of a hash tell two builds of a file apart.
        chunkFileNames: "assets/[name]-[hash:7].js",
        entryFileNames: "assets/[name]-[hash:7].js",
        assetFileNames: "assets/[name]-[hash:7][extname]",
      },
    },
  },
  // The highlighter loads its languages one by one.
  worker: { format: "es" },
  plugins: [lexerOnly(), pdfParts(), workerAndCompression()],
});
