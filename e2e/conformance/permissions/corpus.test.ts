// The record matches the cases and is complete: every case has a verdict of every version, and every kind of case occurs.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { batchesOf, isAlone } from "./batches.ts";
import { definitionOf, MEASURED_VERSIONS } from "./case.ts";
import type { Corpus } from "./case.ts";
import { BASE, CASES } from "./cases/index.ts";
import { CORPUS_FILE } from "./main.ts";

const text = readFileSync(CORPUS_FILE, "utf8");
const corpus = JSON.parse(text) as Corpus;

describe("[E71] the record of permission verdicts", () => {
  it("has every case as it is defined (else: npm run conformance -- permissions --new --write)", () => {
    expect(corpus.cases.map(definitionOf)).toEqual(JSON.parse(JSON.stringify(CASES)));
    expect(corpus.base).toEqual(BASE);
    expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length);
  });

  it("has a verdict of each version for each case", () => {
    const without = corpus.cases.filter(({ verdicts = {} }) =>
      MEASURED_VERSIONS.some((version) => verdicts[version] === undefined),
    );
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it("has at least 600 cases, of every kind, tool and mode, with each verdict", () => {
    const share = (of: (one: (typeof corpus.cases)[number]) => string | undefined) =>
      new Set(corpus.cases.map(of).filter((name) => name !== undefined));
    expect(corpus.cases.length).toBeGreaterThanOrEqual(600);
    expect([...share(({ call }) => call.tool)]).toEqual(
      expect.arrayContaining(["Bash", "Read", "Write", "Edit", "Glob", "Grep", "WebFetch", "Skill", "Task"]),
    );
    const modes = share(({ flags = [] }) => flags[flags.indexOf("--permission-mode") + 1]);
    expect([...modes]).toEqual(
      expect.arrayContaining(["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto"]),
    );
    for (const version of MEASURED_VERSIONS) {
      const verdicts = share(({ verdicts: found = {} }) => found[version]?.verdict);
      expect([...verdicts]).toEqual(expect.arrayContaining(["allow", "ask", "deny"]));
    }
  });

  it("names no folder of a machine", () => {
    expect(text).not.toMatch(/\/tmp\/|\/root\/|quarterdeck-permissions-|127\.0\.0\.1:\d{4}/);
  });
});

describe("[E71] a shared process", () => {
  it("has cases with one setup, and none that could change the next", () => {
    const batches = batchesOf(CASES);
    expect(batches.flat().length).toBe(CASES.length);
    for (const batch of batches.filter(({ length }) => length > 1)) {
      expect(batch.filter(isAlone)).toEqual([]);
      const setups = batch.map((one) => JSON.stringify({ ...one, id: "", note: "", group: "", call: "" }));
      expect(new Set(setups).size).toBe(1);
    }
  });
});
