import { expect, it } from "vitest";
import { EVERY_FLAG, isInVersion, MEASURED_VERSIONS } from "./flags.ts";
import { flagsLackingIn, isOlder } from "./lacking.ts";

const NEWEST = MEASURED_VERSIONS.at(-1)!;

it("names what the newest version documents and an older one does not have, as the table of flags says", () => {
  const documented = EVERY_FLAG.map(([, flag]) => flag).filter(
    (flag) => flag.in.includes(NEWEST) && flag.hidden?.includes(NEWEST) !== true,
  );
  for (const version of [...MEASURED_VERSIONS, "2.1.10", "2.1.30", "2.1.200", "2.2.0"]) {
    const lacking = documented.filter((flag) => !isInVersion(flag.in, version)).map(({ flag }) => flag);
    expect([version, ...flagsLackingIn(version).toSorted()]).toEqual([version, ...lacking.toSorted()]);
  }
});

it("compares versions by their numbers", () => {
  expect(isOlder("2.1.38", "2.1.200")).toBe(true);
  expect(isOlder("2.1.325", "2.1.38")).toBe(false);
  expect(isOlder("2.1.38", "2.1.38")).toBe(false);
  expect(isOlder("1.9.9", "2.0.0")).toBe(true);
});
