// The main journeys with the real CLI behind the page and a scripted API. Elsewhere, the simulator plays these turns.
// The CLI's environment is built from nothing.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApi } from "@quarterdeck/simulator";
import type { Api, Scenario } from "@quarterdeck/simulator";
import { afterAll, describe, expect, it } from "vitest";
import { cacheFolder, claudeProgram, NEWEST } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import { NO_SERVER } from "./deck.ts";
import {
  allowAs,
  allowIn,
  chooseAllow,
  composerOf,
  denyBy,
  dockOf,
  pressArmed,
  rowIds,
  rowWith,
  send,
  settled,
  useDeck,
} from "./journey.ts";
import { pastePicture } from "./paste.ts";
import { QUESTIONS, SCENARIO, untilFile } from "./scenario.ts";

const REAL: Scenario = {
  ...SCENARIO,
  name: "page, for the real CLI",
  scripts: [
    {
      when: "plan the lock",
      steps: [
        { say: [{ tool: "ExitPlanMode", input: { plan: "# Open the lock\n\n1. Ring the bell\n" } }] },
        { say: [{ text: "The gate is open." }] },
      ],
    },
    {
      when: "moor it twice",
      steps: [
        { say: [{ tool: "Bash", input: { command: "touch bow.txt && mkdir -p stern" } }] },
        { say: [{ tool: "Bash", input: { command: "touch bow.txt && mkdir -p stern" } }] },
        { say: [{ text: "Moored twice." }] },
      ],
    },
    {
      when: "keep the lookout",
      steps: [
        {
          say: [
            {
              tool: "Bash",
              input: { command: `${untilFile("in-sight")}; echo $((6 * 7)) knots`, run_in_background: true },
            },
          ],
        },
        { say: [{ text: "Somebody looks out." }] },
      ],
    },
    {
      when: "read the chart",
      steps: [
        { say: [{ tool: "Read", input: { file_path: "chart.pdf" } }] },
        { say: [{ text: "The chart is read." }] },
      ],
    },
    {
      when: "change your settings",
      steps: [
        { say: [{ tool: "Write", input: { file_path: ".claude/commands/moor.md", content: "Moor.\n" } }] },
        { say: [{ tool: "Write", input: { file_path: ".claude/commands/sail.md", content: "Sail.\n" } }] },
        { say: [{ text: "Settled in." }] },
      ],
    },
    {
      when: "recite without end",
      steps: [{ say: [{ text: "line after line ".repeat(4000) }], pace: { deltaMs: 50, deltaChars: 16 } }],
    },
    // Names of folders are known to the simulator alone.
    ...SCENARIO.scripts.filter((script) => !JSON.stringify(script).includes("{{")),
  ],
};

const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 46>>stream
BT /F1 24 Tf 20 40 Td (Here be dragons) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
%%EOF
`;

let api: Api;
const home = mkdtempSync(join(tmpdir(), "quarterdeck-real-page-"));
afterAll(async () => {
  await api?.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
});

const aboard = useDeck(async () => {
  const { command, args } = await claudeProgram(NEWEST);
  api = await startApi({ scenario: REAL });
  // The wrapper that runs it has a path already.
  const { PATH: _path, ...env } = cleanEnv({
    home,
    tmp: home,
    apiUrl: api.url,
    compileCache: join(cacheFolder(), "compiled"),
  });
  return { scenario: REAL, program: { command, args, env } };
});

/** One session for the tests that need no settings of their own: a start of the CLI costs more than most of these tests. */
let plain: string | undefined;
const atPlainSession = async (): Promise<void> => {
  const { deck, page } = aboard;
  if (plain === undefined) plain = await deck.atSession(page);
  else await deck.goTo(page, plain);
};

const childrenOf = (pid: number): number[] =>
  execFileSync("ps", ["-axo", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/u).map(Number))
    .flatMap(([child, parent]) => (parent === pid ? [child!] : []));
/** A process that ended and was not waited for is a zombie. It is not alive. */
const isAlive = (pid: number): boolean => {
  const found = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return found !== "" && !found.startsWith("Z");
};
const made = (name: string): boolean => existsSync(join(aboard.deck.place.cwd, name));
const lastAnswer = () => aboard.deck.answersToCli().at(-1);
const saidToApi = (): string => JSON.stringify(api.requests.map(({ body }) => body));

describe(`[E26] Claude Code ${NEWEST} behind the page`, () => {
  it("shows text while it is written, once, and says so in the status", async () => {
    const { page } = aboard;
    await atPlainSession();
    await send(page, "recite");
    const verses = page.locator("[data-row]").getByRole("listitem");
    // Some of it is there while it is written; looked at in the page, which is never late.
    await page.waitForFunction(() => {
      const said = document.querySelectorAll("[data-row] li").length;
      const status = document.querySelector("footer[aria-label=Status]")?.textContent ?? "";
      return said > 1 && said < 40 && status.includes("writing");
    });
    await verses.nth(39).waitFor();
    await settled(page);
    await expect.poll(() => verses.count()).toBe(40);
    const ids = await rowIds(page);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it(
    "[E179] starts from the home page, with a model that it reports, a mode and an effort",
    { tags: "long" },
    async () => {
      const { deck, page } = aboard;
      await page.goto(`${deck.server.url}/#/`);
      const box = page.getByRole("textbox", { name: "What should Claude do?" });
      const choose = async (chip: RegExp, item: RegExp): Promise<void> => {
        await page.getByRole("main").getByRole("button", { name: chip }).click();
        await page.getByRole("menuitemradio", { name: item }).first().click();
      };
      // The command list of the session before: then its models are known, too.
      await box.fill("/compac");
      await page.getByRole("option", { name: /^\/compact/u }).waitFor();
      await choose(/^Model: /u, /^Sonnet/u);
      await choose(/^Effort: /u, /^High/u);
      await choose(/^Mode: /u, /^Accept edits/u);
      await box.fill("please say hello");
      await box.press("Enter");
      await rowWith(page, "Hello from the deck.").waitFor();
      await settled(page);
      const { sessions } = await deck.client.call("sessions/list", {});
      expect(sessions[0]).toMatchObject({ title: "say hello", mode: "acceptEdits" });
      expect(sessions[0]!.model).toContain("sonnet");
      await expect.poll(() => page.getByRole("button", { name: /^Model: Sonnet/u }).count()).toBe(1);
    },
  );

  it("runs the command that was edited before it was allowed", async () => {
    const { page } = aboard;
    await atPlainSession();
    await send(page, "misspell it");
    const dock = dockOf(page);
    await dock.getByRole("button", { name: "Edit E" }).click();
    await dock.getByRole("textbox", { name: "command" }).fill("touch right.txt");
    await pressArmed(dock.getByRole("button", { name: "Allow as edited" }));
    await rowWith(page, "The file is there.").waitFor();
    await rowWith(page, "edited before running").waitFor();
    expect([made("wrong.txt"), made("right.txt")]).toEqual([false, true]);
    await settled(page);
  });

  it(
    "is allowed a command of several for the session, and does not ask for a part of it again",
    { tags: "long" },
    async () => {
      const { deck, page } = aboard;
      await deck.atSession(page);
      await send(page, "moor it twice");
      await chooseAllow(dockOf(page), /^For this session/u);
      await pressArmed(allowAs(dockOf(page), "Allow for this session"));
      await rowWith(page, "Moored twice.").waitFor();
      await settled(page);
      expect(lastAnswer()?.updatedPermissions).toMatchObject([{ destination: "session" }, { destination: "session" }]);
    },
  );

  it("may change its own settings for the session, which the CLI does not suggest", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    // In a folder of its own: sessions beside it would have to trust these settings first.
    const cwd = join(deck.place.cwd, "settings");
    mkdirSync(cwd);
    await deck.atSession(page, { cwd });
    await send(page, "change your settings");
    const dock = dockOf(page);
    await chooseAllow(dock, /^For this session/u);
    await pressArmed(allowAs(dock, "Allow for this session"));
    await rowWith(page, "Settled in.").waitFor();
    await settled(page);
    await expect.poll(() => made("settings/.claude/commands/sail.md")).toBe(true);
    expect(lastAnswer()?.updatedPermissions).toMatchObject([{ type: "addRules", destination: "session" }]);
  });

  it("shows what a command in the background prints, to its last word", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { settings: { allowedTools: ["Bash"] } });
    await send(page, "keep the lookout");
    await rowWith(page, "Somebody looks out.").waitFor();
    const card = rowWith(page, untilFile("in-sight"));
    await card.getByText("no output yet").waitFor();
    writeFileSync(join(deck.place.cwd, "in-sight"), "");
    await card.getByText("In the background: completed").waitFor();
    await card.getByText("42 knots").waitFor();
    await expect.poll(() => card.getByText("no output yet").count()).toBe(0);
    await settled(page);
  });

  it("has read a PDF, which the browser's own viewer opens", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    writeFileSync(join(deck.place.cwd, "chart.pdf"), PDF);
    await atPlainSession();
    await send(page, "read the chart");
    await rowWith(page, "The chart is read.").waitFor();
    await settled(page);
    const card = rowWith(page, "chart.pdf");
    await card.getByText("chart.pdf").click();
    const [viewer] = await Promise.all([
      page.context().waitForEvent("page"),
      card.getByRole("button", { name: "Open", exact: true }).click(),
    ]);
    await expect.poll(() => viewer.url()).toMatch(/^blob:/u);
    await viewer.close();
    // Elsewhere no page may open another.
    expect(deck.takeTroubles()).toContainEqual(expect.stringMatching(/^popup: blob:/u));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      card.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("chart.pdf");
    expect(readFileSync(await download.path(), "utf8")).toBe(PDF);
  });

  it("is denied with a reason, which the model is told", async () => {
    const { page } = aboard;
    await atPlainSession();
    await send(page, "delete everything");
    const dock = dockOf(page);
    await denyBy(dock, "Deny with a reason");
    await dock.getByLabel("What should Claude do instead?").fill("Leave the precious one alone.");
    await dock.getByRole("button", { name: "Deny with this reason" }).click();
    await rowWith(page, "Understood, I leave it.").waitFor();
    expect(made("precious.txt")).toBe(false);
    expect(saidToApi()).toContain("Leave the precious one alone.");
    await settled(page);
  });

  it("asks, and gets the answers", async () => {
    const { page } = aboard;
    await atPlainSession();
    await send(page, "ask me three");
    const dock = dockOf(page);
    await dock.getByText("Brest", { exact: true }).click();
    await dock.getByRole("button", { name: "Next ↵" }).click();
    await dock.getByText("Times", { exact: true }).click();
    await dock.getByText("Moon", { exact: true }).click();
    await dock.getByRole("button", { name: "Next ↵" }).click();
    await dock.getByLabel("Other", { exact: true }).fill("Ebb & Flow");
    await dock.getByRole("button", { name: "Send answers ↵" }).click();
    await rowWith(page, "Noted, all three.").waitFor();
    expect(lastAnswer()?.updatedInput).toMatchObject({
      answers: { [QUESTIONS[0].question]: "Brest", [QUESTIONS[1].question]: "Times, Moon" },
    });
    expect(saidToApi()).toContain("Ebb & Flow");
    await settled(page);
  });

  it("has its plan approved, and continues in the chosen mode", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { settings: { permissionMode: "plan" } });
    await send(page, "plan the lock");
    const dock = dockOf(page);
    await dock.getByRole("heading", { name: "Open the lock" }).waitFor();
    await dock.getByLabel("Mode after the plan").selectOption("acceptEdits");
    await pressArmed(dock.getByRole("button", { name: "Approve" }));
    await rowWith(page, "The gate is open.").waitFor();
    await page.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
    await expect
      .poll(() => lastAnswer())
      .toMatchObject({ updatedPermissions: [{ type: "setMode", mode: "acceptEdits" }] });
    await settled(page);
  });

  it("is interrupted, and takes the next message", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await atPlainSession();
    await send(page, "never end");
    await rowWith(page, "and on it goes").waitFor();
    await composerOf(page).press("Escape");
    await settled(page);
    await rowWith(page, "You stopped this").waitFor();
    expect(await rowWith(page, "never end").innerText()).not.toMatch(/interrupted|stopped/u);
    await send(page, "say hello");
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    expect(await rowWith(page, "say hello").innerText()).not.toMatch(/done|started/u);
    await expect.poll(() => deck.promptsToCli().slice(-2)).toEqual(["never end", "say hello"]);
  });

  it(
    "[E211] is stopped by signals if it does not react, and resumes with the next message",
    { tags: "long" },
    async () => {
      const { deck, page } = aboard;
      await atPlainSession();
      const { head } = await deck.client.call("session/subscribe", { session: plain! });
      const recorder = head.process!.pid!;
      const [cli] = childrenOf(recorder);
      await send(page, "recite without end");
      await rowWith(page, "line after line").waitFor();
      process.kill(cli!, "SIGSTOP");
      await page.getByRole("button", { name: "Stop" }).click();
      const note = page.getByRole("alert").filter({ hasText: "Claude Code has not stopped yet." });
      await note.getByText("changed files and queued messages are kept").waitFor();
      await note.getByRole("button", { name: "Stop the process" }).click();
      await rowWith(page, "The process was stopped during this turn.").waitFor();
      await note.waitFor({ state: "detached" });
      await rowWith(page, "line after line").waitFor();
      await expect.poll(() => [isAlive(recorder), isAlive(cli!)]).toEqual([false, false]);
      await send(page, "a third thought");
      await rowWith(page, "A third thought.").waitFor();
      await settled(page);
      const last = JSON.stringify(api.requests.findLast(({ path }) => path.includes("/messages"))?.body);
      expect(last).toContain("recite without end");
    },
  );

  it(
    "folds one prompt into the running turn, and runs another after it; one is edited, one cancelled",
    { tags: "long" },
    async () => {
      const { deck, page } = aboard;
      await deck.atSession(page, { settings: { allowedTools: ["Bash"] } });
      await send(page, "wait at the gate");
      await rowWith(page, untilFile("open-gate")).getByText("running").waitFor();
      await send(page, "mind the fog");
      for (const words of ["second thought", "third thought"]) {
        await composerOf(page).fill(words);
        await composerOf(page).press("Alt+Enter");
        await rowWith(page, words).getByText("after this turn").waitFor();
      }
      await rowWith(page, "third thought").getByRole("button", { name: "Cancel" }).click();
      await rowWith(page, "third thought").getByText("cancelled").waitFor();
      await rowWith(page, "second thought").getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Edit message", { exact: true }).fill("say hello");
      await page.getByRole("button", { name: "Save" }).click();
      await rowWith(page, "say hello").getByText("queued").waitFor();
      writeFileSync(join(deck.place.cwd, "open-gate"), "");
      await rowWith(page, "I mind the fog.").waitFor();
      await rowWith(page, "Hello from the deck.").waitFor();
      await settled(page);
      await expect.poll(() => rowWith(page, "A second thought.").count()).toBe(0);
      await expect.poll(() => rowWith(page, "A third thought.").count()).toBe(0);
    },
  );

  it("sees a picture that was pasted", { tags: "long" }, async () => {
    const { page } = aboard;
    await atPlainSession();
    await pastePicture(page, "brass.png");
    await page
      .getByRole("list", { name: "Attached files" })
      .getByText(/^\d+ B$/u)
      .waitFor();
    await send(page, "look at this picture");
    await rowWith(page, "A picture of one colour.").waitFor();
    await rowWith(page, "look at this picture").getByRole("img").waitFor();
    expect(saidToApi()).toContain('"media_type":"image/png"');
    await settled(page);
  });

  it("continues after the server was killed during a turn", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    deck.expectTrouble(NO_SERVER);
    await deck.atSession(page, { prompt: "say hello" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await send(page, "touch it");
    await allowIn(dockOf(page)).waitFor();
    await deck.kill();
    await page.getByRole("status").getByText("Offline").waitFor();
    await deck.restart();
    await page.getByText("The request ended because Claude Code stopped.").waitFor();
    await send(page, "second thought");
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    // The new process knows what the first was told.
    const last = JSON.stringify(api.requests.findLast(({ path }) => path.includes("/messages"))?.body);
    expect(last).toContain("say hello");
    expect(last).toContain("second thought");
    expect(made("made.txt")).toBe(false);
  });
});
