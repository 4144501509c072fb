// Where a person writes. The text lives in the textarea alone: no store, no render for a key, so that typing never waits for
// whatever streams above it.

import type { Client, SessionView } from "@quarterdeck/client";
import { memo, useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import { isRunning, modeAfter } from "../app/words.ts";
import type { SessionActions } from "../app/session-actions.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { later } from "../parts/later.tsx";
import { Menu, type MenuHandle } from "../parts/menu.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { readPrompts, useHead } from "../store/session.ts";
import { useSettings } from "../store/settings.ts";
import { openSurface } from "../store/surfaces.ts";
import { AttachmentTray } from "./attachment-tray.tsx";
import { isLongPaste, useAttachments } from "./attachments.ts";
import { chooseCommand, chooseMention, completionAt, type Completing, type Edit } from "./completion.ts";
import { CompletionList, useChoices, type Choice } from "./completion-list.tsx";
import { readDraft, writeDraft } from "./drafts.ts";
import { escapeAction } from "./escape.ts";
import { outbox, type Priority } from "./outbox.ts";
import { QueuePill } from "./queue-pill.tsx";
import { ModelPicker, ModePicker, setMode, setModel } from "./pickers.tsx";
import { textOf } from "./queue.ts";
import { historyOf, recall, type Recalled } from "./recall.ts";
import { UnsentPrompts } from "./unsent-prompts.tsx";
import { commandChoices, judgeCommand, type OwnCommand } from "./slash.ts";
import { fitHeight, replaceText } from "./textarea.ts";
import "./composer.css";

const SideQuestion = later(async () => (await import("./side-question.tsx")).SideQuestion);

const SAVE_MS = 300;

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
  const box = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const models = useRef<MenuHandle>(null);
  const recalled = useRef<Recalled>(undefined);
  const cleared = useRef("");
  const [draft] = useState(() => readDraft(session));
  const [empty, setEmpty] = useState(draft.text === "");
  const [at, setAt] = useState<Completing>();
  const [active, setActive] = useState(0);
  const [warned, setWarned] = useState<string>();
  const [undo, setUndo] = useState(false);
  const [aside, setAside] = useState<string>();
  const [stopping, setStopping] = useState(false);
  const [over, setOver] = useState(false);
  const attachments = useAttachments(client, draft.files);
  const commands = useMemo(() => commandChoices(head.commands), [head.commands]);
  const choices = useChoices(at, session, commands);
  const running = isRunning(head.phase);
  const open = at !== undefined && choices.list.length > 0;
  const idle = attachments.list.length === 0 && empty;
  const uploading = attachments.list.some(({ state }) => state === "preparing" || state === "uploading");

  useEffect(() => {
    if (!running) setStopping(false);
  }, [running]);

  const save = useCallback(() => {
    const ready = attachments.list.flatMap(({ id, name, mediaType, size }) =>
      id === undefined ? [] : [{ id, name, mediaType, size }],
    );
    writeDraft(session, { text: box.current?.value ?? "", files: ready });
  }, [session, attachments.list]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const saveSoon = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(save, SAVE_MS);
  }, [save]);
  useEffect(() => {
    saveSoon();
    addEventListener("pagehide", save);
    return () => {
      removeEventListener("pagehide", save);
      clearTimeout(timer.current);
      save();
    };
  }, [save, saveSoon]);

  const noteText = useCallback(() => {
    const { current } = box;
    if (current === null) return;
    fitHeight(current);
    setEmpty(current.value.trim() === "");
    setWarned(undefined);
    if (current.value !== "") setUndo(false);
    setAt(
      current.selectionStart === current.selectionEnd ? completionAt(current.value, current.selectionStart) : undefined,
    );
    setActive(0);
    saveSoon();
  }, [saveSoon]);

  const setText = useCallback(
    (text: string) => {
      const { current } = box;
      if (current === null) return;
      replaceText(current, 0, current.value.length, text);
      noteText();
    },
    [noteText],
  );

  const interrupt = useCallback(() => {
    setStopping(true);
    client.command("session/interrupt", { session, holdQueue: true }).catch((error: unknown) => {
      setStopping(false);
      toastError(error);
    });
  }, [client, session]);

  const clear = useCallback(() => {
    cleared.current = box.current?.value ?? "";
    setText("");
    setUndo(true);
  }, [setText]);

  const own = (command: OwnCommand, args: string): void => {
    switch (command) {
      case "model":
      case "fast":
        if (command === "model" && args !== "") void setModel(client, session, args).catch(toastError);
        else models.current?.open();
        break;
      case "config":
        openSurface({ kind: "settings" });
        break;
      case "help":
        openSurface({ kind: "help" });
        break;
      case "keybindings-help":
        openSurface({ kind: "keys" });
        break;
      case "permissions":
        openSurface({ kind: "permissions", session });
        break;
      case "mcp":
        openSurface({ kind: "servers", session });
        break;
      case "resume":
        openSurface({ kind: "resume" });
        break;
      case "btw":
        if (args === "") toast("Write the question after /btw.");
        else setAside(args);
        break;
    }
  };

  const send = (priority?: Priority): void => {
    const text = (box.current?.value ?? "").trim();
    if (text === "" && attachments.list.length === 0) return;
    if (uploading) {
      toast("Wait until the files are there.");
      return;
    }
    const judged = judgeCommand(text, commands);
    if (judged.kind === "own") {
      setText("");
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
    setText("");
    setUndo(false);
  };

  const edit = ({ from, to, insert, more }: Edit): void => {
    if (box.current === null) return;
    replaceText(box.current, from, to, insert);
    noteText();
    if (!more) setAt(undefined);
  };
  const choose = (choice: Choice, run: boolean): void => {
    if (at === undefined) return;
    if (choice.kind === "mention") {
      edit(chooseMention(at, choice.suggestion.kind, choice.suggestion.value));
      return;
    }
    const { command } = choice;
    // What opens here and needs nothing more opens at once.
    if (run && command.own !== undefined && !command.hint.startsWith("<")) {
      setText("");
      own(command.own, "");
      return;
    }
    edit(chooseCommand(at, command.name));
  };

  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>): void => {
    // An input method's own keys are not ours.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (open && listKey(event)) return;
    const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
    const { value } = event.currentTarget;
    if (key === "Enter") {
      if (shiftKey) return;
      const mod = ctrlKey || metaKey;
      if (enter === "breaks" && !mod && !altKey) return;
      event.preventDefault();
      send(!running ? undefined : altKey ? "later" : mod && enter === "sends" ? "now" : undefined);
      return;
    }
    if (key === "Escape") {
      event.preventDefault();
      escape();
      return;
    }
    if (key === "Tab" && shiftKey) {
      event.preventDefault();
      setMode(client, session, modeAfter(head.mode));
      return;
    }
    if (key === "Tab" && value === "" && head.suggestion !== undefined && !running) {
      event.preventDefault();
      setText(head.suggestion);
      return;
    }
    if ((key === "z" || key === "Z") && (ctrlKey || metaKey) && !shiftKey && undo && value === "") {
      event.preventDefault();
      setText(cleared.current);
      return;
    }
    if ((key === "ArrowUp" || key === "ArrowDown") && !shiftKey && !altKey && !ctrlKey && !metaKey) {
      const history = historyOf(readPrompts(view).map((row) => textOf(row.content)));
      const next = recall(history, recalled.current, value, key === "ArrowUp" ? 1 : -1);
      if (next === undefined) return;
      event.preventDefault();
      setText(next.text);
      setAt(undefined);
      recalled.current = next.index < 0 ? undefined : next;
    }
  };

  /** Whether the list of completions took the key. */
  const listKey = (event: React.KeyboardEvent): boolean => {
    const count = choices.list.length;
    switch (event.key) {
      case "ArrowDown":
        setActive((active + 1) % count);
        break;
      case "ArrowUp":
        setActive((active - 1 + count) % count);
        break;
      case "Escape":
        setAt(undefined);
        break;
      case "Enter":
      case "Tab": {
        if (event.shiftKey) return false;
        const choice = choices.list[active];
        if (choice === undefined) return false;
        // A command that is written out is sent, not completed again.
        if (
          event.key === "Enter" &&
          choice.kind === "command" &&
          box.current?.value.trim() === `/${choice.command.name}`
        ) {
          if (choice.command.own === undefined && choice.command.hint === "") return false;
        }
        choose(choice, event.key === "Enter");
        break;
      }
      default:
        return false;
    }
    event.preventDefault();
    return true;
  };

  const escape = (): void => {
    const context = { menu: false, request: false, text: (box.current?.value ?? "") !== "", running };
    const action = escapeAction(context);
    if (action === "clear") clear();
    if (action === "interrupt") interrupt();
  };

  const take = (given: readonly File[]): void => {
    for (const reason of attachments.add(given)) toast(reason, { tone: "bad" });
  };

  const onPaste = (event: React.ClipboardEvent): void => {
    const given = [...event.clipboardData.files];
    if (given.length > 0) {
      event.preventDefault();
      take(given);
      return;
    }
    const text = event.clipboardData.getData("text/plain");
    if (!isLongPaste(text)) return;
    event.preventDefault();
    const count = attachments.list.filter((entry) => entry.text !== undefined).length + 1;
    const file = new File([text], `pasted-${count}.txt`, { type: "text/plain" });
    for (const reason of attachments.add([file], text)) toast(reason, { tone: "bad" });
  };

  const placeholder = running
    ? "Steer it, or queue a message"
    : head.suggestion !== undefined
      ? `${head.suggestion}  (Tab)`
      : head.process?.running === false
        ? "Send a message to resume this session"
        : "Message, @ a file, / for commands";

  return (
    <div className="composer-area">
      <UnsentPrompts session={session} onEdit={setText} />
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
        onDragOver={(event) => {
          if (!event.dataTransfer.types.includes("Files")) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take([...event.dataTransfer.files]);
        }}
      >
        {open && (
          <CompletionList
            id={listId}
            choices={choices}
            active={active}
            onHover={setActive}
            onChoose={(choice) => choose(choice, true)}
          />
        )}
        <AttachmentTray
          list={attachments.list}
          onRemove={attachments.remove}
          onInsert={(entry) => {
            attachments.remove(entry.key);
            const { current } = box;
            if (current !== null) replaceText(current, current.selectionStart, current.selectionEnd, entry.text ?? "");
            noteText();
          }}
        />
        <textarea
          ref={box}
          id="composer"
          className="composer-text"
          rows={1}
          defaultValue={draft.text}
          placeholder={placeholder}
          aria-label="Message"
          aria-autocomplete="list"
          aria-controls={open ? listId : undefined}
          aria-activedescendant={open ? `${listId}-${active}` : undefined}
          enterKeyHint={enter === "sends" ? "send" : "enter"}
          autoCapitalize="sentences"
          spellCheck
          onInput={noteText}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onClick={noteText}
          onBlur={() => setAt(undefined)}
        />
        {warned !== undefined && (
          <p className="composer-note" role="alert">
            There is no command <code>{warned.split(/\s/u, 1)[0]}</code>. The model would get it as text.
            <Button small onClick={() => send()}>
              Send as text
            </Button>
          </p>
        )}
        {undo && (
          <p className="composer-note" role="status">
            Cleared.
            <Button small tone="quiet" onClick={() => setText(cleared.current)}>
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
              take([...(event.target.files ?? [])]);
              event.target.value = "";
            }}
          />
          <ModelPicker client={client} session={session} head={head} disabled={false} handle={models} />
          <ModePicker client={client} session={session} head={head} disabled={false} />
          <QueuePill view={view} actions={actions} />
          <span className="composer-gap" />
          {running && (
            <Button
              tone="danger"
              small
              className="composer-stop"
              icon="stop"
              busy={stopping}
              title="Ends the turn; queued messages are given back (Esc)"
              onClick={interrupt}
            >
              <span className="send-word">{stopping ? "Stopping" : "Stop"}</span>
            </Button>
          )}
          {(!running || !idle) && (
            <span className="send">
              <Button
                tone="main"
                small
                type="submit"
                icon="send"
                disabled={idle}
                busy={uploading}
                title={running ? "Folds in at the next step (Enter)" : "Send (Enter)"}
              >
                <span className="send-word">{uploading ? "Uploading" : running ? "Steer" : "Send"}</span>
              </Button>
              {running && (
                <Menu
                  className="btn btn-main btn-small send-how"
                  label="How to send"
                  heading="While it works"
                  items={[
                    {
                      id: "next",
                      label: "Steer",
                      detail: "Folds in at the next step of this turn",
                      keys: "↵",
                      run: () => send(),
                    },
                    {
                      id: "later",
                      label: "After this turn",
                      detail: "Waits in the queue",
                      keys: "Alt ↵",
                      run: () => send("later"),
                    },
                    {
                      id: "now",
                      label: "Stop and send",
                      detail: "Interrupts the turn, then runs this",
                      keys: "Ctrl ↵",
                      run: () => send("now"),
                    },
                  ]}
                >
                  <Icon name="up" size={14} />
                </Menu>
              )}
            </span>
          )}
        </div>
      </form>
    </div>
  );
});
