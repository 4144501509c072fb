import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KNOWN_DIFFERENCES } from "./known-differences.fixture.ts";
import { BEHAVIORS, checkRecorded } from "./recorded-case.fixture.ts";
import type { RecordedCorpus } from "./recorded-case.fixture.ts";
import { MEASURED_RULE_VERSIONS } from "./versions.ts";

const read = (name: string): RecordedCorpus =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8")) as RecordedCorpus;

interface Compared {
  readonly id: string;
  readonly version: string;
  readonly recorded: string;
  readonly predicted: string;
}

const compare = (name: string): readonly Compared[] => {
  const { base, cases } = read(name);
  return cases.flatMap((recorded) =>
    MEASURED_RULE_VERSIONS.flatMap((version): Compared[] => {
      const verdict = recorded.verdicts[version]?.verdict;
      if (verdict === undefined || !BEHAVIORS.includes(verdict)) return [];
      const { behavior } = checkRecorded(recorded, base, version);
      return [{ id: recorded.id, version, recorded: verdict, predicted: behavior }];
    }),
  );
};

const FILES = ["verdicts.json", "corpus.json"];
const compared = new Map(FILES.map((name) => [name, compare(name)]));
const all = [...compared.values()].flat();
const differs = ({ recorded, predicted }: Compared): boolean => recorded !== predicted;

describe("the check and real CLIs", () => {
  it.each(FILES.flatMap((name) => MEASURED_RULE_VERSIONS.map((version) => [name, version] as const)))(
    "[K1] agree on at least 98 of 100 recorded verdicts: %s, %s",
    (name, version) => {
      const mine = (compared.get(name) ?? []).filter((each) => each.version === version);
      expect(mine.length).toBeGreaterThan(400);
      expect(mine.filter(differs).length / mine.length).toBeLessThanOrEqual(0.02);
    },
  );

  it("[K2] never differ in that the check allows what a CLI asks or denies", () => {
    expect(all.filter((each) => differs(each) && each.predicted === "allow")).toEqual([]);
  });

  it("[K3] differ only where the table of known differences says so, and everywhere there", () => {
    const known = KNOWN_DIFFERENCES.flatMap(({ cases }) => cases);
    const covers = (entry: string, { id, version }: Compared): boolean => entry === id || entry === `${id} ${version}`;
    const found = all.filter(differs);
    expect(found.filter((each) => !known.some((entry) => covers(entry, each)))).toEqual([]);
    expect(known.filter((entry) => !found.some((each) => covers(entry, each)))).toEqual([]);
  });
});
