// An MCP server that asks for a form. The form asks for the required fields. The answer is read from the CLI's own
// stdin.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { dockOf, pressArmed, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";
import { ELICITATION } from "./screenshot-story.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

const folder = mkdtempSync(join(tmpdir(), "quarterdeck-elicitation-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const recording = join(folder, "elicitation.ndjson");
writeFileSync(recording, ELICITATION.map((line) => JSON.stringify(line)).join("\n"));

const args = [...programWords("quarterdeck-sim"), "--replay", recording];
const aboard = useDeck({ scenario: SCENARIO, program: { command: process.execPath, args, env: {} } });

/** What the server of tools was answered, in order. */
const answers = (): unknown[] =>
  aboard.deck.place.linesToCli().flatMap((line) => {
    const { type, response } = line as { type?: unknown; response?: { request_id?: unknown; response?: unknown } };
    return type === "control_response" && response?.request_id === "e1" ? [response.response] : [];
  });

describe("[E5] a form that a server asks for", () => {
  it("is sent when the required fields are filled in, with numbers as numbers", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "Book a berth" });
    const dock = dockOf(page);
    await dock.getByRole("heading", { name: "Harbour office" }).waitFor();
    await pressArmed(dock.getByRole("button", { name: "Send", exact: true }));
    await dock.locator(":invalid, [aria-invalid=true], [role=alert]").first().waitFor();
    expect(answers()).toEqual([]);
    await dock.getByLabel("Vessel").fill("Marigold");
    await dock.getByLabel("Length over all").fill("11.5");
    await dock.getByLabel("Side").selectOption({ label: "starboard" });
    await dock.getByLabel("Shore power").uncheck();
    await pressArmed(dock.getByRole("button", { name: "Send", exact: true }));
    await dock.waitFor({ state: "detached" });
    const content = { vessel: "Marigold", length: 11.5, nights: 1, side: "starboard", power: false };
    await expect.poll(answers).toEqual([{ action: "accept", content }]);
  });

  it("is completed by keyboard, and its row leads to it", async () => {
    const { deck, page } = aboard;
    const before = answers().length;
    await deck.atSession(page, { prompt: "Book a berth" });
    const form = dockOf(page);
    await form.getByLabel("Vessel").fill("Mari");
    const toggle = page.getByRole("main").getByRole("button", { name: "needs you: go to the request" });
    await toggle.focus();
    await page.keyboard.press("Enter");
    await page.locator(".ask input:focus").waitFor();
    await page.keyboard.press("End");
    await page.keyboard.type("posa");
    await form.getByRole("button", { name: "Send", exact: true }).and(page.locator(":not([aria-disabled])")).waitFor();
    await page.keyboard.press("Enter");
    await form.waitFor({ state: "detached" });
    await expect
      .poll(() => answers().slice(before))
      .toMatchObject([{ action: "accept", content: { vessel: "Mariposa" } }]);
  });

  it("is declined", async () => {
    const { deck, page } = aboard;
    const before = answers().length;
    await deck.atSession(page, { prompt: "Book a berth" });
    await dockOf(page).getByRole("button", { name: "Decline" }).click();
    await dockOf(page).waitFor({ state: "detached" });
    await expect.poll(() => answers().slice(before)).toEqual([{ action: "decline" }]);
  });
});
