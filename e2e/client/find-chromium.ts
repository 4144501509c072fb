// Finds an installed Chromium: the path in QUARTERDECK_CHROMIUM, or a Chromium in the usual places.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

export const findChromium = (): string => {
  const named = process.env["QUARTERDECK_CHROMIUM"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = [
    ...(named === undefined ? [] : [named]),
    ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
    MAC,
  ].find((path) => existsSync(path));
  if (found === undefined)
    throw new Error("Chromium was not found. Install it, or set QUARTERDECK_CHROMIUM to its path.");
  return found;
};
