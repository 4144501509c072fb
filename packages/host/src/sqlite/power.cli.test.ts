import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { LOCK_FILE } from "./lock.ts";
import { killRounds } from "./store-kill.fixture.ts";

const run = promisify(execFile);
const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

interface Disk {
  readonly image: string;
  readonly folder: string;
}

/** A file system of our own in a file, where the system lets us have one: Linux, root, loop devices, perl for the ioctl. */
const makeDisk = (root: string): Disk | undefined => {
  const disk = { image: join(root, "disk"), folder: join(root, "mounted") };
  mkdirSync(disk.folder);
  const isMade =
    process.platform === "linux" &&
    process.getuid?.() === 0 &&
    works("perl", "-e", "1") &&
    works("truncate", "-s", "200M", disk.image) &&
    works("mkfs.ext4", "-q", "-F", disk.image) &&
    works("mount", "-o", "loop", disk.image, disk.folder);
  return isMade ? disk : undefined;
};

const root = mkdtempSync(join(tmpdir(), "quarterdeck-power-"));
const disk = makeDisk(root);
afterAll(() => {
  if (disk !== undefined) spawnSync("umount", [disk.folder]);
  rmSync(root, { recursive: true });
});

/** FS_IOC_SHUTDOWN without a flush of the journal: what was not synced is gone, as after a power cut. */
const CUT = 'open(my $file, "<", $ARGV[0]) or die $!; my $how = pack("I", 2); ioctl($file, 0x8004587D, $how) or die $!';

it.runIf(disk !== undefined)(
  "[D1] keeps every acknowledged fact when the power is cut, ten times",
  { timeout: 600_000 },
  async () => {
    const { image, folder } = disk!;
    const totals = await killRounds(join(folder, "data"), 10, 20_261_115, async (child) => {
      // Stopped first, so that it says nothing after the cut, as no computer does.
      child.kill("SIGSTOP");
      const exited = once(child, "exit");
      try {
        await run("perl", ["-e", CUT, join(folder, "data", LOCK_FILE)]);
      } finally {
        child.kill("SIGKILL");
        await exited;
      }
      await run("umount", [folder]);
      await run("mount", ["-o", "loop", image, folder]);
    });
    expect(totals.wrong).toEqual([]);
    expect(totals.rounds).toBe(10);
    expect(totals.acknowledged).toBeGreaterThan(100);
  },
);
