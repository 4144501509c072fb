// A modal with the browser's own <dialog>: it keeps the focus inside, makes the rest inert and restores the focus.

import { useEffect, useId, useRef, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { useFocusBack } from "./focus-back.ts";
import { WORDS } from "./words.ts";
import "./dialog.css";

export interface DialogProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly size?: "small" | "middle" | "wide";
  /** A click outside closes it. Not for dialogs in which typed text would be lost. */
  readonly light?: boolean;
  /** Long text without controls: the keyboard must be able to scroll it. */
  readonly scrolls?: boolean;
}

export const Dialog = ({
  title,
  about,
  onClose,
  children,
  footer,
  size = "middle",
  light = false,
  scrolls = false,
}: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // The browser restores the focus only if a dialog closes before it is removed from the page.
  useFocusBack();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog !== null && !dialog.open) {
      dialog.showModal();
      // React's `autoFocus` runs before the dialog is shown, and is lost.
      dialog.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    }
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={`dialog dialog-${size}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        if (event.target !== ref.current) return;
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (light && event.target === ref.current) onClose();
      }}
    >
      <div className="dialog-in">
        <header className="dialog-head">
          <div>
            <h2 id={heading}>{title}</h2>
            {about !== undefined && <p>{about}</p>}
          </div>
        </header>
        <div className="dialog-body" tabIndex={scrolls ? 0 : undefined}>
          {children}
        </div>
        {footer !== undefined && <footer className="dialog-foot">{footer}</footer>}
        {/* Last, so that the dialog begins with its subject. */}
        <IconButton icon="close" label={WORDS.close} className="dialog-close" onClick={onClose} />
      </div>
    </dialog>
  );
};
