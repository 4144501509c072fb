// The published packages as somebody else gets them: built, packed, and unpacked into the `node_modules` of an empty
// folder. Dependencies are linked from the repository, so that nothing is downloaded.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildPackages } from "./build-packages.ts";
import type { BuildOptions } from "./build-packages.ts";

const root = join(import.meta.dirname, "..");

export interface PackedManifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly repository?: unknown;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
}

export interface Packed {
  readonly manifest: PackedManifest;
  readonly tarball: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** Paths in the tarball. */
  readonly files: readonly string[];
}

/** Builds below `folder`, and installs into `folder/app/node_modules`. */
export const packAll = (folder: string, options: BuildOptions = {}): readonly Packed[] => {
  const modules = join(folder, "app", "node_modules");
  const tarballs = join(folder, "tarballs");
  mkdirSync(tarballs, { recursive: true });
  const built = buildPackages(join(folder, "built"), options);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", tarballs, ...built], { cwd: folder, stdio: "ignore" });
  // npm names them after the packages. Packages come after their dependencies.
  return built.map((from) => {
    const { name, version } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as PackedManifest;
    const tarball = join(tarballs, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
    const unpacked = join(folder, "unpacked");
    mkdirSync(unpacked);
    execFileSync("tar", ["-xzf", tarball, "-C", unpacked]);
    const manifest = JSON.parse(readFileSync(join(unpacked, "package", "package.json"), "utf8")) as PackedManifest;
    const files = readdirSync(join(unpacked, "package"), { recursive: true, encoding: "utf8" }).filter((path) =>
      statSync(join(unpacked, "package", path)).isFile(),
    );
    cpSync(join(unpacked, "package"), join(modules, manifest.name), { recursive: true });
    rmSync(unpacked, { recursive: true });
    for (const dependency of Object.keys(manifest.dependencies ?? {})) link(modules, dependency);
    return {
      manifest,
      tarball,
      packedBytes: statSync(tarball).size,
      unpackedBytes: files.reduce((sum, path) => sum + statSync(join(modules, manifest.name, path)).size, 0),
      files,
    };
  });
};

const link = (modules: string, name: string): void => {
  if (name.startsWith("@quarterdeck/")) return;
  rmSync(join(modules, name), { force: true });
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(root, "node_modules", name), join(modules, name));
};
