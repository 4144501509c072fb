// The folders of a server: which files clients may see, which it never shows, and where the CLI keeps its own.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { configFolder, VARIABLES_FILE } from "@quarterdeck/host";
import type { Agent } from "./agent.ts";
import { containedPaths, isInside } from "./files/contained-path.ts";
import { hiddenPaths } from "./files/hidden-paths.ts";
import { FLEET_FOLDER } from "./fleet/fleet-files.ts";
import { GIT_LEDGER_FILE } from "./git/ledger.ts";
import { NOTIFY_FILE, PUSH_KEY_FILE } from "./notify/notify-file.ts";
import { ServerError } from "./server-error.ts";
import type { ServerParts } from "./server-settings.ts";
import { KEPT_SETTINGS_FILE } from "./settings/kept-settings.ts";

/**
 * Files of the data directory that give admin access to a reader or writer. Files that were sent with prompts are next
 * to them, and may be read.
 */
const SECRET_FILES = [
  "secret",
  "devices.json",
  "server.json",
  "open.html",
  "trusted-folders.json",
  "policies.json",
  "budgets.json",
  VARIABLES_FILE,
  KEPT_SETTINGS_FILE,
  NOTIFY_FILE,
  PUSH_KEY_FILE,
  FLEET_FOLDER,
  "launch",
  "uploads",
  "snapshots",
  GIT_LEDGER_FILE,
];

export const secretFilesIn = (dataDir: string): string[] => {
  const real = realpathOf(dataDir) ?? dataDir;
  return SECRET_FILES.map((name) => join(real, name));
};

/** The configuration folder of the CLI that runs here. */
export const configOf = ({ env }: ServerParts, agent: Agent): string =>
  configFolder({ HOME: homedir(), ...env, ...agent.setEnvironment });

export const cacheOf = ({ env }: ServerParts, agent: Agent): string => {
  const { HOME, XDG_CACHE_HOME }: Record<string, string | undefined> = {
    HOME: homedir(),
    ...env,
    ...agent.setEnvironment,
  };
  return process.platform === "darwin"
    ? join(HOME ?? "", "Library", "Caches")
    : (XDG_CACHE_HOME ?? join(HOME ?? "", ".cache"));
};

export const shownFolders = (parts: ServerParts, agent: Agent, openedFolders: () => readonly string[]) => {
  const { settings, cwd, env } = parts;
  const home = env["HOME"] ?? homedir();
  const roots = settings.roots.length > 0 ? settings.roots : agent.folder === undefined ? [home, cwd] : [agent.folder];
  const missing = roots.find((root) => realpathOf(root) === undefined);
  if (missing !== undefined)
    throw new ServerError(`The folder ${missing} does not exist. Use --root to choose other folders.`);
  const config = configOf(parts, agent);
  // Also the user's own configuration: a terminal may use it while this server runs the demo.
  const ownConfig = env["CLAUDE_CONFIG_DIR"] ?? config;
  const own = [settings.dataDir, config, ownConfig, ...(settings.tls === undefined ? [] : [settings.tls.key])];
  const hidden = hiddenPaths({ home, env, own: own.map((path) => resolve(cwd, path)) });
  // A root inside another root adds nothing.
  const real = roots.map((root) => realpathOf(root)!);
  const outermost = real.filter((root) => !real.some((other) => other !== root && isInside(root, other)));
  const paths = containedPaths({ roots: outermost, isHidden: hidden.fromEverybody });
  return {
    roots: paths.roots,
    paths,
    named: containedPaths({ roots: ["/"], isHidden: hidden.fromEverybody }),
    belowAdmin: {
      paths: containedPaths({ roots: outermost, isHidden: hidden.belowAdmin, within: openedFolders }),
      named: containedPaths({ roots: ["/"], isHidden: hidden.belowAdmin }),
    },
  };
};

/** In the repository, or in the published package. */
export const builtPage = (): string | undefined =>
  [join(import.meta.dirname, "page"), join(import.meta.dirname, "..", "..", "web", "dist")].find(
    (folder) => realpathOf(folder) !== undefined,
  );

const realpathOf = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    // Missing. The caller reports it, or looks elsewhere.
    return undefined;
  }
};
