// Files for the next prompt: checked, shrunk if necessary, and uploaded at once.

import { upload, type Client } from "@quarterdeck/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { formatBytes } from "../words/format.ts";
import type { UnsentFile } from "./unsent.ts";
import { WORDS } from "./words.ts";

export interface Attachment {
  readonly key: number;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly state: "preparing" | "uploading" | "ready" | "failed";
  readonly share: number;
  /** The server's id of the upload, once it is uploaded. */
  readonly id?: string;
  readonly preview?: string;
  readonly reason?: string;
  /** The text of a long paste, so that it can become text again. */
  readonly text?: string;
}

const MOST = 20;
/** A longer paste becomes a file, not a message. */
const LONG_CHARS = 8000;
const LONG_LINES = 150;

export const isLongPaste = (text: string): boolean =>
  text.length > LONG_CHARS || text.split("\n", LONG_LINES + 1).length > LONG_LINES;

export const isPicture = (mediaType: string): boolean =>
  mediaType.startsWith("image/") && mediaType !== "image/svg+xml";

/** Why a file is refused, or undefined. */
export const attachmentRefusal = (
  file: { readonly name: string; readonly size: number },
  count: number,
  limit: number,
): string | undefined => {
  if (count >= MOST) return WORDS.most(MOST);
  if (file.size === 0) return WORDS.empty(file.name);
  if (file.size > limit) return WORDS.large(file.name, formatBytes(file.size), formatBytes(limit));
  return undefined;
};

let lastKey = 0;

const fromUnsent = (file: UnsentFile): Attachment => ({ key: ++lastKey, ...file, state: "ready", share: 1 });

export interface Attachments {
  readonly list: readonly Attachment[];
  /** Returns why files were refused. */
  readonly add: (files: readonly File[], text?: string) => readonly string[];
  readonly remove: (key: number) => void;
  readonly clear: () => void;
}

export const useAttachments = (client: Client, initial: readonly UnsentFile[]): Attachments => {
  const [list, setList] = useState<readonly Attachment[]>(() => initial.map(fromUnsent));
  const current = useRef(list);
  const uploads = useRef(new Map<number, AbortController>());

  const change = useCallback((next: readonly Attachment[]) => {
    current.current = next;
    setList(next);
  }, []);
  const patch = useCallback(
    (key: number, fields: Partial<Attachment>) =>
      change(current.current.map((entry) => (entry.key === key ? { ...entry, ...fields } : entry))),
    [change],
  );

  useEffect(() => {
    const running = uploads.current;
    return () => {
      for (const stop of running.values()) stop.abort();
    };
  }, []);

  const send = useCallback(
    async (key: number, file: File) => {
      const stop = new AbortController();
      uploads.current.set(key, stop);
      try {
        const body = isPicture(file.type) ? await (await import("./shrink-image.ts")).shrinkImage(file) : file;
        if (stop.signal.aborted) return;
        patch(key, { state: "uploading", size: body.size, mediaType: body.type || file.type });
        const { id, mediaType, size } = await upload(client, body, {
          name: file.name,
          onProgress: (share) => patch(key, { share }),
          signal: stop.signal,
        });
        patch(key, { id, mediaType, size, state: "ready", share: 1 });
      } catch (error) {
        if (!stop.signal.aborted)
          patch(key, { state: "failed", reason: error instanceof Error ? error.message : String(error) });
      } finally {
        uploads.current.delete(key);
      }
    },
    [client, patch],
  );

  const add = useCallback(
    (files: readonly File[], text?: string): readonly string[] => {
      const refused: string[] = [];
      const limit = client.info?.limits.uploadBytes ?? Infinity;
      for (const file of files) {
        const reason = attachmentRefusal(file, current.current.length, limit);
        if (reason !== undefined) {
          refused.push(reason);
          continue;
        }
        const key = ++lastKey;
        const preview = isPicture(file.type) ? { preview: URL.createObjectURL(file) } : {};
        const about = { key, name: file.name, mediaType: file.type, size: file.size, share: 0 };
        change([...current.current, { ...about, ...preview, ...(text !== undefined && { text }), state: "preparing" }]);
        void send(key, file);
      }
      return refused;
    },
    [client, change, send],
  );

  const remove = useCallback(
    (key: number) => {
      uploads.current.get(key)?.abort();
      const gone = current.current.find((entry) => entry.key === key);
      if (gone?.preview !== undefined) URL.revokeObjectURL(gone.preview);
      change(current.current.filter((entry) => entry.key !== key));
    },
    [change],
  );
  const clear = useCallback(() => change([]), [change]);
  return { list, add, remove, clear };
};
