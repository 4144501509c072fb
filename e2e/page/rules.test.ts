// The rules page and the request card: rules that a person can read, test, change and undo.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectSound } from "./axe.ts";
import { PHONE } from "./deck.ts";
import { allowAs, allowIn, chooseAllow, dockOf, pressArmed, rowWith, send, settled, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";
import { expectFits } from "./touch.ts";

const aboard = useDeck({ scenario: SCENARIO });

const LOCAL = ".claude/settings.local.json";
const PROJECT = ".claude/settings.json";
const rulesIn = (file: string): Readonly<Record<string, readonly string[]>> =>
  JSON.parse(readFileSync(join(aboard.deck.place.cwd, file), "utf8")).permissions;

/** A failure shows what differs, and after which step. */
const expectTrust = async (after: string): Promise<void> => {
  const seen = await aboard.deck.client.call("projects/inspect", { cwd: aboard.deck.place.cwd });
  expect({ after, ...seen }).toMatchObject({ after, trust: "trusted" });
};

/** As another device would add it. */
const save = async (scope: "localSettings" | "projectSettings", behavior: "allow" | "ask" | "deny", rule: string) => {
  const { client, place } = aboard.deck;
  const change = { to: { scope, behavior, rule } };
  const { files } = await client.call("rules/preview", { cwd: place.cwd, change });
  await client.command("rules/save", { cwd: place.cwd, change, hashes: files.map(({ hash }) => hash) });
};

const atRules = async (page: Page): Promise<void> => {
  await page.goto(`${aboard.deck.server.url}/#/rules/f/${encodeURIComponent(aboard.deck.place.cwd)}`);
  await page.getByRole("heading", { name: "Rules", level: 1 }).waitFor();
  await ruleRow(page, "Bash(npm run:*)").waitFor();
};
const ruleRow = (page: Page, rule: string): Locator => page.locator(".rt-rule").filter({ hasText: rule });
const group = (page: Page, name: string): Locator => page.locator("tbody").filter({ hasText: name });
const act = async (page: Page, rule: string, action: string): Promise<Locator> => {
  await page.getByRole("button", { name: `Edit, move or remove ${rule}` }).click();
  await page.getByRole("menuitem", { name: `${action}…`, exact: true }).click();
  return page.getByRole("dialog", { name: `${action} rule` });
};
/** Not before the change is previewed as it is now. */
const press = async (dialog: Locator, name: string): Promise<void> => {
  await dialog.getByRole("button", { name, exact: true }).and(dialog.page().locator(":enabled")).click();
  await dialog.waitFor({ state: "detached" });
};

beforeAll(async () => {
  // A folder that has nothing of its own is trusted with its first session, and stays so.
  await aboard.deck.startSession();
  await save("projectSettings", "allow", "Bash(npm run:*)");
  await save("projectSettings", "ask", "Bash(git push --force:*)");
  await save("projectSettings", "deny", "WebFetch(domain:paste.example)");
  await save("localSettings", "allow", "Bash(npm test:*)");
  await save("localSettings", "allow", "Bash(python3:*)");
});

// A test or try that lost the trust of the folder must not fail those after it.
beforeEach(async () => {
  const { client, place } = aboard.deck;
  const { trust, hash } = await client.call("projects/inspect", { cwd: place.cwd });
  if (trust !== "trusted") await client.command("projects/trust", { cwd: place.cwd, hash, trusted: true });
});

describe("[E115] on the rules page", () => {
  it("every rule is listed with its file and line, and a filter finds it", async () => {
    const { page } = aboard;
    await page.getByRole("navigation", { name: "Sessions" }).getByRole("link", { name: "Rules" }).click();
    await ruleRow(page, "Bash(npm run:*)").waitFor();
    await group(page, "This project, shared").getByText(PROJECT, { exact: true }).waitFor();
    await group(page, "This project, only you").getByText(LOCAL, { exact: true }).waitFor();
    await expect
      .poll(() => ruleRow(page, "Bash(git push --force:*)").locator("td").allInnerTexts())
      .toEqual(expect.arrayContaining(["Ask", "Bash(git push --force:*)", "7"]));
    await ruleRow(page, "Bash(python3:*)").getByText("Risky:").waitFor();

    await page.getByRole("radio", { name: "Deny" }).check({ force: true });
    await ruleRow(page, "Bash(npm run:*)").waitFor({ state: "detached" });
    await ruleRow(page, "WebFetch(domain:paste.example)").waitFor();
    await page.getByRole("searchbox", { name: "Filter rules" }).fill("npm");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("Scope").selectOption({ label: "This project, only you" });
    await ruleRow(page, "Bash(npm run:*)").waitFor({ state: "detached" });
    await ruleRow(page, "Bash(npm test:*)").waitFor();
  });

  it("a call is tested while it is typed, and says which rule decides", async () => {
    const { page } = aboard;
    await atRules(page);
    const tester = page.getByRole("region", { name: "Test a call" });
    const verdict = tester.locator(".verdict");
    await tester.getByLabel("Bash to test").fill("npm run build && git push --force origin main");
    await verdict.getByText("Asks you.").waitFor();
    await verdict.locator("li").filter({ hasText: "npm run build" }).getByText("Bash(npm run:*)").waitFor();
    await verdict
      .locator("li")
      .filter({ hasText: "git push --force origin main" })
      .getByText(/this project, shared, line 7/u)
      .waitFor();
    await tester.getByLabel("Bash to test").fill("npm run build");
    await verdict.getByText("Allowed.").waitFor();
    await tester.getByRole("button", { name: "Tool: Bash" }).click();
    await page.getByRole("menuitemradio", { name: "WebFetch" }).click();
    await tester.getByLabel("WebFetch to test").fill("https://paste.example/x");
    await verdict.getByText("Denied.").waitFor();
    await expect.poll(() => verdict.innerText()).toContain("WebFetch(domain:paste.example)");
  });

  it("a rule is added, edited, moved and removed with the file's diff before, and undone after", async () => {
    const { page } = aboard;
    await atRules(page);
    // A second try must not find what the first one left.
    const program = `make${Date.now().toString(36)}`;
    const [wide, narrow] = [`Bash(${program}:*)`, `Bash(${program} test)`];
    await page.getByRole("button", { name: "Add rule" }).click();
    const added = page.getByRole("dialog", { name: "Add rule" });
    await added.getByRole("textbox", { name: "Rule" }).fill("Bash(");
    await added.getByRole("alert").waitFor();
    await expect.poll(() => added.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await added.getByRole("textbox", { name: "Rule" }).fill(wide);
    const diff = added.getByRole("region", { name: `Changes of ${join(aboard.deck.place.cwd, LOCAL)}` });
    await diff.locator(".is-added").getByText(wide).waitFor();
    expect(rulesIn(LOCAL)["allow"]).not.toContain(wide);
    await press(added, "Save");
    await group(page, "This project, only you").getByText(wide).waitFor();
    expect(rulesIn(LOCAL)["allow"]).toContain(wide);
    await expectTrust("add");

    const edited = await act(page, wide, "Edit");
    await edited.getByRole("textbox", { name: "Rule" }).fill(narrow);
    await press(edited, "Save");
    await ruleRow(page, narrow).waitFor();
    await expectTrust("edit");

    const moved = await act(page, narrow, "Move");
    await moved.getByLabel("Saved in").selectOption("projectSettings");
    await press(moved, "Save");
    await group(page, "This project, shared").getByText(narrow).waitFor();
    expect(rulesIn(LOCAL)["allow"]).not.toContain(narrow);
    expect(rulesIn(LOCAL)["allow"]).not.toContain(wide);
    expect(rulesIn(PROJECT)["allow"]).toContain(narrow);
    await expectTrust("move");

    await press(await act(page, narrow, "Remove"), "Remove rule");
    await ruleRow(page, narrow).waitFor({ state: "detached" });
    expect(rulesIn(PROJECT)["allow"]).not.toContain(narrow);
    await expectTrust("remove");
    const note = page.locator(".rules-saved");
    await note.getByRole("button", { name: "Undo" }).click();
    await ruleRow(page, narrow).waitFor();
    expect(rulesIn(PROJECT)["allow"]).toContain(narrow);
    await expectTrust("undo");
    await note.getByRole("button", { name: "Redo" }).click();
    await ruleRow(page, narrow).waitFor({ state: "detached" });
    await expectTrust("redo");
  });

  it("a device below admin reads and tests, and changes nothing", async () => {
    const page = await aboard.deck.open({ role: "view", name: "Viewer" });
    await atRules(page);
    await page.getByText("Only an admin device can change them.").waitFor();
    expect(await page.getByRole("button", { name: "Add rule" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /^Edit, move or remove/u }).count()).toBe(0);
    await page.getByLabel("Bash to test").fill("npm run build");
    await page.locator(".verdict").getByText("Allowed.").waitFor();
  });
});

describe("[E116] the rules page", { tags: "long" }, () => {
  it("is accessible on a desk and on a phone, with a dialog and a verdict, by touch alone", async () => {
    const { deck } = aboard;
    for (const options of [{}, PHONE]) {
      const page = await deck.open(options);
      await atRules(page);
      await page.getByLabel("Bash to test").fill("npm run build && git push --force");
      await page.locator(".verdict").getByText("Asks you.").waitFor();
      await expectFits(page);
      await expectSound(page, "rules");
      const open = page.getByRole("button", { name: "Edit, move or remove Bash(python3:*)" });
      await ("hasTouch" in options ? open.tap() : open.click());
      await page.getByRole("menuitem", { name: "Edit…" }).click();
      const dialog = page.getByRole("dialog", { name: "Edit rule" });
      await dialog.getByRole("textbox", { name: "Rule" }).fill("Bash(python3 -m pytest:*)");
      await dialog.locator(".rule-file").waitFor();
      await expectSound(page, "a change of a rule", "dialog[open]");
      await page.context().close();
    }
  });

  it("says so where a folder cannot be read, and tries again", async () => {
    const { deck, page } = aboard;
    await page.goto(`${deck.server.url}/#/rules/f/${encodeURIComponent("/nowhere")}`);
    const problem = page.getByRole("main").getByRole("alert");
    await problem.getByRole("button", { name: "Try again" }).click();
    await problem.waitFor();
    await expect.poll(() => problem.innerText()).toContain("outside of the folders that the server shares");
    await atRules(page);
  });
});

describe("[E118] policies and the audit", { tags: "long" }, () => {
  it("a policy answers for a person, counts and can be turned off; the audit says so, finds it and exports it", async () => {
    const { deck, page } = aboard;
    const { client, place } = deck;
    try {
      await atRules(page);
      const panel = page.getByRole("region", { name: "Policies" });
      await panel.getByLabel("New policy").selectOption({ label: "By own rules" });
      await panel.getByLabel("What it does").selectOption({ label: "Allow without asking" });
      await panel.getByLabel("Rules, one per line").fill("Bash(touch bell.txt)");
      await panel.getByLabel("Max uses").fill("2");
      await panel.getByRole("button", { name: "Add policy" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Turn on" }).click();
      const policy = panel.locator(".policy").filter({ hasText: "Allow without asking: Bash(touch bell.txt)" });
      await policy.getByText("Allow without asking · used 0 of 2 times").waitFor();
      // The form is empty again, so that a second click adds nothing.
      await expect.poll(() => panel.getByLabel("New policy").inputValue()).toBe("");
      expect(await panel.getByRole("button", { name: "Add policy" }).count()).toBe(0);
      await expectSound(page, "policies");

      await deck.atSession(page);
      await send(page, "ring twice");
      await rowWith(page, "Rung twice.").waitFor();
      await settled(page);
      await expect.poll(() => deck.answersToCli().at(-1)).toMatchObject({ behavior: "allow" });

      await atRules(page);
      await policy.getByText("used 2 of 2 times").waitFor();
      await policy.getByText("used up", { exact: true }).waitFor();
      await policy.getByRole("button", { name: "Renew" }).click();
      await policy.getByText("used 0 of 2 times").waitFor();
      await policy.getByRole("button", { name: "Turn off" }).click();
      await policy.getByRole("button", { name: "Turn on" }).waitFor();
      expect((await client.call("policies/list", { cwd: place.cwd })).policies).toMatchObject([
        { state: "off", used: 0, times: 2, behavior: "allow" },
      ]);

      await page.getByRole("link", { name: "Audit log" }).click();
      const entries = page.getByRole("region", { name: "Audit" }).getByRole("listitem");
      await entries.nth(1).filter({ hasText: "ring twice" }).waitFor();
      expect((await entries.first().innerText()).replaceAll(/\s+/gu, " ")).toMatch(
        /^Allowed Bash touch bell\.txt .*by the policy “Allow without asking: Bash\(touch bell\.txt\)” .*ring twice/u,
      );
      await entries.first().getByText("Input").click();
      await entries.first().getByText('{"command":"touch bell.txt"').waitFor();
      await page.getByLabel("Decided by").selectOption({ label: "Person" });
      await page.getByText("No matching decisions").waitFor();
      await page.getByLabel("Decided by").selectOption({ label: "Policy" });
      await page.getByLabel("Filter decisions").fill("BELL touch");
      await entries.nth(1).waitFor();
      await page.getByLabel("Filter decisions").fill("no such words");
      await page.getByText("No matching decisions").waitFor();
      await page.getByLabel("Filter decisions").fill("");
      await entries.nth(1).waitFor();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export JSON" }).click(),
      ]);
      const exported = JSON.parse(readFileSync(await file.path(), "utf8")) as readonly object[];
      expect(exported).toHaveLength(2);
      expect(exported[0]).toMatchObject({ tool: "Bash", behavior: "allow", input: { command: "touch bell.txt" } });

      const phone = await deck.open(PHONE);
      await phone.goto(page.url());
      await phone.getByRole("region", { name: "Audit" }).getByRole("listitem").nth(1).waitFor();
      await expectFits(phone);
      for (const label of ["Decided by", "Decision", "Time"])
        expect((await phone.getByLabel(label, { exact: true }).boundingBox())?.width).toBeGreaterThan(200);
      await expectSound(phone, "audit");
      await phone.context().close();
    } finally {
      const { policies } = await client.call("policies/list", {});
      for (const { id } of policies) await client.command("policies/remove", { id });
    }
  });
});

describe("[E117] the card of a request", { tags: "long" }, () => {
  it("says why it asks, which rule would be saved where, and what it would have allowed; the rule is edited in place", async () => {
    const { deck, page } = aboard;
    await deck.atSession(page);
    const answered = deck.answersToCli().length;
    await send(page, "ring twice");
    const dock = dockOf(page);
    await dock.getByText("Why it asks:").waitFor();
    await pressArmed(allowIn(dock));
    // The row of the first bell has its result, so what is open now is the second request.
    await page.locator("[data-row]").getByText("You allowed this").waitFor();
    await expect.poll(() => deck.answersToCli().length).toBe(answered + 1);
    await page.getByRole("main").getByRole("button", { name: "Bash needs you: go to the request" }).waitFor();
    await chooseAllow(dock, /^Always adds this rule to \.claude\/settings\.local\.json/u);
    await dock.getByText("not checked in", { exact: true }).waitFor();
    const rule = dock.getByRole("textbox", { name: "Rule" });
    await rule.fill("Bash(touch");
    await dock.getByText(/^Not a valid rule\./u).waitFor();
    const allow = allowAs(dock, "Allow always");
    await expect.poll(() => allow.getAttribute("aria-disabled")).toBe("true");
    await dock.getByText("Correct the rule first").waitFor();
    await rule.fill("Bash(touch bell.txt)");
    await dock.getByText(/Would also have allowed \d+ of the last/u).waitFor();
    await pressArmed(allow);
    await rowWith(page, "Rung twice.").waitFor();
    await settled(page);
    await expect
      .poll(() => deck.answersToCli().at(-1))
      .toMatchObject({
        behavior: "allow",
        updatedPermissions: [
          {
            type: "addRules",
            rules: [{ toolName: "Bash", ruleContent: "touch bell.txt" }],
            destination: "localSettings",
          },
        ],
      });
    expect(existsSync(join(deck.place.cwd, "bell.txt"))).toBe(true);
  });
});
