// axe finds nothing serious on a screen, in the dark and in the light.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { IS_WHOLE } from "@quarterdeck/test-kit/how-much";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Found {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Rules whose result depends on the theme. A second theme needs only these. */
export const COLOR_RULES = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } } as const;

const problemsIn = async (page: Page, part: string, rules: object): Promise<string[]> => {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(AXE);
  const violations = await page.evaluate(
    async ({ root, options }) => {
      const { axe } = globalThis as unknown as {
        axe: { run: (root: string, options: object) => Promise<{ violations: Found[] }> };
      };
      // Style sheets and media of the page are read beforehand only for rules about sound and about turned devices.
      return (await axe.run(root, { resultTypes: ["violations"], preload: false, ...options })).violations;
    },
    { root: part, options: rules },
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`);
};

/**
 * In the dark, and for a whole run in the light. A part is enough where the rest was looked at before. A theme that is only half painted looks
 * wrong and is looked at again; what is wrong stays so.
 */
export const expectSound = async (page: Page, screen: string, part = "html"): Promise<void> => {
  for (const colorScheme of IS_WHOLE ? (["dark", "light"] as const) : (["dark"] as const)) {
    await page.emulateMedia({ colorScheme });
    await expect
      .poll(() => problemsIn(page, part, colorScheme === "dark" ? {} : COLOR_RULES), {
        message: `${screen}, ${colorScheme}`,
      })
      .toEqual([]);
  }
};
