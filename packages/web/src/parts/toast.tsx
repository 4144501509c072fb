// Short messages at the bottom of the page. Important messages are also shown in their own place. `toasts.tsx` draws them.

import type { ToastOptions } from "../store/session-actions.ts";

export interface Toast extends ToastOptions {
  readonly id: number;
  readonly text: string;
}

const SHOWN = 4;

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();
const set = (next: readonly Toast[]): void => {
  toasts = next;
  for (const listener of listeners) listener();
};
export const dismissToast = (id: number): void => set(toasts.filter((toast) => toast.id !== id));
export const readToasts = (): readonly Toast[] => toasts;
export const subscribeToasts = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const toast = (text: string, options: ToastOptions = {}): void =>
  set([...toasts.filter((shown) => shown.text !== text), { id: ++last, text, ...options }].slice(-SHOWN));

/** The error as a sentence. */
export const toastError = (error: unknown): void => {
  if (error instanceof DOMException && error.name === "AbortError") return;
  toast(error instanceof Error ? error.message : String(error), { tone: "bad" });
};
