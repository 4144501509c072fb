// Runs in the page under measurement: counts blocks of Markdown that are touched or drawn again though they are finished. Every block of the
// speech has a mark of its own (`§123`), so that one that is drawn by a second element is known.

export interface BlockWatch {
  /** Blocks that came to be finished. */
  finished: number;
  /** Changed inside after that, or drawn by another element. */
  again: string[];
}

export const watchBlocks = (list: string): void => {
  const watch: BlockWatch = { finished: 0, again: [] };
  Object.assign(globalThis, { blockWatch: watch });
  /** Weak: what has left the page is not held by who looks at it. */
  const elements = new Map<string, WeakRef<Element>>();
  const known = new WeakSet<Element>();
  const say = (block: Element, what: string): unknown =>
    watch.again.push(`${what}: ${(block.textContent ?? "").slice(0, 60)}`);
  const finish = (block: Element | null): void => {
    if (block === null || known.has(block)) return;
    const [mark] = /§\d+/u.exec(block.textContent ?? "") ?? [];
    if (mark === undefined) return;
    known.add(block);
    watch.finished++;
    if (elements.has(mark) && elements.get(mark)?.deref() !== block) say(block, "drawn again");
    elements.set(mark, new WeakRef(block));
  };
  const blockAround = (node: Node): Element | undefined => {
    let block = node instanceof Element ? node : node.parentElement;
    if (block === null || block.closest(".prose") === null || block.classList.contains("prose")) return undefined;
    while (block.parentElement !== null && !block.parentElement.classList.contains("prose"))
      block = block.parentElement;
    return block;
  };
  const isWritten = (block: Element): boolean => block.parentElement?.classList.contains("is-writing") === true;
  new MutationObserver((records) => {
    // What one commit has finished may still have been written in it.
    const ended: (Element | null)[] = [];
    for (const { type, target, addedNodes } of records) {
      if (type === "attributes") {
        if (target instanceof Element && target.matches(".prose:not(.is-writing)")) ended.push(...target.children);
        continue;
      }
      const touched = blockAround(target);
      if (touched !== undefined && known.has(touched)) say(touched, "touched");
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue;
        if (node.parentElement?.classList.contains("prose") === true) ended.push(node.previousElementSibling);
        else
          for (const block of node.querySelectorAll(".prose > *"))
            if (!isWritten(block) || block.nextElementSibling !== null) ended.push(block);
      }
    }
    for (const block of ended) finish(block);
  }).observe(document.querySelector(list)!, {
    childList: true,
    characterData: true,
    attributeFilter: ["class"],
    subtree: true,
  });
};
