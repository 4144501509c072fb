// Starts model machines in a process of their own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const MODELS = fileURLToPath(new URL("model-machines.ts", import.meta.url));

/** Resolves when all are on the bus, with the function that ends them. */
export const modelMachines = async (
  url: string,
  seeds: Readonly<Record<string, string>>,
  sessions: number,
): Promise<() => void> => {
  const args = ["--conditions=source", MODELS, url, String(sessions)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit", "ipc"] });
  child.stdin!.write(`${JSON.stringify(seeds)}\n`);
  await once(child.stdout!, "data");
  return () => void child.kill();
};
