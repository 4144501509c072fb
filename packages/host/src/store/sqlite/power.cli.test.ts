import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { LOCK_FILE } from "./lock.ts";
import { killRounds } from "./store-kill.fixture.ts";

const run = promisify(execFile);
/** The PATH of a user may lack the folders of system programs. */
const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };
const mustRun = (command: string, ...args: string[]): void => {
  const { status, error, stderr } = spawnSync(command, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`This test needs ${command}: ${error?.message ?? stderr}`);
};

interface Disk {
  readonly image: string;
  readonly folder: string;
}

/** A file system in a file. Perl calls the ioctl. */
const makeDisk = (root: string): Disk => {
  const disk = { image: join(root, "disk"), folder: join(root, "mounted") };
  mkdirSync(disk.folder);
  mustRun("perl", "-e", "1");
  mustRun("truncate", "-s", "200M", disk.image);
  mustRun("mkfs.ext4", "-q", "-F", disk.image);
  mustRun("mount", "-o", "loop", disk.image, disk.folder);
  return disk;
};

const ROUNDS = roundsOf(10);
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
if (!isRoot) console.warn("A power cut is not tried here: only root on Linux may mount the disk that it happens to.");
const root = mkdtempSync(join(tmpdir(), "quarterdeck-power-"));
afterAll(() => {
  spawnSync("umount", [join(root, "mounted")], { env });
  rmSync(root, { recursive: true });
});

/** FS_IOC_SHUTDOWN without a flush of the journal: unsynced data is lost, as after a power cut. */
const CUT = 'open(my $file, "<", $ARGV[0]) or die $!; my $how = pack("I", 2); ioctl($file, 0x8004587D, $how) or die $!';

it.runIf(isRoot)(
  "[D1] keeps every acknowledged fact when the power is cut, again and again",
  { timeout: 600_000 },
  async () => {
    const { image, folder } = makeDisk(root);
    const totals = await killRounds(join(folder, "data"), ROUNDS, 20_261_115, async (child) => {
      // Stopped first, so that it writes nothing after the cut.
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
    expect(totals.rounds).toBe(ROUNDS);
    expect(totals.acknowledged).toBeGreaterThan(10 * ROUNDS);
  },
);
