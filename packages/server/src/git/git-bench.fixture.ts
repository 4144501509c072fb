// Repositories for the tests of this folder: an empty home folder, a shared folder, and invented sessions.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { containedPaths } from "../files/contained-path.ts";
import { GitWork } from "./git-work.ts";
import type { GitHost, TreeSight } from "./tree.ts";

export interface MadeUpSession {
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  readonly phase: "idle" | "tool";
  readonly archived?: boolean;
}

export class GitBench {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "quarterdeck-git-")));
  readonly shared = join(this.folder, "shared");
  readonly home = join(this.folder, "home");
  readonly programs = join(this.folder, "programs");
  readonly sight: TreeSight;
  readonly git: GitWork;
  sessions: readonly MadeUpSession[] = [];

  constructor() {
    for (const path of [this.shared, this.home, this.programs, join(this.folder, "data")])
      mkdirSync(path, { mode: 0o700 });
    vi.stubEnv("HOME", this.home);
    vi.stubEnv("PATH", `${this.programs}:${process.env["PATH"]}`);
    writeFileSync(join(this.home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
    const paths = containedPaths({ roots: [this.shared], isHidden: (path) => path.endsWith("/.env") });
    this.sight = { roots: paths, sight: { paths, named: paths } };
    this.git = new GitWork(this.#host(), join(this.folder, "data"));
  }

  #host(): GitHost {
    const overviews = () =>
      this.sessions.map(({ id, title, cwd, phase, archived = false }) => ({
        ...{ id, title, cwd, phase, archived, live: phase === "tool", runningTasks: 0 },
      }));
    return { overviews, opened: () => undefined } as unknown as GitHost;
  }

  run(cwd: string, ...args: readonly string[]): string {
    const env = { PATH: process.env["PATH"], HOME: this.home, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C.UTF-8" };
    return execFileSync("git", args, { cwd, env, stdio: "pipe" }).toString().replace(/\n$/, "");
  }

  /** A repository with one commit of these files. */
  repository(name: string, files: Readonly<Record<string, string>> = { "a.txt": "one\ntwo\nthree\n" }): string {
    const root = join(this.shared, name);
    mkdirSync(root);
    this.run(root, "init", "--quiet", "-b", "main");
    this.write(root, files);
    this.run(root, "add", "--all");
    this.run(root, "commit", "--quiet", "-m", "First");
    return root;
  }

  write(root: string, files: Readonly<Record<string, string | Buffer>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  }

  /** A program on the PATH. */
  program(name: string, script: string): string {
    const path = join(this.programs, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  remove(): void {
    vi.unstubAllEnvs();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a call was refused with. */
export const refusalIn = async (call: Promise<unknown>): Promise<{ code: string; message: string }> => {
  try {
    await call;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
  throw new Error("The call was not refused.");
};
