// `npm run release -- --dry-run`: builds and packs what is published, and checks it as users would get it. It publishes
// nothing. Without `--dry-run` it does the same and then prints the commands that publish, for a maintainer.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packAll } from "./packed-packages.ts";
import type { Packed } from "./packed-packages.ts";

const root = join(import.meta.dirname, "..");

export interface Finding {
  readonly about: string;
  readonly ok: boolean;
  readonly text: string;
  /** A dry run passes, but nobody can publish before this is done. */
  readonly isLeft?: boolean;
}

const MB = 1024 * 1024;
/** The server contains the page, with its fonts and highlighters, also compressed. */
const LARGEST: Readonly<Record<string, number>> = { "@quarterdeck/server": 16 * MB };
const LARGEST_OTHER = MB;
const LICENCES: ReadonlySet<string> = new Set([
  "MIT",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "0BSD",
  "Unlicense",
]);
/** Looked at by hand. */
const LOOKED_AT: Readonly<Record<string, string>> = {
  khroma: "MIT, in its license file",
  elkjs: "EPL-2.0, a dependency of mermaid that we change in nothing and that is a file of its own",
};

export const checkVersions = (packed: readonly Packed[], changelog: string): Finding[] => {
  const versions = new Set(packed.map(({ manifest }) => manifest.version));
  const [version = ""] = versions;
  const wrong = packed.flatMap(({ manifest: { name, dependencies = {} } }) =>
    Object.entries(dependencies)
      .filter(([other, wanted]) => other.startsWith("@quarterdeck/") && wanted !== version)
      .map(([other, wanted]) => `${name} wants ${other} ${wanted}`),
  );
  const entry = new RegExp(`^## (?:Unreleased|${version.replaceAll(".", String.raw`\.`)})\\b`, "mu").exec(changelog);
  const hasWords = entry !== null && /^- /mu.test(changelog.slice(entry.index).split(/^## /mu)[1] ?? "");
  return [
    { about: "versions", ok: versions.size === 1 && wrong.length === 0, text: [...versions, ...wrong].join(", ") },
    {
      about: "changelog",
      ok: hasWords,
      text: hasWords ? entry[0].slice(3) : `no entries for ${version} or Unreleased`,
    },
  ];
};

/** npm then publishes only from a workflow, and signs which one built the package. */
export const checkProvenance = (packed: readonly Packed[], isDry = true): Finding => {
  const without = packed.filter(({ manifest }) => manifest.publishConfig?.provenance !== true);
  if (without.length > 0)
    return { about: "provenance", ok: false, text: without.map(({ manifest }) => manifest.name).join(", ") };
  const homeless = packed.filter(({ manifest }) => manifest.repository === undefined);
  if (homeless.length === 0) return { about: "provenance", ok: true, text: `${packed.length} packages` };
  // npm compares the address with that of the workflow. A dry run works without one.
  const text = `${homeless.length} packages have no repository. Before you publish, add to each package.json: "repository": { "type": "git", "url": "git+https://HOST/OWNER/NAME.git", "directory": "packages/NAME" }. npm signs nothing without it.`;
  return { about: "provenance", ok: isDry, text, isLeft: true };
};

/** Tests, sources and paths of this machine are not for others. */
export const checkContents = (packed: readonly Packed[], modules: string): Finding[] =>
  packed.map(({ manifest: { name, exports = {}, bin = {} }, files, packedBytes, unpackedBytes }) => {
    const has = new Set(files);
    const named = [...Object.values(exports).flatMap((target) => Object.values(target)), ...Object.values(bin)];
    const missing = ["README.md", "LICENSE", ...named.map((path) => path.replace(/^\.\//u, ""))].filter(
      (path) => !has.has(path),
    );
    const strange = files.filter((path) => /\.(?:test|fixture)\.|(?<!\.d)\.ts$|tsconfig|\.map$/u.test(path));
    const here = files.filter(
      (path) =>
        !strange.includes(path) &&
        /\.(?:js|json|d\.ts|md)$/u.test(path) &&
        readFileSync(join(modules, name, path), "utf8").includes(root),
    );
    const tooLarge = packedBytes > (LARGEST[name] ?? LARGEST_OTHER) ? ["the tarball is too large"] : [];
    const wrong = [
      ...missing.map((path) => `${path} is missing`),
      ...strange.map((path) => `${path} should not be there`),
      ...here.map((path) => `${path} names a folder of this machine`),
      ...tooLarge,
    ];
    const size = `${(packedBytes / 1024).toFixed(0)} kB packed, ${(unpackedBytes / 1024).toFixed(0)} kB in ${files.length} files`;
    return { about: name, ok: wrong.length === 0, text: [size, ...wrong].join("; ") };
  });

/** Checks everything that is installed with our packages. */
export const checkLicences = (packed: readonly Packed[]): Finding => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, { license?: string; dependencies?: Readonly<Record<string, string>> }>>;
  };
  const found = new Map<string, string>();
  const visit = (name: string): void => {
    if (found.has(name) || name.startsWith("@quarterdeck/")) return;
    const entry = packages[`node_modules/${name}`];
    found.set(name, entry?.license ?? LOOKED_AT[name]?.split(",")[0] ?? "unknown");
    for (const other of Object.keys(entry?.dependencies ?? {})) visit(other);
  };
  for (const { manifest } of packed) for (const name of Object.keys(manifest.dependencies ?? {})) visit(name);
  const page = JSON.parse(readFileSync(join(root, "packages/web/package.json"), "utf8")) as Packed["manifest"];
  for (const name of Object.keys(page.dependencies ?? {})) visit(name);
  const isFree = (licence: string): boolean => licence.split(/ OR |[()]/u).some((one) => LICENCES.has(one.trim()));
  const refused = [...found].filter(([name, licence]) => !Object.hasOwn(LOOKED_AT, name) && !isFree(licence));
  const counts = Map.groupBy(found.values(), (licence) => licence);
  return {
    about: "licences",
    ok: refused.length === 0,
    text: [
      ...[...counts].map(([licence, all]) => `${all.length} ${licence}`),
      ...refused.map(([name, licence]) => `${name} has ${licence}`),
    ].join(", "),
  };
};

/** A user's program, as strict as TypeScript can be, that imports everything that we export. */
export const checkConsumer = (packed: readonly Packed[], app: string): Finding[] => {
  const names = packed.flatMap(({ manifest: { name, exports = {} } }) =>
    Object.keys(exports).map((key) => join(name, key)),
  );
  mkdirSync(join(app, "node_modules", "@types"), { recursive: true });
  for (const types of ["node", "ws"]) {
    const at = join(app, "node_modules", "@types", types);
    rmSync(at, { force: true });
    symlinkSync(join(root, "node_modules", "@types", types), at);
  }
  writeFileSync(join(app, "package.json"), JSON.stringify({ type: "module" }));
  const imports = names.map((name, index) => `import * as all${index} from "${name}";`);
  writeFileSync(
    join(app, "imports.ts"),
    `${imports.join("\n")}\nconsole.log([${names.map((_, n) => `all${n}`).join(", ")}].length);\n`,
  );
  const readme = readFileSync(join(root, "packages/host/README.md"), "utf8");
  const programs = new Map([["example.ts", exampleIn(readme)], ...recipesIn(readme)]);
  for (const [name, code] of programs) writeFileSync(join(app, name), code);
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  };
  const compilerOptions = { ...strict, noEmit: true, target: "es2024", module: "nodenext", types: ["node"] };
  writeFileSync(
    join(app, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["imports.ts", ...programs.keys()] }),
  );
  return [
    ran("types for others", join(root, "node_modules/.bin/tsc"), ["-p", app], app),
    ran("imports for others", process.execPath, ["imports.ts"], app, String(names.length)),
  ];
};

/** The first program of a README. */
export const exampleIn = (readme: string): string => {
  const [, code] = /^```ts\n([\s\S]*?)^```$/mu.exec(readme) ?? [];
  if (code === undefined) throw new Error("The README has no example.");
  return code;
};

/** The programs of its section "Recipes", by a file name from their heading. */
export const recipesIn = (readme: string): [file: string, code: string][] => {
  const [, section = ""] = /^## Recipes\n([\s\S]*?)^## /mu.exec(readme) ?? [];
  return section.split(/^### /mu).flatMap((part) => {
    const name = part.split("\n", 1)[0]!.toLowerCase().replaceAll(" ", "-");
    const codes = [...part.matchAll(/^```ts\n([\s\S]*?)^```$/gmu)].map(([, code]) => code!);
    return codes.map((code, index): [string, string] => [`${name}-${String(index + 1)}.ts`, code]);
  });
};

const ran = (about: string, command: string, args: readonly string[], cwd: string, says = ""): Finding => {
  try {
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: cwd };
    const text = execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
    return { about, ok: text === says, text: text === says ? "good" : text };
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return { about, ok: false, text: `${stdout}${stderr}`.trim().split("\n").slice(0, 20).join("\n") };
  }
};

const release = (isDry: boolean): number => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-release-"));
  try {
    const packed = packAll(folder);
    const app = join(folder, "app");
    const findings = [
      ...checkVersions(packed, readFileSync(join(root, "CHANGELOG.md"), "utf8")),
      ...checkContents(packed, join(app, "node_modules")),
      checkLicences(packed),
      checkProvenance(packed, isDry),
      ...checkConsumer(packed, app),
    ];
    for (const { about, ok, text, isLeft = false } of findings)
      console.log(`${ok ? (isLeft ? "LEFT" : "ok  ") : "BAD "} ${about.padEnd(24)}${text}`);
    const isGood = findings.every(({ ok }) => ok);
    const left = findings.filter(({ isLeft = false }) => isLeft).map(({ about }) => about);
    if (left.length > 0) console.log(`\nNot ready to publish: ${left.join(", ")}. See LEFT above.`);
    if (isGood && !isDry) {
      console.log("\nPublish from CI, which signs where the packages come from. In this order:");
      for (const { manifest } of packed) console.log(`  npm publish ${manifest.name} --provenance --access public`);
    }
    return isGood ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (process.argv[1] === import.meta.filename) {
  const unknown = process.argv.slice(2).find((word) => word !== "--dry-run");
  if (unknown !== undefined) throw new Error(`release does not know ${unknown}. Use --dry-run or nothing.`);
  process.exitCode = release(process.argv.includes("--dry-run"));
}
