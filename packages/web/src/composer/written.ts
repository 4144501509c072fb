// The text of one composer: its completion, its undo after a clear, and its copy on this device. The text itself is in
// the textarea. This holds only what the page shows of it, so that most keys cause no render.

import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import type { Attachment } from "./attachments.ts";
import { completionAt, type Completing, type Edit } from "./completion.ts";
import { writeUnsent, type Unsent } from "./unsent.ts";
import { fitHeight, replaceText } from "./textarea.ts";

const SAVE_MS = 300;

export interface Written {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly isEmpty: boolean;
  readonly completing: Completing | undefined;
  /** Cleared a moment ago, and can be restored. */
  readonly canUndo: boolean;
  readonly read: () => string;
  /** Call this after every change of the text or the caret. */
  readonly note: () => void;
  readonly write: (text: string) => void;
  readonly insert: (text: string) => void;
  readonly edit: (edit: Edit) => void;
  readonly stopCompleting: () => void;
  readonly clear: () => void;
  readonly undo: () => void;
}

export const useWritten = (session: string, unsent: Unsent, attached: readonly Attachment[]): Written => {
  const box = useRef<HTMLTextAreaElement>(null);
  const latest = useRef(unsent.text);
  const cleared = useRef("");
  const [isEmpty, setIsEmpty] = useState(unsent.text.trim() === "");
  const [completing, setCompleting] = useState<Completing>();
  const [canUndo, setCanUndo] = useState(false);

  const save = useCallback(() => {
    const files = attached.flatMap(({ id, name, mediaType, size }) =>
      id === undefined ? [] : [{ id, name, mediaType, size }],
    );
    writeUnsent(session, { text: latest.current, files });
  }, [session, attached]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const saveSoon = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(save, SAVE_MS);
  }, [save]);
  useEffect(() => {
    addEventListener("pagehide", save);
    return () => {
      removeEventListener("pagehide", save);
      clearTimeout(timer.current);
      save();
    };
  }, [save]);

  const note = useCallback(() => {
    const { current } = box;
    if (current === null) return;
    const { value, selectionStart: from, selectionEnd: to } = current;
    latest.current = value;
    fitHeight(current);
    setIsEmpty(value.trim() === "");
    if (value !== "") setCanUndo(false);
    setCompleting(from === to ? completionAt(value, from) : undefined);
    saveSoon();
  }, [saveSoon]);

  const replace = useCallback(
    (from: number, to: number, text: string) => {
      if (box.current === null) return;
      replaceText(box.current, from, to, text);
      note();
    },
    [note],
  );
  const read = useCallback(() => box.current?.value ?? latest.current, []);
  const write = useCallback((text: string) => replace(0, read().length, text), [replace, read]);
  const stopCompleting = useCallback(() => setCompleting(undefined), []);
  return {
    box,
    isEmpty,
    completing,
    canUndo,
    read,
    note,
    write,
    insert: (text) => replace(box.current?.selectionStart ?? 0, box.current?.selectionEnd ?? 0, text),
    edit: ({ from, to, insert, more }) => {
      replace(from, to, insert);
      if (!more) setCompleting(undefined);
    },
    stopCompleting,
    clear: () => {
      cleared.current = read();
      write("");
      setCanUndo(true);
    },
    undo: () => write(cleared.current),
  };
};
