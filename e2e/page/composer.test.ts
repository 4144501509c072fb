// Writing while nothing runs and while something does: stop, queue, files, mentions, commands.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { composerOf, rowWith, send, settled, statusOf, useDeck } from "./journey.ts";
import { pastePicture, pasteText } from "./paste.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO });

/** Opens what the running command waits for. */
const openGate = (): void => writeFileSync(join(aboard.deck.place.cwd, "open-gate"), "");
const ALLOWED = { settings: { allowedTools: ["Bash"] } };

describe("[E6] a running turn", () => {
  it("is interrupted by Escape, and says that it was stopped", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "never end");
    await rowWith(page, "and on it goes").waitFor();
    await composerOf(page).fill("half a thought");
    await page.keyboard.press("Escape");
    await page.getByText("Cleared.").waitFor();
    await statusOf(page)
      .getByText(/^writing/u)
      .waitFor();
    await page.keyboard.press("Escape");
    await settled(page);
    await rowWith(page, "You stopped this").waitFor();
    // Said once, in one place.
    await expect.poll(() => rowWith(page, "You stopped this").count()).toBe(1);
    expect(await rowWith(page, "never end").innerText()).not.toMatch(/interrupted|stopped/u);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => composerOf(page).inputValue()).toBe("half a thought");
    await composerOf(page).fill("");
  });

  it("is interrupted by Stop, which returns queued prompts to send, edit or discard", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "never end");
    await rowWith(page, "and on it goes").waitFor();
    for (const words of ["say hello", "second thought", "third thought"]) {
      await composerOf(page).fill(words);
      await composerOf(page).press("Alt+Enter");
      await rowWith(page, words).getByText("queued").waitFor();
    }
    await page.getByRole("button", { name: "Messages: 3 queued" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await settled(page);
    await page.getByRole("button", { name: "Messages: 3 on hold" }).waitFor();

    // By keyboard: the answer above the end is long, and the list still moves after a click has scrolled to its row.
    const held = (words: string) => rowWith(page, words).filter({ hasText: "on hold" });
    await held("third thought").getByRole("button", { name: "Discard" }).press("Enter");
    await rowWith(page, "third thought").getByText("cancelled").waitFor();
    await held("second thought").getByRole("button", { name: "Edit" }).press("Enter");
    await page.getByLabel("Edit message", { exact: true }).fill("mind the fog");
    await page.getByLabel("Edit message", { exact: true }).press("Enter");
    await rowWith(page, "I mind the fog.").waitFor();
    await settled(page);
    await held("say hello").getByRole("button", { name: "Send", exact: true }).press("Enter");
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await expect.poll(() => rowWith(page, "A second thought.").count()).toBe(0);
    await expect.poll(() => rowWith(page, "A third thought.").count()).toBe(0);
  });

  it("adds a prompt at its next step, and keeps another for after the turn", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, ALLOWED);
    await send(page, "wait at the gate");
    await rowWith(page, "until [ -e open-gate ]").getByText("running").waitFor();
    await rowWith(page, "wait at the gate").locator("[title=started]").waitFor();
    await send(page, "mind the fog");
    await rowWith(page, "mind the fog").getByText("queued").waitFor();
    await composerOf(page).fill("second thought");
    await page.getByRole("button", { name: "Send options" }).click();
    await page.getByRole("menuitem", { name: /^Queue for later/u }).click();
    await rowWith(page, "second thought").getByText("after this turn").waitFor();
    await composerOf(page).fill("third thought");
    await composerOf(page).press("Alt+Enter");
    await rowWith(page, "third thought").getByRole("button", { name: "Cancel" }).click();
    await rowWith(page, "third thought").getByText("cancelled").waitFor();
    await rowWith(page, "second thought").getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Edit message", { exact: true }).fill("say hello");
    await page.getByLabel("Edit message", { exact: true }).press("Enter");
    await page.locator("#composer:focus").waitFor();
    await rowWith(page, "say hello").getByText("queued").waitFor();
    openGate();
    await rowWith(page, "I mind the fog.").waitFor();
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    // The prompt that was added to the turn has no turn of its own.
    await expect.poll(() => page.getByText(/\d tokens in, \d+ out/u).count()).toBe(2);
    await expect.poll(() => rowWith(page, "A second thought.").count()).toBe(0);
    await expect.poll(() => rowWith(page, "A third thought.").count()).toBe(0);
  });
});

describe("[E7] files", () => {
  it("refuses a broken picture", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    const head = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
    const files = page.getByRole("form", { name: "Message" }).locator("input[type=file]");
    await files.setInputFiles({ name: "torn.png", mimeType: "image/png", buffer: head });
    await page.getByText("not a valid image").waitFor();
    const given = deck.promptsToCli().length;
    await send(page, "look at this picture");
    await page.getByText("“torn.png” failed to upload. Remove it first.").waitFor();
    expect(deck.promptsToCli()).toHaveLength(given);
    await page.getByRole("button", { name: "Remove torn.png" }).click();
    await composerOf(page).press("Enter");
    await rowWith(page, "A picture of one colour.").waitFor();
  });

  it("accepts a pasted picture, shows it and sends it", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await pastePicture(page, "brass.png");
    const tray = page.getByRole("list", { name: "Attached files" });
    await tray.getByText("brass.png").waitFor();
    await tray.getByText(/^\d+ B$/u).waitFor();
    await send(page, "look at this picture");
    await rowWith(page, "A picture of one colour.").waitFor();
    await rowWith(page, "look at this picture").getByRole("img").waitFor();
    const sent = deck.place.linesToCli().findLast(({ type }) => type === "user") as {
      message: { content: { type: string; source?: { media_type: string } }[] };
    };
    expect(sent.message.content).toMatchObject([
      { type: "text" },
      { type: "image", source: { type: "base64", media_type: "image/png" } },
    ]);
    await settled(page);
    await page.reload();
    await rowWith(page, "look at this picture").getByRole("img").waitFor();
  });

  it("sends a chosen file, and leaves out a removed one", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach files" }).click();
    await (
      await choosing
    ).setFiles([
      { name: "tides.txt", mimeType: "text/plain", buffer: Buffer.from("06:15 high\n") },
      { name: "other.txt", mimeType: "text/plain", buffer: Buffer.from("nothing\n") },
    ]);
    const tray = page.getByRole("list", { name: "Attached files" });
    await tray.getByText("11 B").waitFor();
    await tray.getByRole("button", { name: "Remove other.txt" }).click();
    await send(page, "read the file");
    await rowWith(page, "I have read it.").waitFor();
    const sent = JSON.stringify(deck.place.linesToCli().findLast(({ type }) => type === "user"));
    expect(sent).toContain("tides.txt");
    expect(sent).not.toContain("other.txt");
    // The row names the file, not its place on the server's disk.
    await rowWith(page, "read the file").getByText("tides.txt").waitFor();
    expect(await rowWith(page, "read the file").textContent()).not.toContain(deck.place.dataDir);
  });

  it("turns a long paste into a file, and back into text", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await pasteText(page, "a line of many\n".repeat(200));
    const tray = page.getByRole("list", { name: "Attached files" });
    await tray.getByText("pasted-1.txt").waitFor();
    await expect.poll(() => composerOf(page).inputValue()).toBe("");
    await tray.getByRole("button", { name: "Insert as text" }).click();
    await tray.waitFor({ state: "detached" });
    await expect.poll(() => composerOf(page).inputValue()).toBe("a line of many\n".repeat(200));
    await composerOf(page).fill("");
  });

  it("takes a file that is dropped anywhere on the page", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await page.locator(".flow").evaluate((flow) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["12:40 low\n"], "ebb.txt", { type: "text/plain" }));
      for (const type of ["dragover", "drop"])
        flow.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    });
    await page.getByRole("list", { name: "Attached files" }).getByText("ebb.txt").waitFor();
    expect(page.url()).toContain(deck.server.url);
    await page.getByRole("button", { name: "Remove ebb.txt" }).click();
  });
});

describe("[E8] completion", () => {
  it("finds a file for a mention by some of its letters", async () => {
    const { deck, page } = aboard;
    mkdirSync(join(deck.place.cwd, "lighthouse"), { recursive: true });
    for (const name of ["lighthouse/keeper.md", "lighthouse/lamp.md", "ferry.md"])
      writeFileSync(join(deck.place.cwd, name), "");
    await deck.atSession(page);
    await composerOf(page).pressSequentially("read the file @liglam");
    const list = page.getByRole("listbox", { name: "Completions" });
    await list.getByRole("option", { name: "lighthouse/lamp.md", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await list.waitFor({ state: "detached" });
    await expect.poll(() => composerOf(page).inputValue()).toBe("read the file @lighthouse/lamp.md ");
    await page.keyboard.press("Enter");
    await rowWith(page, "I have read it.").waitFor();
    await expect.poll(() => deck.promptsToCli()).toContain("read the file @lighthouse/lamp.md");
  });

  it("offers the CLI's commands and runs them", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await composerOf(page).pressSequentially("/usa");
    await page.getByRole("option", { name: /^\/usage/u }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("listbox", { name: "Completions" }).waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await rowWith(page, /Total cost/u).waitFor();
    await expect.poll(() => deck.promptsToCli()).toContain("/usage");
  });

  it("opens surfaces of its own, and sends none of them", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello" });
    await settled(page);
    const prompts = deck.promptsToCli().length;
    for (const [command, title] of [
      ["/help", "Help"],
      ["/keybindings-help", "Keyboard shortcuts"],
      ["/permissions", "Permissions"],
      ["/mcp", "MCP servers"],
      ["/resume", "Resume a session"],
    ] as const) {
      await composerOf(page).pressSequentially(command);
      await page.getByRole("option", { name: new RegExp(`^${command} .*opens here`, "u") }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: title }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      // The person can continue to type.
      await page.keyboard.type("x");
      await expect.poll(() => composerOf(page).inputValue()).toBe("x");
      await composerOf(page).fill("");
    }
    for (const command of ["/model", "/fast"]) {
      await composerOf(page).pressSequentially(command);
      await page.keyboard.press("Enter");
      await page.getByRole("menu", { name: "Model" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("menu", { name: "Model" }).waitFor({ state: "hidden" });
    }
    await expect.poll(() => composerOf(page).inputValue()).toBe("");
    expect(deck.promptsToCli()).toHaveLength(prompts);
  });

  it("warns before a command that nobody knows goes to the model as text", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { prompt: "say hello" });
    await settled(page);
    await send(page, "/nonsense now");
    await page.getByRole("alert").getByText("Unknown command /nonsense").waitFor();
    expect(deck.promptsToCli()).not.toContain("/nonsense now");
    await page.getByRole("button", { name: "Send as text" }).click();
    await rowWith(page, "/nonsense now").waitFor();
    await settled(page);
    await expect.poll(() => deck.promptsToCli()).toContain("/nonsense now");
  });
});

describe("[E9] a draft", () => {
  it("is kept for each session, and what was said is recalled", async () => {
    const { deck, page } = aboard;
    const first = await deck.atSession(page, { prompt: "say hello" });
    await settled(page);
    await composerOf(page).press("ArrowUp");
    await expect.poll(() => composerOf(page).inputValue()).toBe("say hello");
    await composerOf(page).fill("not finished");
    await deck.atSession(page);
    await expect.poll(() => composerOf(page).inputValue()).toBe("");
    await page.reload();
    await deck.goTo(page, first);
    await page.getByRole("heading", { level: 1, name: "say hello" }).waitFor();
    await expect.poll(() => composerOf(page).inputValue()).toBe("not finished");
    await composerOf(page).fill("");
  });
});
