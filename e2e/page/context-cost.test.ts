// The panels Context and Cost show what the CLI reported, with figures that fit each other.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
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
});
