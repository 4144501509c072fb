// A modal on the browser's own <dialog>: it keeps focus inside, makes the rest inert and gives focus back.

import { useEffect, useId, useRef, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { useFocusBack } from "./focus-back.ts";

export interface DialogProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly size?: "small" | "middle" | "wide";
  /** A click outside closes it. Not where something typed would be lost. */
  readonly light?: boolean;
  /** Long text without anything to press in it: the keyboard must be able to scroll it. */
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
  // The browser restores focus only for a dialog that closes before it leaves the page.
  useFocusBack();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog !== null && !dialog.open) {
      dialog.showModal();
      // React's `autoFocus` comes before the dialog is shown, and is lost.
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
        {/* Last, so that the dialog begins with what it is about. */}
        <IconButton icon="close" label="Close" className="dialog-close" onClick={onClose} />
      </div>
    </dialog>
  );
};
