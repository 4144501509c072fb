// Opens the search in the conversation. A menu or a key asks for it here, and the conversation on the screen listens.

const listeners = new Set<() => void>();

export const openFindBar = (): void => {
  for (const listener of listeners) listener();
};

export const onFindBar = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
