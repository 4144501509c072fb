// Draws the short messages. They disappear by themselves, except those that stay and while a pointer or
// the focus is on them. Loaded after the first screen.

import { useEffect, useRef, useSyncExternalStore } from "react";
import { IconButton } from "./button.tsx";
import { dismissToast, readToasts, subscribeToasts, type Toast } from "./toast.tsx";
import { WORDS } from "./words.ts";
import "./toasts.css";

const STAYS_MS = 7000;

export const Toasts = () => {
  const shown = useSyncExternalStore(subscribeToasts, readToasts);
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
      if (!rests.current && entry.stays !== true) dismissToast(entry.id);
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
            dismissToast(entry.id);
            entry.action!.run();
          }}
        >
          {entry.action.label}
        </button>
      )}
      <IconButton icon="close" label={WORDS.dismiss} onClick={() => dismissToast(entry.id)} />
    </div>
  );
};
