// An exclusion must not outlive its reason, so the suite tries it. The simulator plays both sides here, so that no CLI
// is needed.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { casesOf, says, script } from "./case.ts";
import type { Case } from "./case.ts";
import { turn } from "./host-script.ts";
import { keptRunsIn } from "./kept-runs.ts";
import type { Player } from "./run-case.ts";
import { isTried, perform } from "./suite.ts";

const SIMULATOR: Player = { kind: "simulator", version: "simulator" };
const unclaimed = (...seen: readonly string[]): Case =>
  casesOf("plain", [
    {
      name: "unclaimed",
      about: "",
      scripts: [script("say hello", says("Hello."))],
      host: turn("say hello"),
      expect: { see: seen.map((type) => ({ type })) },
      simulator: "it is said not to do this",
      excluded: [{ versions: ["2.1.37", "2.1.38", "2.1.22"], why: "it did not exist" }],
    },
  ])[0]!;
const cli = (version: string): Player => ({
  kind: "cli",
  version,
  program: { version, command: "", args: [], root: "" },
});

it("[E73] fails an exclusion that no longer holds", async () => {
  expect(await perform({ wanted: unclaimed(), player: SIMULATOR, excluded: "try" })).toMatchObject({
    kind: "failed",
    faults: ["it is excluded, but it holds: it is said not to do this"],
  });
});

it("[E73] keeps an exclusion that holds", async () => {
  const wanted = unclaimed("a line that never comes");
  const excluded = { kind: "excluded", why: "it is said not to do this" };
  expect(await perform({ wanted, player: SIMULATOR, excluded: "try" })).toEqual(excluded);
  expect(await perform({ wanted, player: SIMULATOR })).toEqual(excluded);
  expect(await perform({ wanted, player: SIMULATOR, excluded: "run" })).toMatchObject({ kind: "failed" });
});

it("[E73] reuses a kept run that passed, and repeats a run that failed or was played in another way", async () => {
  const folder = mkdtempSync(join(tmpdir(), "qd-kept-"));
  const kept = keptRunsIn(folder);
  const player = cli("2.1.38");
  const wanted = { ...unclaimed(), excluded: [] };
  const simulated = await perform({ wanted: { ...wanted, simulator: true }, player: SIMULATOR }, kept);
  expect(readdirSync(folder)).toEqual([]);
  if (simulated.kind !== "passed") throw new Error("the simulator says hello");
  kept.keep(wanted, player, simulated.run);
  // This program does not exist: only a kept run can pass.
  expect((await perform({ wanted, player }, kept)).kind).toBe("passed");
  expect((await perform({ wanted, player: cli("2.1.37") }, kept)).kind).toBe("failed");
  expect((await perform({ wanted: { ...wanted, env: { A: "1" } }, player }, kept)).kind).toBe("failed");
  kept.keep(wanted, player, { ...simulated.run, phases: [] });
  expect((await perform({ wanted, player }, kept)).kind).toBe("failed");
  rmSync(folder, { recursive: true });
});

it("[E73] tries an entry on the simulator and on the newest version that it names", () => {
  const tried = [SIMULATOR, ...["2.1.22", "2.1.37", "2.1.38", "2.1.325"].map(cli)].filter((player) =>
    isTried(unclaimed(), player),
  );
  expect(tried.map(({ version }) => version)).toEqual(["simulator", "2.1.38"]);
});
