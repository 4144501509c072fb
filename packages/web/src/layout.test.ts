// The folders of the page form layers. This test fails when an import points up, sideways between features, or in a circle.

import { describe, expect, it } from "vitest";

/** From the bottom up. A folder may import itself and lower layers. Folders of one layer do not import each other. */
const LAYERS = [
  ["styles", "words"],
  ["store"],
  ["keys"],
  ["parts"],
  ["content"],
  // The service worker, and what the page does with it.
  ["notify"],
  ["composer", "fleet", "pairing", "requests", "rules", "sessions", "timeline"],
  // Both the conversation and the settings show budgets.
  ["budget"],
  // Tabs show what cards show, and send prompts. A replay shows rows.
  ["board", "home", "replay", "search", "server", "workbench"],
  ["actions", "help"],
  ["palette"],
  ["app"],
  // main.tsx and this test
  ["."],
];

const sources = import.meta.glob<string>(["./**/*.{ts,tsx,css}", "!./layout.test.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});

const resolve = (from: string, to: string): string => new URL(to, `file:///${from}`).pathname.replace(/^\//u, "./");

const importsOf = (file: string): string[] =>
  [...sources[file]!.matchAll(/(?:\bfrom|\bimport|\bimport\(|\bURL\(|@import)\s*"(\.[^"]+)"/gu)].map(([, to]) =>
    resolve(file, to!),
  );

const folderOf = (file: string): string =>
  file
    .split("/")
    .at(1)!
    .replace(/^.*\..*$/u, ".");
const layerOf = (file: string): number => LAYERS.findIndex((folders) => folders.includes(folderOf(file)));

const graph = new Map(Object.keys(sources).map((file) => [file, importsOf(file)]));

/** Files that import themselves through others, in import order. */
const circles = (): string[][] => {
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at !== -1) found.push(path.slice(at));
    if (at !== -1 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
};

describe("the layout of the page", () => {
  it("gives every folder a layer", () => expect([...graph.keys()].filter((file) => layerOf(file) === -1)).toEqual([]));

  it("resolves every relative import to a file", () =>
    expect(
      [...graph].flatMap(([file, imports]) =>
        imports.filter((to) => sources[to] === undefined && !to.endsWith(".svg")).map((to) => `${file} -> ${to}`),
      ),
    ).toEqual([]));

  it("imports only from lower layers", () =>
    expect(
      [...graph].flatMap(([file, imports]) =>
        imports
          .filter((to) => folderOf(to) !== folderOf(file) && layerOf(to) >= layerOf(file))
          .map((to) => `${file} -> ${to}`),
      ),
    ).toEqual([]));

  it("has no circular imports, type imports included", () => expect(circles()).toEqual([]));
});
