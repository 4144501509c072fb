// Settings of the session and of the server, budgets and plan limits.

import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectSound } from "./axe.ts";
import { composerOf, rowWith, send, settled, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO });

const openTab = async (page: Page, title: string, region = title): Promise<Locator> => {
  const tab = page.getByRole("tab", { name: title, exact: true });
  if (!(await tab.isVisible())) await page.getByRole("button", { name: "Show workbench" }).click();
  await tab.click();
  const panel = page.getByRole("region", { name: region, exact: true });
  await panel.waitFor();
  return panel;
};

describe("[E196] settings of the session", () => {
  it("show what holds, follow other devices, and become defaults that a new session starts with", async () => {
    const { deck, page } = aboard;
    const session = await deck.atSession(page, { prompt: "say hello", title: "Settings" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await composerOf(page).pressSequentially("/config");
    await page.getByRole("option", { name: /^\/config .*opens here/u }).waitFor();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("region", { name: "Settings of the session" });
    await panel.waitFor();

    // What another device changes is changed here.
    await deck.client.command("session/setModel", { session, model: "sonnet" });
    await expect.poll(() => panel.getByLabel("Model", { exact: true }).inputValue()).toBe("sonnet");
    await panel.getByText("claude-sonnet-5-5").waitFor();
    await deck.client.command("session/request", {
      session,
      request: { subtype: "apply_flag_settings", settings: { effortLevel: "high" } },
    });
    await expect.poll(() => panel.getByLabel("Effort", { exact: true }).inputValue()).toBe("high");

    // What is changed here reaches the CLI, and the head that every device has.
    await panel.getByLabel("Effort", { exact: true }).selectOption("low");
    await panel.getByLabel("Permission mode", { exact: true }).selectOption("plan");
    await panel.getByRole("group", { name: "Thinking" }).getByText("At most").click();
    await panel.getByLabel("Max thinking tokens").fill("12000");
    await panel.getByRole("button", { name: "Set", exact: true }).click();
    await expect
      .poll(() => headOf(deck.client, session))
      .toMatchObject({
        mode: "plan",
        about: { effort: "low", maxThinkingTokens: 12_000 },
      });
    await panel.getByText(deck.place.cwd.split("/").at(-1)!, { exact: false }).first().waitFor();

    await panel.getByRole("button", { name: "Take from this session" }).click();
    await panel.getByLabel("Default max turns").fill("7");
    // Key by key: "0." is not a number yet.
    await panel.getByLabel("Default max cost ($)").pressSequentially("0.5");
    await panel.getByRole("button", { name: "Save defaults" }).click();
    await expect
      .poll(() => deck.client.call("defaults/get", { cwd: deck.place.cwd }))
      .toMatchObject({
        all: {},
        project: {
          settings: { model: "sonnet", effort: "low", permissionMode: "plan", maxTurns: 7, maxBudgetUsd: 0.5 },
        },
      });
    await expectSound(page, "settings of the session", ".bench");

    await page.getByRole("button", { name: /^New/u }).first().click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    await expect
      .poll(() =>
        dialog
          .getByLabel(/^Model/u)
          .first()
          .inputValue(),
      )
      .toBe("sonnet");
    expect(
      await dialog
        .getByLabel(/^Permission mode/u)
        .first()
        .inputValue(),
    ).toBe("plan");
    expect(
      await dialog
        .getByLabel(/^Effort/u)
        .first()
        .inputValue(),
    ).toBe("low");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // The home page starts with the same values.
    await page.goto(`${deck.server.url}/#/`);
    await page.getByRole("button", { name: /^Mode: Plan/u }).waitFor();
    await page.getByRole("button", { name: "Effort: Low effort" }).waitFor();
    await page.getByRole("button", { name: /^Model: Sonnet/u }).waitFor();
    await deck.goTo(page, session);
    await panel.waitFor();
    await deck.client.command("defaults/set", { cwd: deck.place.cwd, settings: {} });

    // Without a process, the panel shows what was, and says so.
    await deck.client.command("sessions/close", { session });
    await panel.getByText(/The process has ended/u).waitFor();
    await panel.getByText("at most 12k tokens").waitFor();
  });
});

const headOf = async (client: typeof aboard.deck.client, session: string): Promise<unknown> => {
  const { head } = await client.call("session/subscribe", { session, rows: 0 });
  return head;
};

describe("[E197] settings of the server", () => {
  it("name devices, folders and variables, revoke trust, and delete old sessions only after a look", async () => {
    const { deck, page } = aboard;
    const folder = join(deck.place.cwd, "trusted-one");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    writeFileSync(join(folder, ".claude", "settings.json"), '{"model":"sonnet"}');
    const { hash } = await deck.client.call("projects/inspect", { cwd: folder });
    await deck.client.command("projects/trust", { cwd: folder, hash, trusted: true });

    await page.goto(`${deck.server.url}/#/server`);
    const screen = page.getByRole("region", { name: "Server settings" });
    await screen.getByRole("list", { name: "Devices" }).getByText("this device").waitFor();
    const trusted = screen.getByRole("list", { name: "Trusted folders" });
    const row = trusted.getByRole("listitem").filter({ hasText: "trusted-one" });
    await row.getByText(/trusted (?:now|just now|\d+ \w+ ago).*settings\.json/u).waitFor();
    const { environment } = await deck.client.call("server/settings", {});
    expect(environment).toContain("PATH");
    await screen.getByText("PATH", { exact: true }).waitFor();

    await screen.getByLabel("Folder", { exact: true }).fill(folder);
    await screen.getByLabel("Name", { exact: true }).fill("MY_TOKEN");
    await screen.getByLabel("Value", { exact: true }).fill("very-secret");
    await screen.getByRole("button", { name: "Set variable" }).click();
    const variable = screen.getByRole("list", { name: "Variables of folders" }).getByText("MY_TOKEN");
    await variable.waitFor();
    const told = await deck.client.call("server/settings", {});
    expect(told.variables).toEqual([{ folder: realpathSync(folder), names: ["MY_TOKEN"] }]);
    expect([JSON.stringify(told), await screen.innerHTML()].join("")).not.toContain("very-secret");
    await expectSound(page, "settings of the server", ".main");
    await screen.getByRole("button", { name: /^Remove MY_TOKEN/u }).click();
    await variable.waitFor({ state: "detached" });

    await row.getByRole("button", { name: /^Revoke/u }).click();
    await page.getByRole("dialog", { name: "Revoke trust?" }).getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    expect((await deck.client.call("projects/inspect", { cwd: folder })).trust).toBe("unknown");
    expect(realpathSync(folder)).toContain("trusted-one");

    await screen.getByLabel("Delete after (days)").fill("365");
    await expect.poll(() => screen.getByRole("button", { name: "Save retention" }).isDisabled()).toBe(true);
    await screen.getByRole("button", { name: "Show what would be deleted" }).click();
    await screen.getByText("No session would be deleted now.").waitFor();
    await screen.getByRole("button", { name: "Save retention" }).click();
    const sure = page.getByRole("dialog", { name: "Delete sessions after 365 days?" });
    await sure.getByText(/Project files and Claude's transcripts stay/u).waitFor();
    await sure.getByRole("button", { name: "Save", exact: true }).click();
    await screen.getByText(/that nobody used for 365 days are deleted/u).waitFor();
    await screen.getByLabel("Delete after (days)").fill("");
    await screen.getByRole("button", { name: "Save retention" }).click();
    await screen.getByText("Sessions are kept until you delete them.").waitFor();

    const other = await deck.open({ role: "operate", name: "Operator" });
    await other.goto(`${deck.server.url}/#/server`);
    await other.getByText("Only an admin device can see the settings of the server.").waitFor();
  });
});

describe("[E198] a budget", () => {
  it("warns, stops, keeps the refused message through a restart, and sends it once it is raised", async () => {
    const { deck, page } = aboard;
    const session = await deck.atSession(page, { prompt: "say hello", title: "Budget" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    const { session: spent } = await deck.client.call("budgets/get", { session });
    const cost = spent!.spentUsd;
    expect(cost).toBeGreaterThan(0);
    await deck.client.command("budgets/set", { session, limitUsd: cost * 1.2 });
    const note = page.locator(".deck-budget");
    await note.getByText(/^83 % of the budget of this session is spent/u).waitFor();
    await deck.client.command("budgets/set", { session, limitUsd: cost });
    await note.getByText(/^All of the budget of this session is spent/u).waitFor();
    await expectSound(page, "a budget that is spent", ".deck");

    await send(page, "second thought");
    const refused = page.getByRole("alert").filter({ hasText: "second thought" });
    await refused.getByText(/not sent: The budget of this session is spent/u).waitFor();
    expect(deck.promptsToCli()).not.toContain("second thought");

    const panel = await openTab(page, "Cost");
    await panel.getByText("Budget of this session", { exact: true }).waitFor();
    await panel.getByText(/, spent$/u).waitFor();
    await panel.getByText(/This account has no plan limits/u).waitFor();

    deck.expectTrouble(/WebSocket|ERR_|Failed to load/u);
    await deck.server.stop();
    await deck.restart();
    await page.reload();
    await deck.goTo(page, session);
    await note.getByText(/^All of the budget of this session is spent/u).waitFor();
    await refused.waitFor();
    await note.getByRole("button", { name: "Raise…" }).click();
    await note.getByLabel("Budget of this session ($)").fill("50");
    await note.getByRole("button", { name: "Save" }).click();
    await rowWith(page, "A second thought.").waitFor();
    await note.waitFor({ state: "detached" });
    await expect.poll(() => refused.count()).toBe(0);
    expect(deck.promptsToCli().filter((prompt) => prompt === "second thought")).toHaveLength(1);
  });
});
