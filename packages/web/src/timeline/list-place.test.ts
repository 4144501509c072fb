import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ListPlace } from "./list-place.ts";

// There is no DOM here, and the list has drawn no element.
beforeAll(() => vi.stubGlobal("HTMLElement", Object));
afterAll(() => vi.unstubAllGlobals());

/** A window of 100 pixels over one entry. Like a browser, it never scrolls past the end. */
const listOf = (height: number) => {
  let [top, size] = [0, height];
  const scroller = {
    clientHeight: 100,
    get scrollHeight() {
      return size;
    },
    get scrollTop() {
      return top;
    },
    set scrollTop(wanted: number) {
      top = Math.max(0, Math.min(wanted, size - 100));
    },
  } as HTMLElement;
  const spacer = () => ({ offsetTop: 0, style: { height: "" } }) as HTMLElement;
  const elements = { scroller, above: spacer(), below: spacer() };
  const place = new ListPlace();
  place.layout.setKeys(["entry"]);
  place.rendered = { from: 0, to: 1 };
  const grow = (to: number): void => {
    size = to;
    place.layout.measure("entry", to);
    place.settle(elements);
  };
  grow(height);
  return { place, scroller, grow };
};

describe("a list at its end", () => {
  it("follows it while it grows, and leaves it when the person scrolls back", () => {
    const { place, scroller, grow } = listOf(500);
    grow(600);
    expect(scroller.scrollTop).toBe(500);
    scroller.scrollTop = 300;
    place.onScroll(scroller);
    grow(700);
    expect([place.follows, scroller.scrollTop]).toEqual([false, 300]);
    scroller.scrollTop = 600;
    place.onScroll(scroller);
    expect(place.follows).toBe(true);
  });

  it("stays released if the event of its own scrolling comes after the turn of the wheel", () => {
    const { place, scroller, grow } = listOf(500);
    grow(600);
    place.release(scroller);
    // The browser reports what `grow` scrolled. The person's own scrolling has not begun.
    place.onScroll(scroller);
    expect(place.follows).toBe(false);
    grow(700);
    expect(scroller.scrollTop).toBe(500);
    scroller.scrollTop = 100;
    place.onScroll(scroller);
    grow(800);
    expect([place.follows, scroller.scrollTop]).toEqual([false, 100]);
  });

  it("follows again when the person comes back after the wheel", () => {
    const { place, scroller } = listOf(500);
    place.release(scroller);
    scroller.scrollTop = 300;
    place.onScroll(scroller);
    scroller.scrollTop = 400;
    place.onScroll(scroller);
    expect(place.follows).toBe(true);
  });
});
