import { readFileSync } from "node:fs";
import { MESSAGE_KEYS } from "@quarterdeck/protocol";
import { describe, expect, it } from "vitest";
import { coverageDocument, openRows, TITLES, wrongReferences } from "./coverage-document.ts";
import { ABILITIES } from "./covered/abilities.ts";
import { OPEN_ROWS } from "./covered/open-rows.ts";
import { codeProblem, testProblem } from "./covered/repository.ts";
import { CLI_REQUESTS, NOT_FOR_CLIENTS } from "./covered/requests.ts";
import { SECTIONS } from "./covered/sections.ts";
import { cliRequestCoverage, hostRequestCoverage } from "./covered/wire-coverage.ts";

const document = readFileSync(new URL("../docs/coverage.md", import.meta.url), "utf8");

describe("docs/coverage.md", () => {
  it("is what the code and the tests say (otherwise run: npm run docs)", () => {
    expect(document).toBe(coverageDocument(document));
  });

  it("names only code and tests that exist", () => {
    expect(wrongReferences()).toEqual([]);
  });

  it("has no open rows, except those of the list", () => {
    expect(openRows().toSorted()).toEqual(OPEN_ROWS.toSorted());
  });

  it("has a row for each message, each request and each section, and no others", () => {
    const rows = new Set([...document.matchAll(/^\| `?([\w./]+)`? \|/gmu)].map((match) => match[1]!));
    const names = MESSAGE_KEYS.map((key) => key.replace("control_request/", ""));
    expect([...names, ...Object.keys(TITLES)].filter((name) => !rows.has(name))).toEqual([]);
    expect(Object.keys(SECTIONS)).toEqual(Object.keys(TITLES));
    expect(Object.keys(CLI_REQUESTS).toSorted()).toEqual(
      cliRequestCoverage()
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  it("says for each request that clients cannot send what they have instead", () => {
    const nobodys = hostRequestCoverage().filter(({ about }) => !about.startsWith("role "));
    expect(Object.keys(NOT_FOR_CLIENTS).toSorted()).toEqual(nobodys.map(({ name }) => name).toSorted());
  });

  it("has no ability that no section needs", () => {
    const needed = new Set(Object.values(SECTIONS).flat());
    expect(Object.keys(ABILITIES).filter((name) => !needed.has(name as never))).toEqual([]);
  });

  it("would notice what is gone", () => {
    expect(codeProblem("packages/session/src/fold.ts FATES")).toBeUndefined();
    expect(codeProblem("packages/session/src/fold.ts foldAnswer")).toMatch("declares no");
    expect(codeProblem("packages/session/src/gone.ts FATES")).toMatch("does not exist");
    expect(testProblem("packages/session/src/fates.test.ts [F10]")).toBeUndefined();
    expect(testProblem("packages/session/src/fates.test.ts [F99]")).toMatch("has no test");
    expect(testProblem("packages/session/src/fates.test.ts finds land")).toMatch("has no test");
  });
});
