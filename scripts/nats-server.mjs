// The `nats-server` that tests use: the newest that the machine's own Debian mirror offers in any suite, else the one on the PATH. Plain
// JavaScript, because it runs before Node 24 is known.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "quarterdeck", "nats");

/** Sets one up if it is missing. Returns whether one is there. */
export const installNats = () => {
  const own = join(cache, "nats-server");
  if (process.env.QUARTERDECK_NATS_SERVER || existsSync(own)) return true;
  if (process.platform === "linux" && existsSync(KEYRING) && download(own)) return true;
  const onPath = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/local/bin"];
  if (onPath.some((folder) => existsSync(join(folder, "nats-server")))) return true;
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0) return false;
  const quiet = { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  return spawnSync("apt-get", ["install", "-y", "-qq", "nats-server"], quiet).status === 0;
};

/** With an own list of sources and own folders: nothing of the machine's packages changes. apt checks the signatures. */
const download = (target) => {
  const mirror = mirrorOf();
  if (mirror === undefined) return false;
  console.error("Setting up: fetching nats-server for the tests of the fleet (apt-get, into the user's cache).");
  const folder = join(cache, `partial-${process.pid}`);
  try {
    for (const at of ["lists/partial", "archives/partial", "out"]) mkdirSync(join(folder, at), { recursive: true });
    writeFileSync(join(folder, "sources.list"), `deb [signed-by=${KEYRING}] ${mirror} sid main\n`);
    const options = [
      `Dir::Etc::sourcelist=${join(folder, "sources.list")}`,
      "Dir::Etc::sourceparts=/dev/null",
      `Dir::State::lists=${join(folder, "lists")}`,
      `Dir::Cache=${folder}`,
      "Acquire::Languages=none",
      "Acquire::Retries=2",
      "Acquire::http::Timeout=30",
    ].flatMap((option) => ["-o", option]);
    const apt = (...words) =>
      spawnSync("apt-get", [...options, ...words], { cwd: join(folder, "out"), stdio: "ignore", timeout: 300_000 })
        .status === 0;
    if (!apt("-qq", "update") || !apt("-qq", "download", "nats-server")) return false;
    const [deb] = readdirSync(join(folder, "out")).filter((name) => name.endsWith(".deb"));
    if (deb === undefined) return false;
    const unpacked = join(folder, "unpacked");
    if (spawnSync("dpkg-deb", ["-x", join(folder, "out", deb), unpacked]).status !== 0) return false;
    const program = join(unpacked, "usr", "sbin", "nats-server");
    // It may need a newer system.
    if (spawnSync(program, ["--version"]).status !== 0) return false;
    copyFileSync(program, `${target}.${process.pid}`);
    renameSync(`${target}.${process.pid}`, target);
    return true;
  } catch {
    // No mirror, no room, no rights: the one on the PATH is used.
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The first mirror that the machine itself uses for Debian. */
const mirrorOf = () => {
  const folder = "/etc/apt/sources.list.d";
  const files = [
    "/etc/apt/sources.list",
    ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []),
  ];
  for (const file of files) {
    if (!existsSync(file)) continue;
    const found = /^(?:URIs:\s*|deb\s+(?:\[[^\]]*\]\s*)?)(https?:\/\/\S+?\/debian)\/?(?:\s|$)/mu.exec(
      readFileSync(file, "utf8"),
    );
    if (found !== null) return found[1];
  }
  return undefined;
};
