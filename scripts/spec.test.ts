// If a package has a SPEC.md, every rule is cited by a test and every cited rule exists. An S with a number above the
// package's own rules is a threat, which threats.test.ts checks.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const specified = readdirSync(packages).filter((name) => existsSync(join(packages, name, "SPEC.md")));

const ids = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map((match) => match[1]!))].toSorted();

describe("SPEC.md", () => {
  it("exists in packages that promise something", () => {
    expect(specified).toContain("session");
  });

  it.each(specified)("of %s: the rules and the tests that cite them match", (name) => {
    const rules = ids(readFileSync(join(packages, name, "SPEC.md"), "utf8"), /^- \*\*([A-Z]\d+)\*\*/gm);
    const tests = readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".test.ts"),
    );
    const cited = tests.flatMap((file) =>
      ids(readFileSync(join(packages, name, "src", file), "utf8"), /[`"]\[([A-Z]\d+)\]/g),
    );
    const lastS = Math.max(0, ...rules.filter((rule) => rule.startsWith("S")).map((rule) => Number(rule.slice(1))));
    const own = cited.filter((id) => !id.startsWith("S") || Number(id.slice(1)) <= lastS);
    expect([...new Set(own)].toSorted()).toEqual(rules);
  });

  it("of e2e: the rules and the tests that cite them match", () => {
    const folder = fileURLToPath(new URL("../e2e/", import.meta.url));
    const rules = ids(readFileSync(join(folder, "SPEC.md"), "utf8"), /^- \*\*(E\d+)\*\*/gm);
    const tests = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".test.ts") && !file.includes("node_modules"),
    );
    const cited = tests.flatMap((file) => ids(readFileSync(join(folder, file), "utf8"), /[`"]\[(E\d+)\]/g));
    // Each rule is cited once, so that a rule is not spread over the tests.
    expect(cited.toSorted()).toEqual(rules);
  });
});
