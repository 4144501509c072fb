// An id in a comment or a test title, such as [D12] or S38, is defined in a SPEC.md or in docs/threats.md. A package with a
// SPEC.md may cite its own rules and the threats. Everything else may cite any rule. The protocol also cites its sources.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const rulesOf = (spec: string): readonly string[] =>
  [...read(spec).matchAll(/^- \*\*([A-Z]+\d+)\*\*/gmu)].map((match) => match[1]!);

const files = ["packages", "e2e", "scripts", "bench"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file}`)
    .filter((file) => !/(?:^|\/)(?:node_modules|dist|fixtures|\.cache)\//u.test(file)),
);
const sources = files.filter((file) => /\.(?:ts|tsx|mjs|css)$/u.test(file));
const specs = new Map(files.filter((file) => file.endsWith("/SPEC.md")).map((file) => [file, new Set(rulesOf(file))]));
const threats = new Set([...read("docs/threats.md").matchAll(/^\| (S\d+) +\|/gmu)].map((match) => match[1]!));
const wireSources = new Set([...read("docs/protocol.md").matchAll(/^\| `(S\d)` \|/gmu)].map((match) => match[1]!));

const isDefinedIn = (file: string, id: string): boolean => {
  if (threats.has(id) || (wireSources.has(id) && file.startsWith("packages/protocol/"))) return true;
  const own = specs.get(`${file.split("/", 2).join("/")}/SPEC.md`);
  return own === undefined ? [...specs.values()].some((rules) => rules.has(id)) : own.has(id);
};

/** Words that look like an id: an engine, a key, ranges of control characters. */
const WORDS = new Set(["V8", "F6", "C0", "C1"]);

const COMMENT = /(?:^|\s)\/\/(.*)$|^\s*\/?\*+(.*)$/gmu;
const TITLE = /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/gu;
const BRACKETS = /["'`]\[([A-Z]+\d+(?:, [A-Z]+\d+)*)\]/gu;

const proseOf = (text: string): readonly string[] => [
  ...[...text.matchAll(COMMENT)].map((match) => match[1] ?? match[2] ?? ""),
  ...[...text.matchAll(TITLE)].map((match) => match[2]!),
  ...[...text.matchAll(BRACKETS)].map((match) => match[1]!),
];

const idsIn = (prose: string): readonly string[] => [
  ...[...prose.matchAll(/(?<![\w+#.\\-])[A-Z]\d{1,3}(?!\w|[.-]\w)/gu)].map(([id]) => id),
  ...[...prose.matchAll(/\bseeds? \d+/giu)].map(([id]) => id),
];

describe("ids", () => {
  it("in comments and titles are defined in this repository", () => {
    const undefinedIds = sources.flatMap((file) => {
      const ids = new Set(proseOf(read(file)).flatMap(idsIn));
      return [...ids].filter((id) => !isDefinedIn(file, id) && !WORDS.has(id)).map((id) => `${file}: ${id}`);
    });
    expect(undefinedIds).toEqual([]);
  });

  it("are found in a comment, in a title and at the start of a string", () => {
    const text = ['it("holds (S3)", f);', "  // As in S12.", 'const name = "[D4] deletes";', "const code = S5;"].join(
      "\n",
    );
    expect(proseOf(text).flatMap(idsIn).toSorted()).toEqual(["D4", "S12", "S3"]);
  });

  it("have definitions", () => {
    expect([...specs.keys()]).toEqual(expect.arrayContaining(["packages/host/SPEC.md", "packages/session/SPEC.md"]));
    expect([...specs.values(), threats, wireSources].every((defined) => defined.size > 0)).toBe(true);
  });
});
