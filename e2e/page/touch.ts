// Problems for touch: targets that are too small, cut off or covered, and fields that make an iPhone zoom in.

import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Problems of the open menu, else of the last dialog, else of the page. */
const troublesOf = (page: Page, isTouched: boolean): Promise<string[]> =>
  page.evaluate(
    ({ touched, width: screenWidth }) => {
      const LEAST = 43.5;
      const found = new Set<string>();
      const root =
        document.querySelector(":popover-open") ??
        [...document.querySelectorAll("dialog[open]")].at(-1) ??
        document.body;
      const nameOf = (element: Element): string =>
        `${element.tagName.toLowerCase()}.${[...element.classList].join(".")} in .${element.parentElement?.className ?? ""}`;
      const isClip = (style: CSSStyleDeclaration): boolean =>
        style.overflowX !== "visible" || style.overflowY !== "visible";

      if (document.documentElement.scrollWidth > screenWidth)
        found.add(`the page is ${document.documentElement.scrollWidth} px wide`);
      const all = root.querySelectorAll<HTMLElement>(
        "button, a[href], input, select, textarea, summary, [role=tab], [role=option]",
      );
      for (const element of all) {
        // The card of a request has journeys of its own.
        if (element.closest("[inert], .ask, .skip, .scrim, .menu:not(:popover-open)") !== null) continue;
        if (element.matches(":disabled, .scrim") || !element.checkVisibility({ visibilityProperty: true })) continue;
        const style = getComputedStyle(element);
        const label = element.matches("input") ? element.closest("label") : null;
        const box = (label ?? element).getBoundingClientRect();
        if (box.width === 0 || style.clipPath !== "none") continue;

        const above: { readonly box: DOMRect; readonly scrolls: boolean }[] = [];
        for (let part = element.parentElement; part !== null; part = part.parentElement) {
          const outer = getComputedStyle(part);
          const scrolls = /auto|scroll/u.test(outer.overflowX) && part.scrollWidth > part.clientWidth;
          if (isClip(outer)) above.push({ box: part.getBoundingClientRect(), scrolls });
        }
        const reach = above.findIndex(({ scrolls }) => scrolls);
        const edges = [
          ...(reach === -1 ? above : above.slice(0, reach)),
          ...(reach === -1 ? [{ box: new DOMRect(0, 0, screenWidth, innerHeight) }] : []),
        ];
        if (edges.some((edge) => box.right > edge.box.right + 1.5 || box.left < edge.box.left - 1.5))
          found.add(`cut off: ${nameOf(element)} ${Math.round(box.left)} to ${Math.round(box.right)}`);

        if (touched && !(style.display === "inline" && element.matches("a"))) {
          const grown = [element, ...(label === null ? [] : [label])].flatMap((part) =>
            ["::before", "::after"]
              .map((pseudo) => getComputedStyle(part, pseudo))
              .filter(({ position, content }) => position === "absolute" && content !== "none"),
          );
          const width = Math.max(box.width, ...grown.map((area) => Number.parseFloat(area.width) || 0));
          const height = Math.max(box.height, ...grown.map((area) => Number.parseFloat(area.height) || 0));
          if (width < LEAST || height < LEAST)
            found.add(`small: ${nameOf(element)} ${Math.round(width)} x ${Math.round(height)}`);
          const isText = element.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=range])");
          if (isText && Number.parseFloat(style.fontSize) < 16)
            found.add(`small text: ${nameOf(element)} ${style.fontSize}`);
        }

        const x = box.left + box.width / 2;
        const y = box.top + box.height / 2;
        const isSeen =
          x > 0 &&
          x < innerWidth &&
          y > 0 &&
          y < innerHeight &&
          above.every((edge) => x > edge.box.left && x < edge.box.right && y > edge.box.top && y < edge.box.bottom);
        if (!isSeen || style.pointerEvents === "none") continue;
        const hit = document.elementFromPoint(x, y);
        // What floats over a list that scrolls covers nothing for long.
        if (hit === null || hit.closest(".find, .to-end, .toasts, .strip-floats") !== null) continue;
        if (!element.contains(hit) && !hit.contains(element) && label?.contains(hit) !== true)
          found.add(`covered: ${nameOf(element)} by ${nameOf(hit)}`);
      }
      return [...found];
    },
    { touched: isTouched, width: page.viewportSize()!.width },
  );

/** The page does not scroll sideways, and a phone does not zoom out. Its `innerWidth` is no measure: it grows with the page. */
export const expectFits = async (page: Page): Promise<void> => {
  const { width } = page.viewportSize()!;
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
};

/** Nothing is in a finger's way. What is still being drawn is looked at again. */
export const expectInReach = async (page: Page, screen: string): Promise<void> => {
  await expect.poll(() => troublesOf(page, true), { message: screen }).toEqual([]);
};

/** Nothing is cut off or covered. */
export const expectWhole = async (page: Page, screen: string): Promise<void> => {
  await expect.poll(() => troublesOf(page, false), { message: screen }).toEqual([]);
};
