// Bundles the programs that tests start hundreds of times: the command, the simulator, and children of fixtures. A
// server that starts from its sources spends half of its start on finding and compiling some 400 files. A child that a
// test kills never writes its compile cache, so the next child compiles again. A bundle stays in node_modules/.cache
// until a source changes.

import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { PROGRAMS } from "../packages/test-kit/src/programs.ts";

const root = join(import.meta.dirname, "..");
const CACHE = join(root, "node_modules", ".cache", "test-programs");
/** The store starts it by its name, next to its own file. */
const THREADS = { "writer-thread": "packages/host/src/store/sqlite/writer-thread.ts" };

/** The folder of the bundles. Builds them if a source has changed since the last time. */
export const testPrograms = async (): Promise<string> => {
  const folder = join(CACHE, keyOf());
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  removeOld();
  const partial = mkdtempSync(join(CACHE, "partial-"));
  // Some conformance cases run as another user.
  chmodSync(partial, 0o755);
  await bundle(partial);
  try {
    renameSync(partial, folder);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(folder)) throw error;
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
};

/** Another run may still use a bundle of today. */
const removeOld = (): void => {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    if (Date.now() - statSync(path).mtimeMs > 86_400_000) rmSync(path, { recursive: true, force: true });
  }
};

const keyOf = (): string => {
  const hash = createHash("sha256")
    .update(root)
    .update(readFileSync(import.meta.filename));
  const packages = join(root, "packages");
  const files = readdirSync(packages).flatMap((name) =>
    name === "web"
      ? []
      : readdirSync(join(packages, name), { recursive: true, encoding: "utf8" })
          .filter((path) => /\.(?:ts|js|json)$/u.test(path) && !path.endsWith(".test.ts"))
          .map((path) => join(packages, name, path)),
  );
  for (const file of [join(root, "package-lock.json"), join(root, PROGRAMS["recording-claude"]), ...files.toSorted()])
    hash.update(file).update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
};

const bundle = async (folder: string): Promise<void> => {
  const { build } = await import("vite");
  const entries = Object.entries({ ...PROGRAMS, ...THREADS }).map(([name, path]) => [name, join(root, path)]);
  await build({
    root,
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["source", "node", "module-sync"] },
    ssr: { noExternal: true, target: "node", resolve: { conditions: ["source", "node", "module-sync"] } },
    plugins: [{ name: "source-places", enforce: "pre", transform: sourcePlaces }],
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: "node22",
      rolldownOptions: {
        input: Object.fromEntries(entries) as Record<string, string>,
        output: { format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}\n');
};

/** A program finds its page, its other programs and the repository from where its source is. Only the thread is next to its bundle. */
const sourcePlaces = (code: string, id: string): string | undefined => {
  if (!id.startsWith(join(root, "packages")) || !code.includes("import.meta.") || id.endsWith("sqlite/writer.ts"))
    return undefined;
  return code
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
    .replaceAll("import.meta.filename", JSON.stringify(id))
    .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)));
};
