// The conversation: what is happening, what went wrong, what was said, and how to stop it.

import { describe, expect, it } from "vitest";
import type { Scenario } from "@quarterdeck/simulator";
import { expectSound } from "./axe.ts";
import { composerOf, rowWith, send, settled, statusOf, useDeck } from "./journey.ts";

const COLUMNS = Array.from({ length: 14 }, (_, at) => `a long column name ${at + 1}`);
const RICH = `See @tides.mjs and the note[^1].

- [x] outer task
  - [ ] inner task

| ${COLUMNS.join(" | ")} |
| ${COLUMNS.map(() => "---").join(" | ")} |
| ${COLUMNS.map((_, at) => at).join(" | ")} |

<details>
<summary><b>More</b> of it</summary>

Hidden **words**.

\`\`\`js
const folded = true;
\`\`\`

</details>

\`\`\`mermaid
flowchart LR
  harbour --> sea
\`\`\`

[^1]: Measured at **noon**.`;

/** Longer than any test. Nothing comes until the turn is stopped. */
const NEVER = 3_600_000;
const SCENARIO: Scenario = {
  name: "talk",
  scripts: [
    { when: "say hello", steps: [{ say: [{ text: "Hello from the deck." }] }] },
    { when: "say a lot", steps: [{ say: [{ text: "A long answer.\n\n".repeat(120) }] }] },
    { when: "be rich", steps: [{ say: [{ text: RICH }], pace: { deltaMs: 40, deltaChars: 80 } }] },
    { when: "think for ever", steps: [{ say: [{ text: "Never said." }], pace: { firstMs: NEVER } }] },
    {
      when: "try twice",
      steps: [
        {
          say: [{ text: "At last." }],
          fail: [
            { status: 529, headers: { "retry-after": "0" } },
            { status: 529, headers: { "retry-after": "0" } },
          ],
        },
      ],
    },
    {
      when: "wait for the api",
      steps: [{ say: [{ text: "Never." }], fail: [{ status: 529, headers: { "retry-after": "3600" } }] }],
    },
    {
      when: "pay for it",
      steps: [
        {
          say: [{ text: "Never." }],
          fail: [
            { status: 400, type: "invalid_request_error", message: "Your credit balance is too low.", always: true },
          ],
        },
      ],
    },
    {
      when: "be refused",
      steps: [
        { say: [{ text: "Never." }], fail: [{ status: 400, type: "invalid_request_error", message: "bad words" }] },
      ],
    },
  ],
};

const aboard = useDeck({ scenario: SCENARIO });

describe("[E236] while nothing has come yet", () => {
  it("the last line says what is happening, your message is visible, and a stopped turn says so once", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "say a lot");
    await rowWith(page, "A long answer.").first().waitFor();
    await settled(page);
    await page.locator(".timeline-list").evaluate((list) => list.scrollTo(0, 0));
    await page.getByRole("button", { name: "Jump to end" }).waitFor();
    await send(page, "think for ever");
    const tail = page.locator(".tail-line");
    await tail.getByText("Working").waitFor();
    await tail.getByText("thinking").waitFor();
    await expect.poll(() => tail.innerText()).toMatch(/Working, \d+ s/u);
    // Nothing moves for a person who asked for less motion.
    const moving = () =>
      page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);
    await expect.poll(moving).toBe(0);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(moving).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await expect.poll(moving).toBe(0);
    const own = rowWith(page, "think for ever");
    await expect.poll(() => own.isVisible()).toBe(true);
    const seen = await own.evaluate((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      const list = row.closest(".timeline-list")!.getBoundingClientRect();
      return top >= list.top && bottom <= list.bottom + 1;
    });
    expect(seen).toBe(true);
    await expectSound(page, "a turn that has said nothing");
    await page.getByRole("button", { name: "Stop" }).click();
    await rowWith(page, "You stopped this").waitFor();
    await settled(page);
    await tail.waitFor({ state: "detached" });
    expect(await own.innerText()).not.toMatch(/interrupted|stopped|done/u);
  });
});

describe("[E237] trouble with the API", () => {
  it("is one row with a countdown, and an error in words with the next step", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "try twice");
    await rowWith(page, "At last.").waitFor();
    await settled(page);
    expect(await rowWith(page, "try twice").innerText()).not.toMatch(/done|started/u);
    await rowWith(page, "Retried 2 times").getByText("Claude is overloaded").waitFor();
    await expect.poll(() => page.locator(".retry").count()).toBe(1);

    await send(page, "be refused");
    const trouble = page.getByRole("group", { name: "The API rejected the request" });
    await trouble.getByText("Change the message or the model, then send the message again.").waitFor();
    await statusOf(page).getByText("last turn failed").waitFor();
    // Only once: neither the message nor the end of the turn repeats it.
    expect(await rowWith(page, "be refused").innerText()).not.toContain("failed");
    await expect.poll(() => page.locator("[data-row] footer.turn").count()).toBe(2);
    expect(await page.locator("[data-row] footer.turn").last().innerText()).not.toMatch(/failed|error|rejected/iu);

    // Sent once more by a button, which the error has as long as nothing was said after it.
    await send(page, "pay for it");
    const poor = page.getByRole("group", { name: "No credit left" });
    await poor.getByText("Add credit to the account, then send the message again.").waitFor();
    await poor.getByRole("button", { name: "Send again" }).click();
    await poor.nth(1).getByRole("button", { name: "Send again" }).waitFor();
    await expect.poll(() => poor.first().getByRole("button", { name: "Send again" }).count()).toBe(0);
    await expect.poll(() => deck.promptsToCli().slice(-2)).toEqual(["pay for it", "pay for it"]);

    await send(page, "wait for the api");
    const row = rowWith(page, "Retrying");
    await row.getByText(/^attempt 1 of \d+$/u).waitFor();
    await row.getByText(/^in 3[56]\d\d s$/u).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await rowWith(page, "You stopped this").waitFor();
    await settled(page);
  });
});

describe("[E238] an answer", { tags: "long" }, () => {
  it("can be copied, folded, followed and zoomed", async () => {
    const { deck, page } = aboard;
    // Mermaid tries to make a policy that the page forbids, and draws without it.
    deck.expectTrouble(/dompurify|trusted-types/u);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await deck.atSession(page);
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        const first = [...document.querySelectorAll(".prose > p")].find((said) =>
          said.textContent.startsWith("See @tides"),
        );
        if (first === undefined) return;
        observer.disconnect();
        Object.assign(globalThis, { firstParagraph: first });
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    await send(page, "be rich");
    const answer = rowWith(page, "Measured at");
    await answer.waitFor();
    await settled(page);
    const isSameElement = await page.evaluate(
      () => (globalThis as unknown as { firstParagraph: Element }).firstParagraph.isConnected,
    );
    expect(isSameElement, "the answer is not drawn again when it is complete").toBe(true);
    await answer.getByRole("button", { name: "Copy answer" }).press("Enter");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(RICH);

    await expect.poll(() => answer.getByRole("link", { name: "@tides.mjs" }).count()).toBe(1);
    await expect.poll(() => answer.locator(".task-item .task-item").innerText()).toContain("inner task");
    await expect
      .poll(() => answer.getByRole("region", { name: "Table" }).getAttribute("class"))
      .toContain("more-right");

    const folded = answer.locator("details.folded");
    expect(await folded.getByText("Hidden words.").isVisible()).toBe(false);
    await folded.locator("summary").getByText("More of it").click();
    await folded.getByText("Hidden words.").waitFor();
    await folded.getByRole("button", { name: "Copy", exact: true }).waitFor();

    await answer.getByRole("button", { name: "Footnote 1" }).press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("1 Measured at noon.");

    const picture = answer.locator(".diagram img");
    await picture.waitFor();
    const width = async (): Promise<number> => (await picture.boundingBox())?.width ?? 0;
    await expect.poll(width).toBeGreaterThan(0);
    const before = await width();
    await answer.getByRole("button", { name: "Zoom in" }).press("Enter");
    await expect.poll(width).toBeGreaterThan(before * 1.2);
    await expectSound(page, "an answer with everything in it");
  });
});

describe("[E239] a session", () => {
  it("names its parent if it is a fork, and says that it is archived", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    const parent = await deck.atSession(page, { title: "The parent" });
    await send(page, "say hello");
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    const { session } = await deck.client.command("sessions/fork", { session: parent, title: "The child" });
    await deck.goTo(page, session.id);
    await page.locator(".head").getByRole("link", { name: "Fork of The parent" }).waitFor();
    const entry = page.locator(".entry", { hasText: "The child" });
    await expect.poll(() => entry.innerText()).toContain("Fork of The parent");
    await deck.client.command("sessions/archive", { session: session.id, archived: true });
    await page.getByText("This session is archived.").waitFor();
    await page.getByRole("button", { name: "Unarchive" }).click();
    await page.getByText("This session is archived.").waitFor({ state: "detached" });
    await page.locator(".head").getByRole("link", { name: "Fork of The parent" }).click();
    await page.locator(`.deck[data-session="${parent}"]`).waitFor();
  });
});

describe("[E240] a process that does not react", () => {
  it("is stopped in a second step, and the session can be resumed", { tags: "long" }, async () => {
    const { deck, page } = aboard;
    const id = await deck.atSession(page);
    await send(page, "say hello");
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    await send(page, "think for ever");
    await page.locator(".tail-line").getByText("thinking").waitFor();
    const { head } = await deck.client.call("session/subscribe", { session: id });
    // It reads nothing more, and no signal but the last reaches it.
    process.kill(head.process!.pid!, "SIGSTOP");
    // By the key of the whole page, outside of the message.
    await page.locator(".timeline-list").focus();
    await page.keyboard.press("Escape");
    const note = page.getByRole("alert").filter({ hasText: "Claude Code has not stopped yet." });
    await note.getByText("changed files and queued messages are kept").waitFor();
    await note.getByRole("button", { name: "Stop the process" }).click();
    await rowWith(page, "The process was stopped during this turn.").waitFor();
    await note.waitFor({ state: "detached" });
    // What a person wanted is no error.
    expect(await page.locator(".toast").allInnerTexts()).toEqual([]);
    await composerOf(page).fill("say hello");
    await composerOf(page).press("Enter");
    await expect.poll(() => rowWith(page, "Hello from the deck.").count()).toBe(2);
    await settled(page);
  });
});

describe("[E241] what the page offers to start with", () => {
  it(
    "has allowed tools and effort, a pull request, and no QR code for an address of this machine",
    { tags: "long" },
    async () => {
      const { deck, page } = aboard;
      await page.goto(`${deck.server.url}/#/`);
      await page.getByRole("button", { name: "Settings" }).click();
      const settings = page.getByRole("dialog", { name: "Settings" });
      await settings.getByRole("tab", { name: "Devices" }).click();
      await settings.getByRole("button", { name: "Create link" }).click();
      await settings.getByText("This link works only on this machine, so it has no QR code.").waitFor();
      expect(await settings.getByRole("img", { name: "QR code of the link" }).count()).toBe(0);
      await expect.poll(() => settings.innerText()).toContain("npx quarterdeck serve --behind-proxy --allow-host");
      await page.keyboard.press("Escape");
      await settings.waitFor({ state: "detached" });

      // Settings that open at a tab have the focus there.
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("combobox").fill("notifications");
      await page.getByRole("option", { name: /^Notifications/u }).click();
      await settings.waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("tab-notify");
      await page.keyboard.press("Escape");
      await settings.waitFor({ state: "detached" });

      await page.getByRole("button", { name: "New", exact: true }).click();
      const start = page.getByRole("dialog", { name: "New session" });
      await start.getByLabel("Effort").waitFor();
      await start.getByText("Pull request", { exact: true }).click();
      await start.getByLabel("Pull request number or URL").waitFor();
      await start.getByText("More options").click();
      await start.getByLabel("Allowed without asking").fill("Bash(npm test *)");
      await start.getByRole("button", { name: "Cancel" }).click();
      await start.waitFor({ state: "detached" });
    },
  );
});
