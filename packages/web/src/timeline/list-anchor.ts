// What is at the upper edge of the window inside an entry that is taller than what is seen of it: when something above it in
// the same entry changes its height (a diagram is drawn, a picture comes), this is what must not move.

export interface InnerAnchor {
  /** From the innermost out: elements at the edge, and how far below the entry's top each stood. */
  readonly held: readonly { readonly element: Element; readonly below: number }[];
}

const DEEPEST = 6;

/** `entry` begins above the edge and ends below it. */
export const innerAnchorOf = (entry: Element, edge: number): InnerAnchor => {
  const held: { element: Element; below: number }[] = [];
  const { top } = entry.getBoundingClientRect();
  let parent = entry;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const child = childAt(parent, edge);
    if (child === undefined) break;
    held.unshift({ element: child.element, below: child.top - top });
    parent = child.element;
  }
  return { held };
};

/** The child at the edge; between two of them, the one below. */
const childAt = (parent: Element, edge: number): { readonly element: Element; readonly top: number } | undefined => {
  for (const element of parent.children) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom > edge) return { element, top };
  }
  return undefined;
};

/** By how much what was at the edge has moved within its entry. */
export const movedWithin = (entry: Element, { held }: InnerAnchor): number => {
  const found = held.find(({ element }) => entry.contains(element));
  if (found === undefined) return 0;
  return found.element.getBoundingClientRect().top - entry.getBoundingClientRect().top - found.below;
};
