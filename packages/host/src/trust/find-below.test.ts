import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { findBelow } from "./find-below.ts";

test("[S67] a search that takes too long fails, and does not pass for a large folder", async () => {
  const bin = scratchFolder();
  writeFileSync(join(bin, "find"), "#!/bin/sh\nexec sleep 60\n");
  chmodSync(join(bin, "find"), 0o755);
  const path = `${bin}:/usr/bin:/bin`;
  await expect(findBelow(["/nowhere"], { path, timeoutMs: 50 }, () => true)).rejects.toMatchObject({
    code: "folder-busy",
    message: expect.stringContaining("Try again") as unknown,
  });
});

test("[S35] a search that was stopped never passes for a whole one", async () => {
  const folder = scratchFolder();
  for (const name of ["a", "b", "c"]) mkdirSync(join(folder, name));
  const seen: string[] = [];
  const path = "/usr/bin:/bin";
  expect(await findBelow([folder, "-type", "d", "-print0"], { path }, (each) => seen.push(each) < 2)).toBe(null);
  expect(seen).toHaveLength(2);
});
