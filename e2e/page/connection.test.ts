// What survives: a reload in the middle of an answer, a server that is killed, another browser that was quicker.

import { allows } from "@quarterdeck/client/policy";
import { describe, expect, it } from "vitest";
import { NO_SERVER } from "./deck.ts";
import {
  allowIn,
  composerOf,
  denyBy,
  dockOf,
  pressArmed,
  rowIds,
  rowWith,
  send,
  settled,
  statusOf,
  useDeck,
} from "./journey.ts";
import { LONG_VERSES, SCENARIO } from "./scenario.ts";

const MODES = ["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"];

const aboard = useDeck({ scenario: SCENARIO });

describe("[E17] a page", () => {
  it("that is reloaded in the middle of an answer shows what was said, and the rest as it comes", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "recite for long");
    const verses = page.locator("[data-row]").getByRole("listitem");
    await verses.nth(1).waitFor();
    await page.reload();
    await verses.nth(1).waitFor();
    const before = await verses.count();
    await verses.nth(before + 2).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await settled(page);
    const ids = await rowIds(page);
    expect(new Set(ids).size).toBe(ids.length);
    // Each verse once, and none is missing; the last may be cut short.
    const said = (await verses.allTextContents()).map((line) => line.trim()).slice(0, -1);
    const whole = LONG_VERSES.split("\n").map((line) => line.replace(/^\d+\. /u, ""));
    expect(said.length).toBeGreaterThan(before);
    expect(said).toEqual(whole.slice(0, said.length));
  });

  it("survives a killed server: nothing is lost, and nothing is shown twice", async () => {
    const { deck, page } = aboard;
    deck.expectTrouble(NO_SERVER);
    await deck.atSession(page, { prompt: "say hello" });
    await settled(page);
    await send(page, "never end");
    await rowWith(page, "and on it goes").waitFor();
    const before = (await rowIds(page)).filter((id) => id !== "");
    await deck.kill();
    await page.getByRole("status").getByText("Offline").waitFor();
    await statusOf(page).getByText("offline").waitFor();
    await send(page, "second thought");
    await page.getByText("waiting for the connection").waitFor();
    await page.getByText("1 message is waiting.").waitFor();
    await rowWith(page, "Hello from the deck.").waitFor();

    await deck.restart();
    await page.getByRole("status").getByText("Back online").waitFor();
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    const after = await rowIds(page);
    expect(new Set(after).size).toBe(after.length);
    for (const id of before) expect(after, `row ${id}`).toContain(id);
    expect(
      await rowWith(page, "second thought")
        .filter({ has: page.locator("[title=done]") })
        .filter({ hasNotText: "sent from" })
        .count(),
    ).toBe(1);
    expect(deck.promptsToCli().filter((text) => text === "second thought")).toHaveLength(1);
    await page.reload();
    await rowWith(page, "A second thought.").waitFor();
    await expect.poll(() => rowIds(page)).toEqual(after);
  });

  it("says that a request ended with its process, and the session continues", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    deck.expectTrouble(NO_SERVER);
    await deck.atSession(page);
    await send(page, "sink the ship");
    await allowIn(dockOf(page)).waitFor();
    await deck.kill();
    await page.getByRole("status").getByText("Offline").waitFor();
    await deck.restart();
    await page.getByText("The request ended because Claude Code stopped.").waitFor();
    await page.getByRole("alert").getByText("Claude Code is not running.").waitFor();
    await page.getByRole("button", { name: "Resume", exact: true }).last().click();
    await statusOf(page)
      .getByText(/^(?:ready|idle)/u)
      .waitFor();
    await send(page, "say hello");
    await rowWith(page, "Hello from the deck.").waitFor();
    await expect.poll(() => dockOf(page).count()).toBe(0);
    expect(deck.answersToCli()).toEqual([]);
  });
});

describe("[E18] two browsers", () => {
  it("see the same; one answers, and the other shows at once who answered", async () => {
    const { deck, page: desk } = aboard;
    const phone = await deck.open({ name: "Pixel" });
    const id = await deck.atSession(desk);
    await deck.goTo(phone, id);
    await composerOf(phone).waitFor();
    await send(desk, "touch it");
    await allowIn(dockOf(desk)).waitFor();
    await allowIn(dockOf(phone)).waitFor();
    await statusOf(desk).getByText("2 devices").waitFor();
    await pressArmed(allowIn(dockOf(phone)));
    await desk.getByText(/^The request was allowed on Pixel at /u).waitFor();
    await dockOf(desk).waitFor({ state: "detached" });
    for (const page of [desk, phone]) {
      await rowWith(page, "It is made.").waitFor();
      await rowWith(page, page === phone ? "You allowed this" : "allowed on Pixel").waitFor();
    }
    expect(deck.answersToCli().filter(({ behavior }) => behavior === "allow")).toHaveLength(1);
  });

  it("may do what their role says, and no more", { tags: "long" }, async () => {
    const { deck, page: desk } = aboard;
    const reader = await deck.open({ name: "Wall", role: "view" });
    const id = await deck.atSession(desk);
    await deck.goTo(reader, id);
    await reader.getByText("This device is read-only.").waitFor();
    await expect.poll(() => composerOf(reader).count()).toBe(0);
    await send(desk, "touch it");
    await dockOf(reader).getByText("This device can't answer requests.").waitFor();
    // For good, not only until it is armed.
    await allowIn(dockOf(desk)).and(desk.locator(":not([aria-disabled])")).waitFor();
    expect(await allowIn(dockOf(reader)).getAttribute("aria-disabled")).toBe("true");
    await denyBy(dockOf(desk), "Deny and stop");
    await settled(desk);
  });

  it("may answer a request as it is, where that is their role", { tags: "long" }, async () => {
    const { deck, page: desk } = aboard;
    const phone = await deck.open({ name: "Watch", role: "answer" });
    const id = await deck.atSession(desk);
    await deck.goTo(phone, id);
    await send(desk, "touch it");
    await dockOf(desk).getByRole("button", { name: "Edit E" }).waitFor();
    await dockOf(phone).getByRole("heading", { name: "Bash" }).waitFor();
    await expect.poll(() => dockOf(phone).getByRole("button", { name: /^Edit/u }).count()).toBe(0);
    await pressArmed(allowIn(dockOf(phone)));
    await rowWith(desk, "allowed on Watch").waitFor();
    await settled(desk);
    await deck.goTo(phone, await deck.atSession(desk, { settings: { permissionMode: "plan" } }));
    await send(desk, "plan the lock");
    await pressArmed(dockOf(phone).getByRole("button", { name: "Approve" }));
    await dockOf(phone).getByRole("heading", { name: "Write" }).waitFor();
    await pressArmed(allowIn(dockOf(phone)));
    await rowWith(desk, "The gate is open.").waitFor();
  });

  it(
    "[S44] may start a session in an opened folder, where that is their role; the rest is an admin's",
    { tags: "long" },
    async () => {
      const { deck, page: desk } = aboard;
      await deck.atSession(desk);
      const tablet = await deck.open({ name: "Tablet", role: "operate" });
      await tablet.keyboard.press("Alt+n");
      const dialog = tablet.getByRole("dialog", { name: "New session" });
      await dialog.getByText("Admins can browse all folders.").waitFor();
      await dialog.getByRole("radio", { name: "Browse" }).check();
      await dialog.getByRole("list", { name: "All folders" }).getByText(deck.place.cwd, { exact: true }).waitFor();
      await dialog.getByLabel("Folder", { exact: true }).fill(deck.place.home);
      await dialog.getByRole("button", { name: "Start" }).click();
      await expect.poll(() => dialog.textContent()).toMatch(/outside of the folders|Ask an admin/u);
    },
  );

  it("are offered what the policy allows, and nothing else", { tags: "long" }, async () => {
    const { deck, page: desk } = aboard;
    const id = await deck.atSession(desk);
    const servers = { local: { command: "/nonexistent" } };
    await deck.client.command("session/request", {
      session: id,
      request: { subtype: "mcp_set_servers", servers },
    });
    const tablet = await deck.open({ name: "Tablet", role: "operate" });
    for (const [page, role] of [
      [desk, "admin"],
      [tablet, "operate"],
    ] as const) {
      await deck.goTo(page, id);
      await composerOf(page).pressSequentially("/mcp");
      await page.getByRole("option", { name: /^\/mcp/u }).waitFor();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.getByText("local").waitFor();
      const offers = async (name: RegExp): Promise<boolean> => (await dialog.getByRole("button", { name }).count()) > 0;
      const mayAsk = (subtype: string): boolean => allows(role, "session/request", { request: { subtype } });
      expect([role, await offers(/^Reconnect/u), await offers(/^(?:Enable|Disable)$/u)]).toEqual([
        role,
        mayAsk("mcp_reconnect"),
        mayAsk("mcp_toggle"),
      ]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /^Mode:/u }).click();
      const modes = page.getByRole("menu").getByRole("menuitemradio");
      await modes.first().waitFor();
      // This process cannot bypass: the mode is offered to those who may start another one.
      const mayRestart = allows(role, "sessions/resume", { allowBypass: true });
      const offered = MODES.filter((mode) => mode !== "bypassPermissions" || mayRestart);
      const shut = offered.filter((mode) => !allows(role, "session/setPermissionMode", { mode }));
      expect([role, await modes.count()]).toEqual([role, offered.length]);
      expect([role, await modes.and(page.locator(":disabled")).count()]).toEqual([role, shut.length]);
      await page.keyboard.press("Escape");
    }
    const wall = await deck.open({ name: "Wall", role: "view" });
    await wall.getByRole("button", { name: "Settings" }).waitFor();
    await expect.poll(() => wall.getByRole("button", { name: /^New/u }).count()).toBe(0);
    await expect.poll(() => desk.getByRole("button", { name: /^New/u }).count()).toBe(1);
    await wall.keyboard.press("Alt+n");
    await deck.goTo(wall, id);
    await wall.getByText("This device is read-only.").waitFor();
    await expect.poll(() => wall.getByRole("dialog").count()).toBe(0);
  });

  it("one revokes the other, which says so", { tags: "long" }, async () => {
    const { deck, page: desk } = aboard;
    const lost = await deck.open({ name: "Lost phone" });
    await desk.getByRole("button", { name: "Settings" }).click();
    await desk.getByRole("tab", { name: "Devices" }).click();
    await desk.getByRole("button", { name: "Revoke: Lost phone" }).click();
    await desk.getByRole("button", { name: "Confirm: Lost phone" }).click();
    await lost.getByRole("heading", { name: "This browser's access was revoked" }).waitFor();
    await desk.keyboard.press("Escape");
    const { devices } = await deck.client.call("devices/list", {});
    expect(devices.map(({ name }) => name)).not.toContain("Lost phone");
  });
});
