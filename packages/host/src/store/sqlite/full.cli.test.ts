import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { StoreError } from "../event-store.ts";
import { openSqliteStore } from "../sqlite-store.ts";
import { facts, said, typed } from "../store-facts.fixture.ts";

const canMount = process.platform === "linux" && process.getuid?.() === 0;
let disk: string;

const must = (command: string, ...args: string[]): void => {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
};

beforeAll(() => {
  disk = mkdtempSync(join(tmpdir(), "quarterdeck-disk-"));
  if (canMount) must("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk);
});
afterAll(() => {
  if (canMount) must("umount", disk);
  rmSync(disk, { recursive: true });
});

// Only root can mount a small disk, which this test fills.
it.runIf(canMount)("[D12] continues when a full disk has room again, twenty times", async () => {
  const folder = join(disk, "data");
  const filler = join(disk, "filler");
  const store = await openSqliteStore(folder);
  let kept = 0;
  for (let round = 0; round < 20; round++) {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(filler, Buffer.alloc(Math.max(0, (bavail - 30) * bsize)));
    let failure: unknown;
    while (failure === undefined) {
      const text = round % 2 === 0 ? "x".repeat(20_000) : "y".repeat(300_000);
      try {
        const [event] = await store.append("s", facts(said(`m${kept}`, text)));
        expect(event?.seq).toBe(++kept);
      } catch (error) {
        failure = error;
      }
    }
    expect(failure).toBeInstanceOf(StoreError);
    expect(failure).toMatchObject({ code: "disk-full" });
    expect(store.lastSeq("s")).toBe(kept);
    expect(store.read("s", 0, 1000)).toHaveLength(kept);
    rmSync(filler);
    expect((await store.append("s", facts(typed("p", "there is room"))))[0]?.seq).toBe(++kept);
    // Without this, the store itself would fill the disk in a few rounds.
    if (round % 4 === 3) {
      await store.deleteSession("s");
      kept = 0;
    }
  }
  expect(store.check()).toEqual([]);
  await store.close();
  const again = await openSqliteStore(folder);
  expect(again.damage).toEqual([]);
  expect(again.check()).toEqual([]);
  await again.close();
});
