import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { readFolder } from "./folder-contents.ts";

const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = scratchFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
};
const filesIn = async (folder: string, quick = false): Promise<string[]> =>
  (await readFolder(folder, { configDir: "/nowhere/.claude", quick })).files.map(
    ({ path, kind }) => `${relative(folder, path)} ${kind}`,
  );

describe("[S65] skills in subfolders", () => {
  test("are found at any depth, and only what the CLI loads there", async () => {
    const folder = folderWith({
      ".claude/skills/own/SKILL.md": "own",
      "a/.claude/skills/x/SKILL.md": "x",
      "a/.claude/commands/c.md": "not loaded",
      "a/b/c/.claude/skills/y/run.sh": "y",
    });
    const below = ["a/.claude/skills/x/SKILL.md file", "a/b/c/.claude/skills/y/run.sh file"];
    expect(await filesIn(folder)).toEqual([".claude/skills/own/SKILL.md file", ...below]);
    expect(await filesIn(folder, true)).toEqual([".claude/skills/own/SKILL.md file"]);
  });

  test("behind a link that leads out of the folder cannot be trusted", async () => {
    const other = folderWith({ ".claude/skills/x/SKILL.md": "x" });
    const folder = scratchFolder();
    symlinkSync(other, join(folder, "linked"));
    expect(await filesIn(folder)).toEqual(["linked/.claude/skills link-outside"]);
  });

  test("of a worktree that the CLI made count only if they differ from the trusted ones", async () => {
    const folder = folderWith({
      ".claude/skills/own/SKILL.md": "own",
      ".claude/worktrees/one/.claude/skills/own/SKILL.md": "own",
      ".claude/worktrees/two/.claude/skills/own/SKILL.md": "evil",
    });
    expect(await filesIn(folder)).toEqual([
      ".claude/skills/own/SKILL.md file",
      ".claude/worktrees/two/.claude/skills/own/SKILL.md file",
    ]);
  });
});
