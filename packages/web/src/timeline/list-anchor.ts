// The element at the upper edge of the window, inside a tall entry. It must not move when something above it in the same entry
// changes its height, such as a diagram or a picture.

export interface InnerAnchor {
  /** Elements at the edge, innermost first, with their distance from the entry's top. */
  readonly held: readonly { readonly element: Element; readonly below: number }[];
}

const DEEPEST = 6;

/** `entry` starts above the edge and ends below it. */
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

/** The child at the edge. If the edge is between two children, it is the lower one. */
const childAt = (parent: Element, edge: number): { readonly element: Element; readonly top: number } | undefined => {
  for (const element of parent.children) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom > edge) return { element, top };
  }
  return undefined;
};

/** How far the element at the edge has moved within its entry. */
export const movedWithin = (entry: Element, { held }: InnerAnchor): number => {
  const found = held.find(({ element }) => entry.contains(element));
  if (found === undefined) return 0;
  return found.element.getBoundingClientRect().top - entry.getBoundingClientRect().top - found.below;
};
