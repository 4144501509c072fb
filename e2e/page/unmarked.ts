// Texts of a page in the `marked` language that do not stand between its brackets: visible text, and names that a screen reader reads.

import type { Page } from "playwright-core";

/** What people, models, tools and the server say, and names that no language translates. */
const CONTENT = [
  "code, pre, kbd, samp, .mono, .num, time, textarea, select option",
  // What was said, and what tools wrote.
  ".md, .prompt-text, .output, .tool-line, .dl-text, [data-content]",
].join(", ");

/** Words that may stand without brackets, each for a reason. */
export interface Excuse {
  readonly words: RegExp | string;
  readonly why: string;
}

export const unmarkedIn = async (page: Page, excuses: readonly Excuse[]): Promise<string[]> => {
  const found = await page.evaluate((content) => {
    const NAMES = ["aria-label", "aria-description", "title", "placeholder", "alt", "data-tip"];
    const texts = new Set<string>();
    /** What is outside of brackets, if they were open `depth` times before. */
    const outside = (text: string, depth: number): readonly [string, number] => {
      let rest = "";
      let open = depth;
      for (const letter of text) {
        if (letter === "⟦") open++;
        else if (letter === "⟧") open = Math.max(0, open - 1);
        else if (open === 0) rest += letter;
      }
      return [rest.trim(), open];
    };
    const take = (text: string, depth = 0): number => {
      const [rest, open] = outside(text, depth);
      if (rest !== "") texts.add(rest);
      return open;
    };
    // A text that has elements in it opens its bracket before the first of them and closes it after the last.
    const walk = (element: Element, depth: number): void => {
      if (element.matches(content) || !element.checkVisibility()) return;
      for (const name of NAMES) take(element.getAttribute(name) ?? "");
      let open = depth;
      for (const child of element.childNodes) {
        if (child instanceof Text) open = take(child.data, open);
        else if (child instanceof Element) walk(child, open);
      }
    };
    walk(document.body, 0);
    return [...texts];
  }, CONTENT);
  return found.filter((text) => {
    const rest = excuses.reduce((left, { words }) => left.replaceAll(words, ""), text);
    return /\p{L}{2,}/u.test(rest);
  });
};
