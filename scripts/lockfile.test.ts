// A lockfile that was written with a registry without packages of other platforms leaves them out, and `npm ci` then
// fails on a fresh clone. This test fails first.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Entry {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as {
  readonly packages: Readonly<Record<string, Entry>>;
};

const NATS = "@nats-io/transport-node";

describe("package-lock.json", () => {
  it("has the packages of every platform", () => {
    const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(wanted.length).toBeGreaterThan(20);
    const missing = wanted.filter(
      (name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)),
    );
    expect(missing).toEqual([]);
  });

  it("[S31] keeps what is installed with the program small, and nothing of it runs while it is installed", () => {
    const ours = ["protocol", "permissions", "session", "host", "simulator", "client", "fleet", "server", "cli"];
    const wanted = ours.flatMap((name) => Object.keys(packages[`packages/${name}`]!.dependencies ?? {}));
    const theirs = new Set(wanted.filter((name) => !name.startsWith("@quarterdeck/")));
    expect([...theirs].toSorted()).toEqual(["@agentclientprotocol/sdk", NATS, "unbash", "uqr", "ws", "zod"]);
    // The client of NATS comes in four parts, with one library for its keys.
    const parts = ["nats-core", "nkeys", "nuid"].map((name) => `@nats-io/${name}`);
    const within = [NATS, ...parts].flatMap((name) =>
      Object.keys(packages[`node_modules/${name}`]!.dependencies ?? {}),
    );
    expect([...new Set(within)].toSorted()).toEqual([...parts, "tweetnacl"]);
    for (const name of [...parts, NATS]) expect(packages[`node_modules/${name}`]!.hasInstallScript).toBeUndefined();
    for (const name of [...theirs, "tweetnacl"].filter((each) => each !== NATS)) {
      const entry = packages[`node_modules/${name}`]!;
      expect([name, entry.hasInstallScript, entry.dependencies]).toEqual([name, undefined, undefined]);
    }
    const running = Object.entries(packages).filter(([, entry]) => entry.hasInstallScript === true);
    expect(running.map(([path, { dev }]) => [path, dev])).toEqual([["node_modules/node", true]]);
  });

  it("records no download addresses", () => {
    const addresses = Object.values(packages).filter(
      (entry) => entry.link !== true && entry.resolved?.startsWith("http") === true,
    );
    expect(addresses).toEqual([]);
  });
});
