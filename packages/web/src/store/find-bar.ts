// Whatever offers the search in a conversation asks here; the conversation that is shown listens.

const listeners = new Set<() => void>();

export const openFindBar = (): void => {
  for (const listener of listeners) listener();
};

export const onFindBar = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
