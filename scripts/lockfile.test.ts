// A lockfile that was written where a registry lacks packages of other platforms leaves them out, and `npm ci` then fails for
// everybody on a fresh clone. It fails here first.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Entry {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as {
  readonly packages: Readonly<Record<string, Entry>>;
};

describe("package-lock.json", () => {
  it("names the packages of every platform", () => {
    const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(wanted.length).toBeGreaterThan(20);
    const missing = wanted.filter(
      (name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)),
    );
    expect(missing).toEqual([]);
  });

  it("records no download addresses", () => {
    const addresses = Object.values(packages).filter(
      (entry) => entry.link !== true && entry.resolved?.startsWith("http") === true,
    );
    expect(addresses).toEqual([]);
  });
});
