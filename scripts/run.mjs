// The entry of every npm script. Plain JavaScript for an old Node: it makes sure that the dependencies are there and
// then runs the wanted command on the Node that the repository pins (or on this one, where it is new enough).
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [, , name, ...rest] = process.argv;

const TSC_PROJECTS = [
  "packages/protocol/tsconfig.json",
  "packages/protocol/tsconfig.test.json",
  "packages/session/tsconfig.json",
  "packages/session/tsconfig.test.json",
  "packages/host/tsconfig.json",
  "packages/simulator/tsconfig.json",
  "packages/client/tsconfig.json",
  "packages/client/tsconfig.browser.json",
  "packages/web/tsconfig.json",
  "packages/server/tsconfig.json",
  "e2e/tsconfig.json",
  "bench/tsconfig.json",
  "scripts/tsconfig.json",
];
const source = (file) => ["node", "--conditions=source", join(root, file)];
const COMMANDS = {
  start: [[...source("packages/server/src/quarterdeck.ts"), "demo"]],
  test: [["check"], ["vitest", "run"]],
  check: [
    ...TSC_PROJECTS.map((project) => ["tsc", "-p", project]),
    ["oxlint", "--type-aware", "--deny-warnings"],
    ["oxfmt", "--check"],
  ],
  conformance: [source("e2e/conformance/main.ts")],
  bench: [source("bench/main.ts")],
  docs: [source("scripts/write-docs.ts")],
};

install();
const node = pinnedNode();
let child;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child?.kill(signal));
let status = 0;
for (const command of expand(name)) {
  status = await run(command);
  if (status !== 0) break;
}
process.exitCode = status;

function expand(command) {
  const steps = COMMANDS[command];
  if (!steps) return [[command, ...rest]];
  const flat = steps.flatMap((step) => (COMMANDS[step[0]] ? expand(step[0]) : [step]));
  return flat.map((step, index) => (index === flat.length - 1 ? [...step, ...rest] : step));
}

/** Installs when the lockfile is not the one that was installed last. */
function install() {
  const stamp = join(root, "node_modules", ".quarterdeck-installed");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .update(process.platform + process.arch)
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log("Setting up: installing what package-lock.json names. The first time takes a minute or two.");
  const result = spawnSync("npm", ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
  });
  if (result.error || result.status !== 0) {
    console.error(
      `\nSetting up failed: 'npm ci' ${result.error ? result.error.message : `ended with ${result.status}`}.\n` +
        "Its own message is above. Most often the registry cannot be reached (check the network and 'npm config get\n" +
        "registry') or node_modules belongs to another user (remove it). Then run the same command again.",
    );
    process.exit(1);
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
  console.log("Set up.\n");
}

function pinnedNode() {
  const pinned = join(root, "node_modules", ".bin", "node");
  for (const candidate of [pinned, process.execPath]) {
    const version = spawnSync(candidate, ["-p", "process.versions.node"], { encoding: "utf8" });
    const [major = 0, minor = 0] = (version.stdout ?? "").split(".").map(Number);
    if (major > 22 || (major === 22 && minor >= 18)) return candidate;
  }
  console.error(
    `Quarterdeck needs Node 22.18 or newer. The npm package 'node' should have brought Node 24, but its install script did\n` +
      `not run, and this Node is ${process.versions.node}. Allow install scripts (npm config get ignore-scripts) and remove\n` +
      "node_modules, or install a newer Node; then run the same command again.",
  );
  process.exit(1);
}

function run([command, ...args]) {
  const bin = join(root, "node_modules", ".bin");
  child = spawn(command === "node" ? node : join(bin, command), args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH: `${dirname(node)}:${bin}:${process.env.PATH}` },
  });
  return new Promise((resolve) => {
    child.on("error", (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  });
}
