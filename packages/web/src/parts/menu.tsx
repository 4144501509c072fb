// A menu with the browser's own popover, which has light dismissal, Escape and the top layer. On a phone it is a sheet.

import { useCallback, useId, useImperativeHandle, useRef, useState, type ReactNode, type Ref } from "react";
import { flushSync } from "react-dom";
import { Icon, type IconName } from "./icon.tsx";
import { placeMenu } from "./place-menu.ts";

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  /** The wire's name, or a line about what it does. */
  readonly detail?: string | undefined;
  readonly icon?: IconName;
  readonly keys?: string;
  readonly tone?: "plain" | "danger";
  /** One of several choices: shown as selected. */
  readonly checked?: boolean;
  readonly disabled?: boolean;
  /** Has a separator line above it. */
  readonly apart?: boolean;
  readonly run: () => void;
}

export interface MenuHandle {
  open(): void;
}

export interface MenuProps {
  /** Accessible name of the trigger. */
  readonly label: string;
  /** Called when the menu opens. */
  readonly items: readonly MenuItem[] | (() => readonly MenuItem[]);
  readonly children: ReactNode;
  readonly className?: string;
  /** The wire's name, or another line. */
  readonly tip?: string | undefined;
  readonly heading?: string;
  readonly disabled?: boolean;
  readonly handle?: Ref<MenuHandle>;
}

export const Menu = ({ label, items, children, className = "", tip, heading, disabled, handle }: MenuProps) => {
  const trigger = useRef<HTMLButtonElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  const [open, setOpen] = useState(false);
  const id = useId();

  const show = useCallback(() => {
    if (sheet.current === null || trigger.current === null || sheet.current.matches(":popover-open")) return;
    // Rendered before it is shown, so that it can be placed at once.
    flushSync(() => setOpen(true));
    sheet.current.showPopover();
    placeMenu(sheet.current, trigger.current, ({ left }) => left, 6);
    const all = itemsOf(sheet.current);
    (all.find((item) => item.getAttribute("aria-checked") === "true") ?? all[0])?.focus();
  }, []);
  useImperativeHandle(handle, () => ({ open: show }), [show]);

  const choose = (item: MenuItem): void => {
    sheet.current?.hidePopover();
    trigger.current?.focus();
    item.run();
  };

  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        aria-description={tip}
        data-tip={tip}
        disabled={disabled}
        aria-controls={open ? id : undefined}
        // A press outside closes it. The trigger is outside too, and its click must not open the menu again.
        onPointerDown={() => {
          wasOpen.current = open;
        }}
        onClick={() => {
          if (!wasOpen.current) show();
          wasOpen.current = false;
        }}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          show();
        }}
      >
        {children}
      </button>
      <div
        ref={sheet}
        id={id}
        popover="auto"
        role="menu"
        aria-label={heading ?? label}
        className="menu"
        onToggle={(event) => setOpen(event.newState === "open")}
        onKeyDown={(event) => move(event, sheet.current)}
      >
        {open && heading !== undefined && <p className="menu-head">{heading}</p>}
        {open &&
          (typeof items === "function" ? items() : items).map((item) => (
            <button
              key={item.id}
              type="button"
              role={item.checked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked={item.checked}
              disabled={item.disabled}
              tabIndex={-1}
              className={`menu-item ${item.tone === "danger" ? "menu-danger" : ""} ${item.apart === true ? "menu-apart" : ""}`}
              onClick={() => choose(item)}
            >
              <span className="menu-mark">
                {item.checked === true ? (
                  <Icon name="check" size={14} />
                ) : (
                  item.icon !== undefined && <Icon name={item.icon} size={15} />
                )}
              </span>
              <span className="menu-words">
                {item.label}
                {item.detail !== undefined && <small>{item.detail}</small>}
              </span>
              {item.keys !== undefined && <kbd>{item.keys}</kbd>}
            </button>
          ))}
      </div>
    </>
  );
};

const itemsOf = (sheet: HTMLElement): HTMLButtonElement[] => [
  ...sheet.querySelectorAll<HTMLButtonElement>('[role^="menuitem"]:not(:disabled)'),
];

const move = (event: React.KeyboardEvent, sheet: HTMLElement | null): void => {
  if (sheet === null) return;
  const all = itemsOf(sheet);
  const at = all.indexOf(document.activeElement as HTMLButtonElement);
  const to = {
    ArrowDown: (at + 1) % all.length,
    ArrowUp: (at - 1 + all.length) % all.length,
    Home: 0,
    End: all.length - 1,
  }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    all[to]?.focus();
    return;
  }
  if (event.key === "Tab") {
    sheet.hidePopover();
    return;
  }
  if (event.key.length !== 1 || event.key === " " || event.ctrlKey || event.metaKey || event.altKey) return;
  const letter = event.key.toLowerCase();
  const after = [...all.slice(at + 1), ...all.slice(0, at + 1)];
  after.find((item) => item.textContent.trim().toLowerCase().startsWith(letter))?.focus();
};
