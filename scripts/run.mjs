// The entry of every npm script. Plain JavaScript for an old Node. It installs missing dependencies, then runs the
// command on the Node that the repository pins (or on the current one, if it is new enough). What the set-up says goes to stderr,
// because `npm run -s bench -- --json` prints JSON to stdout.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installNats } from "./nats-server.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [, , name, ...rest] = process.argv;

// A program reads what it imports, so few programs check faster than one for each package. The slowest are first.
const TSC_PROJECTS = [
  "tsconfig.client.json",
  "tsconfig.node.json",
  "packages/web/tsconfig.json",
  "packages/client/tsconfig.browser.json",
  "packages/session/tsconfig.json",
  "packages/protocol/tsconfig.json",
  "packages/permissions/tsconfig.json",
];
const source = (file) => ["node", "--conditions=source", join(root, file)];
const COMMANDS = {
  start: [["page"], [...source("packages/cli/src/quarterdeck.ts"), "serve"]],
  build: [["page"], source("scripts/build-packages.ts")],
  page: [["vite", "build", "packages/web", "--logLevel", "warn"]],
  test: [["check"], ["page"], ["vitest", "run", "--tags-filter=!long"]],
  "test:all": [["check"], ["page"], ["vitest", "run", "--mode", "all"]],
  // At once. Each further checker of tsc checks the same types again, which costs more CPU than it saves time.
  check: [
    {
      atOnce: [
        ["oxlint", "--type-aware", "--deny-warnings"],
        ...TSC_PROJECTS.map((project) => ["tsc", "-p", project, "--checkers", "1"]),
        ["oxfmt", "--check"],
      ],
    },
  ],
  conformance: [source("e2e/conformance/main.ts")],
  trials: [source("e2e/trials/main.ts")],
  bench: [["page"], source("bench/main.ts")],
  screenshots: [["page"], source("e2e/page/screenshots.ts")],
  docs: [source("scripts/write-docs.ts")],
  release: [["page"], source("scripts/release.ts")],
};

install();
const node = pinnedNode();
const isTest = name === "test" || name === "test:all";
if (isTest || name === "screenshots") installChromium();
if (isTest && !installNats()) {
  console.error(
    "The tests of the fleet need nats-server, but it is not on the PATH. Install it (for example 'apt-get install\n" +
      "nats-server', 'brew install nats-server'), or set QUARTERDECK_NATS_SERVER. Then run this again.",
  );
  process.exit(1);
}
const children = new Set();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
let status = 0;
for (const step of expand(name, rest)) {
  status = step.atOnce === undefined ? await run(step, "inherit") : await runAtOnce(step.atOnce);
  if (status !== 0) break;
}
process.exitCode = status;

/** The steps of a command. More arguments go to its last step. */
function expand(command, args) {
  const steps = COMMANDS[command];
  if (!steps) return [[command, ...args]];
  if (command === "page" && name !== "page") {
    if (isPageFresh()) return [];
    console.error("Building the page. It is built again when its sources change.");
  }
  return steps.flatMap((step, index) => {
    if (step.atOnce !== undefined) return [step];
    const own = index === steps.length - 1 ? args : [];
    return COMMANDS[step[0]] ? expand(step[0], own) : [[...step, ...own]];
  });
}

/** Installs if the lockfile differs from the last installed lockfile. */
function install() {
  const stamp = join(root, "node_modules", ".quarterdeck-installed");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .update(process.platform + process.arch)
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.error("Setting up: installing what package-lock.json names. The first time takes a minute or two.");
  const result = spawnSync("npm", ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["inherit", 2, "inherit"],
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
  console.error("Set up.\n");
}

/** The tests drive a real browser. */
function installChromium() {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/bin", "/snap/bin"];
  if (process.env.QUARTERDECK_CHROMIUM || names.some((file) => folders.some((at) => existsSync(join(at, file)))))
    return;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && spawnSync("apt-get", ["--version"]).status === 0) {
    console.error("Setting up: installing Chromium for the tests of the page (apt-get).");
    const quiet = { stdio: ["inherit", 2, "inherit"], env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    spawnSync("apt-get", ["update", "-qq"], quiet);
    if (spawnSync("apt-get", ["install", "-y", "-qq", "chromium"], quiet).status === 0) return;
  }
  console.error(
    "The page tests need Chromium or Chrome, but none is on the PATH. Install it (for example\n" +
      "'apt-get install chromium', 'brew install --cask chromium'), or set QUARTERDECK_CHROMIUM. Then run this again.",
  );
  process.exit(1);
}

/** Whether the page is newer than all its sources. */
function isPageFresh() {
  const built = join(root, "packages/web/dist/index.html");
  if (!existsSync(built)) return false;
  const { mtimeMs } = statSync(built);
  const sources = ["web", "client", "session", "permissions", "protocol"].map((at) => join(root, "packages", at));
  return !sources.some((at) =>
    ["package.json", "index.html", "vite.config.ts", ...sourceFiles(join(at, "src"))].some((file) => {
      const path = join(at, file);
      return existsSync(path) && statSync(path).mtimeMs > mtimeMs;
    }),
  );
}

function sourceFiles(folder) {
  return readdirSync(folder, { recursive: true }).map((file) => join("src", file));
}

function pinnedNode() {
  const pinned = join(root, "node_modules", ".bin", "node");
  // CI tests every supported Node, so it uses the one that started this.
  for (const candidate of process.env.QUARTERDECK_NODE === "own" ? [process.execPath] : [pinned, process.execPath]) {
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

/** As many as there are processors. What one prints is shown when it ends. After a failure, no more begin. */
async function runAtOnce(commands) {
  const waiting = [...commands];
  let failed = 0;
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined && failed === 0; next = waiting.shift())
      failed = (await run(next, "pipe")) || failed;
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return failed;
}

function run([command, ...args], output) {
  const bin = join(root, "node_modules", ".bin");
  const child = spawn(command === "node" ? node : join(bin, command), args, {
    cwd: root,
    stdio: output === "pipe" ? ["ignore", "pipe", "pipe"] : "inherit",
    env: { ...process.env, PATH: `${dirname(node)}:${bin}:${process.env.PATH}` },
  });
  children.add(child);
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes) => said.push(bytes));
  return new Promise((resolve) => {
    child.on("error", (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on("close", (code, signal) => {
      children.delete(child);
      process.stdout.write(Buffer.concat(said));
      resolve(code ?? (signal === "SIGINT" ? 130 : 1));
    });
  });
}
