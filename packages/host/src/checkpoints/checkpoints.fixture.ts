// A host over the simulator that takes snapshots in a folder of its own, and the steps that its tests share.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Script } from "@quarterdeck/simulator";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { bench } from "../host-bench.fixture.ts";
import type { HostOptions } from "../host.ts";
import type { Reviews } from "./review.ts";
import type { Session } from "../session/session.ts";

const TOOLS = ["Bash", "Write", "Edit", "NotebookEdit", "Task", "Agent"];

type Step = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

export const write = (path: string, content: string): Step => ({ tool: "Write", input: { file_path: path, content } });
export const shell = (command: string): Step => ({ tool: "Bash", input: { command } });

/** A prompt that makes the model use these tools, one after the other. */
export const script = (when: string, ...steps: readonly Step[]): Script => ({
  when,
  steps: [...steps.map((step) => ({ say: [step] })), { say: [{ text: "Done." }] }],
});

export const reviewBench = async (scripts: (cwd: string) => readonly Script[], over: Partial<HostOptions> = {}) => {
  // The scripts name absolute paths, and the folder is known only now.
  const placed: Script[] = [];
  const data = scratchFolder();
  const made = await bench(placed, { snapshots: { folder: join(data, "snapshots") }, ...over });
  const cwd = join(made.cwd, "work");
  mkdirSync(cwd);
  writeFileSync(join(made.cwd, "scenario.json"), JSON.stringify({ name: "test", scripts: scripts(cwd) }));
  const start = (): Promise<Session> =>
    made.host.start({ cwd, cli: { permissionMode: "acceptEdits", allowedTools: TOOLS } });
  const { reviews, wayBack } = made.host;
  return { ...made, cwd, root: made.cwd, data, start, reviews: reviews!, wayBack: wayBack! };
};

/** Sends a prompt and waits for the end of its turn and for its snapshot. Gives the prompt's id. */
export const said = async (made: { readonly reviews: Reviews }, session: Session, text: string): Promise<string> => {
  const { uuid } = await session.prompt(text);
  await session.reply(uuid);
  // What is written from now on is not part of the turn.
  await made.reviews.changes(session);
  return uuid;
};

export const put = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
};

/** All files of a folder with their contents, without repositories. */
export const contentsOf = (folder: string): Record<string, string> => {
  const found: Record<string, string> = {};
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.name === ".git") continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) found[path] = readFileSync(join(folder, path), "latin1");
    }
  };
  walk("");
  return found;
};

export const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });
