// Wraps a program and records every line that it gets, before it gets it.
// node recording-claude.ts <file> <command> [arguments]

import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [, , file = "", command = "", ...args] = process.argv;
const child = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop()!;
  for (const line of lines) {
    appendFileSync(file, `${line}\n`);
    child.stdin.write(`${line}\n`);
  }
});
process.stdin.on("end", () => child.stdin.end());
child.stdin.on("error", () => {
  // The program has ended. Its exit is handled below.
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === "SIGTERM" ? 143 : 1);
  process.stdin.destroy();
});
