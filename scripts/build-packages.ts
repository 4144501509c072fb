// Builds the published packages: JavaScript and types in `dist/packages/<folder>`, ready for `npm pack`. The repository
// itself does not need them, because it runs from its sources.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const PUBLISHED = [
  "protocol",
  "permissions",
  "session",
  "host",
  "simulator",
  "client",
  "fleet",
  "server",
  "cli",
] as const;

interface Manifest {
  private?: boolean;
  bin?: Record<string, string>;
  files?: string[];
  exports?: Record<string, Record<string, string>>;
  imports?: Record<string, Record<string, string>>;
  devDependencies?: unknown;
  [field: string]: unknown;
}

export interface BuildOptions {
  /** False: only JavaScript, neither checked nor with declarations. That takes a third of the time. Default: true. */
  readonly types?: boolean;
}

/** Builds all packages below `out` and returns their folders. */
export const buildPackages = (out: string, options: BuildOptions = {}): string[] => {
  rmSync(out, { recursive: true, force: true });
  return PUBLISHED.map((name) => build(name, join(out, name), options));
};

const build = (name: string, out: string, options: BuildOptions): string => {
  const from = join(root, "packages", name);
  mkdirSync(out, { recursive: true });
  emit(from, join(out, "dist"), options);
  const manifest = publishedManifest(JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Manifest);
  writeFileSync(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ["README.md", "SPEC.md", "bin"])
    if (existsSync(join(from, file))) cpSync(join(from, file), join(out, file), { recursive: true });
  if (!existsSync(join(out, "README.md"))) cpSync(join(root, "README.md"), join(out, "README.md"));
  cpSync(join(root, "LICENSE"), join(out, "LICENSE"));
  if (name === "server") cpSync(join(root, "packages/web/dist"), join(out, "dist/page"), { recursive: true });
  plainShebangs(out);
  return out;
};

const emit = (from: string, outDir: string, { types = true }: BuildOptions): void => {
  const config = join(dirname(outDir), "tsconfig.build.json");
  const base = JSON.parse(stripComments(readFileSync(join(from, "tsconfig.json"), "utf8"))) as { include?: string[] };
  const extra = (base.include ?? []).filter((path) => path.endsWith(".d.ts"));
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(from, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        noCheck: !types,
        declaration: types,
        rewriteRelativeImportExtensions: true,
        rootDir: join(from, "src"),
        outDir,
        typeRoots: [join(root, "node_modules/@types")],
      },
      include: ["src", ...extra].map((path) => join(from, path)),
      exclude: ["src/**/*.test.ts", "src/**/*.fixture.ts"].map((path) => join(from, path)),
    }),
  );
  try {
    const done = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", config], { cwd: from, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`tsc -p ${config} failed:\n${done.stdout}${done.stderr}`);
  } finally {
    rmSync(config);
  }
};

const stripComments = (text: string): string => text.replaceAll(/^\s*\/\/.*$/gmu, "");

/** Without the `source` condition, because sources are not published. Bins point to the emitted files. */
const publishedManifest = (manifest: Manifest): Manifest => {
  const { private: _private, devDependencies: _dev, ...kept } = manifest;
  const withoutSource = (table: Manifest["exports"]): Manifest["exports"] =>
    table === undefined
      ? undefined
      : Object.fromEntries(Object.entries(table).map(([key, { source: _source, ...rest }]) => [key, rest]));
  const bin = Object.entries(manifest.bin ?? {}).map(([name, path]): [string, string] => [
    name,
    path.replace(/^\.\/src\/(.*)\.ts$/u, "./dist/$1.js"),
  ]);
  return {
    ...kept,
    ...(manifest.exports !== undefined && { exports: withoutSource(manifest.exports)! }),
    ...(manifest.imports !== undefined && { imports: withoutSource(manifest.imports)! }),
    ...(bin.length > 0 && { bin: Object.fromEntries(bin) }),
    // npm signs which workflow built the package, and refuses to publish it from elsewhere.
    publishConfig: { access: "public", provenance: true },
  };
};

const plainShebangs = (folder: string): void => {
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".js")) continue;
    const text = readFileSync(join(folder, path), "utf8");
    if (text.startsWith("#!"))
      writeFileSync(join(folder, path), text.replace(/^#!.*/u, "#!/usr/bin/env node"), { mode: 0o755 });
  }
};

if (process.argv[1] === import.meta.filename) {
  for (const folder of buildPackages(join(root, "dist/packages"))) console.log(folder);
}
