// One menu for all rows. A menu in each row would be most of the DOM.

import { useLayoutEffect, useRef } from "react";
import type { Row } from "@quarterdeck/client";
import { typedText } from "@quarterdeck/client/content";
import { copiedContent } from "@quarterdeck/client/rows";
import type { SessionActions } from "../store/session-actions.ts";
import { showInBench } from "../store/workbench.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { placeMenu } from "../parts/place-menu.ts";
import { WORDS } from "./rare-words.ts";
import { locale } from "../words/language.ts";

/** A new object for each press. */
export interface AskedMenu {
  readonly row: Row;
  readonly trigger: HTMLElement;
}

export interface RowMenuProps {
  readonly asked: AskedMenu;
  readonly actions: SessionActions;
  readonly showRaw: (row: Row) => void;
}

const textOf = (row: Row): string | undefined => {
  const content = copiedContent(row);
  return content === undefined || typeof content === "string" ? content : typedText(content);
};

const canFork = (row: Row): boolean =>
  row.parent === undefined &&
  (row.kind === "prompt" || row.kind === "text" || row.kind === "turn" || row.kind === "tool");

export const RowMenu = ({ asked, actions, showRaw }: RowMenuProps) => {
  const sheet = useRef<HTMLDivElement>(null);
  const { row, trigger } = asked;
  useLayoutEffect(() => {
    const element = sheet.current!;
    if (!element.matches(":popover-open")) element.showPopover();
    placeMenu(element, asked.trigger, ({ right }, width) => right - width, 4);
    element.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  }, [asked]);
  const run = (action: (chosen: Row) => unknown) => () => {
    sheet.current?.hidePopover();
    trigger.focus();
    Promise.resolve(action(row)).catch((error: unknown) =>
      actions.toast(error instanceof Error ? error.message : String(error), { tone: "bad" }),
    );
  };
  const copy = async (text: string, words: string): Promise<void> => {
    await navigator.clipboard.writeText(text);
    actions.toast(words);
  };
  const text = textOf(row);
  return (
    <div
      ref={sheet}
      popover="auto"
      role="menu"
      aria-label={WORDS.row}
      className="menu"
      onKeyDown={(event) => {
        const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')];
        const at = items.indexOf(document.activeElement as HTMLElement);
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (event.key === "Tab") sheet.current?.hidePopover();
        if (step === 0) return;
        event.preventDefault();
        items[(at + step + items.length) % items.length]?.focus();
      }}
    >
      <p className="menu-head">
        {new Date(row.at).toLocaleString(locale, { dateStyle: "medium", timeStyle: "medium" })}
      </p>
      {text !== undefined && text !== "" && (
        <Item icon="file" label={WORDS.copyText} onChoose={run(() => copy(text, WORDS.copied))} />
      )}
      <Item
        icon="link"
        label={WORDS.copyLink}
        onChoose={run((chosen) => copy(actions.linkTo(chosen.id), WORDS.linkCopied))}
      />
      {canFork(row) && actions.may("sessions/fork") && (
        <Item icon="fork" label={WORDS.fork} onChoose={run((chosen) => actions.fork(chosen.id))} />
      )}
      {row.kind === "turn" && row.prompts.length > 0 && (
        <Item
          icon="side"
          label={WORDS.reviewTurn}
          onChoose={run(() => showInBench({ tab: "changes", turn: row.prompts[0]!.replace(/^prompt\//u, "") }))}
        />
      )}
      <Item icon="terminal" label={WORDS.raw} onChoose={run((chosen) => showRaw(chosen))} />
    </div>
  );
};

interface ItemProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onChoose: () => void;
}

const Item = ({ icon, label, onChoose }: ItemProps) => (
  <button type="button" role="menuitem" tabIndex={-1} className="menu-item" onClick={onChoose}>
    <span className="menu-mark">
      <Icon name={icon} size={15} />
    </span>
    <span className="menu-words">{label}</span>
  </button>
);
