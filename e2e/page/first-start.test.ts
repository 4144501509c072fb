// The first visit: from an address to the first answer.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rowWith, settled, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const aboard = useDeck({ scenario: SCENARIO }, "nobody");

describe("[E15] a browser that comes for the first time", () => {
  it("is told how to get a link", async () => {
    const { deck } = aboard;
    const page = await deck.stranger();
    await page.goto(deck.server.url);
    await page.getByRole("heading", { name: "This browser isn't paired yet" }).waitFor();
    await page.getByText("quarterdeck devices pair").waitFor();
    await page.getByLabel("Link or code").fill("nonsense");
    await page.getByRole("button", { name: "Pair this browser" }).click();
    deck.expectTrouble(/status of 4\d\d/u);
    await page.getByRole("alert").waitFor();
    await page.getByRole("heading", { name: "This browser isn't paired yet" }).waitFor();
    await expect.poll(() => page.getByRole("navigation", { name: "Sessions" }).count()).toBe(0);
  });

  it("is paired by the link, which leaves the address and works once", async () => {
    const { deck } = aboard;
    const link = await deck.pairingLink();
    const page = await deck.stranger();
    await page.goto(link);
    await page.getByRole("heading", { name: "Pair this browser" }).waitFor();
    await expect.poll(() => page.url()).not.toContain("pair=");
    await page.getByLabel("Device name").fill("Captain's desk");
    await page.getByRole("button", { name: "Pair this browser" }).click();
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();

    const thief = await deck.stranger();
    await thief.goto(link);
    await thief.getByRole("button", { name: "Pair this browser" }).click();
    deck.expectTrouble(/status of 4\d\d/u);
    await thief.getByRole("alert").waitFor();
    await thief.getByRole("heading", { name: "This browser isn't paired yet" }).waitFor();

    await page.reload();
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
  });
});

describe("[E16] the first session", () => {
  it("starts in a folder of the picker and streams its first answer", async () => {
    const { deck } = aboard;
    mkdirSync(join(deck.place.cwd, "harbour"));
    const page = await deck.open();
    await page.getByRole("main").getByRole("button", { name: "New session" }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByRole("button", { name: "harbour" }).click();
    await dialog.getByLabel("Message (optional)").fill("tell the report");
    await dialog.getByRole("button", { name: "Start" }).click();
    await page.getByRole("heading", { name: "The report", exact: true }).waitFor();
    await page.getByRole("cell", { name: "north" }).waitFor();
    await rowWith(page, "That is all of it.").waitFor();
    await settled(page);
    await expect.poll(() => page.getByRole("heading", { name: "The report", exact: true }).count()).toBe(1);
    await expect.poll(() => page.title()).toBe("tell the report · Quarterdeck");
    await page.getByRole("heading", { level: 1, name: "tell the report" }).waitFor();
    await page
      .getByText(/harbour$/u)
      .first()
      .waitFor();
  });
});
