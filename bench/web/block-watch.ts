// Runs in the measured page. Counts Markdown blocks that change or are rendered again after they were finished. Every
// block of the text has its own mark (`§123`), so a second element for the same block is noticed.

export interface BlockWatch {
  /** Number of finished blocks. */
  finished: number;
  /** Blocks that changed after that, or that another element rendered. */
  again: string[];
}

export const watchBlocks = (list: string): void => {
  const watch: BlockWatch = { finished: 0, again: [] };
  Object.assign(globalThis, { blockWatch: watch });
  /** Weak, so that this code does not keep removed elements alive. */
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
    // A block that this commit finished may still have been written in the same commit.
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
