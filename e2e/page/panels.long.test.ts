// The panels for tasks, background work, MCP servers, hooks and the wire, with the contents that real CLIs give them.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { startApi } from "@quarterdeck/simulator";
import type { Api, Scenario } from "@quarterdeck/simulator";
import { afterAll, describe, expect, it } from "vitest";
import { cacheFolder, claudeProgram, NEWEST } from "@quarterdeck/test-kit/claude-cache";
import { TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import { expectSound } from "./axe.ts";
import { composerOf, rowWith, send, settled, useDeck } from "./journey.ts";
import { untilFile } from "./scenario.ts";

const uses = (tool: string, input: object) =>
  ({ say: [{ tool, input }] }) as Scenario["scripts"][number]["steps"][number];
const says = (text: string) => ({ say: [{ text }] }) as Scenario["scripts"][number]["steps"][number];

const SCENARIO: Scenario = {
  name: "panels",
  scripts: [
    {
      when: "keep tasks",
      steps: [
        uses("TaskCreate", { subject: "Build the hull", description: "All of oak", activeForm: "Building the hull" }),
        uses("TaskCreate", { subject: "Paint it", description: "Blue" }),
        uses("TaskUpdate", { taskId: "1", status: "in_progress", addBlocks: ["2"] }),
        says("Tasks are kept."),
      ],
    },
    {
      when: "look out",
      steps: [
        uses("Bash", { command: `echo "first light"; ${untilFile("in-sight")}; echo land`, run_in_background: true }),
        says("Somebody looks out."),
      ],
    },
    {
      when: "set an alarm",
      steps: [
        uses("CronCreate", { cron: "7 9 * * *", prompt: "Check the tide", recurring: true }),
        says("The alarm is set."),
      ],
    },
    { when: "hello", steps: [says("Hello from the panels.")] },
  ],
};

/** A server with one tool, in a process of its own. */
const SERVER = `
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result =
    method === "initialize"
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "Tide tables", version: "3.2" } }
      : method === "tools/list"
        ? { tools: [{ name: "next_tide", description: "When the next tide is", inputSchema: { type: "object" } }] }
        : {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;

const openTab = async (page: Page, title: string): Promise<Locator> => {
  const tab = page.getByRole("tab", { name: new RegExp(`^${title}`, "u") });
  if (!(await tab.isVisible())) await page.getByRole("button", { name: "Show workbench" }).click();
  await tab.click();
  const panel = page.getByRole("tabpanel", { name: title });
  await panel.waitFor();
  return panel;
};

describe.each(TRIED_VERSIONS)("[E172] panels of Claude Code %s", (version) => {
  let api: Api;
  const home = mkdtempSync(join(tmpdir(), "quarterdeck-panels-"));
  afterAll(async () => {
    await api?.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });
  const aboard = useDeck(async () => {
    const { command, args } = await claudeProgram(version);
    api = await startApi({ scenario: SCENARIO });
    mkdirSync(join(home, ".claude"), { recursive: true });
    const allowed = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
    const hooks = {
      PostToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo hooked" }] }],
      PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: `echo '${JSON.stringify(allowed)}'` }] }],
    };
    writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify({ hooks }));
    writeFileSync(join(home, "server.cjs"), SERVER);
    const compileCache = join(cacheFolder(), "compiled");
    const { PATH: _path, ...env } = cleanEnv({ home, tmp: home, apiUrl: api.url, compileCache });
    const tasks = { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", CLAUDE_CODE_ENABLE_TASKS: "1" };
    return { scenario: SCENARIO, program: { command, args, env: { ...env, ...tasks } } };
  });

  it("show tasks with what blocks them, as a list and as a board", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "keep tasks" });
    await rowWith(page, "Tasks are kept.").waitFor();
    await settled(page);
    const panel = await openTab(page, "Tasks");
    await panel.getByText("0 of 2").waitFor();
    await panel.getByText("Building the hull").waitFor();
    await panel.getByText("All of oak").waitFor();
    await panel.getByText("waits for 1 Build the hull").waitFor();
    await panel.getByText("Board", { exact: true }).click();
    const lanes = panel.getByRole("heading", { level: 3 });
    await expect.poll(() => lanes.allInnerTexts()).toEqual(["In progress\n1", "To do\n1", "Done\n0"]);
    await panel.getByText("Dependencies", { exact: true }).click();
    await panel.getByRole("img", { name: "2 Paint it waits for 1 Build the hull" }).waitFor();
    await panel.getByText("List", { exact: true }).click();
    await panel.getByRole("button", { name: /^\d changes of Build the hull$/u }).click();
    await panel.getByRole("link", { name: "to do → in progress" }).waitFor();
    await panel.getByRole("link", { name: "must come before 2 Paint it" }).waitFor();
    await expectSound(page, "tasks with their history", ".bench");
  });

  it("show a shell in the background with its output, and stop it", async () => {
    const { deck, page } = aboard;
    const session = await deck.atSession(page, { settings: { allowedTools: ["Bash", "CronCreate"] } });
    await send(page, "look out");
    await rowWith(page, "Somebody looks out.").waitFor();
    const panel = await openTab(page, "Background");
    if (version !== NEWEST) {
      await panel.getByText(/does not report when they end/u).waitFor();
      await expect.poll(() => panel.getByRole("link", { name: "Show in conversation" }).count()).toBe(1);
      return;
    }
    await panel.getByRole("heading", { name: "Running" }).waitFor();
    await panel.getByRole("button", { name: "Show output" }).click();
    await panel.getByText("first light", { exact: true }).waitFor();
    await panel.getByRole("button", { name: "Stop" }).click();
    await panel.getByRole("heading", { name: "Ended" }).waitFor();
    await expect.poll(() => panel.getByRole("heading", { name: "Running" }).count()).toBe(0);
    await settled(page);
    await send(page, "set an alarm");
    await rowWith(page, "The alarm is set.").waitFor();
    await panel.getByText("Check the tide").waitFor();
    await panel.getByText(/^set · .* · repeats/u).waitFor();
    await panel.getByText(/Alarms end with the process of this session/u).waitFor();
    await settled(page);
    await deck.client.command("sessions/close", { session });
    await panel.getByText(/^ended with its process/u).waitFor();
    await expectSound(page, "background work and alarms", ".bench");
  });

  /** One session for these four tests, which start with no MCP server. The last leaves two. */
  let greeted: string | undefined;
  const atGreeted = async (): Promise<string> => {
    const { deck, page } = aboard;
    if (greeted === undefined) greeted = await deck.atSession(page, { prompt: "hello" });
    else await deck.goTo(page, greeted);
    await rowWith(page, "Hello from the panels.").waitFor();
    await settled(page);
    return greeted;
  };

  it("[E217] open help with what this version has, and what it lacks", async () => {
    const { page } = aboard;
    await atGreeted();
    await composerOf(page).fill("/help");
    await composerOf(page).press("Enter");
    const help = page.getByRole("dialog", { name: "Help" });
    const part = (name: string): Locator => help.getByRole("region", { name });
    await part("Tools").getByText("Bash", { exact: true }).waitFor();
    await part("Tools").getByText("Runs a shell command", { exact: true }).waitFor();
    await part("Commands").getByText("/compact", { exact: false }).first().waitFor();
    await part("Agents").getByText("general-purpose", { exact: true }).waitFor();
    await part("Versions")
      .getByText(new RegExp(`^${version.replaceAll(".", "\\.")}`, "u"))
      .waitFor();
    const lacks = part(`What Claude Code ${version} lacks`);
    if (version === NEWEST) await lacks.getByText("Nothing that Quarterdeck knows of.").waitFor();
    else await lacks.getByText("--include-hook-events", { exact: true }).waitFor();
    await help.getByRole("searchbox", { name: "Search help" }).fill("shell command");
    await part("Agents").waitFor({ state: "detached" });
    await part("Tools").getByText("Runs a shell command", { exact: true }).waitFor();
    expect(await part("Agents").count()).toBe(0);
    await help.getByRole("button", { name: "Close", exact: true }).click();
    await help.waitFor({ state: "detached" });
  });

  it("[E200] add MCP servers to the session and to a file, show the change first, and remove them", async () => {
    const { deck, page } = aboard;
    const session = await atGreeted();
    const panel = await openTab(page, "MCP");
    const add = async (name: string, scope: string, shown: RegExp): Promise<void> => {
      await panel.getByRole("button", { name: "Add server" }).click();
      const dialog = page.getByRole("dialog", { name: "Add MCP server" });
      await dialog.getByLabel("Name", { exact: true }).fill(name);
      await dialog.getByLabel("Where").selectOption(scope);
      await dialog.getByLabel("Program", { exact: true }).last().fill(process.execPath);
      await dialog.getByLabel("Arguments (one per line)").fill(join(home, "server.cjs"));
      await dialog.getByLabel(/^Variables/u).fill("API_TOKEN=a-secret-of-the-sea");
      await dialog.getByRole("button", { name: "Show the change" }).click();
      const change = dialog.getByRole("region", { name: "What changes" });
      await change.getByText(shown).waitFor();
      await change.getByText("server.cjs").first().waitFor();
      expect(await change.innerText()).not.toContain("a-secret-of-the-sea");
      await dialog.getByRole("button", { name: "Save server" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    const row = (name: string) => panel.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) });
    await add("buoy", "session", /until its process ends/u);
    await expect
      .poll(async () => {
        await panel.getByRole("button", { name: "Refresh" }).click();
        return row("buoy").innerText();
      })
      .toContain("connected");
    // In a file the change is shown, too, and nothing of it starts in this process.
    await add("pier", "project", /\.mcp\.json/u);
    await panel.getByRole("heading", { name: "In files, not in this process" }).waitFor();
    for (const name of ["pier", "buoy"]) {
      await row(name)
        .getByRole("button", { name: `Remove ${name}` })
        .click();
      const dialog = page.getByRole("dialog", { name: "Remove MCP server" });
      await dialog.getByRole("button", { name: "Show the change" }).click();
      await dialog.getByRole("button", { name: "Remove server" }).click();
      await dialog.waitFor({ state: "detached" });
    }
    await panel.getByRole("heading", { name: "In files, not in this process" }).waitFor({ state: "detached" });
    const { servers } = await deck.client.call("mcp/servers", { session });
    expect(servers).toEqual([]);
  });

  it("[E199] show the settings that hold, or say that this version does not report them", async () => {
    const { deck, page } = aboard;
    const session = await atGreeted();
    const panel = await openTab(page, "Settings");
    await panel.getByText(/\$\d+ in, \$\d+ out per million tokens/u).waitFor();
    await panel.getByLabel("Model", { exact: true }).selectOption("haiku");
    await panel.locator("code", { hasText: "haiku" }).waitFor();
    if (version !== NEWEST) {
      await panel.getByText(/does not report its settings/u).waitFor();
      await panel.getByText(/reports no effort levels/u).waitFor();
      const cost = await openTab(page, "Cost");
      await cost.getByText(/does not report limits on request/u).waitFor();
      return;
    }
    await panel.getByLabel("Effort", { exact: true }).selectOption("high");
    await panel.getByLabel("Output style").selectOption("Explanatory");
    await expect
      .poll(() => deck.client.command("session/request", { session, request: { subtype: "get_settings" } }))
      .toMatchObject({ response: { applied: { effort: "high" }, effective: { outputStyle: "Explanatory" } } });
    await expect.poll(() => panel.getByLabel("Effort", { exact: true }).inputValue()).toBe("high");
    const cost = await openTab(page, "Cost");
    await cost.getByText(/This account has no plan limits/u).waitFor();
  });

  it("show MCP servers with their tools and errors, and turn one off", async () => {
    const { deck, page } = aboard;
    const session = await atGreeted();
    const servers = {
      tide: { type: "stdio", command: process.execPath, args: [join(home, "server.cjs")] },
      wreck: { type: "stdio", command: join(home, "no-such-program"), args: [] },
    };
    await deck.client.command("session/request", { session, request: { subtype: "mcp_set_servers", servers } });
    const panel = await openTab(page, "MCP");
    await expect
      .poll(async () => {
        await panel.getByRole("button", { name: "Refresh" }).click();
        return panel.getByRole("listitem").allInnerTexts();
      })
      .toEqual([expect.stringContaining("tide connected"), expect.stringContaining("wreck failed")]);
    await panel.getByRole("button", { name: "Show tools" }).click();
    await panel.getByText("next_tide").waitFor();
    await expect.poll(() => panel.getByText("next_tide").count()).toBe(1);
    // 2.1.38 still reports a server that was added during the session as connected.
    if (version !== NEWEST) return;
    const tide = panel.getByRole("listitem").filter({ hasText: "tide" }).first();
    await tide.getByRole("button", { name: "Turn off" }).click();
    await tide.getByRole("button", { name: "Turn on" }).waitFor();
  });

  it("show hooks that are configured and that fired, and every message of the wire", async () => {
    const { deck, page } = aboard;
    // No rule allows the command. The hook does.
    await deck.atSession(page, {});
    writeFileSync(join(deck.place.cwd, "in-sight"), "");
    await send(page, "look out");
    await rowWith(page, "Somebody looks out.").waitFor();
    await settled(page);
    const hooks = await openTab(page, "Hooks");
    // The older CLI does not list its hooks, and does not say when one fires.
    if (version === NEWEST) {
      await hooks.getByText("echo hooked").waitFor();
      await expect.poll(() => hooks.getByText("command · ~/.claude/settings.json").count()).toBe(2);
      await hooks.getByText("hooked", { exact: true }).waitFor();
      await hooks.getByText("answered this: allowed the call").waitFor();
      await page.getByText("allowed by a hook").waitFor();
    } else await hooks.getByText(/does not list its hooks/u).waitFor();
    const wire = await openTab(page, "Wire");
    await wire
      .getByRole("button", { name: /^system\/init from the CLI/u })
      .first()
      .waitFor();
    // Each message is one line, and none is wider than the panel.
    const [line, whole] = await wire.evaluate((panel) => {
      const first = panel.querySelector(".wire-line")!;
      const { lineHeight } = getComputedStyle(first);
      return [first.clientHeight < 2 * Number.parseFloat(lineHeight), panel.scrollWidth <= panel.clientWidth];
    });
    expect({ line, whole }).toEqual({ line: true, whole: true });
    await wire.getByText("To the CLI", { exact: true }).click();
    await wire
      .getByRole("button", { name: /^user to the CLI/u })
      .first()
      .waitFor();
    await expect.poll(() => wire.getByRole("button", { name: /from the CLI/u }).count()).toBe(0);
    await wire.getByText(/^\d+ of \d+ known types$/u).click();
    const name = "control_request/initialize";
    const counted = wire.getByRole("row").filter({ has: page.getByRole("button", { name }) });
    await expect.poll(() => counted.getByRole("cell").allInnerTexts()).toEqual(["1", "0", "0"]);
    await counted.getByRole("button", { name }).click();
    await wire.getByText("All", { exact: true }).click();
    await wire.getByText(/^1 message/u).waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await wire.getByRole("button", { name: "Copy as fixture" }).click();
    await expect
      .poll(async () => JSON.parse((await page.evaluate(() => navigator.clipboard.readText())) || "null") as unknown)
      .toMatchObject({ dir: "in", msg: { type: "control_request", request: { subtype: "initialize" } } });
    await expectSound(page, "the wire with its counts", ".bench");
    await wire.getByRole("button", { name: "Write a debug log" }).click();
    const log = join(deck.place.cwd, "debug.log");
    await wire.getByLabel("File for the debug log").fill(log);
    await wire.getByRole("button", { name: "Restart with log" }).click();
    await wire.getByText("Debug log of Claude Code:").waitFor();
    await expect.poll(() => wire.getByText(log, { exact: true }).count()).toBe(1);
    await expect.poll(() => existsSync(log) && readFileSync(log, "utf8")).toContain("[DEBUG]");
    await wire.getByRole("button", { name: "Restart without log" }).click();
    await wire.getByText("Claude Code writes no debug log for this session.").waitFor();
  });
});
