// An MCP server that sends a person to a page. The card names the host before the person goes there, and the server
// learns the result.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { dockOf, pressArmed, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";
import { ELICITATION } from "./screenshot-story.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

const URL = "https://harbour.example/confirm?berth=7";
const folder = mkdtempSync(join(tmpdir(), "quarterdeck-elicitation-url-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const recording = join(folder, "elicitation.ndjson");
const asksForUrl = (key: string, value: unknown): unknown => {
  if (key !== "request" || (value as { subtype?: unknown }).subtype !== "elicitation") return value;
  const { requested_schema: _schema, ...rest } = value as Record<string, unknown>;
  return { ...rest, mode: "url", url: URL };
};
writeFileSync(recording, ELICITATION.map((line) => JSON.stringify(line, asksForUrl)).join("\n"));

const args = [...programWords("quarterdeck-sim"), "--replay", recording];
const aboard = useDeck({ scenario: SCENARIO, program: { command: process.execPath, args, env: {} } });

const answers = (): unknown[] =>
  aboard.deck.place.linesToCli().flatMap((line) => {
    const { type, response } = line as { type?: unknown; response?: { request_id?: unknown; response?: unknown } };
    return type === "control_response" && response?.request_id === "e1" ? [response.response] : [];
  });

it("[E76] names the host, opens in a tab of its own, and says when it is done", async () => {
  const { deck, page } = aboard;
  await deck.atSession(page, { prompt: "Book a berth" });
  const dock = dockOf(page);
  await dock.getByText("Asks you to visit harbour.example").waitFor();
  const link = dock.getByRole("link", { name: URL });
  await expect.poll(() => link.getAttribute("href")).toBe(URL);
  await expect.poll(() => link.getAttribute("target")).toBe("_blank");
  await expect.poll(() => link.getAttribute("rel")).toContain("noopener");
  await pressArmed(dock.getByRole("button", { name: "Done" }));
  await dock.waitFor({ state: "detached" });
  await expect.poll(answers).toEqual([{ action: "accept" }]);
});

it("[E76] can be declined", async () => {
  const { deck, page } = aboard;
  const before = answers().length;
  await deck.atSession(page, { prompt: "Book a berth" });
  await dockOf(page).getByRole("button", { name: "Decline" }).click();
  await expect.poll(() => answers().slice(before)).toEqual([{ action: "decline" }]);
});
