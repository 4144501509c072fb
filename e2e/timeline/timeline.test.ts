// The timeline in a real browser, under the page's policy: it keeps its place, stays small, and runs nothing from shown
// text.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COLOR_RULES } from "../page/axe.ts";
import { openGallery, type Gallery } from "./gallery.ts";

let gallery: Gallery;
beforeAll(async () => {
  gallery = await openGallery();
});
afterAll(() => gallery?.close());

const LIST = ".timeline-list";
const nodesOf = (page: Page): Promise<number> => page.evaluate(() => document.querySelectorAll(".timeline *").length);
const isAtEnd = (page: Page): Promise<boolean> =>
  page.evaluate((list) => {
    const { scrollHeight, scrollTop, clientHeight } = document.querySelector(list)!;
    return scrollHeight - scrollTop - clientHeight < 5;
  }, LIST);
/** Waits two frames, so that everything requested is drawn. */
const drawn = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
/** The first row that is fully visible, and its position. */
const placeOf = (page: Page, key?: string): Promise<{ key: string; top: number } | undefined> =>
  page.evaluate(
    ({ list, wanted }) => {
      const box = document.querySelector(list)!.getBoundingClientRect();
      for (const item of document.querySelectorAll<HTMLElement>(`${list} > .list-flow > .list-item`)) {
        const { top } = item.getBoundingClientRect();
        const itemKey = item.dataset["key"]!;
        if (wanted === undefined ? top >= box.top : itemKey === wanted) return { key: itemKey, top: top - box.top };
      }
      return undefined;
    },
    { list: LIST, wanted: key },
  );

/** How far an entry moves from its current place in this many frames. */
const farthestOf = (page: Page, key: string, frames: number): Promise<number> =>
  page.evaluate(
    async ({ list, wanted, count }) => {
      const topOf = (): number =>
        document.querySelector(`${list} [data-key="${CSS.escape(wanted)}"]`)!.getBoundingClientRect().top;
      const before = topOf();
      let farthest = 0;
      for (let frame = 0; frame < count; frame++) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        farthest = Math.max(farthest, Math.abs(topOf() - before));
      }
      return farthest;
    },
    { list: LIST, wanted: key, count: frames },
  );

/** Turns the wheel, and waits until the list has moved and stopped. */
const wheel = async (page: Page, by: number): Promise<void> => {
  const before = await page.evaluate((list) => document.querySelector(list)!.scrollTop, LIST);
  await page.mouse.move(500, 400);
  await page.mouse.wheel(0, by);
  await page.evaluate(
    ({ list, was }) =>
      new Promise<void>((resolve) => {
        const element = document.querySelector(list)!;
        let [last, since] = [was, performance.now()];
        const look = (): void => {
          const now = element.scrollTop;
          if (now !== last || now === was) since = performance.now();
          last = now;
          // A busy machine draws a few frames at once and then none, so frames alone do not show that the list has
          // stopped.
          if (performance.now() - since > 300) resolve();
          else requestAnimationFrame(look);
        };
        look();
      }),
    { list: LIST, was: before },
  );
};

/** The gallery's own view, which provides the rows. */
interface GalleryView {
  readonly snapshot: { readonly rows: readonly { readonly id: string; readonly order: number }[] };
  add(rows: readonly object[]): void;
  show(count: number): void;
}
declare const view: GalleryView;

describe("[E28] the list", () => {
  it("follows the end while the person is there, and only then", async () => {
    // Streams for longer than this test can take: it must still grow when the test looks.
    const { page } = await gallery.show("scene=stream&rate=400&times=600&open&plain");
    await page.waitForFunction(
      (list) => document.querySelector(list)!.scrollHeight > 3 * document.querySelector(list)!.clientHeight,
      LIST,
    );
    // Between a growth and its frame, the list is not at its end yet.
    await expect.poll(() => isAtEnd(page)).toBe(true);
    await page.mouse.move(500, 400);
    await page.mouse.wheel(0, -400);
    await page.waitForSelector(".to-end");
    // A streamed answer is one entry, taller than the window. The block that the person reads must stay in place.
    const moved = await page.evaluate(async (list) => {
      const scroller = document.querySelector(list)!;
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      for (let [top, since] = [scroller.scrollTop, performance.now()]; performance.now() - since < 300; await frame())
        if (scroller.scrollTop !== top) [top, since] = [scroller.scrollTop, performance.now()];
      const edge = scroller.getBoundingClientRect().top;
      const seen = [...scroller.querySelectorAll(".prose > *")].find(
        (block) => block.getBoundingClientRect().top >= edge,
      )!;
      const [before, height] = [seen.getBoundingClientRect().top, scroller.scrollHeight];
      while (scroller.scrollHeight <= height + 300) await frame();
      return Math.abs(seen.getBoundingClientRect().top - before);
    }, LIST);
    expect(moved).toBeLessThan(2);
    await page.click(".to-end");
    await page.waitForFunction((list) => {
      const { scrollHeight, scrollTop, clientHeight } = document.querySelector(list)!;
      return scrollHeight - scrollTop - clientHeight < 5;
    }, LIST);
    await page.waitForFunction(() => document.querySelector(".to-end") === null);
  });

  it("says how many rows are new", { tags: "long" }, async () => {
    const { page } = await gallery.show("scene=long&rows=120");
    await wheel(page, -900);
    await page.evaluate(() => {
      const last = view.snapshot.rows.at(-1)!;
      view.add(
        [1, 2, 3].map((step) => ({ ...last, id: `new/${step}`, order: last.order + step, rev: last.order + step })),
      );
    });
    await page.waitForSelector(".to-end-new");
    await expect.poll(() => page.locator(".to-end").textContent()).toBe("3 new");
  });

  it("stays where it is when older rows are added above", { tags: "long" }, async () => {
    const { page } = await gallery.show("scene=long&rows=900&shown=120");
    await wheel(page, -2_000);
    const before = (await placeOf(page))!;
    const moved = farthestOf(page, before.key, 60);
    const first = await page.evaluate(() => {
      view.show(500);
      return view.snapshot.rows[0]!.id;
    });
    await page.waitForFunction((id) => view.snapshot.rows[0]!.id !== id, first);
    expect(await moved).toBeLessThan(2);
  });

  it("loads older rows when the person scrolls near them, up to the beginning", async () => {
    const { page } = await gallery.show("scene=long&rows=900&shown=120");
    await page.waitForFunction(
      (list) => {
        document.querySelector(list)!.scrollTop = 0;
        return document.querySelector(".you-text")?.textContent === "Question 0: why does it fail?";
      },
      LIST,
      { polling: 100 },
    );
    await expect.poll(() => page.locator(".beginning").textContent()).toBe("Start of the conversation");
  });

  it("keeps its place when rows above it grow", { tags: "long" }, async () => {
    const { page } = await gallery.show("scene=long&rows=300");
    await wheel(page, -1_500);
    const before = (await placeOf(page))!;
    // Cards above the window that are still in the page become taller.
    const grown = await page.evaluate((list) => {
      const box = document.querySelector(list)!.getBoundingClientRect();
      let count = 0;
      for (const item of document.querySelectorAll<HTMLElement>(`${list} > .list-flow > .list-item`)) {
        if (item.getBoundingClientRect().bottom > box.top) break;
        item.style.paddingTop = "120px";
        count++;
      }
      return count;
    }, LIST);
    await drawn(page);
    expect(grown).toBeGreaterThan(0);
    expect(Math.abs((await placeOf(page, before.key))!.top - before.top)).toBeLessThan(2);
  });

  it("keeps its place when the row that is read grows above the window's edge", { tags: "long" }, async () => {
    const { page } = await gallery.show("scene=markdown");
    // Repeated, because the followed end still moves while rows are drawn.
    await page.waitForFunction((list) => {
      document.querySelector(list)!.scrollTop = 0;
      return document.querySelector(".diagram img") !== null && document.querySelector(".math math") !== null;
    }, LIST);
    await wheel(page, 300);
    const moved = await page.evaluate(async (list) => {
      const edge = document.querySelector(list)!.getBoundingClientRect().top;
      const blocks = [...document.querySelectorAll<HTMLElement>(".prose > *")];
      const above = blocks.findLast((block) => block.getBoundingClientRect().bottom < edge)!;
      const seen = blocks.find(
        (block) => block.getBoundingClientRect().top > edge && block.parentElement === above.parentElement,
      )!;
      const before = seen.getBoundingClientRect().top;
      above.style.paddingTop = "150px";
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return seen.getBoundingClientRect().top - before;
    }, LIST);
    expect(Math.abs(moved)).toBeLessThan(2);
  });

  it("has at most 1,500 elements for 10,000 rows, at any position", { tags: "long" }, async () => {
    const { page } = await gallery.show("scene=long&rows=10000");
    let most = await nodesOf(page);
    for (let part = 0; part < 20; part++) {
      await page.evaluate(
        ({ list, share }) => {
          const element = document.querySelector(list)!;
          element.scrollTop = element.scrollHeight * share;
        },
        { list: LIST, share: part / 20 },
      );
      await drawn(page);
      most = Math.max(most, await nodesOf(page));
    }
    expect(most).toBeLessThan(1_500);
  });

  it("changes no finished block while text streams, and redraws nothing when it ends", async () => {
    const { page, troubles } = await gallery.show("scene=stream&rate=500&times=3&plain");
    await page.evaluate((list) => {
      const touched: string[] = [];
      Object.assign(globalThis, { touched });
      const watcher = new MutationObserver((records) => {
        for (const { target } of records) {
          const element = target instanceof Element ? target : target.parentElement;
          const prose = element?.closest(".prose");
          if (prose === null || prose === undefined || element === prose) continue;
          let block: Element = element!;
          while (block.parentElement !== prose) block = block.parentElement!;
          const blocks = [...prose.children];
          // The last block is being written. The one before it may have been when the change was observed.
          if (!prose.classList.contains("is-writing") || blocks.indexOf(block) < blocks.length - 2)
            touched.push(block.outerHTML.slice(0, 120));
        }
      });
      watcher.observe(document.querySelector(list)!, { childList: true, characterData: true, subtree: true });
    }, LIST);
    await page.waitForFunction(() => view.snapshot.rows.length === 1, undefined, { timeout: 60_000 });
    await drawn(page);
    const touched = await page.evaluate(() => (globalThis as unknown as { touched: string[] }).touched);
    expect(touched).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("shows sixty thousand lines of output through a window", async () => {
    const { page } = await gallery.show("scene=tools");
    await page.evaluate((list) => {
      document.querySelector(list)!.scrollTop = 0;
    }, LIST);
    await page.click("text=Show all 60000 lines");
    await page.waitForSelector(".long.output-lines");
    expect(await nodesOf(page)).toBeLessThan(1_500);
    await page.evaluate(() => {
      const output = document.querySelector(".long.output-lines")!;
      output.scrollTop = output.scrollHeight;
    });
    await page.waitForFunction(
      () => document.querySelector(".long.output-lines")?.textContent.includes("60000 =") === true,
    );
  });
});

describe("[E29] getting around", () => {
  it("goes to a row by its link, wherever it is, and back to the newest", async () => {
    const { page } = await gallery.show("scene=long&rows=3000&shown=100&target=row/100603");
    // The row is first added to the page, then moved to its place.
    await expect.poll(async () => (await placeOf(page, "row/100603"))?.top ?? -1).toBeGreaterThan(0);
    await expect.poll(async () => (await placeOf(page, "row/100603"))?.top ?? Infinity).toBeLessThan(200);
    await expect.poll(() => page.locator(".to-end").textContent()).toBe("Jump to latest");
    // Later rows load as the person scrolls on, and the list does not jump to the end.
    const before = await page.evaluate((list) => {
      const element = document.querySelector(list)!;
      const { length } = view.snapshot.rows;
      element.scrollTop = element.scrollHeight;
      return length;
    }, LIST);
    await page.waitForFunction((count) => view.snapshot.rows.length > count, before);
    await drawn(page);
    expect(await isAtEnd(page)).toBe(false);
    await page.click(".to-end");
    await page.waitForFunction(() => document.querySelector(".to-end") === null);
    await expect.poll(() => isAtEnd(page)).toBe(true);
  });

  it("finds text in rows that are not in the page, and marks it", async () => {
    const { page } = await gallery.show("scene=long&rows=600");
    await page.keyboard.press("Control+f");
    await page.fill(".find input", "Question 36:");
    await page.waitForFunction(() => document.querySelector(".find-count")?.textContent.startsWith("1 of 1") === true);
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".you-text")].some((text) => text.textContent.includes("Question 36:")),
    );
    await drawn(page);
    await expect.poll(() => page.evaluate(() => CSS.highlights.get("find")?.size)).toBe(1);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".find").count()).toBe(0);
  });

  it("shows the raw messages of a row from its menu", async () => {
    const { page } = await gallery.show("recording=2.1.325/03a_bash_safe_echo");
    await page.hover(".you");
    await page.click(".timeline-row:has(.you) .timeline-more");
    await page.click("text=Raw messages");
    await page.waitForSelector("dialog .raw section");
    await expect.poll(() => page.locator("dialog .raw section h3").first().textContent()).toContain("to the CLI");
  });
});

describe("[E30] under the page's policy", () => {
  it.each(["tools", "rows", "agents", "markdown"])("draws the scene of %s without errors", async (scene) => {
    const { page, troubles } = await gallery.show(`scene=${scene}`);
    await page.evaluate(async (list) => {
      const element = document.querySelector(list)!;
      for (let top = 0; top < element.scrollHeight; top += 500) {
        element.scrollTop = top;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      element.scrollTop = 0;
    }, LIST);
    if (scene === "markdown") {
      await page.waitForSelector(".math math");
      await page.waitForSelector(".diagram img");
      await page.waitForFunction(() => document.querySelector<HTMLImageElement>(".diagram img")!.naturalWidth > 100);
      await page.waitForFunction(() => (CSS.highlights.get("code-keyword")?.size ?? 0) > 3);
    }
    expect(troubles).toEqual([]);
  });

  it("shows what a search or the web gave, with links to the sources", { tags: "long" }, async () => {
    const { page, troubles } = await gallery.show("scene=tools");
    // Rows leave the page as others come, so what each showed is collected on the way.
    const { text, links } = await page.evaluate(async (list) => {
      const element = document.querySelector<HTMLElement>(list)!;
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const seen = { text: "", links: [] as string[] };
      element.scrollTop = 0;
      for (let top = 0; top < element.scrollHeight; top += 300) {
        element.scrollTop = top;
        await frame();
        await frame();
        for (const row of element.querySelectorAll("[data-row]"))
          if (/Glob|Grep|Web ?Fetch|Web ?Search|\bWeb\b/u.test(row.textContent ?? "")) {
            for (const closed of row.querySelectorAll<HTMLElement>('[aria-expanded="false"]')) closed.click();
            await frame();
            seen.text += `${row.textContent}\n`;
            seen.links.push(...[...row.querySelectorAll("a")].map(({ href }) => href));
          }
      }
      return seen;
    }, LIST);
    for (const words of ["file-0.ts", "putPart(part: Part)", "full jitter", "Timeouts, retries"])
      expect(text).toContain(words);
    expect(links).toEqual(expect.arrayContaining(["https://aws.example/blog", "https://builders.example/t"]));
    expect(troubles).toEqual([]);
  });

  it("[E283] shows the sources of an answer, and only addresses of the web as links", async () => {
    const { page, troubles } = await gallery.show("scene=rows");
    await page.evaluate(async (list) => {
      const element = document.querySelector<HTMLElement>(list)!;
      for (let top = 0; top < element.scrollHeight; top += 300) {
        element.scrollTop = top;
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        if (element.textContent.includes("High water is at six.")) return;
      }
    }, LIST);
    await page.waitForSelector(".sources li:nth-child(4)");
    const sources = await page.$$eval(".sources li", (items) =>
      items.map((item) => [item.textContent, item.querySelector("a")?.getAttribute("href")]),
    );
    expect(sources).toEqual([
      ["Tides of today tides.exampleHigh water: 06:02", "https://tides.example/today"],
      ["Not U+202Ea link<b>x</b>", undefined],
      [expect.stringMatching(/bank\.example.*evil\.example/u), "https://evil.example/"],
      ["Chart 7, p. 3Rocks", undefined],
    ]);
    expect(troubles).toEqual([]);
  });

  it("draws every row of every recording, opened, without errors", { tags: "long" }, async () => {
    const { page, troubles } = await gallery.show("recordings");
    await page.waitForSelector("html[data-loaded]", { timeout: 90_000 });
    await drawn(page);
    const kinds = await page.evaluate(async (list) => {
      const element = document.querySelector<HTMLElement>(list)!;
      element.scrollTop = 0;
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      for (let top = 0; top < element.scrollHeight; top = element.scrollTop + element.clientHeight) {
        element.scrollTop = top;
        await frame();
        await frame();
        for (const closed of document.querySelectorAll<HTMLElement>(`${list} [aria-expanded="false"]`)) closed.click();
        await frame();
        if (element.scrollTop + element.clientHeight >= element.scrollHeight - 2) break;
      }
      return [...new Set(view.snapshot.rows.map((row) => (row as unknown as { kind: string }).kind))].length;
    }, LIST);
    expect(kinds).toBeGreaterThan(9);
    expect(troubles).toEqual([]);
  });

  it("runs nothing that text asks for (S12, S14)", async () => {
    const { page, troubles } = await gallery.show("scene=hostile");
    await page.waitForSelector("text=the end of the hostile text");
    // Both diagrams are drawn or refused.
    await page.waitForFunction(() => document.querySelectorAll(".diagram img, .diagram-problem").length >= 2);
    expect(troubles).toEqual([]);
    const found = await page.evaluate(() => ({
      made: document.querySelectorAll(
        ".timeline :is(script, iframe, object, embed, form, style, link, base, meta, video, audio)",
      ).length,
      images: [...document.querySelectorAll<HTMLImageElement>(".timeline img")].map((image) => image.src.split(":")[0]),
      links: [...document.querySelectorAll<HTMLAnchorElement>(".timeline a")].map((link) => [
        link.protocol,
        link.rel.includes("noopener"),
      ]),
    }));
    expect(found.made).toBe(0);
    expect(found.images.every((protocol) => protocol === "data" || protocol === "blob")).toBe(true);
    for (const link of found.links)
      expect([
        ["https:", true],
        ["http:", true],
        ["mailto:", true],
      ]).toContainEqual(link);
  });
});

describe("[E31] accessibility", { tags: "long" }, () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  it.each(["tools", "rows", "agents", "markdown"])("axe finds nothing serious in the scene of %s", async (scene) => {
    const { page } = await gallery.show(`scene=${scene}`);
    await page.evaluate(axe);
    const problems = await page.evaluate(
      async (themes) => {
        const list = document.querySelector(".timeline-list")!;
        const found = new Map<string, string>();
        for (let top = 0; top < list.scrollHeight; top += list.clientHeight) {
          list.scrollTop = top;
          for (const [theme, rules] of themes) {
            document.documentElement.dataset["theme"] = theme;
            await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            const { violations } = await (
              globalThis as unknown as {
                axe: {
                  run: (
                    root: string,
                    options: object,
                  ) => Promise<{
                    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
                  }>;
                };
              }
            ).axe.run(".timeline", { resultTypes: ["violations"], preload: false, ...rules });
            for (const { id, impact, nodes } of violations) {
              if (impact === "serious" || impact === "critical")
                found.set(
                  `${theme}, ${id}`,
                  `${nodes[0]!.html.slice(0, 160)} ${nodes[0]!.failureSummary.slice(0, 200)}`,
                );
            }
          }
        }
        return Object.fromEntries(found);
      },
      [
        ["dark", {}],
        ["light", COLOR_RULES],
      ] as const,
    );
    expect(problems).toEqual({});
  });
});
