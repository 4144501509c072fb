// Whether axe finds anything serious on a screen.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Found {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const problemsIn = async (page: Page, part: string): Promise<string[]> => {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(AXE);
  const violations = await page.evaluate(async (root) => {
    const { axe } = globalThis as unknown as {
      axe: { run: (root: string, options: object) => Promise<{ violations: Found[] }> };
    };
    return (await axe.run(root, { resultTypes: ["violations"] })).violations;
  }, part);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`);
};

/**
 * In the dark and in the light. A part is enough where the rest was looked at before. A theme that is only half painted looks
 * wrong and is looked at again; what is wrong stays so.
 */
export const expectSound = async (page: Page, screen: string, part = "html"): Promise<void> => {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect
      .poll(() => problemsIn(page, part), { message: `${screen}, ${colorScheme}`, timeout: 10_000 })
      .toEqual([]);
  }
};
