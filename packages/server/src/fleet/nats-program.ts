// The program `nats-server` on this machine, and which versions of it may be used.

import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isAtLeast, OLDEST_NATS, versionIn } from "@quarterdeck/fleet";
import { ServerError } from "../server-error.ts";

export const refuseOldNats = (version: string, accepted: string | undefined): void => {
  if (isAtLeast(version, accepted ?? OLDEST_NATS)) return;
  throw new ServerError(
    `nats-server ${version} is too old: Quarterdeck needs ${OLDEST_NATS} or newer. Install a newer one, or accept its known ` +
      `problems with --accept-nats ${version}.`,
  );
};

export const findNats = (named: string, path: string | undefined): string | undefined => {
  const folders = [...(path ?? "").split(":").filter((folder) => folder !== ""), "/usr/sbin", "/usr/local/bin"];
  const candidates = isAbsolute(named) || named.includes("/") ? [named] : folders.map((folder) => join(folder, named));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
};
export const natsVersionOf = (program: string): string => {
  let said = "";
  try {
    said = execFileSync(program, ["--version"], {
      encoding: "utf8",
      timeout: 10_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    // Reported below.
  }
  const version = versionIn(said);
  if (version === undefined) throw new ServerError(`${program} does not say its version. Is it a nats-server?`);
  return version;
};
