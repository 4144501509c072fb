// Where a package has a SPEC.md, every rule is cited by a test and every cited rule exists.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const specified = readdirSync(packages).filter((name) => existsSync(join(packages, name, "SPEC.md")));

const ids = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map((match) => match[1]!))].toSorted();

describe("SPEC.md", () => {
  it("exists where there is something to promise", () => {
    expect(specified).toContain("session");
  });

  it.each(specified)("of %s: its rules and the tests that cite them are the same", (name) => {
    const rules = ids(readFileSync(join(packages, name, "SPEC.md"), "utf8"), /^- \*\*([A-Z]\d+)\*\*/gm);
    const tests = readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".test.ts"),
    );
    const cited = tests
      .flatMap((file) => ids(readFileSync(join(packages, name, "src", file), "utf8"), /[`"]\[([A-Z]\d+)\]/g))
      // Threats (docs/threats.md) belong to the whole product, not to one package.
      .filter((id) => rules.includes(id) || !/^S\d\d$/.test(id));
    expect([...new Set(cited)].toSorted()).toEqual(rules);
  });
});
