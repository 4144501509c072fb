// Git in the page: a hunk that is staged, committed and undone, and a session in a worktree from its start to the merge.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "@quarterdeck/simulator";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { send, settled, useDeck } from "./journey.ts";

const SCENARIO: Scenario = {
  name: "git",
  scripts: [
    { when: "Propose a git commit message", steps: [{ say: [{ text: "```\nRaise the tide\n```" }] }] },
    {
      when: "cast a bell",
      steps: [
        { say: [{ tool: "Write", input: { file_path: "{{cwd}}/bell.txt", content: "ding\ndong\n" } }] },
        { say: [{ text: "Cast." }] },
      ],
    },
  ],
};

const aboard = useDeck({ scenario: SCENARIO });

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);

const gitIn = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, {
    cwd,
    env: { PATH: process.env["PATH"], HOME: aboard.deck.place.home, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: "pipe",
  })
    .toString()
    .trim();

const repository = (name: string): string => {
  const { place } = aboard.deck;
  const root = join(realpathSync(place.cwd), name);
  mkdirSync(root);
  writeFileSync(join(place.home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
  gitIn(root, "init", "--quiet", "-b", "main");
  writeFileSync(join(root, "tide.txt"), `${LINES.join("\n")}\n`);
  gitIn(root, "add", "--all");
  gitIn(root, "commit", "--quiet", "-m", "First");
  return root;
};

/** The workbench with the Git tab, as G and G open it. */
const openGit = async (page: Page): Promise<Locator> => {
  await page.locator("h1").click();
  await page.keyboard.press("g");
  await page.keyboard.press("g");
  const tab = page.getByRole("region", { name: "Git", exact: true });
  await tab.waitFor();
  return tab;
};

describe("[E152] the Git tab", () => {
  it("stages one hunk, commits it with a message that Claude proposed, and undoes the commit", async () => {
    const { deck, page } = aboard;
    const root = repository("harbor");
    writeFileSync(join(root, "tide.txt"), `${LINES.with(1, "high").with(27, "low").join("\n")}\n`);
    await deck.atSession(page, { cwd: root, title: "Tides" });
    await page.getByRole("button", { name: "Git: branch main, uncommitted changes" }).waitFor();
    const tab = await openGit(page);
    const [staged, unstaged] = [
      tab.getByRole("region", { name: "Staged", exact: true }),
      tab.getByRole("region", { name: "Not staged" }),
    ];
    await unstaged.getByRole("button", { name: "tide.txt" }).click();
    await unstaged.getByRole("checkbox", { name: "Stage lines 25 to 30 of tide.txt" }).click();
    await staged.getByRole("button", { name: "tide.txt" }).click();
    await staged.getByRole("checkbox", { name: "Unstage lines 25 to 30 of tide.txt" }).waitFor();
    expect(gitIn(root, "diff", "--cached", "--numstat")).toBe("1\t1\ttide.txt");

    const box = tab.getByRole("textbox", { name: "Commit message" });
    await tab.getByRole("button", { name: "Ask Claude for a message" }).click();
    await expect.poll(() => box.inputValue()).toBe("Raise the tide");
    await tab.getByRole("button", { name: "Commit 1 file" }).click();
    await staged.getByText("Nothing is staged.").waitFor();
    expect(gitIn(root, "log", "-1", "--format=%s %an")).toBe("Raise the tide Ada");
    expect(gitIn(root, "diff", "--numstat")).toBe("1\t1\ttide.txt");

    await tab.getByRole("region", { name: "Undo" }).getByRole("button", { name: "Undo" }).click();
    await staged.getByRole("button", { name: "tide.txt" }).waitFor();
    expect(gitIn(root, "log", "-1", "--format=%s")).toBe("First");
    expect(gitIn(root, "diff", "--cached", "--numstat")).toBe("1\t1\ttide.txt");
  });
});

describe("[E153] a session in a worktree", () => {
  it("is started, compared, committed and merged, and comes back after it was discarded", async () => {
    const { page } = aboard;
    const root = repository("yard");
    const at = join(root, ".claude/worktrees/anchor");
    await page.getByRole("navigation", { name: "Sessions" }).getByRole("button", { name: "New", exact: true }).click();
    const start = page.getByRole("dialog", { name: "New session" });
    await start.getByRole("textbox", { name: "Folder" }).fill(root);
    await start.getByRole("checkbox", { name: "In a new worktree" }).check();
    await expect.poll(() => start.getByLabel("Name of worktree and branch").inputValue()).toBe("anchor");
    await expect.poll(() => start.getByLabel("From", { exact: true }).inputValue()).toBe("main");
    await start.getByLabel("Permission mode").selectOption("acceptEdits");
    await start.getByRole("button", { name: "Start", exact: true }).click();
    await page.locator(".entry-open .entry-tree").waitFor();

    await send(page, "cast a bell");
    await page.locator("[data-row]", { hasText: "Cast." }).waitFor();
    await settled(page);
    expect(existsSync(join(at, "bell.txt"))).toBe(true);
    const tab = await openGit(page);
    const staged = tab.getByRole("region", { name: "Staged", exact: true });
    await tab.getByRole("checkbox", { name: "Stage bell.txt" }).click();
    await staged.getByRole("button", { name: "bell.txt" }).waitFor();
    await tab.getByRole("textbox", { name: "Commit message" }).fill("Cast a bell");
    await tab.getByRole("button", { name: "Commit 1 file" }).click();
    await staged.getByText("Nothing is staged.").waitFor();

    const trees = tab.getByRole("region", { name: "Worktrees" });
    await trees.getByText("from main, 1 commit ahead").waitFor();
    await trees.getByRole("checkbox", { name: "Compare anchor" }).check();
    await trees.getByRole("row", { name: "bell.txt +2" }).getByRole("button").click();
    await trees.getByRole("region", { name: "bell.txt in anchor" }).getByText("ding").waitFor();

    await trees.getByRole("button", { name: "Merge anchor" }).click();
    const merge = page.getByRole("dialog", { name: "Merge anchor into main?" });
    await merge.getByText("main moves forward by 1 commit, with 1 file.").waitFor();
    await merge.getByRole("button", { name: "Merge", exact: true }).click();
    await merge.waitFor({ state: "detached" });
    expect(readFileSync(join(root, "bell.txt"), "utf8")).toBe("ding\ndong\n");

    writeFileSync(join(at, "left.txt"), "not committed\n");
    await trees.getByRole("button", { name: "Discard anchor" }).click();
    const discard = page.getByRole("dialog", { name: "Discard anchor?" });
    await discard.getByText("1 file not committed (undo brings them back)").waitFor();
    await discard.getByText("left.txt").waitFor();
    await discard.getByRole("button", { name: "Discard", exact: true }).click();
    await tab.getByText("The worktree of this session was removed.").waitFor();
    expect(existsSync(at)).toBe(false);
    const removal = tab.getByRole("listitem").filter({ hasText: "Removal of the worktree anchor" });
    await removal.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => existsSync(join(at, "left.txt"))).toBe(true);
    await tab.getByRole("checkbox", { name: "Stage left.txt" }).waitFor();
  });
});
