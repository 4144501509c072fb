// Where a person writes. The text is only in the textarea: no store and no render per key, so that typing never waits
// for the text that streams above it.

import type { Client, SessionView } from "@quarterdeck/client";
import { isRunning, typedText } from "@quarterdeck/client/content";
import { memo, useEffect, useId, useMemo, useRef, useState } from "react";
import { isTyping } from "../parts/is-typing.ts";
import { modeAfter } from "../words/names.ts";
import type { SessionActions } from "../store/session-actions.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { later } from "../parts/later.tsx";
import type { MenuHandle } from "../parts/menu.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { may } from "../store/may.ts";
import { readPrompts, useHead } from "../store/session.ts";
import { useSettings } from "../store/settings.ts";
import { isLongPaste, useAttachments } from "./attachments.ts";
import { chooseCommand, chooseMention } from "./completion.ts";
import { CompletionList, useChoices, type Choice } from "./completion-list.tsx";
import { readUnsent } from "./unsent.ts";
import { escapeAction } from "./escape.ts";
import { useFileDrop } from "./file-drop.ts";
import { outbox, type Priority } from "./outbox.ts";
import { runOwnCommand } from "./own-command.ts";
import { ModelPicker, ModePicker, setMode } from "./pickers.tsx";
import { QueuePill } from "./queue-pill.tsx";
import { historyOf, recall, type Recalled } from "./recall.ts";
import { SendButtons } from "./send-buttons.tsx";
import { commandChoices, judgeCommand, offeredCommands, type OwnCommand } from "./slash.ts";
import { UnsentPrompts } from "./unsent-prompts.tsx";
import { useWritten } from "./written.ts";
import "./composer.css";

const AttachmentTray = later(async () => (await import("./attachment-tray.tsx")).AttachmentTray);
const SideQuestion = later(async () => (await import("./side-question.tsx")).SideQuestion);

export interface ComposerProps {
  readonly client: Client;
  readonly view: SessionView;
  readonly actions: SessionActions;
}

export const Composer = memo(({ client, view, actions }: ComposerProps) => {
  const session = view.id;
  const head = useHead(view);
  const { enter } = useSettings();
  const listId = useId();
  const files = useRef<HTMLInputElement>(null);
  const models = useRef<MenuHandle>(null);
  const recalled = useRef<Recalled>(undefined);
  const [unsent] = useState(() => readUnsent(session));
  const [active, setActive] = useState(0);
  const [warned, setWarned] = useState<string>();
  const [aside, setAside] = useState<string>();
  const attachments = useAttachments(client, unsent.files);
  const written = useWritten(session, unsent, attachments.list);
  const { box, completing } = written;
  const commands = useMemo(() => commandChoices(head.commands), [head.commands]);
  const offered = useMemo(
    () =>
      offeredCommands(commands, (name) =>
        may(client, "session/prompt", { content: `/${name}` }, { commands: head.commands }),
      ),
    [client, commands, head.commands],
  );
  const choices = useChoices(completing, session, offered);
  const running = isRunning(head.phase);
  const open = completing !== undefined && choices.list.length > 0;
  const uploading = attachments.list.some(({ state }) => state === "preparing" || state === "uploading");

  useEffect(() => {
    // With a keyboard, the composer gets the focus. On a phone it would cover half the page. A person who types
    // elsewhere, such as in the search, stays there.
    const free = document.querySelector("dialog[open]") === null && !isTyping(document.activeElement);
    if (free && matchMedia("(pointer: fine)").matches) box.current?.focus({ preventScroll: true });
  }, [box]);

  const interrupt = async (): Promise<void> => {
    try {
      await client.command("session/interrupt", { session, holdQueue: true });
    } catch (error) {
      toastError(error);
      throw error;
    }
  };

  const own = (command: OwnCommand, args: string): void => {
    written.write("");
    runOwnCommand(command, args, { client, session, openModels: () => models.current?.open(), askAside: setAside });
  };

  const send = (priority?: Priority): void => {
    const text = written.read().trim();
    if (text === "" && attachments.list.length === 0) return;
    const failed = attachments.list.find(({ state }) => state === "failed");
    if (uploading || failed !== undefined) {
      toast(
        failed === undefined
          ? "Wait until the files are uploaded."
          : `“${failed.name}” failed to upload. Remove it first.`,
      );
      return;
    }
    const judged = judgeCommand(text, commands);
    if (judged.kind === "own") {
      own(judged.own, judged.args);
      return;
    }
    if (judged.kind === "unknown" && head.commands.length > 0 && warned !== text) {
      setWarned(text);
      return;
    }
    const uploads = attachments.list.flatMap(({ id }) => (id === undefined ? [] : [id]));
    outbox.send(client, { session, content: text, uploads, ...(priority !== undefined && { priority }) });
    recalled.current = undefined;
    attachments.clear();
    setWarned(undefined);
    written.write("");
  };

  const choose = (choice: Choice, run: boolean): void => {
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

  const onEnter = (event: React.KeyboardEvent): void => {
    const mod = event.ctrlKey || event.metaKey;
    if (event.shiftKey || (enter === "breaks" && !mod && !event.altKey)) return;
    event.preventDefault();
    if (!running) send();
    else send(event.altKey ? "later" : mod && enter === "sends" ? "now" : undefined);
  };

  const onArrow = (event: React.KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    const history = historyOf(readPrompts(view).map((row) => typedText(row.content)));
    const next = recall(history, recalled.current, event.currentTarget.value, event.key === "ArrowUp" ? 1 : -1);
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
    if (action === "interrupt") void interrupt().catch(() => undefined);
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
    if (event.key === "Enter") onEnter(event);
    else if (event.key === "Escape") onEscape(event);
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") onArrow(event);
    else if (event.key === "Tab" && event.shiftKey) take(() => setMode(client, session, modeAfter(head.mode)));
    else if (event.key === "Tab" && isEmpty && head.suggestion !== undefined && !running)
      take(() => written.write(head.suggestion!));
    else if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && isEmpty && written.canUndo)
      take(written.undo);
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

  const placeholder = running
    ? "Add to this turn, or queue for later"
    : head.suggestion !== undefined
      ? `${head.suggestion}  (Tab)`
      : head.process?.running === false
        ? "Send a message to resume this session"
        : "Message, @ for files, / for commands";

  return (
    <div className="composer-area">
      <UnsentPrompts session={session} onEdit={written.write} />
      {aside !== undefined && (
        <SideQuestion key={aside} question={aside} actions={actions} onClose={() => setAside(undefined)} />
      )}
      <form
        className={`composer ${over ? "composer-over" : ""}`}
        aria-label="Message"
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
          defaultValue={unsent.text}
          placeholder={placeholder}
          aria-label="Message"
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
            Unknown command <code>{warned.split(/\s/u, 1)[0]}</code>. You can send it as text.
            <Button small onClick={() => send()}>
              Send as text
            </Button>
          </p>
        )}
        {written.canUndo && (
          <p className="composer-note" role="status">
            Cleared.
            <Button small tone="quiet" onClick={written.undo}>
              Undo
            </Button>
          </p>
        )}
        <div className="composer-row">
          <IconButton icon="clip" label="Attach files" onClick={() => files.current?.click()} />
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
          <ModelPicker client={client} session={session} head={head} handle={models} />
          <ModePicker client={client} session={session} head={head} />
          <QueuePill view={view} actions={actions} />
          <span className="composer-gap" />
          <SendButtons
            running={running}
            idle={written.isEmpty && attachments.list.length === 0}
            uploading={uploading}
            onSend={send}
            onStop={interrupt}
          />
        </div>
      </form>
    </div>
  );
});
