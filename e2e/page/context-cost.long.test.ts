// The panels Context and Cost show what the CLI reported, with figures that fit each other.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectSound } from "./axe.ts";
import { rowWith, send, settled, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO });

const openTab = async (page: Page, title: string): Promise<void> => {
  const tab = page.getByRole("tab", { name: title, exact: true });
  if (!(await tab.isVisible())) await page.getByRole("button", { name: "Show workbench" }).click();
  await tab.click();
  await page.getByRole("region", { name: title, exact: true }).waitFor();
};
/** "13.4k" is 13400. */
const numberIn = (text: string): number => {
  const [, digits = "0", unit = ""] = /([\d.]+)\s*([kM]?)/u.exec(text) ?? [];
  return Number(digits) * ({ k: 1e3, M: 1e6 }[unit] ?? 1);
};

const turnsOf = async (session: string): Promise<number> => {
  const { head } = await aboard.deck.client.call("session/subscribe", { session, rows: 0 });
  return head.gauges?.turns ?? 0;
};

describe("[E170] the context panel", () => {
  it("draws parts that sum to the window, and names deferred tools as not used", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello", title: "Context" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await openTab(page, "Context");
    const panel = page.getByRole("region", { name: "Context", exact: true });
    const parts = panel.getByRole("table", { name: "Parts of the context" });
    await parts
      .getByRole("row", { name: /^Not loaded: deferred tools/u })
      .getByText("not used")
      .waitFor();
    const rows = await parts.getByRole("row").all();
    const tokens = await Promise.all(
      rows.slice(0, -1).map(async (row) => numberIn(await row.getByRole("cell").first().innerText())),
    );
    const sum = tokens.reduce((total, each) => total + each, 0);
    // Each figure is rounded to one digit after the point.
    expect(Math.abs(sum - 1_000_000)).toBeLessThan(5000);
    await panel.getByText(/left before auto-compaction/u).waitFor();
    // The overview draws the same parts, without tools that are not loaded.
    await openTab(page, "Overview");
    const overview = page.getByRole("region", { name: "Overview", exact: true });
    await overview.getByRole("img", { name: /of the context used$/u }).waitFor();
    expect(await overview.getByText(/deferred/u).count()).toBe(0);
  });

  it("sends what must be kept with the order to compact", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello", title: "Compact" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await openTab(page, "Context");
    await page.getByRole("button", { name: "Compact now…" }).click();
    const dialog = page.getByRole("dialog", { name: "Compact the conversation" });
    await dialog.getByLabel("What to keep (optional)").fill("the tide table");
    await dialog.getByRole("button", { name: "Compact now", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await rowWith(page, "/compact the tide table").waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
  });
});

describe("[E171] the cost panel", () => {
  it("lists each turn of the session, and the session among all of them", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello", title: "What it costs" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await send(page, "second thought");
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    await openTab(page, "Cost");
    const panel = page.getByRole("region", { name: "Cost", exact: true });
    await panel.getByRole("region", { name: "Cost by turn" }).getByRole("row").nth(2).waitFor();
    await expect.poll(() => panel.getByRole("region", { name: "Cost by turn" }).getByRole("row").count()).toBe(3);
    await panel.getByText("All projects").click();
    const session = panel.getByRole("row", { name: /^What it costs/u });
    await session.waitFor();
    await expect.poll(() => session.getByRole("cell").first().innerText()).toBe("2");
    const saved = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Export CSV" }).click();
    expect((await saved).suggestedFilename()).toMatch(/^quarterdeck-cost-\d{4}-\d\d-\d\d\.csv$/u);
  });

  it("[E216] names tokens by kind, agents and projects, draws the budget of a day, and exports turns", async () => {
    const { deck, page } = aboard;
    const other = join(deck.place.cwd, "other-boat");
    mkdirSync(other);
    execFileSync("git", ["init", "--quiet"], { cwd: other });
    const elsewhere = await deck.startSession({ cwd: other, prompt: "say hello", title: "Elsewhere" });
    await expect.poll(() => turnsOf(elsewhere)).toBe(1);
    const allowed = { settings: { allowedTools: ["Bash"] } };
    await deck.atSession(page, { prompt: "send two agents", title: "With agents", ...allowed });
    await rowWith(page, "Both are sent.").waitFor();
    await settled(page);
    await openTab(page, "Cost");
    const panel = page.getByRole("region", { name: "Cost", exact: true });
    const agents = panel.getByRole("region", { name: "Use by agent" }).getByRole("row");
    await agents.nth(2).waitFor();
    expect((await agents.allInnerTexts()).slice(1).toSorted()).toEqual([
      expect.stringMatching(/^look north general-purpose\s+1\s+\d+\s+[\d.]+ m?s$/u),
      expect.stringMatching(/^look south general-purpose\s+1\s+\d+\s+[\d.]+ m?s$/u),
    ]);
    const kinds = await panel.getByRole("region", { name: "Tokens by kind" }).getByRole("listitem").allInnerTexts();
    expect(kinds.map((text) => text.replace(/\s*[\d.]+[kM]?\s*\d+ %$/u, "").trim())).toEqual([
      "From the cache",
      "New input",
      "Written to the cache",
      "Output",
    ]);
    const saved = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Export CSV" }).click();
    const lines = readFileSync(await (await saved).path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(lines.at(-1)).toMatch(
      /^\d+,\d{4}-[^,]+Z,claude-[^,]+,\d+,\d+,\d+,\d+,\d+,\d+,[\d.]+,[\d.]+,[\d.]+,0\.\d{6}$/u,
    );
    expect(lines[0]).toBe(
      "turn,ended,models,steps,tokens,from_cache,new_input,to_cache,output,cache_share,seconds,api_seconds,cost_usd",
    );

    const { days } = await deck.client.call("usage/report", {});
    const dayUsd = Math.max(...days.map(({ costUsd }) => costUsd)) * 4;
    await deck.client.command("budgets/set", { dayUsd });
    await panel.getByText("All projects").click();
    await panel.getByText(/^budget of a day: \$/u).waitFor();
    const projects = panel.getByRole("region", { name: "Cost by project" });
    await projects.getByText("other-boat", { exact: true }).waitFor();
    await expect.poll(() => projects.getByRole("listitem").count()).toBe(2);
    await expectSound(page, "cost of all projects", ".bench");
    await deck.client.command("budgets/set", { dayUsd: null });
  });
});
