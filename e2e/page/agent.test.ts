// What stands between a newcomer and the first answer: a CLI that nobody has logged in. The page says it, and what to do.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PHONE } from "./deck.ts";
import { useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

const folder = mkdtempSync(join(tmpdir(), "quarterdeck-agent-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Says that it is not logged in, once a file tells it to; else it is the simulator. */
const LOGGED_OUT = `
if [ "$1" = auth ] && [ "$2" = --help ]; then echo "  status  Show it"; exit 0; fi
if [ -e ${folder}/in ] && [ "$1" = auth ]; then echo '{"loggedIn": true}'; exit 0; fi
if [ "$1" = auth ]; then until [ -e ${folder}/say ]; do sleep 0.05; done; echo '{"loggedIn": false}'; exit 1; fi
exec ${process.execPath} ${programWords("quarterdeck-sim").join(" ")} "$@"
`;

describe("[E19] a CLI without a login", () => {
  const program = { command: "/bin/sh", args: ["-c", LOGGED_OUT, "claude"], env: {} };
  const aboard = useDeck({ scenario: SCENARIO, program });

  it("[E176] is reported to browsers that were already open, and to those that connect later", async () => {
    const { deck, page } = aboard;
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    await expect.poll(() => page.getByText(/not logged in/u).count()).toBe(0);
    writeFileSync(join(folder, "say"), "");
    await page
      .getByRole("status")
      .getByText(/^Claude Code is not logged in/u)
      .waitFor();
    await page.getByText(/log in with \/login/u).waitFor();
    const steps = page.getByRole("region", { name: "Log in to Claude Code" });
    await steps.getByText("Not logged in yet.").waitFor();
    const { hostname } = deck.client.info!.machine;
    await expect
      .poll(() => steps.getByRole("listitem").allTextContents())
      .toEqual([
        `Open a terminal on ${hostname}.`,
        "Run claude Copy",
        "Type /login and follow the steps in your browser. Copy",
      ]);
    const later = await deck.open({ ...PHONE, name: "Pixel" });
    await later.getByRole("status").getByText("Claude Code is not logged in").waitFor();
    await later.getByText(/log in with \/login/u).waitFor();

    writeFileSync(join(folder, "in"), "");
    await page.getByRole("status").getByText("Claude Code is logged in now.").waitFor();
    await steps.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect.poll(() => page.getByText(/logged in/u).count()).toBe(0);
  });
});
