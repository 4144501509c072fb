// A folder changes during a live session. The page shows the same trust dialog as at a start, and then sends the prompt.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rowWith, send, settled, useDeck } from "../page/journey.ts";
import { SCENARIO } from "../page/scenario.ts";

const aboard = useDeck({ scenario: SCENARIO });

const changedFolder = async (name: string): Promise<void> => {
  const { deck, page } = aboard;
  const cwd = join(deck.place.cwd, name);
  mkdirSync(cwd);
  await deck.atSession(page, { cwd, prompt: "say hello", title: name });
  await rowWith(page, "Hello from the deck.").waitFor();
  await settled(page);
  const servers = { evil: { command: "/bin/false", args: [name] } };
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
  await send(page, "second thought");
};

describe("[S34] a prompt to a session whose folder has changed", () => {
  it("opens the trust dialog, and is sent once when the folder is trusted", async () => {
    const { deck, page } = aboard;
    await changedFolder("brig");
    const trust = page.getByRole("dialog", { name: "Do you trust this folder?" });
    await trust.getByText("You trusted this folder before, but it has changed.").waitFor();
    await trust.getByText("server evil: /bin/false brig").waitFor();
    expect(deck.promptsToCli()).not.toContain("second thought");
    await trust.getByRole("button", { name: "Trust and send" }).click();
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    expect(deck.promptsToCli().filter((text) => text === "second thought")).toHaveLength(1);
  });

  it("is sent without the folder's settings if the person chooses that, and the dialog does not come back", async () => {
    const { deck, page } = aboard;
    const before = deck.promptsToCli().length;
    await changedFolder("yawl");
    const trust = page.getByRole("dialog", { name: "Do you trust this folder?" });
    await trust.getByRole("button", { name: "Send without its settings" }).click();
    await rowWith(page, "A second thought.").waitFor();
    await settled(page);
    await send(page, "third thought");
    await rowWith(page, "A third thought.").waitFor();
    await expect
      .poll(() => deck.promptsToCli().slice(before))
      .toEqual(["say hello", "second thought", "third thought"]);
  });
});
