// The prompt box: text, attachments, completion of files and commands, history. The text is only in the textarea: no store and no render
// per key, so that typing never waits for text that streams above it. What a message is sent to, its user decides.

import type { Client } from "@quarterdeck/client";
import { useEffect, useId, useImperativeHandle, useRef, useState, type ReactNode, type Ref } from "react";
import { isTyping } from "../parts/is-typing.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { later } from "../parts/later.tsx";
import { toast } from "../parts/toast.tsx";
import { keyAt, strokeOf } from "../keys/key-table.ts";
import { useSettings } from "../store/settings.ts";
import { offerToCard } from "../store/wanted-request.ts";
import { isLongPaste, useAttachments } from "./attachments.ts";
import { chooseCommand, chooseMention } from "./completion.ts";
import { useCompletions, type Completion, type FilePlace } from "./use-completions.ts";
import { readUnsent } from "./unsent.ts";
import { escapeAction } from "./escape.ts";
import { useFileDrop } from "./file-drop.ts";
import type { Priority } from "./outbox.ts";
import { recall, type Recalled } from "./recall.ts";
import { judgeCommand, type CommandChoice, type OwnCommand } from "./slash.ts";
import { useWritten } from "./written.ts";
import { WORDS } from "./words.ts";
import { fill } from "../parts/fill.tsx";
import "./composer.css";

const CompletionList = later(async () => (await import("./completion-list.tsx")).CompletionList);
const AttachmentTray = later(async () => (await import("./attachment-tray.tsx")).AttachmentTray);

export interface ComposedMessage {
  readonly text: string;
  readonly uploads: readonly string[];
  readonly priority?: Priority;
}

export interface ComposerHandle {
  readonly read: () => ComposedMessage;
  readonly write: (text: string) => void;
  /** Removes the text and the files. */
  readonly empty: () => void;
}

export interface BoxState {
  /** There is nothing to send. */
  readonly idle: boolean;
  readonly uploading: boolean;
  readonly send: (priority?: Priority) => void;
}

export interface ComposerBoxProps {
  readonly client: Client;
  /** The name under which unsent text is kept. */
  readonly place: string;
  readonly label: string;
  readonly placeholder: string;
  /** Where files of mentions are looked for. */
  readonly files: FilePlace | undefined;
  readonly commands: readonly CommandChoice[];
  /** Those that this device may send. */
  readonly offered: readonly CommandChoice[];
  /** The CLI's commands are known, so the composer asks before it sends an unknown one. */
  readonly isListed: boolean;
  /** Oldest last. */
  readonly history: () => readonly string[];
  readonly running?: boolean;
  readonly suggestion?: string | undefined;
  /** Whether the message was taken. Then the box is emptied. */
  readonly onSend: (message: ComposedMessage) => boolean | Promise<boolean>;
  readonly onOwn: (command: OwnCommand, args: string) => void;
  /** The key for the next permission mode. */
  readonly onNextMode: () => void;
  readonly onInterrupt?: () => Promise<void>;
  readonly handle?: Ref<ComposerHandle>;
  readonly chips: ReactNode;
  readonly buttons: (state: BoxState) => ReactNode;
}

export const ComposerBox = (props: ComposerBoxProps) => {
  const { client, place, commands, offered, running = false, suggestion, onSend, onOwn, handle } = props;
  const { enter } = useSettings();
  const listId = useId();
  const files = useRef<HTMLInputElement>(null);
  const recalled = useRef<Recalled>(undefined);
  const [unsent] = useState(() => readUnsent(place));
  const [active, setActive] = useState(0);
  const [warned, setWarned] = useState<string>();
  const attachments = useAttachments(client, unsent.files);
  const written = useWritten(place, unsent, attachments.list);
  const { box, completing } = written;
  const choices = useCompletions(completing, props.files, offered);
  const open = completing !== undefined && choices.list.length > 0;
  const uploading = attachments.list.some(({ state }) => state === "preparing" || state === "uploading");
  const uploads = attachments.list.flatMap(({ id }) => (id === undefined ? [] : [id]));

  useEffect(() => {
    // With a keyboard, the composer gets the focus. On a phone it would cover half the page. A person who types
    // elsewhere, such as in the search, stays there. An open request has it.
    const free = document.querySelector("dialog[open], .ask") === null && !isTyping(document.activeElement);
    if (free && matchMedia("(pointer: fine)").matches) box.current?.focus({ preventScroll: true });
  }, [box]);

  const empty = (): void => {
    recalled.current = undefined;
    attachments.clear();
    setWarned(undefined);
    written.write("");
  };
  useImperativeHandle(handle, () => ({
    read: () => ({ text: written.read().trim(), uploads }),
    write: written.write,
    empty,
  }));

  const own = (command: OwnCommand, args: string): void => {
    written.write("");
    onOwn(command, args);
  };

  const send = (priority?: Priority): void => {
    const text = written.read().trim();
    if (text === "" && attachments.list.length === 0) return;
    const failed = attachments.list.find(({ state }) => state === "failed");
    if (uploading || failed !== undefined) {
      toast(failed === undefined ? WORDS.wait : WORDS.failed(failed.name));
      return;
    }
    const judged = judgeCommand(text, commands);
    if (judged.kind === "own") {
      own(judged.own, judged.args);
      return;
    }
    if (judged.kind === "unknown" && props.isListed && warned !== text) {
      setWarned(text);
      return;
    }
    const taken = onSend({ text, uploads, ...(priority !== undefined && { priority }) });
    if (taken === true) empty();
    else if (taken !== false) void taken.then((isTaken) => isTaken && empty());
  };

  const choose = (choice: Completion, run: boolean): void => {
    if (completing === undefined) return;
    if (choice.kind === "mention") {
      written.edit(chooseMention(completing, choice.suggestion.kind, choice.suggestion.value));
      return;
    }
    const { command } = choice;
    // A command of the page that needs no argument opens at once.
    if (run && command.own !== undefined && !command.hint.startsWith("<")) own(command.own, "");
    else written.edit(chooseCommand(completing, command.name));
  };

  /** Returns whether the list of completions handled the key. */
  const onListKey = (event: React.KeyboardEvent): boolean => {
    const count = choices.list.length;
    const choice = choices.list[Math.min(active, count - 1)]!;
    if (event.key === "ArrowDown") setActive((active + 1) % count);
    else if (event.key === "ArrowUp") setActive((active - 1 + count) % count);
    else if (event.key === "Escape") written.stopCompleting();
    else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) {
      // A complete command is sent, not completed again.
      const isWhole = choice.kind === "command" && written.read().trim() === `/${choice.command.name}`;
      if (event.key === "Enter" && isWhole) return false;
      choose(choice, event.key === "Enter");
    } else return false;
    event.preventDefault();
    return true;
  };

  const onHistory = (event: React.KeyboardEvent<HTMLTextAreaElement>, by: 1 | -1): void => {
    const next = recall(props.history(), recalled.current, event.currentTarget.value, by);
    if (next === undefined) return;
    event.preventDefault();
    written.write(next.text);
    written.stopCompleting();
    recalled.current = next.index < 0 ? undefined : next;
  };

  const onEscape = (event: React.KeyboardEvent): void => {
    event.preventDefault();
    const action = escapeAction({ menu: false, request: false, text: written.read() !== "", running });
    if (action === "clear") written.clear();
    if (action === "interrupt") void props.onInterrupt?.().catch(() => undefined);
  };

  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>): void => {
    // Keys of an input method are not handled here.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (open && onListKey(event)) return;
    const isEmpty = event.currentTarget.value === "";
    const take = (run: () => void): void => {
      event.preventDefault();
      run();
    };
    // Nothing to send and nothing to clear: an open request takes Enter and Escape.
    if (isEmpty && attachments.list.length === 0 && offerToCard(event.nativeEvent)) return;
    switch (keyAt("composer", event)) {
      case "message.send":
        return take(() => send());
      case "message.later":
        return take(() => send(running ? "later" : undefined));
      case "message.now":
        return take(() => send(running ? "now" : undefined));
      case "message.newline":
        // The browser's own keys for a line keep their undo.
        return /^(?:Shift\+)?Enter$/u.test(strokeOf(event)) ? undefined : take(() => written.insert("\n"));
      case "message.clear":
        return onEscape(event);
      case "message.older":
        return onHistory(event, 1);
      case "message.newer":
        return onHistory(event, -1);
      case "message.mode":
        return take(props.onNextMode);
      case "message.suggestion":
        return isEmpty && suggestion !== undefined && !running ? take(() => written.write(suggestion)) : undefined;
      case "message.undo":
        return isEmpty && written.canUndo ? take(written.undo) : undefined;
      default:
        return undefined;
    }
  };

  const attach = (given: readonly File[], text?: string): void => {
    for (const reason of attachments.add(given, text)) toast(reason, { tone: "bad" });
  };
  const over = useFileDrop(attach);
  const onPaste = (event: React.ClipboardEvent): void => {
    const given = [...event.clipboardData.files];
    const text = event.clipboardData.getData("text/plain");
    if (given.length === 0 && !isLongPaste(text)) return;
    event.preventDefault();
    if (given.length > 0) {
      attach(given);
      return;
    }
    const count = attachments.list.filter((entry) => entry.text !== undefined).length + 1;
    attach([new File([text], `pasted-${count}.txt`, { type: "text/plain" })], text);
  };

  return (
    <form
      className={`composer ${over ? "composer-over" : ""}`}
      aria-label={props.label}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {open && (
        <CompletionList
          id={listId}
          choices={choices}
          active={Math.min(active, choices.list.length - 1)}
          onHover={setActive}
          onChoose={(choice) => choose(choice, true)}
        />
      )}
      {attachments.list.length > 0 && (
        <AttachmentTray
          list={attachments.list}
          onRemove={attachments.remove}
          onInsert={({ key, text = "" }) => {
            attachments.remove(key);
            written.insert(text);
          }}
        />
      )}
      <textarea
        ref={box}
        id="composer"
        className="composer-text"
        rows={1}
        dir="auto"
        defaultValue={unsent.text}
        placeholder={props.placeholder}
        aria-label={props.label}
        aria-autocomplete="list"
        aria-controls={open ? listId : undefined}
        aria-activedescendant={open ? `${listId}-${Math.min(active, choices.list.length - 1)}` : undefined}
        enterKeyHint={enter === "sends" ? "send" : "enter"}
        autoCapitalize="sentences"
        spellCheck
        onInput={() => {
          setActive(0);
          setWarned(undefined);
          written.note();
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onClick={written.note}
        onBlur={written.stopCompleting}
      />
      {warned !== undefined && (
        <p className="composer-note" role="alert">
          {fill(WORDS.unknown, { name: <code>{warned.split(/\s/u, 1)[0]}</code> })}
          <Button small onClick={() => send()}>
            {WORDS.asText}
          </Button>
        </p>
      )}
      {written.canUndo && (
        <p className="composer-note" role="status">
          {WORDS.cleared}
          <Button small tone="quiet" onClick={written.undo}>
            {WORDS.undo}
          </Button>
        </p>
      )}
      <div className="composer-row">
        <IconButton icon="clip" label={WORDS.attach} onClick={() => files.current?.click()} />
        <input
          ref={files}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            attach([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
        {props.chips}
        {props.buttons({ idle: written.isEmpty && attachments.list.length === 0, uploading, send })}
      </div>
    </form>
  );
};
