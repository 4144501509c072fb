// Whatever the model, a tool or a file says, it stays text: no dialog, no breach of the policy, no request to anywhere else. Each
// test ends with a look at what the watched page did (see deck.ts).

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Script } from "@quarterdeck/simulator";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { allowIn, composerOf, denyBy, dockOf, pressArmed, rowWith, send, settled, useDeck } from "./journey.ts";
import { FILE_NAMES, MARKDOWN, MARKUP, TERMINAL } from "./hostile-texts.ts";
import { HIDDEN_COMMAND, LONG_COMMAND, SCENARIO } from "./scenario.ts";

const ALL = [...MARKUP, ...MARKDOWN, ...TERMINAL];
const text = (words: string): Block => ({ text: words });
const use = (tool: string, input: Readonly<Record<string, unknown>>): Block => ({ tool, input });
const nasty = MARKUP[1]!;

const SCRIPTS: readonly Script[] = [
  {
    when: "say the worst",
    steps: [{ say: [{ thinking: ALL.join("\n\n") }, text(ALL.join("\n\n")), text("All said.")] }],
  },
  {
    when: "print the worst",
    steps: [
      {
        say: [
          use("Bash", { command: "cat worst.txt", description: nasty }),
          use("Read", { file_path: "{{cwd}}/worst.txt" }),
          use("Bash", { command: "ls names" }),
          use("mcp__<img src=x onerror=alert(1)>__run", { [nasty]: nasty }),
          use(nasty, { [nasty]: [nasty] }),
        ],
      },
      { say: [text("All printed.")] },
    ],
  },
  {
    when: "ask the worst",
    steps: [
      {
        say: [
          use("AskUserQuestion", {
            questions: [
              {
                question: `${nasty} ${MARKDOWN[0]!} ${MARKDOWN[8]!}`,
                header: "<svg onload=alert(1)>",
                multiSelect: false,
                options: [
                  { label: nasty, description: MARKUP[0], preview: `${MARKUP[5]!}\n\n${MARKDOWN[8]!}` },
                  { label: "b", description: MARKDOWN[0] },
                ],
              },
            ],
          }),
        ],
      },
      { say: [use("Write", { file_path: `{{cwd}}/${FILE_NAMES[0]!}`, content: ALL.join("\n") })] },
      { say: [text("All asked.")] },
    ],
  },
  {
    when: "plan the worst",
    steps: [
      { say: [use("Write", { file_path: "{{planFile}}", content: [...MARKUP, ...MARKDOWN].join("\n\n") })] },
      { say: [use("ExitPlanMode", {})] },
      { say: [text("All planned.")] },
    ],
  },
  {
    when: "show a picture from afar",
    steps: [
      { say: [text("Look: ![a lighthouse](https://evil.example/lighthouse.png) and [here](https://evil.example/).")] },
    ],
  },
];

const aboard = useDeck({ scenario: { ...SCENARIO, scripts: [...SCRIPTS, ...SCENARIO.scripts] } });

/** Goes through the conversation from its beginning, and opens every card on the way. */
const expectOnlyText = async (page: Page): Promise<void> => {
  await page.getByRole("main").evaluate(async (main) => {
    const scroller = main.querySelector("[data-row]")!.closest('[tabindex="0"]')!;
    const painted = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
    scroller.scrollTop = 0;
    for (;;) {
      await painted();
      for (const closed of main.querySelectorAll<HTMLElement>(
        '[data-row] [aria-expanded="false"]:not([aria-haspopup])',
      ))
        closed.click();
      await painted();
      if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2) break;
      scroller.scrollTop += scroller.clientHeight / 2;
      look();
    }
    look();
    function look(): void {
      for (const link of main.querySelectorAll("a[href]"))
        if (!/^(?:https?:|mailto:|#)/u.test(link.getAttribute("href")!))
          console.error(`a link to ${link.getAttribute("href")}`);
      const loads = "img, image, iframe, object, embed, video, audio, source, link, script, form, base, style";
      for (const element of main.querySelectorAll(loads))
        for (const name of ["src", "href", "xlink:href", "data", "srcset", "action", "srcdoc"])
          if (/evil|script|data:text/iu.test(element.getAttribute(name) ?? ""))
            console.error(`<${element.localName} ${name}="${element.getAttribute(name)}">`);
      for (const element of main.querySelectorAll("*"))
        for (const { name } of element.attributes) if (name.startsWith("on")) console.error(`an attribute ${name}`);
    }
  });
  expect(await page.evaluate(() => document.querySelectorAll("script:not([src])").length)).toBe(0);
};

describe("what is said (S12)", () => {
  it("by the model and by people stays text, while it streams and afterwards", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page, { title: nasty });
    await send(page, "say the worst");
    await rowWith(page, "All said.").waitFor();
    await settled(page);
    await expectOnlyText(page);
    await send(page, `${MARKUP.join(" ")} mind the fog`);
    await rowWith(page, "I mind the fog.").waitFor();
    await settled(page);
    await page.getByRole("heading", { level: 1, name: nasty }).waitFor();
    await page.reload();
    await rowWith(page, "I mind the fog.").waitFor();
    await expectOnlyText(page);
  });

  it("by tools stays text: their names, their input, what they print, names of files", async () => {
    const { deck, page } = aboard;
    mkdirSync(join(deck.place.cwd, "names"), { recursive: true });
    for (const name of FILE_NAMES) writeFileSync(join(deck.place.cwd, "names", name), nasty);
    writeFileSync(join(deck.place.cwd, "worst.txt"), ALL.join("\n"));
    await deck.atSession(page, { settings: { allowedTools: ["Bash", "Read"] } });
    await send(page, "print the worst");
    await rowWith(page, "All printed.").waitFor();
    await settled(page);
    await expectOnlyText(page);
    await composerOf(page).pressSequentially("@onerr");
    await page.getByRole("option", { name: /onerror/u }).waitFor();
    await page.keyboard.press("Escape");
    await composerOf(page).fill("");
  });

  it("in a question, a permission and a plan stays text", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "ask the worst");
    const dock = dockOf(page);
    await dock.getByRole("radio").first().check();
    await dock.getByRole("region", { name: /^Preview/u }).waitFor();
    await expectOnlyText(page);
    await dock.getByRole("button", { name: "Answer ↵" }).click();
    await dock.getByText("new file").waitFor();
    const shown = dock.getByRole("region", { name: "Requested action" });
    await shown.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await expectOnlyText(page);
    await pressArmed(allowIn(dock));
    await rowWith(page, "All asked.").waitFor();
    await settled(page);
    await expectOnlyText(page);

    await deck.atSession(page, { settings: { permissionMode: "plan" } });
    await send(page, "plan the worst");
    await dock.getByRole("button", { name: /^Approve/u }).waitFor();
    await expectOnlyText(page);
    await dock.getByRole("button", { name: "Reject and stop" }).click();
    await settled(page);
  });
});

describe("a picture from elsewhere (S14)", () => {
  it("is never fetched; its address is shown, and a link leads out without a way back", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "show a picture from afar");
    await rowWith(page, "a lighthouse").waitFor();
    await settled(page);
    expect(await page.locator("main [data-row] img").count()).toBe(0);
    const link = page.getByRole("link", { name: /^here/u });
    await expect.poll(() => link.getAttribute("rel")).toContain("noopener");
    await expect.poll(() => link.getAttribute("target")).toBe("_blank");
  });
});

describe("what is to be allowed", () => {
  it("shows as marks what cannot be seen, and says that alphabets are mixed (S16)", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    await send(page, "hide something");
    const dock = dockOf(page);
    const marks = dock.getByRole("region", { name: "Requested action" }).locator("mark");
    await marks.first().waitFor();
    await expect.poll(() => marks.allTextContents()).toEqual(["U+200B", "U+202E"]);
    await dock.getByRole("alert").getByText("2 hidden characters, shown as marks").waitFor();
    await dock.getByRole("alert").getByText("letters of different alphabets in one word: pаypal").waitFor();
    const seen = await dock.locator("pre").first().innerText();
    expect(seen.replace("$ ", "").replace("U+200B", "\u200B").replace("U+202E", "\u202E").trim()).toBe(HIDDEN_COMMAND);
    // The rule, the editor and the row say it too.
    await dock.getByRole("button", { name: "More ways to allow" }).click();
    await dock.locator(".ask-rule").getByText("U+202E").waitFor();
    await page.getByRole("region", { name: "Bash" }).getByText("‹U+202E›gpj.exe").waitFor();
    await dock.getByRole("button", { name: "Edit E" }).click();
    await dock.getByRole("alert").getByText("2 hidden characters, which text fields don't show").waitFor();
    await denyBy(dock, "Deny and stop");
    await settled(page);
  });

  it("is allowed with one press only when its end was in sight (S17)", async () => {
    const { deck, page } = aboard;
    const id = await deck.atSession(page);
    await send(page, "write at length");
    const dock = dockOf(page);
    await allowIn(dock)
      .getByText(/^\d+ lines are unread$/u)
      .waitFor();
    await dock.getByText(createHash("sha256").update(LONG_COMMAND).digest("hex").slice(0, 16)).waitFor();
    const answered = deck.answersToCli().length;
    await pressArmed(allowIn(dock));
    await dock.getByRole("button", { name: /^Allow anyway/u }).waitFor();
    // The editor does not bypass it.
    await dock.getByRole("button", { name: "Edit E" }).click();
    await pressArmed(dock.getByRole("button", { name: "Allow as edited" }));
    await dock.getByRole("button", { name: /^Allow anyway/u }).waitFor();
    await dock.getByRole("button", { name: "Discard changes" }).click();
    await allowIn(dock).waitFor();
    expect(deck.answersToCli()).toHaveLength(answered);
    await dock.getByRole("region", { name: "Requested action" }).hover();
    await page.mouse.wheel(0, 100_000);
    await allowIn(dock).getByText("unread").waitFor({ state: "detached" });
    await pressArmed(allowIn(dock));
    await rowWith(page, "Written at length.").waitFor();
    expect(page.url()).toContain(id);
  });
});
