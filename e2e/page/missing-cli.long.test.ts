// The program disappears while the server runs: an update removed it, or a disk is not mounted. Running sessions
// continue. A start says what is wrong and what to do, keeps the text, and works as soon as the program is back.

import { chmodSync, renameSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { composerOf, denyBy, dockOf, rowWith, send, settled, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO });

describe("[E20] a CLI that vanishes", () => {
  it("is reported where a session is started, and nowhere else", async () => {
    const { deck, page } = aboard;
    const { claude, cwd } = deck.place;
    await deck.atSession(page, { prompt: "say hello" });
    await settled(page);
    renameSync(claude, `${claude}.gone`);
    await send(page, "mind the fog");
    await rowWith(page, "I mind the fog.").waitFor();

    await page.keyboard.press("Alt+n");
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByLabel("Folder", { exact: true }).fill(cwd);
    await dialog.getByLabel("Message (optional)").fill("touch it");
    await dialog.getByRole("button", { name: "Start" }).click();
    const problem = dialog.getByRole("alert");
    await problem
      .getByText(`The program ${claude} does not exist. Install Claude Code, or set the path of claude.`)
      .waitFor();
    await expect.poll(() => dialog.getByLabel("Message (optional)").inputValue()).toBe("touch it");

    renameSync(`${claude}.gone`, claude);
    await dialog.getByRole("button", { name: "Start" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("main").getByRole("heading", { name: "Bash" }).waitFor();
    await denyBy(dockOf(page), "Deny and stop");
    await settled(page);
  });

  it("is reported in the conversation, and resumed from there when it can run again", async () => {
    const { deck, page } = aboard;
    const { claude } = deck.place;
    const id = await deck.atSession(page, { prompt: "say hello" });
    await settled(page);
    await deck.client.command("sessions/close", { session: id });
    chmodSync(claude, 0o644);
    await composerOf(page).fill("second thought");
    await composerOf(page).press("Enter");
    const row = rowWith(page, "Claude Code couldn't start");
    await row.getByText(`${claude} cannot be run. Make it executable (chmod +x), or choose another program.`).waitFor();
    await page.getByText("Claude Code is not running.").waitFor();
    // A second try that fails adds no second way on.
    const resume = page.getByRole("main").getByRole("button", { name: "Resume", exact: true });
    await resume.click();
    await expect.poll(() => row.count()).toBe(2);
    await expect.poll(() => resume.count()).toBe(1);

    chmodSync(claude, 0o755);
    await resume.click();
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    await expect.poll(() => resume.count()).toBe(0);
  });
});
