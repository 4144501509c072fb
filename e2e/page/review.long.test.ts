// A review from end to end: pictures, notebooks, moves and submodules, patches, questions about a selection, hidden
// tabs, push and pull request. Then the same with real CLIs behind the page.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { startApi } from "@quarterdeck/simulator";
import type { Api, Block, Scenario, Step } from "@quarterdeck/simulator";
import { cacheFolder, claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import { TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import type { Locator, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { expectSound } from "./axe.ts";
import { PHONE } from "./deck.ts";
import type { Aboard } from "./journey.ts";
import { rowWith, send, settled, useDeck } from "./journey.ts";

const says = (...say: readonly Block[]): Step => ({ say });
const use = (tool: string, input: Readonly<Record<string, unknown>>): Block => ({ tool, input });
const bash = (command: string): Block => use("Bash", { command, description: "Do it" });

const TIDE = Array.from({ length: 40 }, (_, at) => `const level = ${at + 1};`).join("\n");
/** Pictures of one point and of four. */
const SMALL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNwaDgAAAKEAYEml6crAAAAAElFTkSuQmCC",
  "base64",
);
const LARGE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGNwaDgARAwQCgAoDgYBQzpj2gAAAABJRU5ErkJggg==",
  "base64",
);
const notebook = (code: string): string =>
  JSON.stringify({
    cells: [
      { cell_type: "markdown", source: "# Measured" },
      { cell_type: "code", source: code, outputs: [] },
    ],
    metadata: {},
  });

const gitIn = (home: string, cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "protocol.file.allow=always", ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: "pipe",
  })
    .toString()
    .trim();

/** A repository of its own, and git in it. */
const makeFolder = ({ deck }: Aboard, name: string, files: Readonly<Record<string, string | Buffer>>) => {
  const { cwd, home } = deck.place;
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
  const folder = join(realpathSync(cwd), name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const git = (...args: readonly string[]): string => gitIn(home, folder, ...args);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "Begin");
  return { folder, git };
};

const benchOf = (page: Page): Locator => page.getByRole("complementary", { name: "Workbench" });
const fileIn = (page: Page, path: string): Locator => benchOf(page).getByRole("region", { name: path, exact: true });
const entryOf = (page: Page, path: string): Locator =>
  benchOf(page).getByRole("list", { name: "Changed files" }).getByRole("listitem").filter({ hasText: path });
const tabOf = (page: Page, name: string): Locator =>
  benchOf(page).getByRole("tab", { name: new RegExp(`^${name}(?: \\d+)?$`, "u"), selected: true });

const openChanges = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: /^Changes: / }).click();
  await benchOf(page).locator(".review-file").first().waitFor();
};

const choose = async (page: Page, menu: string | RegExp, item: string | RegExp): Promise<void> => {
  await benchOf(page).getByRole("button", { name: menu }).click();
  await page.getByRole("menu").getByText(item).first().click();
};

const saved = async (page: Page, item: string): Promise<string> => {
  const [download] = await Promise.all([page.waitForEvent("download"), choose(page, "More for changes", item)]);
  return readFileSync(await download.path(), "utf8");
};

const HARBOR: Scenario = {
  name: "a review",
  scripts: [
    {
      when: "go",
      steps: [
        says(
          use("Edit", {
            file_path: "{{cwd}}/src/tide.js",
            old_string: "const level = 12;\nconst level = 13;",
            new_string: "const level = measured(12);\nconst level = measured(13);",
          }),
        ),
        says(bash("cp large.png pic.png && cp other.ipynb nb.ipynb && mv docs/old.md docs/new.md")),
        says({ text: "Done." }),
      ],
    },
    { when: "Why both?", steps: [says({ text: "Because of the moon." })] },
  ],
  otherwise: [says({ text: "I know nothing of that." })],
};

const tools = mkdtempSync(join(tmpdir(), "quarterdeck-tools-"));
const program = (name: string, text: string): string => {
  writeFileSync(join(tools, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(tools, name), 0o755);
  return join(tools, name);
};
afterAll(() => rmSync(tools, { recursive: true, force: true }));

describe("with the simulator", () => {
  const path = process.env["PATH"];
  const aboard = useDeck(async () => {
    program("gh", `printf '%s\\n' "$@" > ${tools}/said; cat > ${tools}/body; echo https://example.com/ada/tide/pull/7`);
    process.env["PATH"] = `${tools}${delimiter}${path ?? ""}`;
    return { scenario: HARBOR };
  });
  afterAll(() => {
    process.env["PATH"] = path;
  });

  it("[E146] shows pictures, cells, moves and submodules, and gives patch, review and answers to a selection", async () => {
    const { deck, page } = aboard;
    const { folder, git } = makeFolder(aboard, "harbor", {
      "src/tide.js": `${TIDE}\n`,
      "docs/old.md": "a page\nthat keeps\nits words\n",
      "pic.png": SMALL,
      "large.png": LARGE,
      "nb.ipynb": notebook("print(6)"),
      "other.ipynb": notebook("print(7)"),
    });
    const library = makeFolder(aboard, "library", { "a.txt": "a\n" });
    git("submodule", "--quiet", "add", library.folder, "part");
    git("commit", "-q", "-m", "With a part");
    gitIn(deck.place.home, join(folder, "part"), "commit", "-q", "--allow-empty", "-m", "Another part");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await deck.atSession(page, {
      ...{ cwd: folder, title: "Harbor", withoutFolderSettings: true },
      settings: { permissionMode: "acceptEdits", allowedTools: ["Bash"] },
    });
    await send(page, "go");
    await page.locator("footer.turn").first().waitFor();
    await settled(page);
    await openChanges(page);

    const widths = () =>
      fileIn(page, "pic.png")
        .locator("figure img")
        .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
    await expect.poll(widths).toEqual([1, 2]);
    const cells = fileIn(page, "nb.ipynb");
    await cells.getByText("Cell 2, code, changed").waitFor();
    await cells.getByText("1 unchanged cell").waitFor();
    await expect
      .poll(() => cells.locator(".dl-add, .is-added").allTextContents())
      .toEqual([expect.stringContaining("print(7)")]);

    // A patch that git takes back, and the same one in the download and in the review.
    await choose(page, "More for changes", "Copy as patch");
    await page.getByText("Patch copied.").waitFor();
    const patch = await page.evaluate(() => navigator.clipboard.readText());
    const check = join(tools, "check.patch");
    writeFileSync(check, patch);
    git("apply", "--check", "--reverse", check);
    expect(await saved(page, "Download patch")).toBe(patch);

    // Text that somebody selected.
    const lines = fileIn(page, "src/tide.js").locator(".dl-add .dl-text");
    await lines.nth(1).scrollIntoViewIfNeeded();
    const [first, last] = [(await lines.nth(0).boundingBox())!, (await lines.nth(1).boundingBox())!];
    await page.mouse.move(first.x + 2, first.y + first.height / 2);
    await page.mouse.down();
    await page.mouse.move(last.x + 80, last.y + last.height / 2, { steps: 5 });
    await page.mouse.up();
    await benchOf(page).getByRole("button", { name: "Ask about lines 12 to 13" }).click();
    await benchOf(page).getByRole("textbox", { name: "Comment" }).fill("Why both?");
    expect(await saved(page, "Download review")).toContain("No comments.");
    await benchOf(page).getByRole("button", { name: "Ask now" }).click();
    await rowWith(page, "Because of the moon.").waitFor();
    await expect
      .poll(() => deck.promptsToCli().at(-1))
      .toBe("src/tide.js, lines 12-13:\n```\nconst level = measured(12);\nconst level = measured(13);\n```\nWhy both?");
    await settled(page);
    const review = await saved(page, "Download review");
    expect(review).toContain("src/tide.js, lines 12-13:");
    expect(review).toContain("+const level = measured(13);");

    await choose(page, /^Compared with: /u, "Since last commit");
    await entryOf(page, "new.md").getByText("docs/old.md →").waitFor();
    await entryOf(page, "new.md").getByText("by a command").waitFor();
    await entryOf(page, "part").getByText("submodule").waitFor();
    await fileIn(page, "part").getByText("Another part").waitFor();
    // The way back is here too.
    await benchOf(page).getByRole("button", { name: "Rewind…" }).click();
    await page.getByRole("menuitem", { name: /^go/u }).waitFor();
    await page.keyboard.press("Escape");

    // The Git tab shows the submodule, and what it moved from and to.
    await page.locator("h1").click();
    await page.keyboard.press("g");
    await page.keyboard.press("g");
    const submodules = benchOf(page).getByRole("region", { name: "Submodules" });
    const [from, to] = ["HEAD~1", "HEAD"].map((name) =>
      gitIn(deck.place.home, join(folder, "part"), "rev-parse", name).slice(0, 7),
    );
    await submodules.getByText(`${from!} → ${to!}`).waitFor();
    await expectSound(page, "submodules", ".bench");

    await page.locator("h1").click();
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    const rowOf = (name: string) => benchOf(page).locator(".tree-row", { hasText: name });
    await rowOf("nb.ipynb").locator(".tree-mark", { hasText: "M" }).waitFor();
    await rowOf("docs").locator(".tree-mark", { hasText: "•" }).waitFor();
    await expect.poll(() => rowOf("large.png").locator(".tree-mark").count()).toBe(0);
  });

  it("[E147] reaches every tab by its key and by the arrows, and those that do not fit by a menu", async () => {
    const { deck } = aboard;
    const { folder } = makeFolder(aboard, "tabs", { "a.txt": "a\n" });
    const page = await deck.open({ viewport: { width: 1024, height: 800 } });
    const id = await deck.atSession(page, { cwd: folder, title: "Tabs" });
    const tabs = Object.entries({ Changes: "c", Git: "g", Files: "f", Tasks: "t", Background: "b", Context: "x" });
    for (const [name, key] of [
      ...tabs,
      ["Cost", "$"],
      ["MCP", "m"],
      ["Hooks", "h"],
      ["Wire", "w"],
      ["Overview", "o"],
    ]) {
      await page.locator("h1").click();
      await page.keyboard.press("g");
      await page.keyboard.press(key!);
      await tabOf(page, name!).waitFor();
    }
    // The tab that is shown is in sight, whatever its place.
    const list = benchOf(page).getByRole("tablist");
    const isInSight = (name: string) => async (): Promise<boolean> => {
      const [seen, own] = [(await list.boundingBox())!, (await tabOf(page, name).boundingBox())!];
      return own.x >= seen.x - 1 && own.x + own.width <= seen.x + seen.width + 1;
    };
    await expect.poll(isInSight("Overview")).toBe(true);
    await tabOf(page, "Overview").focus();
    await page.keyboard.press("ArrowRight");
    await tabOf(page, "Changes").waitFor();
    await expect.poll(isInSight("Changes")).toBe(true);
    await benchOf(page).getByRole("button", { name: "More tabs" }).click();
    const names = page.getByRole("menu").getByRole("menuitem");
    await expect.poll(() => names.filter({ hasText: "Overview" }).count()).toBe(1);
    await expect.poll(() => names.filter({ hasText: "Changes" }).count()).toBe(0);
    await expectSound(page, "more tabs", ".bench");
    await names.filter({ hasText: "Overview" }).click();
    await tabOf(page, "Overview").waitFor();

    const phone = await deck.open({ ...PHONE, name: "Pixel" });
    await deck.goTo(phone, id);
    await phone.getByRole("button", { name: "Show workbench" }).tap();
    await phone.getByRole("button", { name: "More tabs" }).tap();
    const wire = phone.getByRole("menuitem", { name: /^Wire/u });
    await wire.waitFor();
    // It closes the menu, and not the sheet with it.
    await phone.keyboard.press("Escape");
    await wire.waitFor({ state: "hidden" });
    await phone.getByRole("button", { name: "More tabs" }).tap();
    await wire.tap();
    await tabOf(phone, "Wire").waitFor();
    await expect.poll(() => phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  it("[E148] pushes after a question, and creates a pull request with gh", async () => {
    const { deck, page } = aboard;
    const far = join(tools, "far");
    mkdirSync(join(far, "ada"), { recursive: true });
    const ssh = program("stand-in-ssh", `shift; cd ${far} && eval "$*"`);
    const { home } = deck.place;
    gitIn(home, far, "init", "-q", "--bare", "-b", "main", "ada/tide.git");
    const { folder, git } = makeFolder(aboard, "tide", { "a.txt": "a\n" });
    writeFileSync(
      join(home, ".gitconfig"),
      `[user]\n\tname = Ada\n\temail = ada@example.com\n[core]\n\tsshCommand = ${ssh}\n[ssh]\n\tvariant = simple\n`,
    );
    git("remote", "add", "origin", "git@example.com:ada/tide.git");
    git("push", "-q", "origin", "main");
    git("checkout", "-q", "-b", "spring");
    git("commit", "-q", "--allow-empty", "-m", "Raise the tide");
    await deck.atSession(page, { cwd: folder, title: "Tide" });
    await page.locator("h1").click();
    await page.keyboard.press("g");
    await page.keyboard.press("g");
    const tab = page.getByRole("region", { name: "Git", exact: true });
    const remote = tab.getByRole("region", { name: "Remote" });
    await remote.getByRole("button", { name: "Push or pull request…" }).click();
    await remote.getByText("git@example.com:ada/tide.git").waitFor();
    await remote.getByRole("list", { name: "Commits that the remote lacks" }).getByText("Raise the tide").waitFor();
    await remote.getByRole("button", { name: "Push 1 commit…" }).click();
    const question = page.getByRole("dialog", { name: "Push?" });
    await question.getByText("It never forces.").waitFor();
    await expectSound(page, "push", "dialog[open]");
    await question.getByRole("button", { name: "Push", exact: true }).click();
    await remote.getByRole("button", { name: "Nothing to push" }).waitFor();
    expect(gitIn(home, join(far, "ada/tide.git"), "log", "-1", "--format=%s", "spring")).toBe("Raise the tide");

    await remote.getByRole("button", { name: "Pull request…" }).click();
    const form = page.getByRole("dialog", { name: "Create a pull request" });
    await expect.poll(() => form.getByLabel("Title").inputValue()).toBe("Raise the tide");
    await form.getByLabel("Into").fill("main");
    await form.getByLabel("Description").fill("More water.");
    await form.getByLabel("Draft").check();
    await expectSound(page, "pull request", "dialog[open]");
    await form.getByRole("button", { name: "Create" }).click();
    await page.getByText("Pull request created: https://example.com/ada/tide/pull/7").waitFor();
    const said = readFileSync(join(tools, "said"), "utf8").trim().split("\n");
    expect(said).toEqual([
      ...["pr", "create", "--repo=example.com/ada/tide", "--head=spring", "--base=main"],
      ...["--title=Raise the tide", "--body-file=-", "--draft"],
    ]);
    expect(readFileSync(join(tools, "body"), "utf8")).toBe("More water.");
  });
});

const REAL: Scenario = {
  name: "a review, for the real CLI",
  scripts: [
    {
      when: "go",
      steps: [
        says(use("Write", { file_path: "bell.txt", content: "ding\ndong\n" })),
        says(bash("sed -i s/level/depth/ tide.txt")),
        says({ text: "Done." }),
      ],
    },
  ],
  otherwise: [says({ text: "I know nothing of that." })],
};

describe.each(TRIED_VERSIONS)("[E149] with Claude Code %s behind the page", (version) => {
  let home: string | undefined;
  let api: Api | undefined;
  afterAll(async () => {
    await api?.close();
    if (home !== undefined) rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });
  const aboard = useDeck(async () => {
    const { command, args } = await claudeProgram(version);
    home = mkdtempSync(join(tmpdir(), "quarterdeck-real-review-"));
    api = await startApi({ scenario: REAL });
    const compileCache = join(cacheFolder(), "compiled");
    const { PATH: _path, ...env } = cleanEnv({ home, tmp: home, apiUrl: api.url, compileCache });
    return { scenario: REAL, program: { command, args, env } };
  });

  it("changes by a tool, a command and a person are told apart, committed, rewound and brought back", async () => {
    const { deck, page } = aboard;
    const { folder, git } = makeFolder(aboard, "quay", { "tide.txt": "level 1\nlevel 2\n" });
    const read = (name: string): string => readFileSync(join(folder, name), "utf8");
    await deck.atSession(page, {
      ...{ cwd: folder, title: "Quay" },
      settings: { permissionMode: "acceptEdits", allowedTools: ["Bash"] },
    });
    await send(page, "go");
    await rowWith(page, "Done.").waitFor();
    await settled(page);
    await openChanges(page);
    expect(read("tide.txt")).toBe("depth 1\ndepth 2\n");
    await entryOf(page, "tide.txt").getByText("by a command").waitFor();
    await entryOf(page, "bell.txt").getByText("+2").waitFor();
    writeFileSync(join(folder, "mine.txt"), "by hand\n");
    await choose(page, "More for changes", "Refresh");
    await entryOf(page, "mine.txt").getByText("changed outside this session").waitFor();

    await page.locator("h1").click();
    await page.keyboard.press("g");
    await page.keyboard.press("g");
    const tab = page.getByRole("region", { name: "Git", exact: true });
    const staged = tab.getByRole("region", { name: "Staged", exact: true });
    await tab.getByRole("checkbox", { name: "Stage bell.txt" }).click();
    await staged.getByRole("button", { name: "bell.txt" }).waitFor();
    await tab.getByRole("textbox", { name: "Commit message" }).fill("Cast a bell");
    await tab.getByRole("button", { name: "Commit 1 file" }).click();
    await staged.getByText("Nothing is staged.").waitFor();
    expect(git("show", "--format=%s", "--name-only", "HEAD")).toBe("Cast a bell\n\nbell.txt");

    const prompt = rowWith(page, "go").first();
    await prompt.hover();
    await prompt.getByRole("button", { name: "Rewind to here" }).click();
    const dialog = page.getByRole("dialog", { name: "Rewind to before this message" });
    await dialog.getByRole("radio", { name: /^Files only/u }).check();
    await dialog.getByRole("list", { name: "Files that change" }).getByText("tide.txt").waitFor();
    await dialog.locator("button.btn-main:enabled").click();
    await page.getByText(/^Rewound\./u).waitFor();
    expect(read("tide.txt")).toBe("level 1\nlevel 2\n");
    expect(read("mine.txt")).toBe("by hand\n");
    // The commit has one, too.
    const toast = page.getByRole("region", { name: "Notifications" }).locator(".toast", { hasText: "Rewound." });
    await toast.getByRole("button", { name: "Undo" }).click();
    await page.getByText(/^The rewind is undone/u).waitFor();
    expect(read("tide.txt")).toBe("depth 1\ndepth 2\n");
    expect(read("bell.txt")).toBe("ding\ndong\n");
  });
});
