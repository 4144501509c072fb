import { join } from "node:path";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { expect, it } from "vitest";
import { transcriptSource } from "./session-source.ts";

const watchers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "FSEventWrap").length;

it("[B11] a transcript that is deleted before it was read leaves no watcher, which would keep the server from ending", async () => {
  const before = watchers();
  const errors: unknown[] = [];
  const path = join(scratchFolder(), "gone.jsonl");
  const opened = transcriptSource({ id: "gone", path, updatedAt: 0, size: 0 }, (error) => errors.push(error));
  await expect(opened).rejects.toThrow(path);
  expect(errors).toHaveLength(1);
  await expect.poll(watchers).toBe(before);
});
