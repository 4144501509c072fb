// Copies a store that continues to write. Volumes are copied one after the other, each as of one moment. The caller
// must keep every blob that a row of them names until the copy is done.

import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { StoreError } from "../event-store.ts";
import { BLOBS_FOLDER } from "./blobs.ts";
import { failureOf } from "./failure.ts";
import { closeToOthers, makePrivateFile, makePrivateFolder, sizeOfFolder } from "./folder.ts";
import { fileOfVolume, volumesIn } from "./volume.ts";

export const copyStore = async (folder: string, path: string): Promise<void> => {
  if (existsSync(path) && sizeOfFolder(path) > 0) throw new StoreError("io", `${path} is not empty.`);
  makePrivateFolder(path);
  try {
    for (const volume of volumesIn(folder)) await copyVolume(folder, volume, path);
    await cp(join(folder, BLOBS_FOLDER), join(path, BLOBS_FOLDER), { recursive: true });
    closeToOthers(path);
  } catch (error) {
    throw failureOf(error, `The copy to ${path} failed`);
  }
};

const copyVolume = async (folder: string, volume: number, path: string): Promise<void> => {
  const copy = join(path, fileOfVolume(volume));
  makePrivateFile(copy);
  // Uses its own connection, which nothing else may use meanwhile. Copies in one step, because a commit between steps
  // restarts the copy.
  const source = new DatabaseSync(join(folder, fileOfVolume(volume)));
  try {
    await backup(source, copy, { rate: 0x7fff_ffff });
  } finally {
    source.close();
  }
};
