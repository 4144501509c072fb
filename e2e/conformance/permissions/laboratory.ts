// The folder where sessions run, and the programs in it. As root, the CLI runs as another user (it refuses bypassPermissions to
// root), so its files must be where that user can read them.
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import type { FileSpec } from "./case.ts";
import type { Laboratory, Program } from "./session.ts";

export const openLaboratory = (base: Readonly<Record<string, FileSpec>>): Laboratory & { close: () => void } => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "quarterdeck-permissions-")));
  chmodSync(root, 0o755);
  const mcpServer = join(root, "mcp-server.mjs");
  copyFileSync(fileURLToPath(new URL("mcp-server.mjs", import.meta.url)), mcpServer);
  const compiled = join(root, "compiled");
  mkdirSync(compiled);
  chmodSync(compiled, 0o777);
  return {
    root,
    mcpServer,
    base,
    close: () => {
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

export const programFor = async (version: string, root: string, say: (line: string) => void): Promise<Program> => {
  const program = await claudeProgram(version, say);
  if (process.getuid?.() !== 0) return program;
  const copy = join(root, `claude-${version}`);
  try {
    // Links cost nothing, where the file system has them.
    execFileSync("cp", ["-al", program.root, copy], { stdio: "ignore" });
  } catch {
    cpSync(program.root, copy, { recursive: true });
  }
  const moved = (path: string): string =>
    path.startsWith(program.root) ? copy + path.slice(program.root.length) : path;
  return { version, command: moved(program.command), args: program.args.map(moved) };
};
