// The tables of permissions and the wire's own lists are in packages that do not know each other. Here both are known.
import { MODE_NAMES, SCOPE_NAMES } from "@quarterdeck/permissions/words";
import { PERMISSION_MODES } from "@quarterdeck/protocol";
import type { PermissionDestination } from "@quarterdeck/protocol";
import { describe, expect, it } from "vitest";

describe("the tables of permissions", () => {
  it("have the modes of the wire, and no others", () => {
    expect(new Set<string>(MODE_NAMES)).toEqual(new Set(PERMISSION_MODES));
  });

  it("have every destination of an update", () => {
    const destinations: readonly PermissionDestination[] = [
      "session",
      "localSettings",
      "projectSettings",
      "userSettings",
      "cliArg",
    ];
    expect(SCOPE_NAMES).toEqual(expect.arrayContaining([...destinations]));
  });
});
