import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { argumentsOf, casesNamed } from "./arguments.ts";

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, ["--conditions=source", fileURLToPath(new URL("main.ts", import.meta.url)), ...args], {
    encoding: "utf8",
  });

describe("[E68] the command line", () => {
  it("is refused with one line, the usage and exit code 2", () => {
    const { status, stdout, stderr } = run("--bogus");
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.split("\n").slice(0, 2)).toEqual([
      "Unknown option '--bogus'",
      expect.stringMatching(/^usage: npm run conformance/),
    ]);
    expect(stderr).not.toContain("    at ");
  });

  it("prints its usage", () => {
    const { status, stdout, stderr } = run("--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("the case of exactly that name");
  });

  it("refuses a name that matches no case, also next to a valid name", () => {
    const { status, stderr } = run("--only", "compact", "--only", "no-such-case");
    expect(status).toBe(2);
    expect(stderr).toMatch(/^No case is named like no-such-case\. There are: /);
  });

  it.each([
    [["--jobs", "many"], "--jobs must be a number from 1, not 'many'"],
    [["--jobs", "0"], "--jobs must be a number from 1, not '0'"],
    [["--versions", "2.1.325,newest"], "--versions takes versions like 2.1.325 and 'simulator', not 'newest'"],
    [["loose"], "Unexpected argument 'loose'"],
    [["--only"], "Option '--only <value>' argument missing"],
  ])("refuses %j", (argv, words) => {
    expect(argumentsOf(argv)).toContain(words);
  });

  it("accepts valid arguments", () => {
    expect(argumentsOf(["--only", "a", "--only", "b", "--versions", "2.1.22, simulator", "--jobs", "3"])).toMatchObject(
      {
        only: ["a", "b"],
        versions: ["2.1.22", "simulator"],
        jobs: 3,
      },
    );
  });
});

describe("[E69] --only", () => {
  const cases = ["compact", "compact-auto", "permission-deny", "permission-deny-stop", "plain"].map((name) => ({
    name,
  }));
  const named = (...only: readonly string[]) => {
    const found = casesNamed(cases, only);
    return typeof found === "string" ? found : found.map(({ name }) => name);
  };

  it("selects the case of that name, or else all whose names contain it", () => {
    expect(named("compact")).toEqual(["compact"]);
    expect(named("permission-deny")).toEqual(["permission-deny"]);
    expect(named("permission")).toEqual(["permission-deny", "permission-deny-stop"]);
    expect(named("plain", "compact-", "compact-auto")).toEqual(["compact-auto", "plain"]);
    expect(casesNamed(cases, undefined)).toBe(cases);
  });

  it("reports a name that matches no case", () => {
    expect(named("plain", "nonsense")).toBe("nonsense");
  });
});
