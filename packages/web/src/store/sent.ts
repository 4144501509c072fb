// Tells a conversation that the person has just sent something to it, so that it shows the message.

const listeners = new Set<(session: string) => void>();

export const tellSent = (session: string): void => {
  for (const listener of listeners) listener(session);
};

export const onSent = (listener: (session: string) => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
