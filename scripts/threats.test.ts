// Checks docs/threats.md: each threat names tests that exist and cite it, and each threat that a test cites has a row.
// A title cites a threat in brackets or parentheses.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** A package may have its own rules S1, S2, … in its SPEC.md. Ids up to the last of them are not threats. */
const ownRules = new Map(
  readdirSync(join(root, "packages")).map((name) => {
    const spec = `packages/${name}/SPEC.md`;
    const rules = existsSync(join(root, spec)) ? [...read(spec).matchAll(/^- \*\*S(\d+)\*\*/gmu)] : [];
    return [`packages/${name}/`, Math.max(0, ...rules.map((match) => Number(match[1])))];
  }),
);

const rows = read("docs/threats.md")
  .split("\n")
  .filter((line) => /^\| S\d+ +\|/u.test(line))
  .map((line) => {
    const [, id = "", threat = "", answer = "", tests = ""] = line.split(/(?<!\\)\|/u).map((cell) => cell.trim());
    return { id, threat, answer, tests: [...tests.matchAll(/`([^`]+\.test\.ts)`/gu)].map((match) => match[1]!) };
  });

/** Ids in the titles of a test file. */
const citedIn = (path: string): ReadonlySet<string> => {
  const text = read(path);
  const groups = [
    ...text.matchAll(/["'`]\[([A-Z]\d+(?:, [A-Z]\d+)*)\] /gu),
    ...text.matchAll(/ \(([A-Z]\d+(?:, [A-Z]\d+)*)\)[^"'`\n]{0,20}["'`]/gu),
  ];
  const lastOwn = ownRules.get(path.split("/", 2).join("/").concat("/")) ?? 0;
  const ids = groups.flatMap((match) => match[1]!.split(", ")).filter((id) => id.startsWith("S"));
  return new Set(ids.filter((id) => Number(id.slice(1)) > lastOwn));
};

const testFiles = ["packages", "e2e", "scripts", "bench"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules/")),
);

describe("docs/threats.md", () => {
  it("numbers the threats without a gap", () => {
    expect(rows.length).toBeGreaterThanOrEqual(54);
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_, at) => `S${at + 1}`));
  });

  it("says for each threat what it is, what stops it, and which tests show that", () => {
    const incomplete = rows.filter(({ threat, answer, tests }) => threat === "" || answer === "" || tests.length === 0);
    expect(incomplete.map(({ id }) => id)).toEqual([]);
  });

  it("names tests that exist and cite the threat", () => {
    const wrong = rows.flatMap(({ id, tests }) =>
      tests.flatMap((path) => {
        if (!existsSync(join(root, path))) return [`${id}: ${path} does not exist`];
        return citedIn(path).has(id) ? [] : [`${id}: no title in ${path} cites it`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("has a row for each threat that a test cites", () => {
    const known = new Set(rows.map(({ id }) => id));
    const unknown = testFiles.flatMap((path) =>
      [...citedIn(path)].filter((id) => !known.has(id)).map((id) => `${path}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });
});
