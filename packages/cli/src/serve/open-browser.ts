// Opens the pairing link in a browser of this machine. The link gives access, and every user of the machine can read
// the arguments of a process. So the browser gets a private file that redirects to the link.

import { execFile, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cleanPath } from "@quarterdeck/host/find-claude";
import { writePrivateFile } from "@quarterdeck/server";

export interface OpenBrowserOptions {
  readonly link: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

/** Whether this machine has a screen where a browser could open. */
export const hasScreen = ({
  env,
  platform = process.platform,
}: Omit<OpenBrowserOptions, "link" | "dataDir">): boolean => {
  if ((env["CI"] ?? "") !== "" || env["SSH_CONNECTION"] !== undefined || env["SSH_TTY"] !== undefined) return false;
  // The browser runs in Windows and cannot read our file.
  if (env["WSL_DISTRO_NAME"] !== undefined) return false;
  if (platform === "darwin") return true;
  return platform === "linux" && ((env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "");
};

/** Returns a function that removes the file, or undefined if no browser can be opened. */
export const openBrowser = async (options: OpenBrowserOptions): Promise<(() => void) | undefined> => {
  const { link, dataDir, env, platform = process.platform } = options;
  if (!hasScreen(options) || (platform === "linux" && (await isConfined(env)))) return undefined;
  const file = join(dataDir, "open.html");
  writePrivateFile(file, pageTo(link));
  const child = spawn(platform === "darwin" ? "open" : "xdg-open", [file], {
    env: { ...env, PATH: cleanPath(env["PATH"]) },
    stdio: "ignore",
    detached: true,
  });
  // No such program. The link is also on the terminal.
  child.on("error", () => undefined);
  child.unref();
  return () => rmSync(file, { force: true });
};

/** A browser in a snap cannot read hidden folders, and our file is in one. */
const isConfined = async (env: OpenBrowserOptions["env"]): Promise<boolean> => {
  try {
    const { stdout } = await promisify(execFile)("xdg-settings", ["get", "default-web-browser"], {
      env: { ...env, PATH: cleanPath(env["PATH"]) },
      timeout: 3000,
    });
    return /^[\w.-]+_[\w.-]+\.desktop\s*$/u.test(stdout);
  } catch {
    // There is no desktop. Then xdg-open will not find a browser either.
    return false;
  }
};

const pageTo = (link: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
  `<meta http-equiv="refresh" content="0;url=${link}"><title>Quarterdeck</title><a href="${link}">Quarterdeck</a>\n`;
