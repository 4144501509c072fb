// No circular imports between files in packages, e2e, bench and scripts. Type imports count, because a reader follows
// them too.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

type Graph = ReadonlyMap<string, readonly string[]>;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const packages = readdirSync(join(root, "packages")).map((name) => join("packages", name));

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" || entry.name === ".cache" ? [] : filesBelow(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });

/** The specifiers of `import` and `export … from`, for values and types, and of `import()`. */
const SPECIFIER = /^(?:import|export)\s(?:[^"';]*?\sfrom\s)?\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm;
const specifiersIn = (source: string): string[] =>
  [...source.matchAll(SPECIFIER)].map(([, statement, call]) => statement ?? call!);

/** Source files by the name under which other packages import them. */
const entries = new Map(
  packages.flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
      readonly name: string;
      readonly exports?: Readonly<Record<string, string | { readonly source?: string }>>;
    };
    return Object.entries(exports).flatMap(([entry, target]) => {
      const source = typeof target === "string" ? target : target.source;
      if (source === undefined) return [];
      if (!entry.includes("*")) return [[join(name, entry), join(folder, source)] as const];
      // Every file of the folder can be imported by its name.
      return filesBelow(join(folder, "src")).map(
        (file) => [join(name, relative(join(folder, "src"), file).replace(/\.ts$/, "")), file] as const,
      );
    });
  }),
);

const targetOf = (from: string, specifier: string): string[] => {
  const target = specifier.startsWith(".") ? join(dirname(from), specifier) : entries.get(specifier);
  return target !== undefined && existsSync(join(root, target)) ? [relative(root, join(root, target))] : [];
};

const repository = (): Graph => {
  const folders = [...packages.map((folder) => join(folder, "src")), "e2e", "bench", "scripts"];
  const files = folders.flatMap(filesBelow);
  return new Map(
    files.map((file) => {
      const specifiers = specifiersIn(readFileSync(join(root, file), "utf8"));
      return [file, [...new Set(specifiers.flatMap((specifier) => targetOf(file, specifier)))]];
    }),
  );
};

/** One circle for each group of files that import each other: the path from its first file back to it. */
const circlesOf = (graph: Graph): string[][] => {
  const circles: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (file: string): void => {
    const at = way.indexOf(file);
    if (at !== -1) circles.push([...way.slice(at), file]);
    if (at !== -1 || done.has(file)) return;
    way.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    way.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return circles;
};

describe("imports", () => {
  it("are read from every form of statement", () => {
    const source = [
      'import { a } from "./a.ts";',
      'import type { B } from "./b.ts";',
      'import {\n  c,\n  type D,\n} from "./c.ts";',
      'export { e } from "./e.ts";',
      'export type * from "./f.ts";',
      'import "./g.ts";',
      'const h = await import("./h.ts");',
      'type I = import("./i.ts").I;',
    ].join("\n");
    expect(specifiersIn(source)).toEqual(["a", "b", "c", "e", "f", "g", "h", "i"].map((name) => `./${name}.ts`));
  });

  it("that form a circle are found", () => {
    const graph = new Map([
      ["a", ["b", "c"]],
      ["b", ["d"]],
      ["c", ["d"]],
      ["d", ["b"]],
    ]);
    expect(circlesOf(graph)).toEqual([["b", "d", "b"]]);
  });

  it("form no circle", () => {
    const graph = repository();
    expect(graph.size).toBeGreaterThan(500);
    expect(graph.get("packages/host/src/session/recorder.ts")).toContain("packages/session/src/index.ts");
    expect(circlesOf(graph).map((circle) => circle.join(" -> "))).toEqual([]);
  });

  it("never lead from a package to e2e, bench or scripts", () => {
    const arrows = [...repository()]
      .filter(([from]) => from.startsWith("packages/"))
      .flatMap(([from, targets]) => targets.map((target) => `${from} -> ${target}`));
    expect(arrows).toContain("packages/host/src/host.cli.test.ts -> packages/test-kit/src/real-host.ts");
    expect(arrows.filter((arrow) => !arrow.includes(" -> packages/"))).toEqual([]);
  });
});
