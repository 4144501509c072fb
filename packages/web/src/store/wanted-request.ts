// Which request a person wants to answer: a row says it, the dock shows it. Without a wish the oldest comes first.

import { useSyncExternalStore } from "react";

let wanted: string | undefined;
const listeners = new Set<() => void>();

export const wantRequest = (id: string | undefined): void => {
  wanted = id;
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useWantedRequest = (): string | undefined => useSyncExternalStore(subscribe, () => wanted);

/** From the row to the card that answers it; the keyboard goes along. */
export const goToRequest = (id: string): void => {
  wantRequest(id);
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('.requests-slot [tabindex="0"], .requests-slot button')?.focus(),
  );
};
