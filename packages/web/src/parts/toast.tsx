// Short messages at the bottom of the page. They disappear by themselves, except those that stay and while a pointer or
// the focus is on them. Important messages are also shown in their own place.

import { useEffect, useRef, useSyncExternalStore } from "react";
import type { ToastOptions } from "../store/session-actions.ts";
import { IconButton } from "./button.tsx";
import { WORDS } from "./words.ts";

interface Toast extends ToastOptions {
  readonly id: number;
  readonly text: string;
}

const SHOWN = 4;
const STAYS_MS = 7000;

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();
const set = (next: readonly Toast[]): void => {
  toasts = next;
  for (const listener of listeners) listener();
};
const dismiss = (id: number): void => set(toasts.filter((toast) => toast.id !== id));
const subscribe = (listener: () => void): (() => void) => {
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

export const Toasts = () => {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section className="toasts" aria-label={WORDS.notifications}>
      {shown.map((entry) => (
        <ToastNote key={entry.id} entry={entry} />
      ))}
    </section>
  );
};

const ToastNote = ({ entry }: { readonly entry: Toast }) => {
  const rests = useRef(false);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!rests.current && entry.stays !== true) dismiss(entry.id);
    }, STAYS_MS);
    return () => clearInterval(timer);
  }, [entry.id]);
  const rest = (on: boolean) => () => {
    rests.current = on;
  };
  return (
    <div
      className={`toast toast-${entry.tone ?? "plain"}`}
      role={entry.tone === "bad" ? "alert" : "status"}
      onPointerEnter={rest(true)}
      onPointerLeave={rest(false)}
      onFocus={rest(true)}
      onBlur={rest(false)}
    >
      <span>{entry.text}</span>
      {entry.action !== undefined && (
        <button
          type="button"
          className="toast-action"
          onClick={() => {
            dismiss(entry.id);
            entry.action!.run();
          }}
        >
          {entry.action.label}
        </button>
      )}
      <IconButton icon="close" label={WORDS.dismiss} onClick={() => dismiss(entry.id)} />
    </div>
  );
};
