// The official Agent SDK, only as a peer to measure against. It is in no package.json, because it would bring its CLI
// (350 MB) into every install. It is downloaded on first use, without that CLI, into bench/.cache.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const SDK_VERSION = "0.3.325";
const PACKAGE = "@anthropic-ai/claude-agent-sdk";

/** The part of its types that is used here. */
export type Query = (call: {
  prompt: AsyncIterable<unknown>;
  options: Readonly<Record<string, unknown>>;
}) => AsyncIterable<unknown> & { initializationResult(): Promise<unknown> };

/** The folder of the SDK. BENCH_SDK names an installed SDK. */
export const agentSdkFolder = async (say: (line: string) => void): Promise<string> => {
  const given = process.env["BENCH_SDK"];
  if (given !== undefined && given !== "") return given;
  const folder = fileURLToPath(new URL(`.cache/agent-sdk-${SDK_VERSION}`, import.meta.url));
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial-${String(process.pid)}`;
  say(`fetching ${PACKAGE} ${SDK_VERSION} (5 MB, without its CLI) from the npm registry into bench/.cache`);
  mkdirSync(partial, { recursive: true });
  try {
    await install(partial);
    if (!existsSync(folder)) renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
};

export const loadQuery = async (folder: string): Promise<Query> => {
  const entry = join(folder, "node_modules", PACKAGE, "sdk.mjs");
  const loaded: { query?: unknown } = await import(pathToFileURL(entry).href);
  if (typeof loaded.query !== "function") throw new Error(`${entry} has no query()`);
  return loaded.query as Query;
};

const install = (folder: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    const lean = ["--omit=optional", "--ignore-scripts", "--legacy-peer-deps", "--no-save"];
    const child = spawn("npm", ["install", "--prefix", folder, ...lean, ...quiet, `${PACKAGE}@${SDK_VERSION}`], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (complaint += chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) return resolve();
      reject(
        new Error(
          `npm could not fetch ${PACKAGE}@${SDK_VERSION} (exit ${String(code)}). Check the network and 'npm config get ` +
            "registry', or set BENCH_SDK to a folder whose node_modules has it, or leave the comparison out with " +
            `--without-sdk.\n${complaint.trim()}`,
        ),
      );
    });
  });
